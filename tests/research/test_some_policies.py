"""Studies of some policies: their rows go among those that a page has."""

import pytest
from typer.testing import CliRunner

import hush
from hush.errors import ParameterError
from hush.output.document import TableOf
from research import __main__ as commands
from research import comparison, intervals
from research.some_policies import merged

OLD = {
    "rows": TableOf(("policy", "x"), (("a", "1"), ("b", "2"))),
    "sizes": TableOf(("runs",), (("20",),)),
}


def test_rows_are_put_in_and_replaced():
    new = {"rows": TableOf(("policy", "x"), (("c", "3"), ("b", "4"))), "sizes": OLD["sizes"]}
    found = merged(OLD, new)
    assert found["rows"].rows == (("a", "1"), ("b", "4"), ("c", "3"))
    assert found["sizes"] == OLD["sizes"]


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ({"sizes": TableOf(("runs",), (("40",),))}, "sizes is of another size"),
        ({"rows": TableOf(("policy", "y"), ())}, "rows has other columns"),
    ],
)
def test_rows_of_another_study_are_refused(new, told):
    with pytest.raises(ParameterError, match=told):
        merged(OLD, new)


def test_only_those_asked_for_are_measured(tmp_path):
    some = [hush.UCB1, hush.AdaCUCB]
    tables, _ = comparison.measure(tmp_path / "regret", quick=True, seed=3, policies=some)
    assert set(tables) == {"sizes", "bandit"}
    assert [row[0] for row in tables["bandit"].rows] == ["`AdaCUCB`", "`UCB1`"]
    tables, _ = intervals.measure(tmp_path / "laws", quick=True, seed=3, policies=[hush.UCB1])
    assert [row[0] for row in tables["coverage"].rows] == ["`UCB1`"]


def test_a_page_without_rows_of_policies_says_so():
    found = CliRunner().invoke(commands.app, ["run", "reproduce", "--policy", "UCB1"])
    assert isinstance(found.exception, ParameterError)
    assert str(found.exception) == "reproduce has no rows of single policies"
