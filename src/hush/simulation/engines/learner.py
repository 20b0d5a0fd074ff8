"""Any policy, through its learner: the reference for everything else."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from hush.environments import People
from hush.noise import SeededNoise, children
from hush.policies import Person, Policy
from hush.simulation.engines.base import Engine, Floats, Integers, Played, Task

__all__ = ["LearnerEngine", "play_learner", "whose"]


class LearnerEngine(Engine):
    """Plays any policy, one round at a time, as it is deployed but for its noise."""

    name = "learner"
    round_seconds = 4e-5

    def why_not(self, policy: Policy) -> str | None:
        """Return None: every policy has a learner."""
        return None

    def _play_run(self, task: Task, seed: SeedSequence, segments: bool, script: Floats) -> Played:
        return play_learner(task, seed, segments=segments)

    def _rounds(self, *_given: Any) -> Integers:  # noqa: ANN401
        raise TypeError("the learner engine has no compiled loop")


def play_learner(task: Task, seed: SeedSequence, *, segments: bool = False) -> Played:
    """Run once through ``select`` and ``observe``, which comes ``task.delay`` rounds late."""
    environment, source, people = children(seed, 3)
    reward = np.random.Generator(np.random.PCG64(environment))
    learner = task.policy.learner(
        task.env.n_arms,
        noise=SeededNoise(source, discrete=task.discrete),
        reward_range=task.env.reward_range,
    )
    pulls = np.zeros((1, task.checkpoints.size, task.env.n_arms), dtype=np.int64)
    played = np.zeros(task.env.n_arms, dtype=np.int64)
    stretches: list[list[int]] = []
    sampler = task.env.sampler(reward)
    told = _told(task, people)
    waiting: deque[tuple[int, int, dict[str, int]]] = deque()  # their rewards are still to come
    t = 0
    for position, checkpoint in enumerate(task.checkpoints.tolist()):
        while t < checkpoint and not task.stop[0]:
            arm = learner.select()
            waiting.append((t, arm, next(told)))
            if len(waiting) > task.delay:
                place, settled, whose = waiting.popleft()
                learner.observe(settled, sampler(place), **whose)
            played[arm] += 1
            t += 1
            if segments and stretches and stretches[-1][2] == arm:
                stretches[-1][1] += 1
            elif segments:
                stretches.append([t, 1, arm])
        pulls[0, position] = played
    return Played(pulls, [np.array(stretches, dtype=np.int64).reshape(-1, 3)], t)


def _told(task: Task, seed: SeedSequence) -> Iterator[dict[str, int]]:
    """Yield what a learner is told about who comes, round by round."""
    if not (isinstance(task.policy, Person) and isinstance(task.env, People)):
        return repeat({})
    arrivals = task.env.arrivals(np.random.Generator(np.random.PCG64(seed)))
    return (whose(task.policy, person) for person in arrivals)


def whose(policy: Policy, person: int) -> dict[str, int]:
    """Return what a policy's learner is told with a person's reward."""
    return {"person": person} if isinstance(policy, Person) else {}
