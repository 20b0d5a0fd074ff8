"""A forecast that is quick to make, and one that is made up."""

import hush
from hush.forecasting import Course, Estimate

SMALL = {
    "rates": [0.2, 0.5],
    "per_day": 40,
    "person_epsilon": 1.0,
    "days": 4,
    "policies": ["AnytimeLazyUCB"],
    "epsilons": [4.0],
    "runs": 10,
    "seed": 7,
}


def foretold(**changed):
    """Return a forecast of a small experiment."""
    return hush.forecast(**{**SMALL, **changed})


def course(policy="NoiseAwareTS", person_epsilon=1.0, lost=100.0, found=(0.5, 0.9), useful=2.0):
    """Return a made-up course."""
    chances = tuple(Estimate(each, each, each) for each in found)
    lost_ = Estimate(lost, 0.9 * lost, 1.1 * lost)
    return Course(policy, person_epsilon, person_epsilon, 1.0, useful, lost_, chances)


def made_up(courses, without, split=1_000.0):
    """Return a made-up forecast."""
    return hush.Forecast(
        rates=(0.1, 0.2),
        per_day=1_000.0,
        days=10,
        learnt=1.0,
        person_epsilon=1.0,
        person_bound=1,
        window=86_400_000,
        within=0.1,
        looked=(5, 10),
        courses=tuple(courses),
        without=tuple(without),
        split=split,
        runs=100,
        seed=7,
    )
