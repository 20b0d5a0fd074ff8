"""The public half of a bandit learner: a fold over releases, and the law of its choices."""

import json
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from tests import every

import hush
import hush.live
from hush import ParameterError, Release, SeededNoise
from hush.policies.core.public_side import PublicSide

BANDITS = [p for p in (*every.DEFAULT, *every.OTHER) if p.feedback == "bandit"]
DRAWS = 4000


def release(arm, epoch, count, value):
    return Release(arm, epoch, count, value, "noisy-sum", 1.0)


def told(policy, *releases, n_arms=3):
    public = policy._public_side(n_arms)
    for each in releases:
        public.absorb(each)
    return public


FEW = (release(0, 0, 1, 0.9), release(1, 0, 1, 0.4), release(2, 0, 1, 0.7))
MORE = (*FEW, release(0, 1, 2, 1.1), release(2, 1, 2, 0.6), release(2, 2, 4, 2.9))


@pytest.mark.parametrize("releases", [FEW, MORE], ids=["few", "more"])
@pytest.mark.parametrize(
    "policy",
    [hush.LazyDPTS(0.9), hush.DPTS(5.0), hush.NoiseAwareTS(0.7), hush.ThompsonSampling()],
    ids=str,
)
def test_chances_are_the_law_of_the_choice(policy, releases):
    """Each count of 4,000 choices within 6 standard deviations: false alarms below 1e-7."""
    public, generator = told(policy, *releases), np.random.default_rng(5)
    chances = public.chances(40)
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    counts = np.bincount([public.choose(40, generator) for _ in range(DRAWS)], minlength=3)
    spread = np.sqrt(DRAWS * chances * (1.0 - chances))
    assert (np.abs(counts - DRAWS * chances) <= 6.0 * spread + 1e-9).all()


@pytest.mark.parametrize("policy", [hush.AnytimeLazyUCB(1.0), hush.UCB1(), hush.KLUCB()], ids=str)
def test_an_index_rule_is_sure_of_its_arm(policy):
    public = told(policy, *MORE)
    for t in (7, 8, 9, 100, 10**6):
        chances = public.chances(t)
        assert sorted(chances) == [0.0, 0.0, 1.0]
        assert public.choose(t, np.random.default_rng(1)) == chances.argmax()


def test_decisions_change_nothing_where_no_arm_is_committed_to():
    public, generator = told(hush.AnytimeLazyUCB(1.0), *MORE), np.random.default_rng(1)
    best = public.choose(9, generator)
    public.decided((best + 1) % 3)
    public.absorb(release(best, 3, 4, -9.0))
    public.absorb(release(best, 4, 8, 99.0))
    assert public.choose(11, generator) == best


def test_before_the_first_releases_the_order_of_exploration_is_sure():
    public = hush.LazyDPTS(1.0)._public_side(3)
    generator = np.random.default_rng(1)
    for arm in (0, 1, 2, 0, 1):  # fewest outstanding, then lowest; all suffice from the fourth on
        assert public.choose(1, generator) == arm
        assert public.chances(1).tolist() == np.eye(3)[arm].tolist()
        public.decided(arm)
    assert public.exploring
    public.settled(2)
    assert public.choose(1, generator) == 2
    public.dropped(0)
    public.dropped(0)
    assert public.choose(1, generator) == 0
    public.absorb(FEW[0])
    public.dropped(1)
    public.dropped(1)
    assert public.choose(2, generator) == 1
    public.absorb(FEW[1])
    public.absorb(FEW[2])
    assert not public.exploring


def test_a_committed_arm_is_sure_until_its_release():
    public = told(hush.AdaPUCB(1.0), *FEW)
    generator = np.random.default_rng(1)
    first = public.choose(4, generator)
    assert public.choose(4, generator) == first  # choosing alone commits to nothing
    other = (first + 1) % 3
    public.decided(other)
    assert public.choose(5, generator) == other
    assert public.chances(5)[other] == 1.0
    assert not public.follows_decisions
    public.absorb(release(first, 1, 1, -9.0))
    assert public.choose(6, generator) == other
    public.absorb(release(other, 1, 1, -9.0))
    assert public.follows_decisions
    assert public.choose(7, generator) != other


@pytest.mark.parametrize("policy", [p for p in BANDITS if p.counter is None], ids=str)
def test_what_a_batch_wants_is_what_its_release_sums(policy):
    """Late rewards and all: the public half knows the length of every epoch."""
    policy = policy.with_horizon(50)
    learner = policy.learner(3, noise=SeededNoise(3))
    public = policy._public_side(3)
    rng = np.random.default_rng(2)
    waiting, seen = [], 0
    for _ in range(1500):
        waiting.append(learner.select())
        public.decided(waiting[-1])
        if len(waiting) > 5:
            arm = waiting.pop(int(rng.integers(6)))
            found = learner.update(arm, int(rng.random() < 0.5))
            if found is not None:
                seen += 1
                # Rewards that came early may lengthen a phase.
                assert found.count == public.wants(arm) or isinstance(
                    policy, hush.DPSE | hush.MedianElimination
                )
                assert found.count >= public.wants(arm)
                public.absorb(found)
    assert seen or isinstance(policy, hush.DPSE | hush.MedianElimination)
    assert public.statistics.counts.tolist() == learner.statistics.counts.tolist()


@pytest.mark.parametrize("policy", BANDITS, ids=str)
def test_a_side_restored_from_its_state_and_the_releases_goes_on(policy):
    policy = policy.with_horizon(500)
    learner = policy.learner(3, noise=SeededNoise(3))
    rng = np.random.default_rng(2)
    for _ in range(200):
        learner.update(learner.select(), int(rng.random() < 0.5))
    before = learner._public
    after = policy._public_side(3)
    after.restore(json.loads(json.dumps(before.state())), learner.releases)
    assert after.state() == before.state()
    assert [after.wants(arm) for arm in range(3)] == [before.wants(arm) for arm in range(3)]
    sides = [(side, np.random.default_rng(5)) for side in (before, after)]
    for t in (201, 202, 203):
        picks = [side.choose(t, generator) for side, generator in sides]
        assert picks[0] == picks[1]


@dataclass(frozen=True)
class Nan(hush.IndexPolicy):
    """Its index is not a number from the second epoch on."""

    non_private = True

    @staticmethod
    def index(mean, count, t, parameters):
        return np.where(count > 1, np.nan, mean)


@dataclass(frozen=True)
class Later(hush.IndexPolicy):
    """Its index is not a number after a hundred rounds."""

    non_private = True

    @staticmethod
    def index(mean, count, t, parameters):
        return mean + np.where(t > 100, np.nan, np.log(t))


@dataclass(frozen=True)
class NanRelative(hush.RelativeIndexPolicy):
    non_private = True

    @staticmethod
    def index(mean, count, best, parameters):
        return mean * math.nan


@dataclass(frozen=True)
class NanCenter(hush.ThompsonPolicy):
    non_private = True
    schedule: ClassVar = hush.UCB1().schedule

    @staticmethod
    def center(mean, count, t, parameters):
        return np.where(mean > 0, np.nan, 0.5)


def play(learner, rounds):
    for _ in range(rounds):
        learner.update(learner.select(), 1)


@pytest.mark.parametrize("n_arms", [2, 40])
@pytest.mark.parametrize("policy", [Nan(), NanRelative(), NanCenter(), Later()], ids=str)
def test_a_rule_that_gives_nan_is_refused_and_changes_nothing(policy, n_arms):
    learner = policy.learner(n_arms, noise=SeededNoise(1))
    with pytest.raises(ParameterError, match=r"gave NaN as .* of arm [01]"):
        play(learner, 400)
    assert learner.rounds >= n_arms
    before = learner.state()
    with pytest.raises(ParameterError, match="gave NaN"):
        learner.select()
    assert learner.state() == before


@dataclass(frozen=True)
class Ruleless(hush.BanditPolicy):
    epsilon: float


@dataclass(frozen=True)
class Mine(Ruleless):
    def _choose(self, t, statistics, generator):
        return int(generator.integers(2))


def test_a_policy_without_a_rule_says_what_to_write():
    with pytest.raises(ParameterError, match="Ruleless has no rule: write _choose"):
        Ruleless(1.0).learner(2)


def test_chances_of_your_own_rule_are_yours_to_say():
    public = told(Mine(1.0), *FEW[:2], n_arms=2)
    with pytest.raises(ParameterError, match="Mine's rule are not known; write _chances"):
        public.chances(3)


@pytest.mark.parametrize("cls", [hush.DPSE, hush.NoiseAwareTS])
def test_what_decides_otherwise_has_no_rule_that_raises(cls):
    assert not hasattr(cls, "_choose")


def test_stages_of_elimination_begin_anew():
    public = hush.DPSE(5.0, anytime=True)._public_side(3)
    assert public.stage_end == 2**10
    wanted = public.wants(0)
    for arm in range(3):
        public.absorb(release(arm, 0, wanted, 0.9 * wanted if arm == 2 else 0.0))
    assert public.survivors == [2]
    assert public.chances(9).tolist() == [0.0, 0.0, 1.0]
    public.begin_stage(2**10 + 1)
    assert public.survivors == [0, 1, 2]
    assert public.stage_end == 2**20
    assert public.wants(0) > wanted


@pytest.mark.parametrize(
    "policy", [hush.LazyDPTS(0.9), hush.AnytimeLazyUCB(0.9), hush.DPIMED(0.9)], ids=str
)
def test_while_an_arm_waits_for_its_rewards_the_others_are_chosen_by_the_rule(policy):
    """Each count of 4,000 choices within 6 standard deviations: false alarms below 1e-7."""
    public, generator = policy._public_side(4), np.random.default_rng(5)
    for arm in range(4):
        public.decided(arm)
    public.absorb(release(1, 0, 1, 0.9))
    public.absorb(release(3, 0, 1, 0.4))
    chances = public.chances(9)
    assert chances.shape == (4,)
    assert chances[[0, 2]].tolist() == [0.0, 0.0]
    two = policy._chances(9, public.statistics.only([1, 3]))
    assert chances[[1, 3]].tolist() == two.tolist()
    counts = np.bincount([public.choose(9, generator) for _ in range(DRAWS)], minlength=4)
    spread = np.sqrt(DRAWS * chances * (1.0 - chances))
    assert (np.abs(counts - DRAWS * chances) <= 6.0 * spread + 1e-9).all()


class Unruly(PublicSide):
    """Decides by itself, without a rule of its policy."""

    def _pick(self, t, generator):
        return 0


@dataclass(frozen=True)
class OwnSide(hush.BanditPolicy):
    epsilon: float

    def _public_side(self, n_arms):
        return Unruly(self, n_arms)


def test_a_side_without_a_rule_plays_the_first_arm_that_does_not_wait():
    public = OwnSide(1.0)._public_side(3)
    for arm in range(3):
        public.decided(arm)
    for arm in (1, 2):
        public.absorb(release(arm, 0, 1, 0.9))
    assert public.choose(5, np.random.default_rng(1)) == 1
    public.absorb(release(0, 0, 1, 0.9))
    assert public.choose(6, np.random.default_rng(1)) == 0


@dataclass(frozen=True)
class Total(hush.AnytimeLazyUCB):
    memory: ClassVar[str] = "total"


def test_a_memory_of_all_adds_releases_up():
    public = told(Total(1.0), release(0, 0, 1, 0.5), release(0, 1, 2, 1.0))
    assert (public.statistics.sums[0], public.statistics.counts[0]) == (1.5, 3.0)


@dataclass(frozen=True)
class Staying(hush.AnytimeLazyUCB):
    commits: ClassVar[bool] = True


@dataclass(frozen=True)
class StayingAtOnce(Staying):
    explores_first: ClassVar[bool] = False


def test_a_decision_commits_once_first_releases_are_no_matter():
    public = StayingAtOnce(1.0)._public_side(3)
    public.decided(2)
    assert public.chances(2).tolist() == [0.0, 0.0, 1.0]
    waiting = told(Staying(1.0), release(1, 0, 1, 0.5))
    waiting.decided(0)  # its first release is wanted: nothing to stay with
    waiting.decided(1)
    assert waiting.state()["committed"] == 1


LIVE = [p for p in BANDITS if p.why_not_live(ages=False) is None]
NOT_LIVE = {
    "it wants the rewards of all arms, and an experiment shows one",
    "it is not private",
    "its loss is concentrated (rho), and a person is promised a pure epsilon",
    "live experiments trust their store, and bound what each person gives themselves",
    "it releases at every reward, and a batch settles by the clock",
    "it plays an arm until its release is there, and nobody waits for that",
    "it needs to know for how many rounds",
    "it plays in stages, and forgets rewards at their ends",
}


@pytest.mark.parametrize("policy", [*every.DEFAULT, *every.OTHER], ids=str)
def test_a_policy_can_run_live_or_says_why_not(policy):
    why, aged = (policy.why_not_live(ages=ages) for ages in (False, True))
    if why is None:
        assert policy.guarantee.private
        assert (aged is None) is (policy.memory != "last")
    else:
        assert aged is not None
        assert why in NOT_LIVE or "one by one" in why or "chances" in why, why
    with_store = hush.live.open(":memory:")
    parameters = {k: v for k, v in policy.to_dict().items() if k not in ("policy", "epsilon")}
    given = {"policy": type(policy), "arms": ["a", "b"], "person_epsilon": 1.0}
    if why is None:
        with_store.create("x", **given, parameters=parameters)
    else:
        with pytest.raises(ParameterError, match=f"^{type(policy).__name__} cannot run live: "):
            with_store.create("x", **given, parameters=parameters)
    with_store.close()


def test_some_run_live_and_some_do_not():
    assert {type(p).__name__ for p in LIVE} >= {"NoiseAwareTS", "NoiseAwareIMED", "LazyDPTS"}
    assert {p.why_not_live(ages=False) for p in (*every.DEFAULT, *every.OTHER)} >= {
        "it wants the rewards of all arms, and an experiment shows one", "it is not private",
    }  # fmt: skip


class Side:
    """A public side that is told decisions and releases as a live experiment tells them."""

    def __init__(self, policy, n_arms=3):
        self.public = policy._public_side(n_arms)
        self.decided, self.passed = [0] * n_arms, [0] * n_arms
        self.open = [[0, 0] for _ in range(n_arms)]  # how many, of how many
        self.closed = []
        self.epochs = [0] * n_arms

    def decide(self, t, generator):
        arm = self.public.choose(t, generator)
        self.public.decided(arm)
        count, wanted = self.open[arm]
        if not count:
            wanted = self.public.wants_after(arm, self.decided[arm])
        self.decided[arm] += 1
        self.open[arm] = [count + 1, wanted]
        if count + 1 >= wanted:
            self.closed.append((arm, self.epochs[arm], wanted))
            self.epochs[arm] += 1
            self.open[arm] = [0, 0]
        return arm

    def catch_up(self, public=None):
        begun = [count for count, _ in self.open]
        lacking = [wanted - count for count, wanted in self.open]
        (public or self.public).catch_up(self.decided, self.passed, begun, lacking)


# NoiseAwareIMED goes on with a test that it began; another begins with what a batch lacks.
STRICT = [p for p in LIVE if not p._public_side(2).counts_decisions]


@pytest.mark.parametrize("policy", LIVE, ids=str)
def test_catching_up_with_nothing_new_changes_nothing(policy):
    """Else a reward that another process writes would be seen in what is decided here."""
    side, other = Side(policy), Side(policy)
    one, two = np.random.default_rng(1), np.random.default_rng(1)
    for t in range(1, 300):
        assert side.decide(t, one) == other.decide(t, two)
        side.catch_up()
        assert side.public.chances(t + 1).tolist() == other.public.chances(t + 1).tolist(), t
        if t % 40 == 0 and side.closed:
            arm, epoch, count = side.closed.pop(0)
            for each in (side, other):
                each.public.absorb(release(arm, epoch, count, 0.4 * count + arm))
                each.passed[arm] += count
                each.catch_up()


@pytest.mark.parametrize("policy", STRICT, ids=str)
def test_catching_up_leaves_a_side_as_deciding_one_by_one(policy):
    """Else it would matter who decided, or that another process wrote a reward."""
    side = Side(policy)
    releases = []
    for t in range(1, 400):
        side.decide(t, np.random.default_rng(t))
        if t % 5 == 0:
            side.catch_up()  # nothing happened that it does not know
        if t % 50 == 0 and side.closed:
            arm, epoch, count = side.closed.pop(0)
            released = release(arm, epoch, count, 0.4 * count + arm)
            releases.append(released)
            side.public.absorb(released)
            side.passed[arm] += count
            side.catch_up()
        if t % 7 == 0:
            fresh = policy._public_side(3)
            for each in releases:
                fresh.absorb(each)
            side.catch_up(fresh)
            assert fresh.chances(t + 1).tolist() == side.public.chances(t + 1).tolist(), t
            assert [fresh.wants_after(arm, n) for arm, n in enumerate(side.decided)] == [
                side.public.wants_after(arm, n) for arm, n in enumerate(side.decided)
            ]
    assert releases


@pytest.mark.parametrize("policy", LIVE, ids=str)
def test_a_dropped_decision_leaves_no_trace(policy):
    side, other = Side(policy), Side(policy)
    for t in range(1, 30):
        assert side.decide(t, np.random.default_rng(t)) == other.decide(t, np.random.default_rng(t))
        arm = other.public.choose(t + 1, np.random.default_rng(t))
        other.public.decided(arm)
        other.public.dropped(arm)
        side.public.choose(t + 1, np.random.default_rng(t))
        assert other.public.chances(t + 1).tolist() == side.public.chances(t + 1).tolist()


@pytest.mark.parametrize("policy", LIVE, ids=str)
def test_the_chance_of_one_arm_is_that_of_all(policy):
    public = told(policy, *MORE)
    for t in (7, 8, 99, 12_345):
        assert [public.chance(arm, t) for arm in range(3)] == pytest.approx(
            public.chances(t).tolist(), abs=1e-5
        )


@pytest.mark.parametrize("policy", LIVE, ids=str)
def test_a_batch_that_opens_wants_at_least_one(policy):
    public = told(policy, *MORE)
    for arm in range(3):
        for decided in (0, 1, 2, 5, 7, 100, 10**6):
            assert 1 <= public.wants_after(arm, decided) <= 2**62
