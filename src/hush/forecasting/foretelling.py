"""A forecast: the experiments in question, simulated as they would run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hush.environments import Bernoulli
from hush.forecasting.estimates import Estimate
from hush.forecasting.forecast_result import Course, Forecast
from hush.forecasting.question import Question
from hush.live.terms import Terms
from hush.output.progress import Reporter
from hush.policies import Policy
from hush.simulation import simulate

__all__ = ["forecast"]

Integers = NDArray[np.int64]


def forecast(
    rates: Sequence[float],
    *,
    per_day: float,
    person_epsilon: float,
    person_bound: int = 1,
    window: str | float = "1d",
    days: int = 14,
    learnt: float = 1.0,
    policies: Iterable[type[Policy] | str] | None = None,
    epsilons: Iterable[float] | None = None,
    runs: int = 30,
    seed: int | None = None,
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> Forecast:
    """Say what privacy will cost a live experiment, and when it will know what.

    Every policy is simulated for every promise as a live experiment would run it: at the epsilon
    that ``hush.live`` uses, in batches, with the discrete noise that is deployed, and with rewards
    that are known a window, a grace and two ticks after their decision.

    Parameters
    ----------
    rates
        Guessed mean rewards of the arms, from 0 to 1.
    per_day
        Decisions a day, over all arms; taken to come evenly.
    person_epsilon, person_bound, window
        As for :meth:`hush.live.Store.create`.
    days
        For how long the experiment is to run.
    learnt
        The share of decisions that is learnt from: 1 if nobody comes more often than the bound.
        The learnt ones are simulated, with as many of them waiting as come in the wait; the others
        are shown the same arms in the same shares, so that losses are those of the learnt ones
        divided by ``learnt``.
    policies
        Classes or names of policies. Left out, all that live experiments accept; where there are
        many decisions, but for those that can only be simulated one by one, which are named in
        ``forecast.left_out``.
    epsilons
        Further promises to look at; left out, half, twice and four times the one asked for.
    runs
        How many runs of each policy for each promise.
    seed
        A non-negative integer. Left out, one is drawn and kept in ``forecast.seed``.
    workers
        How many threads; all cores if left out.
    progress
        Show a progress bar; by default on a terminal only. Or a function of (done, total).

    Examples
    --------
    >>> import hush
    >>> ahead = hush.forecast([0.2, 0.4], per_day=200, person_epsilon=1.0, days=7,
    ...                       policies=["NoiseAwareTS"], epsilons=[2.0], runs=20, seed=7)
    >>> ahead
    <Forecast: 2 arms, 7 days at 200 decisions a day, 1 policy x 2 promises, 20 runs, seed 7>
    >>> ahead.split
    140.0
    """
    asked = Question.of(locals())
    sets = (*asked.terms, *asked.unnoised)
    ends = sorted({asked.rounds_by(day) for each in asked.looked for day in (each - 1, each)} - {0})
    played = simulate(
        [each.learning for each in sets],
        Bernoulli(asked.rates),
        horizon=asked.rounds,
        runs=asked.runs,
        seed=asked.seed,
        checkpoints=ends,
        discrete=True,
        delay=asked.delay,
        workers=workers,
        progress=progress,
    )
    courses = [
        _course(asked, each, ends, mine) for each, mine in zip(sets, played.pulls, strict=True)
    ]
    count = len(asked.terms)
    return Forecast(
        rates=asked.rates,
        per_day=asked.per_day,
        days=asked.days,
        learnt=asked.learnt,
        person_epsilon=asked.person_epsilon,
        person_bound=sets[0].person_bound,
        window=sets[0].window,
        within=asked.within,
        looked=asked.looked,
        courses=tuple(courses[:count]),
        without=tuple(courses[count:]),
        split=asked.per_day * asked.days * sum(asked.gaps) / len(asked.gaps),
        runs=asked.runs,
        seed=asked.seed,
        left_out=asked.left_out,
    )


def _course(asked: Question, terms: Terms, ends: Sequence[int], pulls: Integers) -> Course:
    """Put together what the runs (run x checkpoint x arm) of one experiment say."""
    ahead = asked.outlook(terms)
    lost = pulls[:, -1] @ np.array(asked.gaps) / asked.learnt
    leads = np.stack([_leads(asked, day, ends, pulls) for day in asked.looked])
    stays = np.logical_and.accumulate(leads[::-1])[::-1]  # on that day and on all later ones
    return Course(
        policy=terms.policy["policy"],
        person_epsilon=terms.person_epsilon,
        epsilon=terms.epsilon,
        first=ahead.first.days,
        useful=None if ahead.useful is None else ahead.useful.days,
        lost=Estimate.of(lost, max(asked.gaps) * asked.rounds / asked.learnt),
        found=tuple(Estimate.chance(int(each.sum()), asked.runs) for each in stays),
    )


def _leads(asked: Question, day: int, ends: Sequence[int], pulls: Integers) -> NDArray[np.bool_]:
    """Say in which runs a best arm is shown more often on a day than all that are worse.

    By one decision more is not enough: arms that take turns differ by as much.
    """
    made = [0, *ends].index(asked.rounds_by(day))
    before = [0, *ends].index(asked.rounds_by(day - 1))
    since_start = np.concatenate([np.zeros_like(pulls[:, :1]), pulls], axis=1)
    shown = since_start[:, made] - since_start[:, before]
    best = np.array(asked.gaps) == 0.0
    rivals = shown[:, ~best].max(axis=1, initial=-2)
    return np.asarray(shown[:, best].max(axis=1) > rivals + 1)
