"""Published figures beside ours: the rule, its verdicts, and what else was tried."""

import json
import math

import numpy as np
import pytest
from tests.studies.small import outcome_of, small

from hush.studies.report.comparison_tables import (
    attempts_table,
    comparison_document,
    comparison_table,
    count_comparisons,
)
from hush.studies.report.comparisons import (
    AGREES,
    DIFFERS,
    REALISED,
    UNKNOWN,
    Estimate,
    allowed,
    compare_published,
)
from hush.studies.report.write import write_report

STUDY = """
runs = 400
horizon = 1000
epsilon = [0.5, 1.0]
checkpoints = "final"
[environment]
instance = "S1"
[[policies]]
policy = "LazyDPTS"
name = "A"
[[policies]]
policy = "AnytimeLazyUCB"
name = "B"
[[published]]
figure = "figure 1"
policy = "A"
where = {{ epsilon = 1.0 }}
{rest}
"""
MEANS = {("A", 0.5): 150.0, ("A", 1.0): 100.0, ("B", 0.5): 300.0, ("B", 1.0): 200.0}


def outcome(rest, deviation=10.0):
    """Data whose means and deviations are exact."""
    study = small(STUDY.format(rest=rest))
    shape = np.tile([-1.0, 1.0], 200)[:, None] * deviation * math.sqrt(399 / 400)
    return outcome_of(
        study, [MEANS[c.name, dict(c.place)["epsilon"]] + shape for c in study.curves]
    )


def one(rest, **given):
    (found,) = compare_published(outcome(rest, **given))
    return found


def test_the_rule_is_reading_error_and_three_standard_errors():
    ours = Estimate(100.0, 10.0, 400)
    assert ours.error == 0.5
    assert allowed(ours, 25, 3.0) == pytest.approx(3.0 + 3.0 * math.sqrt(0.25 + 4.0))
    assert allowed(ours, 25, 0.0, luck=20.0) == pytest.approx(3.0 * math.sqrt(0.25 + 4.0 + 16.0))


@pytest.mark.parametrize(
    ("rest", "verdict"),
    [
        ("value = 109\nreading = 3\nruns = 25", AGREES),
        ("value = 91\nreading = 3\nruns = 25", AGREES),
        ("value = 110\nreading = 3\nruns = 25", DIFFERS),
        ("value = 90\nreading = 3\nruns = 25", DIFFERS),
        ("value = 128\nreading = 1", AGREES),  # of one run only: 1 + 30.04
        ("value = 96\nruns = 1000", DIFFERS),
        ("value = 110\nruns = 25\nmost = true", AGREES),
        ("value = 96\nruns = 25\nmost = true", AGREES),
        ("value = 90\nruns = 25\nmost = true", DIFFERS),
        ('missing = "the number of runs"', UNKNOWN),
    ],
)
def test_verdicts(rest, verdict):
    assert one(rest).verdict == verdict


@pytest.mark.parametrize(
    ("value", "verdict"), [(100, UNKNOWN), (90, UNKNOWN), (-200, DIFFERS), (500, DIFFERS)]
)
def test_a_margin_as_large_as_the_figure_lets_nothing_agree(value, verdict):
    found = one(f"value = {value}\nruns = 1", deviation=40.0)
    assert found.allowed == pytest.approx(120.15, abs=0.1)
    assert found.verdict == verdict
    if verdict == UNKNOWN:
        assert found.why.startswith(
            "missing: a mean that can be told: the deviation of our runs is"
        )
        assert found.text


def test_an_excess_is_relative_to_another_place():
    found = one("value = -0.3\nover = { epsilon = 0.5 }\nruns = 100\nreading = 0.001")
    assert found.ours.mean == pytest.approx(-1.0 / 3.0)
    ratio = 100.0 / 150.0
    assert found.ours.deviation == pytest.approx(math.hypot(10.0, ratio * 10.0) / 150.0)
    assert found.setting == "A, epsilon 1, excess over epsilon 0.5"
    assert found.verdict == DIFFERS
    assert one("value = -0.33\nover = { epsilon = 0.5 }\nruns = 100").verdict == AGREES


def test_other_readings_are_held_against_the_figure_by_the_same_rule():
    found = one('value = 201\nruns = 100\ntried = ["B"]\nbecause = "B it is."')
    assert [(each.name, each.agrees) for each in found.attempts] == [("B", True), (REALISED, False)]
    assert found.found == ("B",)
    assert found.why == "B it is. Of 2 other readings: B agrees."
    none = one('value = 170\nruns = 100\ntried = ["B"]')
    assert none.why == "Of 2 other readings: none of them agrees."
    assert not one('value = 100\nruns = 100\ntried = ["B"]').attempts


def test_luck_of_rewards_is_a_reading_too():
    luck = math.sqrt(1000 * 0.75 * 0.25)
    near = 100.0 + 2.9 * math.sqrt(0.25 + (100.0 + luck**2) / 25)
    found = one(f"value = {near}\nruns = 25")
    assert found.verdict == DIFFERS
    assert found.found == (REALISED,)


def test_tables_and_the_count_say_it(tmp_path):
    data = outcome('value = 201\nruns = 100\ntried = ["B"]')
    compared = compare_published(data)
    assert count_comparisons(compared) == (
        "Of 1 published figures, 0 agree, 1 differ, and 0 cannot be compared; another reading "
        "gives 1 of those that differ."
    )
    ((verdict, where, setting, theirs, ours, runs, margin, _),) = comparison_table(compared).rows
    assert (verdict, where) == (DIFFERS, "small, figure 1")
    assert (setting, theirs, runs) == ("A, epsilon 1", "201", "400")
    assert ours == "100.0 (99.0 to 101.0)"
    assert margin.startswith("± 3.")
    assert [row[4] for row in attempts_table(compared).rows] == ["B", REALISED]
    document = comparison_document(compared[0])
    assert json.loads(json.dumps(document))["tried"][0] == {
        "reading": "B", "gives": pytest.approx(200.0), "agrees": True,
    }  # fmt: skip
    write_report([data], tmp_path)
    assert "Published figures" in (tmp_path / "report.md").read_text()
    assert len((tmp_path / "published.csv").read_text().splitlines()) == 2
    assert len((tmp_path / "attempts.csv").read_text().splitlines()) == 3


def test_what_cannot_be_compared_shows_no_figure_of_ours():
    found = one('missing = "the number of runs"')
    assert found.text == ""
    assert found.theirs == "not readable"
    assert found.why == "missing: the number of runs"
    assert comparison_table([found]).rows[0][4:7] == ("", "", "")
