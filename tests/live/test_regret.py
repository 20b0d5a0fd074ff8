"""What delay costs: nothing where there is none, and otherwise what it should."""

from collections import deque

import numpy as np
import pytest
from tests.every import sampled

import hush
import hush.live

LIVE = [hush.AnytimeLazyUCB, hush.LazyDPTS, hush.NoiseAwareIMED, hush.NoiseAwareTS]
MEANS = (0.4, 0.5, 0.7)


def live(policy, n_arms, noise, address=":memory:", clock=None, **given):
    """Return a store with an experiment that waits for no reward."""
    clock = hush.live.ManualClock() if clock is None else clock
    store = hush.live.open(address, clock=clock, noise=noise, secret=bytes(32))
    terms = {"person_epsilon": 0.5, "window": 0, "tick": 0, "grace": 0, **given}
    arms = [f"arm{arm}" for arm in range(n_arms)]
    experiment = store.create("one", policy=policy, arms=arms, person_bound=1, **terms)
    experiment.start()
    return store, clock, experiment


def table(seed, rounds):
    """Return 0/1 rewards of every arm in every round."""
    return np.random.default_rng(seed).random((rounds, len(MEANS))) < MEANS


def in_memory(policy, seed, rewards, delay=0):
    """Return the arms of a learner whose decisions are settled so many rounds late."""
    learner = policy(epsilon=0.5).learner(len(MEANS), noise=hush.SeededNoise(seed))
    arms, waiting = [], deque()
    for row in rewards:
        decision = learner.decide()
        waiting.append((decision, int(row[decision.arm])))
        if len(waiting) > delay:
            learner.settle(*waiting.popleft())
        arms.append(decision.arm)
    return arms


@pytest.mark.untraced
@pytest.mark.parametrize("seed", sampled(range(4), 4))
@pytest.mark.parametrize("policy", LIVE, ids=lambda policy: policy.__name__)
def test_without_delay_it_plays_arm_for_arm_what_a_learner_plays(policy, seed):
    rewards = table(seed, 400)
    store, clock, experiment = live(policy, len(MEANS), hush.SeededNoise(seed))
    arms = []
    for number, row in enumerate(rewards):
        decision = experiment.decide(f"p{number}")
        experiment.reward(decision.id, int(row[decision.arm]))
        clock.advance(0.001)
        store.settle()
        arms.append(decision.arm)
    assert arms == in_memory(policy, seed, rewards)
    assert len(set(arms)) == len(MEANS)


@pytest.mark.untraced
@pytest.mark.parametrize("policy", [hush.AnytimeLazyUCB, hush.NoiseAwareTS])
def test_restarts_in_between_change_nothing(policy, tmp_path):
    """With the same noise source handed on; what the store keeps is all that is needed.

    Not so for LazyDPTS, which draws rounds ahead and at a restart draws them anew, and for
    NoiseAwareIMED, which weighs anew what is due.
    """
    rewards, noise = table(9, 200), hush.SeededNoise(9)
    store, clock, experiment = live(policy, len(MEANS), noise, tmp_path / "s.db")
    arms = []
    for number, row in enumerate(rewards):
        if number % 40 == 39:
            store.close()
            given = {"clock": clock, "noise": noise, "secret": bytes(32)}
            store = hush.live.open(tmp_path / "s.db", **given)
            experiment = store.experiment("one")
        decision = experiment.decide(f"p{number}")
        experiment.reward(decision.id, int(row[decision.arm]))
        clock.advance(0.001)
        store.settle()
        arms.append(decision.arm)
    store.close()
    assert arms == in_memory(policy, 9, rewards)


# -- with delay -----------------------------------------------------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize("delay", [3, 40, 150])
@pytest.mark.parametrize("policy", LIVE[:3], ids=lambda policy: policy.__name__)
def test_it_plays_arm_for_arm_what_a_learner_plays_that_is_settled_late(policy, delay):
    """Batches are the same sets of decisions, whoever keeps them; a round is a millisecond.

    Not so for NoiseAwareTS, where arms take turns by what is outstanding until the first batches
    are in: a store counts that off a part of a window at a time.
    """
    rewards = table(delay, 500)
    noise = hush.SeededNoise(delay)
    store, clock, experiment = live(policy, len(MEANS), noise, window=f"{delay}ms")
    arms = []
    for number, row in enumerate(rewards):
        decision = experiment.decide(f"p{number}")
        experiment.reward(decision.id, int(row[decision.arm]))
        clock.advance(0.001)
        store.settle()
        arms.append(decision.arm)
    assert arms == in_memory(policy, delay, rewards, delay)
    assert len(experiment.releases) > len(MEANS)


GAPS = max(MEANS) - np.array(MEANS)


def regret_of(policy, delay, rounds, seed):
    """Return the pseudo-regret of a run whose rewards are settled so many rounds late.

    Rewards come at once; a batch settles ``delay`` rounds after its last decision. Where nothing
    can be released between two rounds they are decided in one call, which is the same by
    definition: a decision depends on releases, and on decisions before it.
    """
    draw = np.random.default_rng(seed)
    window = delay / 1_000
    store, clock, experiment = live(
        policy, len(MEANS), hush.SeededNoise(seed), window=window, person_epsilon=1.0
    )
    played = np.zeros(len(MEANS), int)
    step = max(delay // 100, 1)
    for start in range(0, rounds, step):
        asked = [{"person": f"p{start + n}"} for n in range(min(step, rounds - start))]
        made = experiment.decide_many(asked)
        arms = np.array([each.arm for each in made])
        bits = draw.random(len(arms)) < np.take(MEANS, arms)
        assert not any(experiment.reward_many(zip(made, bits.astype(int).tolist(), strict=True)))
        played += np.bincount(arms, minlength=len(MEANS))
        clock.advance(step / 1_000)
        store.settle()
    store.close()
    return float(GAPS @ played)


def check_delay(policy, delay, rounds, runs, simulated=400):
    """Compare a delay's regret with what delay costs any rule, and live runs with simulated ones.

    Many runs can be simulated; few can be played live, and they must have the same mean. That is
    off by over four standard errors once in 16,000 times.
    """
    played = [
        hush.simulate(
            policy(epsilon=1.0),
            hush.Bernoulli(MEANS),
            horizon=rounds,
            runs=simulated,
            seed=5,
            workers=1,
            delay=late,
            discrete=True,
        ).regret[0, :, -1]
        for late in (0, delay)
    ]
    at_once, late = (float(each.mean()) for each in played)
    live_runs = np.array([regret_of(policy, delay, rounds, 100 + run) for run in range(runs)])
    error = played[1].std() * np.sqrt(1.0 / runs + 1.0 / simulated)
    most = 1.1 * (delay * GAPS.mean() + at_once)
    print(  # noqa: T201
        f"{policy.__name__}, {delay} rounds late of {rounds}: {late:.1f} simulated ({simulated} "
        f"runs), {live_runs.mean():.1f} live ({runs} runs, one in {error:.1f}); at once "
        f"{at_once:.1f}; at most {most:.1f}"
    )
    assert late <= most
    assert late > at_once
    assert abs(live_runs.mean() - late) <= 4.0 * error


@pytest.mark.untraced
def test_a_delay_costs_what_it_should():
    check_delay(hush.NoiseAwareTS, delay=500, rounds=2_000, runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [100, 1_000])
@pytest.mark.parametrize("policy", [hush.NoiseAwareTS, hush.AnytimeLazyUCB])
def test_long_delays_cost_what_they_should(policy, delay):
    check_delay(policy, delay, rounds=20_000, runs=8, simulated=2_000)
