"""The page on trust: where curves cross."""

import numpy as np
import pytest

from hush.simulation.result import Result
from hush.studies import shipped_study
from hush.studies.outcome import CurveData
from research import trust

EPSILONS = (0.25, 0.35, 0.5, 0.7, 1.0, 2.0)


def curves(name, regret, spread, runs=400):
    """Return curves whose regret at an epsilon is given, with a spread from run to run."""
    study = shipped_study("trust", quick=True).resized(runs=runs)
    factors = 1.0 + spread * np.linspace(-1.0, 1.0, runs)
    found = []
    for curve in study.curves:
        place = dict(curve.place)
        if curve.name == name and place["instance"] == "S1":
            samples = np.column_stack([regret(place["epsilon"]) * factors] * len(curve.points))
            result = Result.given(curve.policy, curve.env, curve.points, samples, study.seed)
            found.append(CurveData(curve, result))
    assert len(found) == len(EPSILONS)
    return found


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        (130.0, ("1", "1.3", "2")),
        (57.0, ("0.5", "0.57", "0.7")),
        (1000.0, ("2", "-", "-")),
        (1.0, ("-", "-", "0.25")),
    ],
)
def test_curves_cross_where_they_do(constant, said):
    local = curves(trust.LOCAL, lambda epsilon: constant / epsilon**2, 0.2)
    central = curves("Lazy-DP-TS, central", lambda epsilon: 100.0 / epsilon, 0.2)
    assert trust.crossing(local, central) == said


def test_what_runs_do_not_tell_is_not_said():
    local = curves(trust.LOCAL, lambda epsilon: 130.0 / epsilon**2, 1.0, runs=6)
    central = curves("Lazy-DP-TS, central", lambda epsilon: 100.0 / epsilon, 1.0, runs=6)
    more, about, fewer = trust.crossing(local, central)
    assert about == "1.3"
    assert (more, fewer) == ("-", "-")


@pytest.mark.slow
@pytest.mark.untraced
def test_the_study_makes_the_tables(tmp_path):
    tables, picture = trust.measure(tmp_path, quick=True, seed=1)
    assert picture is not None
    assert len(tables["crossings"].rows) == 4 * len(trust.CENTRAL)
    assert {row[0] for row in tables["trust-arms"].rows} == {"10 arms", "20 arms"}
    assert all(len(row) == len(tables["trust"].columns) for row in tables["trust"].rows)
