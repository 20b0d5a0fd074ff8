"""The page of the report: its counts and sentences are the run's."""

import pytest

from hush.studies.report.claims import FAILS, HOLDS, INCONCLUSIVE
from research import reproduce
from research.pages import load_tables


@pytest.mark.slow
@pytest.mark.untraced
def test_two_studies_make_the_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "SHIPPED", ("adap-constant", "brackets"))
    tables, picture = reproduce.measure(tmp_path, quick=True, seed=1)
    assert picture is None
    assert len(tables["verdicts"].rows) == 6
    text = reproduce._stated(tables)
    assert text.startswith("Of 6 claims, ")
    assert "**The conjecture.** 2 of 2 claims hold." in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_the_pages_count_is_that_of_its_verdicts():
    tables = load_tables(reproduce.PAGE.data)
    verdicts = [row[0] for row in tables["verdicts"].rows]
    counts = [verdicts.count(each) for each in (HOLDS, FAILS, INCONCLUSIVE)]
    ((count,),) = tables["count"].rows
    assert count.startswith(
        "Of {} claims, {} hold, {} do not hold, and {} are inconclusive".format(
            len(verdicts), *counts
        )
    )
