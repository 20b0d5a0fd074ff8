"""Tables of a report."""

import pytest
from tests.studies.small import made, small

import hush
from hush.studies import run_study
from hush.studies.report.tables import difference_table, regret_table, relative_table
from hush.theory import exact_regret

EXACT = """
exact = true
horizon = 1000
epsilon = 0.5
baseline = "A"
relative_to = "conjectured rate"
[environment]
instance = ["S1", "S2"]
[[policies]]
policy = "RNMFTNL"
name = "A"
[[policies]]
policy = "NaiveFTNL"
name = "B"
"""


def test_wide_tables_go_down():
    arms = "arms = [2, 3, 4, 5, 6, 7]\ngap = 0.1"
    outcome = made(lambda *_: 10.0, axes=arms, claim='test="less"\nthan="B"')
    assert regret_table(outcome).columns[1:] == tuple(f"arms {k}" for k in range(2, 8))
    assert difference_table(outcome) is None
    epsilons = ", ".join(f"{k}.0" for k in range(1, 13))
    outcome = made(lambda *_: 10.0, axes=f"epsilon = [{epsilons}]", claim='test="less"\nthan="B"')
    table = regret_table(outcome)
    assert len(table.columns) == 2
    assert table.rows[0][0] == "A, epsilon 1"


@pytest.mark.usefixtures("exact_here")
def test_exact_regret_has_no_interval():
    outcome = run_study(small(EXACT))
    table = regret_table(outcome)
    assert table.columns == ("expected regret, exact", "instance S1", "instance S2")
    envs = (hush.paper_s1(), hush.paper_s2())
    known = [exact_regret(hush.RNMFTNL(0.5), env, 1000).final for env in envs]
    assert table.rows[0] == ("A", *(f"{value:.1f}" for value in known))
    differences = difference_table(outcome)
    assert differences.columns[0] == "regret less that of A"
    relative = relative_table(outcome, "conjectured rate")
    assert relative.columns[0] == "regret relative to the conjectured rate"
    shown = [cell for each in (table, differences, relative) for row in each.rows for cell in row]
    assert not any("(" in cell for cell in shown)


def test_simulated_regret_relative_to_a_bound():
    text = EXACT.replace("exact = true", "runs = 4").replace("conjectured rate", "brackets")
    text = text.replace('"NaiveFTNL"', '"RNMFTNL"\nnoise = "gumbel"')
    outcome = run_study(small(text))
    table = relative_table(outcome, "brackets")
    assert table.columns[0] == "median regret relative to the bound “brackets”"
    assert all("(" in cell for row in table.rows for cell in row[1:])
