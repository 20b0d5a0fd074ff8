"""Neighbouring tables played with all noise frozen: what differs then went past the noise."""

import json
import math

from hush import HushError, NoDecisionError, SeededNoise
from hush.noise.laws import drawn_argmax
from hush.numerics.noisy_argmax import win_chances
from hush.policies import BanditLearner
from hush.testing import FrozenNoise, RecordingNoise

LATE = (2, 0, 3, 1)


class Play:
    """One run of a table, and all that can be seen of it."""

    def __init__(self, policy, source, *, mode, arms, reward, reward_range, default):
        self.policy, self.mode, self.reward = policy, mode, reward
        self.noise = RecordingNoise(source)
        self.learner = policy.learner(
            arms, noise=self.noise, reward_range=reward_range, default=default
        )
        self.bandit = isinstance(self.learner, BanditLearner)
        self.seen = []

    def run(self, rounds):
        step = {"late": 4, "batch": 4, "expire": 2}.get(self.mode, 1)
        try:
            for t in range(0, rounds, step):
                getattr(self, f"_{self.mode}")(t)
                self._look()
        except HushError as error:
            self.seen.append(str(error))
        return self

    def _look(self):
        learner = self.learner
        self.seen += [repr(learner), repr(learner.statistics), learner.outstanding]
        self.seen += [learner.guarantee.reason, len(learner.releases), learner.releases[-1:]]

    def _given(self, t, arm):
        value = self.reward(t)
        return value if self.bandit or isinstance(value, list) else [value] * self.learner.n_arms

    def _update(self, t):
        arm = self.learner.select()
        self.seen += [arm, self.learner.observe(arm, lambda which: self._given(t, which))]

    def _settle(self, t):
        decision = self.learner.decide()
        self.seen += [decision.arm, self.learner.settle(decision, self._given(t, decision.arm))]

    def _late(self, t):
        decisions = [self.learner.decide() for _ in LATE]
        self.seen += [each.arm for each in decisions]
        for place in LATE:
            self.seen.append(self.learner.settle(decisions[place], self._given(t + place, 0)))

    def _batch(self, t):
        arms = [self.learner.select() for _ in LATE]
        rewards = [self.reward(t + place) for place in range(len(arms))]
        self.seen += [arms, self.learner.update_batch(arms, rewards)]

    def _expire(self, t):
        decisions = [self.learner.decide(), self.learner.decide()]
        self.seen += [each.arm for each in decisions]
        self.seen.append(self.learner.settle(decisions[0], self._given(t, 0)))
        self.seen.append(self.learner.expire(decisions[1]))

    def _restore(self, t):
        if t % 7 == 6:
            state = json.loads(json.dumps(self.learner.state()))
            self.learner = self.policy.restore(state, noise=self.noise)
        self._update(t)

    def _errors(self, t):
        self._update(t)
        for arm in range(self.learner.n_arms):
            try:
                self.learner.update(arm, 0)
            except NoDecisionError as error:
                self.seen.append(str(error))


def worst_leak(
    policy,
    *,
    flips=(0, 5, 20, 50),
    values=((0, 1), (1, 0)),
    rounds=60,
    mode="update",
    arms=3,
    reward_range=(0.0, 1.0),
    default=None,
    source=SeededNoise,
):
    """Return the largest loss between a constant table and one with another reward in a round.

    Of several rounds at once where a flip is a tuple: those of one person.
    """

    def played(outcomes, reward):
        return Play(
            policy,
            outcomes,
            mode=mode,
            arms=arms,
            reward=reward,
            reward_range=reward_range,
            default=default,
        ).run(rounds)

    def between(usual, other):
        script = [each.noisy for each in played(source(7), lambda _: usual).noise.drawn]
        first = played(FrozenNoise(script, source(7)), lambda _: usual)
        for flip in flips:
            hers = flip if isinstance(flip, tuple) else (flip,)
            second = played(
                FrozenNoise(script, source(7)), lambda t, hers=hers: other if t in hers else usual
            )
            yield loss_between(first, second)

    return max(loss for pair in values for loss in between(*pair))


def loss_between(first, second):
    """Return the loss between two runs with the same outcomes: infinite where they differ."""
    if first.seen != second.seen:
        return math.inf
    pairs = zip(first.noise.drawn, second.noise.drawn, strict=True)
    return sum(draw_loss(a, b) for a, b in pairs)


def draw_loss(a, b):
    """The loss of one draw at its outcome: exact for the winner of an argmax."""
    if (a.scale, a.chances) != (b.scale, b.chances):
        return math.inf
    law = drawn_argmax(a.law)
    if law is None or a.raw == b.raw:
        return a.loss(b)
    chances = [win_chances(each.raw, scale=each.scale, law=law)[int(a.noisy)] for each in (a, b)]
    return abs(math.log(chances[0] / chances[1]))
