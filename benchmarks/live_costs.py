"""What single parts of a live learner cost, each against the way without it, in one run."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import hush
from benchmarks.live import Player, play, rewards_of
from benchmarks.measure import interleave, processor_seconds
from benchmarks.report import Row, Table
from hush.noise import secure
from hush.numerics.posterior_chances import win_chances
from hush.policies.core import bandit_learner
from hush.policies.noise_aware_ts import posterior_of

__all__ = ["run"]

ROUNDS = 20_000
DRAWS = 512
MANY = 1_000


def run(quick: bool) -> list[Table]:
    """Measure the lock, secure releases, and NoiseAwareTS with many arms."""
    repeats = 3 if quick else 15
    table = Table(
        "Parts of live learners: microseconds each, and the other way",
        notes=(
            f"Medians of {repeats} interleaved repeats, processor time.",
            "Locks: a round (K = 5) with the lock, against the same methods compiled without it.",
            "Releases: from blocks, against one scalar call of OpenDP each.",
            f"NoiseAwareTS: select after a release, K = {MANY:,}, against all chances.",
        ),
    )
    for name in ("AnytimeLazyUCB", "LazyDPTS"):
        policy = getattr(hush, name)(epsilon=1.0)
        table.rows.append(_row(f"lock, {name}", _lock(policy), repeats))
    table.rows.append(_row("secure release", _releases(), repeats))
    table.rows.append(_row("NoiseAwareTS.select", _many_arms(), max(1, repeats // 3)))
    return [table]


Ways = tuple[Callable[[], float], Callable[[], float]]


def _row(name: str, ways: Ways, repeats: int) -> Row:
    found = interleave({"hush": ways[0], "other": ways[1]}, repeats)
    hush_, other = found["hush"].median, found["other"].median
    return {"part": name, "hush": hush_, "other way": other, "other/hush": other / hush_}


def _lock(policy: hush.BanditPolicy) -> Ways:
    rewards = rewards_of(5)

    def cost(unlocked: bool) -> float:
        learner = policy.learner(5)
        if unlocked:
            learner.__class__ = _Unlocked
        player = Player(learner.select, learner.update)
        play(player, rewards, 0, 100)
        return 1e6 / ROUNDS * processor_seconds(lambda: play(player, rewards, 100, 100 + ROUNDS))

    return lambda: cost(False), lambda: cost(True)


def _without_lock(name: str) -> Any:
    """Return a learner's method, compiled without its ``with``; the rest is as it stands."""
    text = textwrap.dedent(inspect.getsource(getattr(hush.BanditLearner, name)))
    assert text.count("with self._lock:") == 1
    names: dict[str, Any] = {}
    exec(text.replace("with self._lock:", "if True:"), vars(bandit_learner), names)
    return names[name]


class _Unlocked(hush.BanditLearner):
    select = _without_lock("select")
    update = _without_lock("update")


def _releases() -> Ways:
    from opendp import metrics

    source, dp = hush.SecureNoise(), secure._opendp()
    space = dp.atom_domain(T="i64"), metrics.absolute_distance(T="i64")
    scalar = dp.make_laplace(*space, scale=1.0)

    def cost(draw: Callable[[int], object]) -> float:
        def work() -> None:
            for total in range(DRAWS):
                draw(total)

        return 1e6 / DRAWS * processor_seconds(work)

    return (
        lambda: cost(lambda total: source.add_laplace(total, epsilon=1.0)),
        lambda: cost(lambda total: int(scalar(total))),
    )


def _many_arms() -> Ways:
    policy = hush.NoiseAwareTS(epsilon=1.0)
    learner = policy.learner(MANY, noise=hush.SeededNoise(7, discrete=True))
    play(Player(learner.select, learner.update), rewards_of(MANY), 0, 4 * MANY + 1)
    public: Any = learner._public
    public.choose(4 * MANY + 2, learner._generator)
    values = iter(range(10**9))

    def release() -> None:
        arm = next(values) % MANY
        public.absorb(hush.Release(arm, 1, 2, 1.25, "noisy-sum", 1.0))

    def drawn() -> float:
        release()
        return 1e6 * processor_seconds(learner.select)

    def all_chances() -> float:
        release()

        def work() -> None:
            known = [posterior_of(policy.epsilon, policy.prior, each) for each in public._releases]
            win_chances(known)

        return 1e6 * processor_seconds(work)

    return drawn, all_chances
