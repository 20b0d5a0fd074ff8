import json

import pytest
from typer.testing import CliRunner

import hush
from hush.cli.app import app


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "160"})


def test_bounds_prints_a_table():
    shown = call("bounds", "RNMFTNL", "--instance", "S1", "--epsilon", 0.5)
    assert shown.exit_code == 0, shown.output
    report = hush.bounds(hush.RNMFTNL(0.5), hush.paper_s1(), 10**6)
    for bound in report:
        assert bound.name in shown.output
    assert f"between 0 and {report.upper:,.4g}" in shown.output
    assert "critical gap" in shown.output


def test_bounds_says_how_far_from_the_best_a_policy_is():
    shown = call("bounds", "RNMFTNL", "--means", "0.5,0.5,0.5,0.6", "--epsilon", 0.1)
    report = hush.bounds(hush.RNMFTNL(0.1), hush.packing(4, 0.1), 10**6)
    assert report.distance.sentence in shown.output
    assert "any private learner, any gaps" in shown.output


def test_bounds_says_what_is_not_proven_and_what_does_not_hold():
    shown = call("bounds", "NoiseAwareTS", "--means", "0.5,0.4", "--epsilon", 1)
    assert "No upper bound on the regret of NoiseAwareTS is proven." in shown.output
    shown = call("bounds", "RNMFTNL:growth=3", "--means", "0.5,0.4", "--epsilon", 1)
    assert "does not hold here" in shown.output


def test_bounds_prints_json():
    words = ["AnytimeLazyUCB", "--means", "0.5,0.4", "--epsilon", 1, "--horizon", "1e9", "--json"]
    body = json.loads(call("bounds", *words).output)
    report = hush.bounds(hush.AnytimeLazyUCB(1.0), hush.Bernoulli([0.5, 0.4]), 10**9)
    assert body == json.loads(json.dumps(report.to_dict()))
    assert body["arms"][1]["sample_exponent"] == report.arms[1].sample_exponent


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["LazyDPT", "--instance", "S1"], "did you mean 'LazyDPTS'"),
        (["LazyDPTS", "--instance", "S1"], "needs a privacy loss"),
        (["UCB1", "--instance", "S9"], "unknown instance"),
        (["UCB1"], "either --means"),
        (["UCB1", "--means", "0.5,7"], "means must be numbers"),
        (["UCB1", "--instance", "S1", "--horizon", "0"], "horizon"),
        (["UCB1", "--instance", "S1", "--horizon", "many"], "whole number"),
    ],
)
def test_mistakes_are_one_clear_line(words, message):
    shown = call("bounds", *words)
    assert shown.exit_code == 2
    assert message in shown.output.replace("\n", " ")
    assert "Traceback" not in shown.output
