"""The conjecture as a part of the report: exact regret on the instances that decide it.

The whole study takes minutes and has a page of its own: ``hush study conjecture``.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from hush.output.document import Heading, Image, Paragraph, Part
from hush.output.pictures import save_figure
from hush.studies import conjecture, conjecture_page
from hush.studies.report.write import FORMATS, table_part

__all__ = ["conjecture_parts"]

ABOUT = (
    "The paper conjectures that full information costs ln K / min(Dmin, eps) even where gaps "
    "double from action to action. Here is the exact expected regret of RNM-FTNL, computed and not "
    "simulated, beside that rate and beside the proven bound, at a small scale. hush study "
    "conjecture computes the whole."
)
SCALE = conjecture.Scale(
    arms=(2, 8, 32), gaps=(2.0**-3, 2.0**-6), epsilons=(0.1,), brackets=(1, 2, 4, 6)
)


def conjecture_parts(folder: Path, scale: conjecture.Scale = SCALE) -> list[Part]:
    """Compute exact regret, draw it, and return its part of the report."""
    parts = {"rates": conjecture.rates, "brackets": conjecture.brackets}
    tables = {name: pd.DataFrame(list(part(scale, 0))) for name, part in parts.items()}
    figure = conjecture_page.draw_rates_and_brackets(tables)
    paths = [folder / "figures" / f"conjecture.{suffix}" for suffix in FORMATS]
    for path in paths:
        save_figure(figure, path)
    shown = [conjecture_page.rates_table(tables), conjecture_page.brackets_table(tables)]
    picture = Image(paths[0], "Exact regret beside the conjectured rate")
    return [
        Heading("The open conjecture"),
        Paragraph(ABOUT),
        picture,
        *(table_part(table) for table in shown),
    ]
