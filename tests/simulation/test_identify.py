"""hush.identify: streams, undecided runs, errors, files and pictures."""

import math
from string import printable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import uniform
from tests import every
from tests.examples import examples

import hush
from hush.errors import HushError, ParameterError, StateError
from hush.simulation.engines.finders import LearnerFinder, Search, finder_of
from hush.simulation.engines.run_seeds import run_seed
from hush.simulation.identification_result import Identification, upper_limit

ENV = hush.Bernoulli([0.9, 0.4, 0.2])
FINDERS = [
    hush.NoiseAwareBAI(1.0),
    hush.DPTT(1.0, threshold="heuristic"),
    hush.AdaPTT(1.0, threshold="heuristic"),
    hush.AdaPTTStar(1.0, threshold="heuristic"),
    hush.PrivateSequentialHalving(1.0, horizon=200),
]


@pytest.mark.parametrize("policy", FINDERS, ids=str)
def test_runs_do_not_depend_on_workers_or_company(policy):
    alone = hush.identify(policy, ENV, confidence=0.9, runs=12, seed=5, workers=1)
    both = hush.identify(
        [hush.NoiseAwareBAI(3.0), policy], ENV, confidence=0.9, runs=30, seed=5, workers=3
    )
    assert alone.samples[0].tolist() == both.samples[1, :12].tolist()
    assert alone.arms[0].tolist() == both.arms[1, :12].tolist()
    assert (both.pulls.sum(axis=2) == both.samples).all()
    assert alone.engines == ("leap",)
    assert len(set(both.samples[1].tolist())) > 1 or "Halving" in str(policy)


@pytest.mark.untraced
@pytest.mark.parametrize("discrete", every.sampled([True, False], 2))
@pytest.mark.parametrize("policy", FINDERS[:2], ids=str)
def test_leaps_have_the_law_of_learners(policy, discrete):
    """Mean samples of 60 runs each within 5 standard errors: false alarms below 1e-6."""
    search = Search(policy, ENV, 0.8, 50_000, discrete)
    leap, plain = finder_of(policy), LearnerFinder()
    one, two = (
        np.array([finder.find(search, run_seed(3, policy, run)).samples for run in range(60)])
        for finder in (leap, plain)
    )
    error = math.sqrt((one.var() + two.var()) / 60)
    assert abs(one.mean() - two.mean()) < 5.0 * error


def test_other_bandits_carry_the_rule_and_give_up_when_told():
    found = hush.identify(
        [hush.LazyDPTS(1.0), hush.NoiseAwareTS(1.0)], ENV, confidence=0.9, runs=2, seed=5, most=900
    )
    assert found.engines == ("rounds (learner)", "rounds (learner)")
    given_up = found.arms < 0
    assert (found.samples[given_up] == 900).all()
    assert found.undecided.tolist() == given_up.sum(axis=1).tolist()


@pytest.mark.parametrize("policy", FINDERS, ids=str)
def test_a_cap_is_kept_to_the_pull(policy):
    found = hush.identify(policy, ENV, confidence=0.999999, runs=3, seed=5, most=37)
    assert found.arms.tolist() == [[-1, -1, -1]]
    assert found.samples.tolist() == [[37, 37, 37]]
    assert found.wrong.tolist() == [0]
    assert found.summary()["undecided"].tolist() == [1.0]


@pytest.mark.untraced
def test_the_rule_errs_less_often_than_it_may():
    """At delta .4 on a near tie: 600 runs, and a share above .4 by 6 deviations is an alarm."""
    found = hush.identify(
        hush.NoiseAwareBAI(1.0), hush.Bernoulli([0.5, 0.47]), confidence=0.6, runs=600, seed=11
    )
    assert found.undecided[0] == 0
    assert found.wrong[0] > 0
    assert found.wrong[0] / 600 <= 0.4 + 6.0 * math.sqrt(0.24 / 600)


def test_any_of_several_best_arms_will_do():
    found = Identification(
        samples=np.array([[10, 20, 30]]),
        arms=np.array([[0, 1, 2]]),
        pulls=np.zeros((1, 3, 3), dtype=np.int64),
        policies=("x",),
        environment={"means": [0.7, 0.7, 0.1]},
        confidence=0.9,
        most=100,
        seed=1,
        engines=("leap",),
        parameters=({},),
        epsilons=(1.0,),
    )
    assert found.wrong.tolist() == [1]
    assert math.isnan(found.bound(0))


def test_a_result_survives_its_file(tmp_path):
    found = hush.identify(FINDERS[:2], ENV, confidence=0.9, runs=3, seed=5)
    path = tmp_path / "found.npz"
    found.save(path)
    again = Identification.load(path)
    assert repr(again) == repr(found)
    assert again.summary().equals(found.summary())
    assert again.pulls.tolist() == found.pulls.tolist()
    path.write_bytes(b"nothing")
    with pytest.raises(StateError, match="damaged"):
        Identification.load(path)
    hush.simulate(hush.UCB1(), ENV, horizon=10, runs=2, seed=1).save(path)
    with pytest.raises(StateError, match="no saved identification"):
        Identification.load(path)


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_pictures_are_drawn(tmp_path, suffix):
    found = hush.identify(FINDERS, ENV, confidence=0.9, runs=4, seed=5, most=150)
    file = tmp_path / f"found.{suffix}"
    figure = found.plot(file, title="here")
    assert file.stat().st_size > 1000
    assert figure.axes[0].get_title() == "here"
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()][-1] == "NoiseAwareBAI"


def test_rewards_of_another_range_have_the_bound_of_their_coins():
    env = hush.Bounded([uniform(0.0, 4.0), uniform(0.0, 2.0)], reward_range=(0.0, 4.0))
    found = hush.identify(FINDERS[0], env, confidence=0.9, runs=2, seed=5)
    coins = hush.identify(FINDERS[0], hush.Bernoulli([0.5, 0.25]), confidence=0.9, runs=2, seed=5)
    assert found.samples.tolist() == coins.samples.tolist()
    assert found.bound(0) == pytest.approx(coins.bound(0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policies": []}, "policies must be"),
        ({"policies": [3]}, "policies must be"),
        ({"env": [0.5, 0.4]}, "env must be"),
        ({"env": hush.Bernoulli([0.5])}, "single arm"),
        ({"runs": 0}, "runs"),
        ({"most": 0}, "most"),
        ({"seed": -1}, "seed"),
        ({"workers": 0}, "workers"),
        ({"policies": hush.RNMFTNL(1.0)}, "full information"),
        ({"policies": hush.DPTS(1.0)}, "overlap"),
    ],
)
def test_bad_input_is_refused(change, message):
    given_ = {"policies": FINDERS[0], "env": ENV, "runs": 1, "seed": 1, **change}
    with pytest.raises(HushError, match=message):
        hush.identify(given_.pop("policies"), given_.pop("env"), **given_)


@examples(25)
@given(st.one_of(st.floats().filter(lambda x: not 0.0 < x < 1.0), st.text(printable), st.none()))
def test_bad_confidence_is_refused(bad):
    with pytest.raises(ParameterError, match="confidence"):
        hush.identify(FINDERS[0], ENV, confidence=bad, runs=1)


def test_a_policy_of_ones_own_goes_through_its_learner():
    class Slow(hush.NoiseAwareBAI):
        def _public_side(self, n_arms):
            return super()._public_side(n_arms)

    assert finder_of(Slow(1.0)).label == "rounds (learner)"


def test_upper_limits_cover():
    """For a chance of exactly the limit, so few hits or fewer have a chance of 1 %."""
    from scipy.special import bdtr

    for hits, tries in ((0, 50), (3, 100), (40, 1000)):
        assert bdtr(hits, tries, upper_limit(hits, tries)) == pytest.approx(0.01, rel=1e-9)
