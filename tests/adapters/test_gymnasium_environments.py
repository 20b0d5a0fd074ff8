"""Gymnasium's environments in Hush's simulations, and Hush's as Gymnasium's."""

import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import river.bandit  # noqa: F401  registers its environments
from gymnasium.utils.env_checker import check_env

import hush
from hush.adapters import from_gymnasium, to_gymnasium
from hush.errors import ParameterError, RewardError

LEVELS = (0.3, 0.8, 0.5)


class Prices(gymnasium.Env):
    """Three offers, numbered from 1: uniform rewards from 0 to twice a level."""

    action_space = gymnasium.spaces.Discrete(3, start=1)
    observation_space = gymnasium.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 0, float(self.np_random.uniform(0, 2 * LEVELS[action - 1])), True, False, {}


class Testbed(Prices):
    """Its levels are drawn by ``reset``, and fall as they are played."""

    __test__ = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.levels = self.np_random.uniform(size=3)
        return 0, {}

    def step(self, action):
        self.levels[action - 1] *= 0.5
        return 0, float(self.np_random.uniform() < 2 * self.levels[action - 1]), False, False, {}


class Walk(Prices):
    action_space = gymnasium.spaces.Box(0.0, 1.0)


def test_measured_means_are_right_to_within_their_errors():
    """At six standard errors each: a false alarm in 10^8."""
    env = from_gymnasium(Prices, reward_range=(0, 2), steps=1_000, seed=None)
    assert env.n_arms == 3
    assert env.measured == 1_000
    exact = np.array(LEVELS) / np.sqrt(3) / np.sqrt(1_000)
    assert env.errors == pytest.approx(exact, rel=0.2)
    assert (np.abs(env.means - LEVELS) < 6 * exact).all()
    assert "means measured with 1,000 steps" in repr(env)


def test_given_means_are_taken_and_every_round_is_a_step():
    env = from_gymnasium(Prices, reward_range=(0, 2), means=LEVELS)
    assert (env.measured, env.errors.tolist()) == (0, [0.0, 0.0, 0.0])
    policies = [hush.AnytimeLazyUCB(1.0), hush.RNMFTNL(1.0), hush.UCB1()]
    result = hush.simulate(policies, env, horizon=300, runs=2, seed=7)
    assert result.engines == ("rounds (learner)",) * 3
    assert result.environment["environment"] == "Gymnasium"
    assert (result.summary()["mean"] < 300 * 0.267).all()  # guessing costs 0.267 a round
    with pytest.raises(ParameterError, match="must be asked for"):
        hush.simulate(policies, env, horizon=300, engine="leap")


def test_runs_follow_the_seed_and_not_the_workers():
    def regret(make, **options):
        env = from_gymnasium(make, reward_range=(0, 2), means=LEVELS, seed=options.pop("law", None))
        return hush.simulate(hush.UCB1(), env, horizon=60, runs=4, **options).regret

    for law in (None, 3):
        one = regret(Testbed, law=law, seed=7, workers=1)
        assert (one == regret(Testbed, law=law, seed=7, workers=3)).all()
        assert (one != regret(Testbed, law=law, seed=8)).any()


def test_a_testbed_keeps_its_arms_and_forgets_what_was_played():
    """At six standard errors: a false alarm in 10^8."""
    fixed = Testbed()
    fixed.reset(seed=5)
    levels = fixed.levels.copy()
    env = from_gymnasium(Testbed, reward_range=(0, 1), steps=2_000, seed=5)
    errors = np.sqrt(levels * (1 - levels) / 2_000)
    assert (np.abs(env.means - levels) < 6 * errors).all()


def test_a_registered_name_will_do():
    name = "river_bandits/CandyCaneContest-v0"
    made = gymnasium.make(name)
    _, info = made.reset(seed=11)
    env = from_gymnasium(name, reward_range=(0, 1), means=info["thresholds"], seed=11)
    assert env.n_arms == 100
    rewards = [env.sample(np.random.default_rng(seed), 3) for seed in range(400)]
    level = info["thresholds"][3]
    assert abs(np.mean(rewards) - level) < 6 * np.sqrt(level * (1 - level) / 400)


def test_it_can_be_pickled_and_played_elsewhere():
    env = from_gymnasium(Prices, reward_range=(0, 2), means=LEVELS)
    env.sample(np.random.default_rng(1), 0)
    again = pickle.loads(pickle.dumps(env))
    drawn = [each.sample(np.random.default_rng(1)).tolist() for each in (env, again)]
    assert drawn[0] == drawn[1]


def test_the_best_arm_is_looked_for_by_steps_too():
    env = from_gymnasium(Prices, reward_range=(0, 2), means=LEVELS)
    found = hush.identify(hush.NoiseAwareBAI(5.0), env, confidence=0.8, runs=1, seed=7, most=2_000)
    assert found.engines == ("rounds (learner)",)


def test_what_it_refuses():
    with pytest.raises(ParameterError, match="Discrete"):
        from_gymnasium(Walk, reward_range=(0, 1))
    with pytest.raises(ParameterError, match="3 actions, and 2 means"):
        from_gymnasium(Prices, reward_range=(0, 2), means=[0.1, 0.2])
    with pytest.raises(ParameterError, match="steps"):
        from_gymnasium(Prices, reward_range=(0, 2), steps=1)
    env = from_gymnasium(Prices, reward_range=(0, 0.4), means=[0.3, 0.4, 0.4])
    with pytest.raises(RewardError, match="outside its declared range"):
        hush.simulate(hush.UCB1(), env, horizon=50, runs=1, seed=7)
    with pytest.raises(ParameterError, match="must be an environment"):
        to_gymnasium(3)


def test_hushs_environment_is_one_by_gymnasiums_own_check():
    env = to_gymnasium(hush.Bernoulli([0.9, 0.1]), horizon=10)
    check_env(env, skip_render_check=True)
    assert env.action_space.n == 2


def test_it_goes_there_and_back():
    env = from_gymnasium(_back, reward_range=(0, 1), means=[0.9, 0.1])
    drawn = [env.sample(np.random.default_rng(seed)) for seed in range(200)]
    assert (np.abs(np.mean(drawn, axis=0) - [0.9, 0.1]) < 0.14).all()  # 6.6 standard errors


def _back():
    return to_gymnasium(hush.Bernoulli([0.9, 0.1]))


@pytest.mark.untraced
def test_a_package_that_is_missing_is_named_and_nothing_is_imported_before():
    script = (
        "import sys; sys.modules.update(gymnasium=None, river=None, mabwiser=None)\n"
        "import hush, hush.adapters\n"
        "for name in hush.adapters.__all__:\n"
        "    try: getattr(hush.adapters, name)\n"
        "    except hush.HushError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 5
    assert all(line.endswith("pip install 'hush-dp[adapters]'") for line in lines)
    with pytest.raises(AttributeError):
        hush.adapters.from_nowhere  # noqa: B018
