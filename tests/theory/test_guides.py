"""Bounds in pictures."""

import numpy as np
import pytest
from scipy.stats import beta

import hush
from hush.output.pictures import spread
from hush.theory.guides import bound_guides


@pytest.fixture(scope="module")
def result():
    policies = [hush.AnytimeLazyUCB(0.5), hush.DPKLUCB(0.5), hush.RNMFTNL(0.5)]
    return hush.simulate(policies, hush.paper_s1(), horizon=5000, runs=3, seed=1, progress=False)


def test_guides_are_the_bounds_at_the_checkpoints(result):
    guides = {(guide.position, guide.name): guide for guide in bound_guides(result)}
    assert set(guides) == {
        (0, "upper bound"),
        (0, "lower bound"),
        (0, "lower bound, leading term"),
        (1, "upper bound, leading term"),
        (1, "lower bound"),
        (1, "lower bound, leading term"),
        (2, "upper bound"),
    }
    report = hush.bounds(hush.AnytimeLazyUCB(0.5), hush.paper_s1(), 5000)
    assert guides[0, "upper bound"].values[-1] == report["epochs"].value
    assert guides[0, "lower bound"].values[-1] == report["first pulls"].value
    assert all(guide.values.size == result.checkpoints.size for guide in guides.values())


def test_a_plot_has_a_line_per_bound(result, tmp_path):
    plain = result.plot()
    figure = result.plot(tmp_path / "bounds.svg", bounds=True)
    axes = figure.axes[0]
    # Two bandits share both lower bounds: seven guides are five lines.
    assert len(axes.lines) == len(plain.axes[0].lines) + 5
    assert axes.get_yscale() == "log"
    assert plain.axes[0].get_yscale() == "linear"
    labels = [text.get_text() for text in axes.texts]
    assert any(label.startswith("AnytimeLazyUCB: upper bound") for label in labels)
    assert any(label.startswith("lower bound, leading term") for label in labels)
    upper = [line for line in axes.lines if line.get_linestyle() == "--"]
    lower = [line for line in axes.lines if line.get_linestyle() == ":"]
    assert len(upper) + len(lower) <= 5
    assert (tmp_path / "bounds.svg").stat().st_size > 1000


def test_bounds_of_other_rewards_are_refused():
    env = hush.Bounded([beta(2, 2), beta(1, 2)])
    result = hush.simulate(hush.UCB1(), env, horizon=50, runs=2, seed=1, progress=False)
    with pytest.raises(hush.ParameterError, match="Bernoulli"):
        result.plot(bounds=True)


def test_labels_are_moved_as_little_as_possible():
    assert spread([0.1, 0.5, 0.9], 0.05) == pytest.approx([0.1, 0.5, 0.9])
    assert spread([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])
    assert spread([0.99, 1.0], 0.1) == pytest.approx([0.9, 1.0])
    crowded = spread(sorted(np.random.default_rng(1).random(12)), 0.06)
    assert (np.diff(crowded) >= 0.06 - 1e-12).all()
    assert max(crowded) <= 1.0
    assert spread([], 0.1) == []
