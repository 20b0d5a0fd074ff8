"""What a simulation returns: regret and pulls, and views of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from hush.environments import Environment
from hush.errors import ParameterError, choice
from hush.extras import require
from hush.output.document import Paragraph
from hush.output.numbers import counted
from hush.output.tabular import Tabular
from hush.policies import Policy
from hush.simulation.engines import Choice
from hush.simulation.plan import Block, BlockData, describe_environment
from hush.simulation.summary import summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hush.simulation.summary_frame import Summary

__all__ = ["Result"]


@dataclass(frozen=True, eq=False)
class Result(Tabular):
    """Regret and pulls of many policies and runs on one environment.

    Attributes
    ----------
    regret
        Policy x run x checkpoint: the gaps of the arms played, summed (pseudo-regret); on a
        :class:`~hush.RewardTable`, what the best fixed arm has earned more, in hindsight.
    pulls
        How often each arm was played: policy x run x checkpoint x arm; or, simulated with
        ``pulls="final"``, policy x run x arm at the horizon.
    checkpoints
        The rounds at which they were recorded; the last is the horizon.
    policies
        The policies' labels, in order.
    policy_objects
        The policies themselves, with their horizon filled in. None, in a loaded result, for one of
        your own whose module is not imported.
    seed
        What to pass to ``simulate`` to get exactly this again.
    engines
        How each policy was advanced: ``"leap"``, ``"rounds"`` or ``"rounds (learner)"``.
    delay
        How many rounds late rewards came.
    segments
        With ``simulate(segments=True)``: for each policy and run an array of rows (first round,
        number of rounds, arm). Not saved.

    Examples
    --------
    >>> import hush
    >>> result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=100, runs=3, seed=7)
    >>> result.regret.shape == (1, 3, result.checkpoints.size)
    True
    """

    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]
    checkpoints: NDArray[np.int64]
    policies: tuple[str, ...]
    environment: dict[str, Any]
    seed: int
    engines: tuple[str, ...]
    parameters: tuple[dict[str, Any], ...] = field(repr=False)
    policy_objects: tuple[Policy | None, ...] = field(repr=False)
    discrete: bool = False
    delay: int = 0
    segments: tuple[tuple[NDArray[np.int64], ...], ...] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        policies: Sequence[Policy],
        plans: Sequence[Sequence[Block]],
        data: Mapping[Block, BlockData],
    ) -> Self:
        """Put the blocks of policies together, all on one environment and one set of points."""
        first = plans[0][0]
        played = tuple(plan[0].policy for plan in plans)
        regret = [np.concatenate([data[block].regret for block in plan]) for plan in plans]
        pulls = np.stack([np.concatenate([data[block].pulls for block in plan]) for plan in plans])
        segments = tuple(tuple(s for b in plan for s in data[b].segments) for plan in plans)
        return cls(
            regret=np.stack(regret),
            pulls=pulls[:, :, 0] if first.keeps == "final pulls" else pulls,
            checkpoints=np.array(first.points, dtype=np.int64),
            policies=tuple(policy.label for policy in policies),
            environment=describe_environment(first.env),
            seed=first.seed,
            engines=tuple(Choice(plan[0].engine, plan[0].mode).label for plan in plans),
            parameters=tuple(policy.to_dict() for policy in played),
            policy_objects=played,
            discrete=first.discrete,
            delay=first.delay,
            segments=segments if first.segments else None,
        )

    @classmethod
    def given(
        cls,
        policy: Policy,
        env: Environment,
        points: Sequence[int],
        regret: NDArray[np.float64],
        seed: int,
    ) -> Self:
        """Wrap the regret of one policy (run x checkpoint) that was computed, not simulated."""
        return cls(
            regret=regret[None],
            pulls=np.empty((1, len(regret), 0, env.n_arms), dtype=np.int64),
            checkpoints=np.array(points, dtype=np.int64),
            policies=(policy.label,),
            environment=describe_environment(env),
            seed=seed,
            engines=("exact",),
            parameters=(policy.to_dict(),),
            policy_objects=(policy,),
        )

    @property
    def horizon(self) -> int:
        """The last round."""
        return int(self.checkpoints[-1])

    @property
    def runs(self) -> int:
        """How many runs there are of each policy."""
        return int(self.regret.shape[1])

    @property
    def largest_gap(self) -> float:
        """What a round can cost at most."""
        ends = self.environment.get("means") or self.environment["reward_range"]
        return float(max(ends) - min(ends))

    @property
    def least_gap(self) -> float:
        """What a round can cost at least: 0, or in hindsight as much less."""
        return 0.0 if "means" in self.environment else -self.largest_gap

    def _position(self, at: int | None) -> int:
        if at is None:
            return self.checkpoints.size - 1
        found = np.flatnonzero(self.checkpoints == at)
        if not found.size:
            near = int(self.checkpoints[np.abs(self.checkpoints - at).argmin()])
            raise ParameterError(f"round {at} is not a checkpoint; the nearest one is {near}")
        return int(found[0])

    def select(self, policies: Sequence[str]) -> Result:
        """Return the part of the result that belongs to the given labels, in that order.

        Examples
        --------
        >>> import hush
        >>> both = [hush.UCB1(), hush.ThompsonSampling()]
        >>> result = hush.simulate(both, hush.paper_s1(), horizon=100, runs=3, seed=7)
        >>> result.select(["UCB1()"]).regret.shape[0]
        1
        """
        for name in policies:
            choice("policy of this result", name, self.policies)
        chosen = [self.policies.index(name) for name in policies]
        return replace(
            self,
            regret=self.regret[chosen],
            pulls=self.pulls[chosen],
            policies=tuple(policies),
            engines=tuple(self.engines[each] for each in chosen),
            parameters=tuple(self.parameters[each] for each in chosen),
            policy_objects=tuple(self.policy_objects[each] for each in chosen),
            segments=self.segments and tuple(self.segments[each] for each in chosen),
        )

    def summary(self, at: int | None = None) -> Summary:
        """Return mean regret with its 95 % interval, and quantiles, a row per policy.

        It is a data frame of pandas that prints as a short table.

        The interval of the mean (``low`` to ``high``) allows for runs too rare to be seen, and is
        wide where runs are few: see ``docs/intervals.md``. That of the median (``median_low`` to
        ``median_high``) holds whatever the law is. ``far`` is the share of runs above three
        medians. An interval is NaN with a single run for the mean, fewer than six for the median.

        Parameters
        ----------
        at
            A checkpoint; the horizon if left out.

        Examples
        --------
        >>> import hush
        >>> result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=100, runs=3, seed=7)
        >>> list(result.summary().columns)[:7]
        ['mean', 'low', 'high', 'se', 'q5', 'q50', 'q95']
        >>> list(result.summary().columns)[7:]
        ['median_low', 'median_high', 'far', 'worst', 'runs', 'engine']
        """
        require("a pandas table")
        from hush.simulation.summary_frame import Summary

        place = self._position(at)
        rounds = float(self.checkpoints[place])
        most, least = self.largest_gap * rounds, self.least_gap * rounds
        columns = summarise(self.regret[:, :, place], most, least)
        return Summary.of("regret", {**columns, "engine": list(self.engines)}, self.policies)

    def to_columns(self) -> dict[str, Any]:
        """Return all regret in long form: policy, run, round, regret.

        Examples
        --------
        >>> import hush
        >>> result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=100, runs=3, seed=7)
        >>> list(result.to_columns()), list(result.to_pandas().columns)
        (['policy', 'run', 'round', 'regret'], ['policy', 'run', 'round', 'regret'])
        """
        n_policies, n_runs, n_points = self.regret.shape
        return {
            "policy": np.repeat(np.array(self.policies, dtype=object), n_runs * n_points),
            "run": np.tile(np.repeat(np.arange(n_runs), n_points), n_policies),
            "round": np.tile(self.checkpoints, n_policies * n_runs),
            "regret": self.regret.ravel(),
        }

    def plot(
        self,
        path: str | Path | None = None,
        *,
        time: str = "log",
        title: str | None = None,
        bounds: bool = False,
    ) -> Figure:
        """Draw regret with its 95 % band against time: means, or medians where runs are few.

        Parameters
        ----------
        path
            Where to save it; the suffix (``.svg``, ``.png``, ``.pdf``) is the format.
        time
            ``"log"``, ``"linear"``, or ``"both"`` side by side.
        title
            A title above the picture.
        bounds
            Also draw what theory says (see :func:`hush.bounds`), with regret on a log scale: upper
            bounds dashed, lower bounds dotted.

        Examples
        --------
        >>> import hush
        >>> result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=1000, runs=3, seed=7)
        >>> len(result.plot(bounds=True).axes[0].lines)
        4
        """
        from hush.output.pictures import save_figure
        from hush.simulation.plotting import Guide, draw

        choice("time", time, ["log", "linear", "both"])
        guides: list[Guide] = []
        if bounds:
            from hush.theory.guides import bound_guides

            guides = bound_guides(self)
        times = ["log", "linear"] if time == "both" else [time]
        figure = draw([(title or "", self)], times=times, guides=guides)
        if path is not None:
            save_figure(figure, Path(path))
        return figure

    def save(self, path: str | Path) -> None:
        """Write everything but segments to an ``.npz`` file, whole or not at all."""
        from hush.simulation.saved_result import write_result

        write_result(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read what :meth:`save` wrote."""
        from hush.simulation.saved_result import read_result

        return read_result(Path(path))

    def __repr__(self) -> str:
        many = counted(len(self.policies), "policy", "policies")
        return f"<Result: {many} x {self.runs} runs, horizon {self.horizon}, seed {self.seed}>"

    def _repr_html_(self) -> str:
        return Paragraph(repr(self)[1:-1]).html() + self.summary()._repr_html_()
