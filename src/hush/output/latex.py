"""Tables for a paper."""

from __future__ import annotations

from hush.output.document import TableOf

__all__ = ["latex_table"]


def latex_table(table: TableOf, caption: str, label: str) -> str:
    r"""Return a table for a paper, with the rules of booktabs.

    >>> text = latex_table(TableOf(("policy", "far"), (("A_b", "2 %"),)), "Regret", "tab:r")
    >>> r"A\_b & 2 \% \\" in text
    True
    """
    rows = [" & ".join(_latex(cell) for cell in row) + r" \\" for row in table.rows]
    head = " & ".join(_latex(cell) for cell in table.columns) + r" \\"
    return "\n".join(
        [
            r"\begin{table}[t]", r"\centering", rf"\caption{{{_latex(caption)}}}",
            rf"\label{{{label}}}", rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
            r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}",
            r"\end{table}", "",
        ]
    )  # fmt: skip


def _latex(text: str) -> str:
    safe = "".join("\\" + c if c in "&%$#_{}" else c for c in text)
    return safe.replace("^", r"\textasciicircum{}").replace("~", r"\textasciitilde{}")
