"""A small study, and data made by hand."""

import numpy as np

from hush.simulation import Result
from hush.studies.definition.from_toml import read_study
from hush.studies.outcome import CurveData, Outcome

SMALL = """
title = "Small"
runs = 12
horizon = 2000
epsilon = [0.5, 1.0]
checkpoints = 5
baseline = "LazyDPTS"

[quick]
runs = 2
epsilon = 1.0

[environment]
instance = "S1"

[[policies]]
policy = "AnytimeLazyUCB"

[[policies]]
policy = "LazyDPTS"

[[policies]]
policy = "UCB1"
runs = 8

[[claims]]
text = "Lazy-DP-TS has less regret."
test = "less"
policy = "LazyDPTS"
than = "AnytimeLazyUCB"
"""

PLOTS = """
[[plots]]
kind = "time"
scales = ["log"]
panels = "epsilon"
[[plots]]
kind = "sweep"
against = "epsilon"
[[plots]]
kind = "dots"
"""


def small(text=SMALL, *, quick=False):
    return read_study("small", text, "small.toml", quick=quick)


def made(means, *, runs=2000, noise=0.0, claim="", axes="epsilon = [0.1, 1.0]", points=(1000,)):
    """An outcome whose mean regrets are given: a function of policy, place and round."""
    text = f"""
runs = {runs}
horizon = {points[-1]}
checkpoints = {list(points)}
{axes if "arms" not in axes else "epsilon = 1.0"}
[environment]
{"instance = 'S1'" if "arms" not in axes else "family = 'packing'" + chr(10) + axes}
[[policies]]
policy = "LazyDPTS"
name = "A"
[[policies]]
policy = "AnytimeLazyUCB"
name = "B"
[[claims]]
text = "a claim"
policy = "A"
{claim}
"""
    study = small(text)
    generator = np.random.default_rng(7)
    data = []
    for curve in study.curves:
        mean = np.array([means(curve.name, dict(curve.place), point) for point in curve.points])
        data.append(mean * (1.0 + noise * generator.standard_normal((runs, 1))))
    return outcome_of(study, data)


def outcome_of(study, data):
    """Join a study's curves with data made by hand."""
    pairs = zip(study.curves, data, strict=True)
    return Outcome(
        study,
        tuple(
            CurveData(c, Result.given(c.policy, c.env, c.points, regret, 0)) for c, regret in pairs
        ),
    )
