"""The page on forecasts shows what its commands print."""

import re
import shlex

import pytest
from tests.check_examples import ROOT
from typer.testing import CliRunner

from hush.cli.app import app

PAGE = (ROOT / "docs" / "forecast.md").read_text()
SHOWN = re.findall(r"\$ (hush forecast [^\n]+)\n(.*?)```", PAGE, re.DOTALL)
ROW = re.compile(
    r"^  (\w+) +(no privacy|[\d.]+) +([\d.]+) +([\d,.]+) \(([\d,.]+) to ([\d,.]+)\)", re.MULTILINE
)


def number(text):
    return float(text.replace(",", ""))


@pytest.mark.untraced
@pytest.mark.parametrize(("command", "output"), SHOWN, ids=range(len(SHOWN)))
def test_tables_are_what_their_commands_print(command, output):
    """To within the printed intervals: another processor may round another way."""
    printed = CliRunner().invoke(app, shlex.split(command)[1:], env={"COLUMNS": "110"})
    assert printed.exit_code == 0, printed.output
    claimed, found = ({r[:2]: r[2:] for r in ROW.findall(t)} for t in (output, printed.output))
    assert len(claimed) >= 10
    assert set(claimed) == set(found)
    for name, (days, _, low, high) in claimed.items():
        assert days == found[name][0]
        assert number(low) <= number(found[name][1]) <= number(high)
    verdicts = re.compile(r"^(?:Run \w+ at person_epsilon \S+|Too little traffic[^:]+):", re.M)
    assert verdicts.findall(output) == verdicts.findall(printed.output)


def test_both_answers_are_shown():
    assert len(SHOWN) == 2
    assert "Too little traffic for this promise" in " ".join(SHOWN[1][1].split())
