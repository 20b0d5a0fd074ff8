"""Successive elimination: phases by the formula, late rewards, restarts."""

import itertools
import math

import numpy as np
import pytest

from hush import DPSE, ParameterError, Release, ScriptedNoise, SeededNoise, StateError
from hush.mechanisms.schedules import LONGEST
from hush.policies.dp_se import phase


def reference_phase(e, size, beta, epsilon):
    """The formulas as printed."""
    gap = 2.0**-e
    rounds = math.ceil(
        max(
            32 * math.log(8 * size * e**2 / beta) / gap**2,
            8 * math.log(4 * size * e**2 / beta) / (epsilon * gap),
        )
        + 1
    )
    h = math.sqrt(math.log(8 * size * e**2 / beta) / (2 * rounds))
    c = math.log(4 * size * e**2 / beta) / (rounds * epsilon)
    return rounds, 2 * h + 2 * c


@pytest.mark.parametrize(
    ("e", "size", "horizon", "epsilon"),
    list(itertools.product((1, 2, 7), (2, 5, 100), (100, 10**6), (0.01, 1.0))),
)
def test_phases_are_the_formulas(e, size, horizon, epsilon):
    pulls, slack = phase(e, size, float(horizon), epsilon)
    wanted, room = reference_phase(e, size, 1 / horizon, epsilon)
    assert abs(pulls - wanted) <= 1e-9 * wanted
    assert slack == pytest.approx(room, rel=1e-9)


def play(learner, rounds, reward):
    arms = []
    for _ in range(rounds):
        arm = learner.select()
        learner.update(arm, reward(arm))
        arms.append(arm)
    return arms


@pytest.mark.untraced
def test_phases_pull_in_turn_and_drop_the_far():
    policy = DPSE(5.0, horizon=100_000)
    pulls, slack = phase(1, 3, 1e5, 5.0)
    script = [0.9 * pulls, (0.9 - 0.99 * slack) * pulls, (0.9 - 1.01 * slack) * pulls]
    later, _ = phase(2, 2, 1e5, 5.0)
    learner = policy.learner(3, noise=ScriptedNoise([*script, 0.0, later]))
    arms = play(learner, 3 * pulls, lambda arm: 0)
    assert arms == [0, 1, 2] * pulls
    assert learner.survivors == (0, 1)
    arms = play(learner, 2 * later, lambda arm: 0)
    assert arms == [0, 1] * later
    assert learner.survivors == (1,)
    assert set(play(learner, 5000, lambda arm: 1)) == {1}
    assert len(learner.releases) == 5
    assert [r.count for r in learner.releases] == [pulls] * 3 + [later] * 2


def test_while_rewards_are_late_all_survivors_take_turns():
    learner = DPSE(5.0, horizon=1000).learner(2, noise=SeededNoise(1))
    pulls, _ = phase(1, 2, 1000.0, 5.0)
    for _ in range(pulls):
        assert learner.select() == 0
        assert learner.select() == 1
    for _ in range(pulls):  # only arm 0's rewards arrive
        learner.update(0, 1)
    assert [learner.select() for _ in range(6)] == [0, 1, 0, 1, 0, 1]
    for _ in range(pulls):
        learner.update(1, 1)
    assert len(learner.releases) == 2
    # The early decisions belong to the next phase.
    assert learner.outstanding == (3, 3)
    for _ in range(3):
        learner.update(1, 1)
    assert learner.state()["unreleased"]["counts"] == [0, 3]


@pytest.mark.untraced
def test_the_anytime_form_starts_anew():
    policy = DPSE(5.0, anytime=True)
    assert [policy.stage_end(after) for after in (0, 1023, 1024, 2**20 - 1, 2**20)] == [
        2**10, 2**10, 2**20, 2**20, 2**40,
    ]  # fmt: skip
    learner = policy.learner(3, noise=SeededNoise(2))
    play(learner, 2**10, lambda arm: int(arm == 2))
    assert sum(learner.state()["unreleased"]["counts"]) > 0
    begun, begin = [], learner._public.begin_stage
    learner._public.begin_stage = lambda t: [begun.append(t), begin(t)]
    arm = learner.select()
    assert begun == [1025]
    assert learner.state()["stage_end"] == 2**20
    assert learner.survivors == (0, 1, 2)
    assert learner.state()["unreleased"]["counts"] == [0, 0, 0]
    learner.update(arm, 1)
    play(learner, 30_000, lambda arm: int(arm == 2))
    assert learner.survivors == (2,)


def test_a_horizon_is_needed_unless_it_is_anytime():
    with pytest.raises(ParameterError, match="DPSE needs to know for how many rounds"):
        DPSE(1.0).learner(2)
    assert DPSE(1.0).with_horizon(50).horizon == 50
    assert DPSE(1.0, anytime=True).with_horizon(50).horizon is None
    DPSE(1.0, anytime=True).learner(2)
    with pytest.raises(ParameterError, match="horizon"):
        DPSE(1.0, horizon=0)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"survivors": []}, "phase"),
        ({"survivors": [3]}, "arm"),
        ({"survivors": None}, "survivors"),
        ({"missing": []}, "phase"),
        ({"missing": [-1]}, "arm"),
        ({"missing": None}, "missing"),
        ({"decided": [1]}, "phase"),
        ({"decided": [0, 0, -1]}, " decided must be"),
        ({"decided": [0, 0, "0"]}, " decided must be"),
        ({"decided": None}, "decided"),
        ({"phase": 0}, " phase must be"),
        ({"phase": 1.5}, " phase must be"),
        ({"stage_end": 0}, " stage_end must be"),
        ({"stage_end": "9"}, " stage_end must be"),
        ({"horizon": "x"}, ""),
    ],
    ids=str,
)
def test_damaged_states_are_refused(change, named):
    from hush.policies.core.states import checksum

    policy = DPSE(1.0, horizon=100)
    state = policy.learner(3, noise=SeededNoise(1)).state()
    body = {k: v for k, v in {**state, **change}.items() if k != "checksum"}
    with pytest.raises(StateError) as caught:
        policy.restore({**body, "checksum": checksum(body)})
    assert named in f"{caught.value} {caught.value.__cause__}"


def test_a_stage_of_one_round_is_restored():
    policy = DPSE(1.0, anytime=True)
    public = policy._public_side(2)
    state = {**public.state(), "stage_end": 1}
    public.restore(state, [])
    assert public.stage_end == 1


def test_two_equal_best_arms_survive_for_long():
    learner = DPSE(5.0, horizon=10_000).learner(3, noise=SeededNoise(4))
    rewards = np.random.default_rng(1).random(10_000)
    arms = [0.8, 0.8, 0.1]
    for value in rewards:
        arm = learner.select()
        learner.update(arm, int(value < arms[arm]))
    assert learner.survivors == (0, 1)


def side(n_arms=3, **options):
    return DPSE(5.0, **(options or {"horizon": 1000}))._public_side(n_arms)


def released(public, arm, mean):
    public.absorb(Release(arm, 0, public._pulls, mean * public._pulls, "noisy-sum", 5.0))


def test_a_phase_counts_decisions_and_wants_what_is_missing():
    public = side()
    assert public.state()["decided"] == [0, 0, 0]
    pulls = phase(1, 3, 1000.0, 5.0)[0]
    for number in range(4):
        arm = public.choose(number + 1, None)
        assert arm == number % 3
        assert public.chances(number + 1).tolist() == np.eye(3)[arm].tolist()
        public.decided(arm)
    assert public.state()["decided"] == [2, 1, 1]
    assert [public.wants(arm) for arm in range(3)] == [pulls] * 3
    released(public, 1, 0.5)
    assert [public.wants(arm) for arm in range(3)] == [pulls, LONGEST, pulls]
    assert public.state()["missing"] == [0, 2]


def test_arms_stay_within_the_slack_and_the_last_plays_alone():
    public = side()
    slack = public._slack
    for arm, mean in enumerate((0.25, 0.25 - slack, 0.25 - 1.001 * slack)):
        released(public, arm, mean)
    means = public.statistics.means
    stays = [arm for arm in range(3) if means[0] - means[arm] <= slack]
    assert public.survivors == stays
    assert (public.state()["phase"], public.state()["decided"]) == (2, [0, 0, 0])
    equal = side(2)
    equal._slack = 0.5
    released(equal, 0, 1.0)
    released(equal, 1, 0.5)
    assert equal.survivors == [0, 1]
    alone = side(2)
    released(alone, 0, 9.0)
    released(alone, 1, 0.0)
    assert alone.survivors == [0]
    assert [alone.wants(arm) for arm in range(2)] == [LONGEST, LONGEST]
    for number in range(50):
        assert alone.choose(number, None) == 0
        alone.decided(0)


def test_a_dropped_decision_is_counted_off_and_missing_arms_go_first():
    public = side(2)
    for arm in (0, 1, 0, 1, 0):
        public.decided(arm)
    released(public, 0, 0.5)
    for _ in range(2):
        public.dropped(0)
    assert public.state()["decided"] == [1, 2]
    assert public.choose(6, None) == 1  # the other has its release
    for _ in range(3):
        public.dropped(0)
    assert public.state()["decided"] == [0, 2]


def test_a_stage_is_that_of_its_round():
    public = side(anytime=True)
    for t, end in ((1, 2**10), (1024, 2**10), (1025, 2**20), (2**20 + 1, 2**40)):
        public.begin_stage(t)
        assert public.stage_end == public._horizon == end
    assert DPSE(1.0).stage_horizon(0) == 1.0


def test_a_phase_is_never_longer_than_what_fits():
    assert phase(40, 3, 1e9, 1.0)[0] == LONGEST
    assert phase(2, 3, 1e9, 1e-30)[0] == LONGEST
