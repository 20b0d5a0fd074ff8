from hush.output.document import TableOf
from hush.output.latex import latex_table


def test_signs_are_escaped():
    table = TableOf(("a_b", "50 %"), (("x & y", "1^2"),))
    assert r"a\_b & 50 \%" in latex_table(table, "c", "l")
    assert r"x \& y & 1\textasciicircum{}2 \\" in latex_table(table, "c", "l")
