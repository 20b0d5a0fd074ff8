"""Figures of a report."""

import pytest
from tests.studies.small import PLOTS, SMALL, made, small

from hush.studies import run_study
from hush.studies.definition import Plot
from hush.studies.report.figures import draw_plot
from hush.studies.report.tables import regret_table


@pytest.fixture(scope="module")
def outcome():
    return run_study(small(SMALL + PLOTS))


def test_pictures(outcome):
    time, sweep, dots = (draw_plot(outcome, plot) for plot in outcome.study.plots)
    assert [len(axes.lines) for axes in time.axes] == [3, 3]
    labels = [text.get_text() for text in sweep.axes[0].texts]
    assert any(label.startswith("UCB1") for label in labels)
    assert len(sweep.axes[0].lines) == 3
    assert len(dots.axes[0].texts) == 5


def test_pictures_of_other_sweeps():
    text = SMALL.replace('policy = "LazyDPTS"\n\n', 'policy = "RNMFTNL"\nname = "LazyDPTS"\n'
                         'noise = ["laplace", "exponential"]\n\n')  # fmt: skip
    outcome = run_study(small(text))
    for plot in outcome.study.plots:
        (axes,) = draw_plot(outcome, plot).axes
        names = [tick.get_text() for tick in axes.get_xticklabels()]
        assert names == (["0.5", "1"] if plot.against == "epsilon" else ["laplace", "exponential"])
    # Curves that differ in what is not on the axis are told apart in their labels.
    labels = " ".join(text.get_text() for text in axes.texts)
    assert "LazyDPTS (epsilon 0.5)" in labels
    many = made(
        lambda *_: 1.0, axes="epsilon = [0.1, 0.2, 0.3, 0.4]", claim='test="less"\nthan="B"'
    )
    plot = Plot("time", panels="epsilon", scales=("log",), policies=("A", "B"))
    assert len([axes for axes in draw_plot(many, plot).axes if axes.lines]) == 4


def test_powers_of_ten_are_raised():
    text = SMALL.replace("horizon = 2000", "horizon = [1e5, 1e6]")
    outcome = run_study(small(text).resized(runs=2))
    assert "horizon 10^6" in " ".join(regret_table(outcome).columns)
    (axes,) = [
        axes
        for plot in outcome.study.plots
        if plot.against == "horizon"
        for axes in draw_plot(outcome, plot).axes
    ]
    assert [tick.get_text() for tick in axes.get_xticklabels()][-1] == "$10^{6}$"


def test_one_plot_for_each_instance():
    plots = """
[[plots]]
kind = "time"
scales = ["log"]
panels = "epsilon"
where = { instance = "S2" }
[[plots]]
kind = "sweep"
against = "instance"
policies = ["LazyDPTS"]
"""
    text = SMALL.replace('instance = "S1"', 'instance = ["S1", "S2"]')
    outcome = run_study(small(text + plots).resized(runs=2))
    time, sweep = (draw_plot(outcome, plot) for plot in outcome.study.plots)
    assert [len(axes.lines) for axes in time.axes] == [3, 3]
    labels = [text.get_text() for text in time.axes[0].texts]
    assert not any("instance" in label for label in labels)  # one of them, in all panels
    (axes,) = sweep.axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["S1", "S2"]
    # A lone policy's lines have different colours.
    assert len({line.get_color() for line in axes.lines}) == 2


@pytest.mark.usefixtures("exact_here")
def test_regret_relative_to_a_rate():
    text = """
exact = true
horizon = 1000
epsilon = 1.0
checkpoints = "final"
relative_to = "conjectured rate"
[environment]
family = "packing"
arms = [2, 4]
gap = 0.1
[[policies]]
policy = "RNMFTNL"
[[plots]]
kind = "sweep"
against = "arms"
scales = ["log", "linear"]
relative_to = "conjectured rate"
[[plots]]
kind = "sweep"
against = "arms"
"""
    outcome = run_study(small(text))
    relative, plain = (draw_plot(outcome, plot).axes[0] for plot in outcome.study.plots)
    assert relative.get_ylabel() == "regret relative to the conjectured rate"
    assert plain.get_ylabel() == "expected regret (log scale)"
    assert not relative.collections[1:]  # no band: only the leaders of the labels
    rates = [10 * 0.6931471805599453, 10 * 1.3862943611198906]
    assert relative.lines[0].get_ydata() * rates == pytest.approx(plain.lines[0].get_ydata())
