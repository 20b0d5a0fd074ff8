"""The page of learners' intervals: runs are those of live learners, and claims hold."""

import math
import re

import numpy as np
import pytest
from tests.check_examples import blocks

import hush
from hush.noise import children
from hush.policies.core.intervals import arm_posteriors
from hush.simulation.engines.run_seeds import run_seed
from research import confidence
from research.confidence import Instance, Scale, instance, least_evidence, played
from research.pages import load_tables

SEED = 7
SHORT = Scale(least_rounds=200, most_rounds=600)


def live(policy, problem, run):
    """Play the same run with a learner."""
    environment, source = children(run_seed(SEED, policy, run), 2)
    noise = hush.SeededNoise(source, discrete=problem.discrete)
    learner = policy.learner(problem.means.size, noise=noise)
    generator = np.random.Generator(np.random.PCG64(environment))
    for _ in range(problem.horizon):
        arm = learner.select()
        learner.update(arm, int(generator.random() < problem.means[arm]))
    return learner


@pytest.mark.parametrize("make", confidence.POLICIES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("run", [0, 1])
def test_releases_are_those_of_a_live_learner(make, run):
    problem = instance(SHORT, SEED, run)
    policy = make(problem.epsilon)
    learner = live(policy, problem, run)
    recovered = played(policy, problem, SEED, run)
    for arm, evidence in enumerate(arm_posteriors(learner)):
        mine = [each for each in learner.releases if each.arm == arm]
        assert [each.count for each in mine] == recovered[arm].counts.tolist()
        assert np.allclose([each.value for each in mine], recovered[arm].values, rtol=1e-12)
        mean = problem.means[arm]
        least = least_evidence(recovered[arm], mean, problem.epsilon)
        assert least <= evidence.log_ratio(np.array([mean]))[0] + 1e-6
        low, high = learner.interval(arm, -math.expm1(least - 0.01))
        assert low <= mean <= high


def test_what_was_missed_is_counted():
    problem = Instance(np.array([0.5, 0.9]), 1.0, 300, discrete=False)
    releases = played(hush.LazyDPTS(1.0), problem, SEED, 0)
    assert least_evidence(releases[1], 0.2, 1.0) < -10.0 < least_evidence(releases[1], 0.9, 1.0)


@pytest.mark.untraced
def test_all_is_measured(tmp_path):
    tables, picture = confidence.measure(tmp_path, quick=True, seed=3)
    assert len(picture.axes) == 2
    assert len(tables["coverage"].rows) == 2 * len(confidence.POLICIES)
    places = "\n".join(
        f"<!-- begin {name} -->\n<!-- end {name} -->" for name in confidence.PAGE.parts
    )
    assert "6 runs of each policy" in confidence.PAGE.render(places, tables)


def test_the_page_shows_no_more_misses_than_are_allowed():
    """The upper end of each share's interval lies below what the confidence allows."""
    rows = load_tables(confidence.PAGE.data)["coverage"].rows
    assert len(rows) == 2 * len(confidence.POLICIES)
    for _, level, *cells in rows:
        for cell in cells:
            assert float(re.search(r"to ([\d.]+)\)", cell)[1]) < 100.0 * (1.0 - float(level))


def test_the_example_prints_what_it_says(capsys):
    (code,) = blocks(confidence.PAGE.path, "python")
    exec(code, {})  # noqa: S102  our own page
    said = ", ".join(re.findall(r"\)  # (0\.\d.*)", code))
    assert capsys.readouterr().out.split("\n")[:-1] == said.split(", ")
