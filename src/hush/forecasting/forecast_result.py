"""What a forecast says: figures with intervals, as a table, a page, a picture and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from hush.extras import require
from hush.forecasting.advice import advise
from hush.forecasting.estimates import Estimate
from hush.live.durations import readable
from hush.output.document import Paragraph, TableOf
from hush.output.numbers import counted, shown
from hush.output.text_table import WIDTH, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Course", "Forecast"]


@dataclass(frozen=True)
class Course:
    """What is to be expected of one policy for one promise.

    Attributes
    ----------
    policy
        Its name.
    person_epsilon, epsilon
        The promise to a person, and the epsilon of one decision at which the policy runs.
    first, useful
        Within how many days some arm has its first release, and one whose noise does not hide the
        next-best arm; None where none is in sight.
    lost
        How many successes it loses in all to someone who shows the best arm from the start.
    found
        The chance that the best arm is found by each of the days looked at: on that day, and on all
        later ones looked at, it is shown more often than any other.

    Examples
    --------
    >>> import hush
    >>> ahead = hush.forecast([0.2, 0.4], per_day=200, person_epsilon=1.0, days=7,
    ...                       policies=["NoiseAwareTS"], epsilons=[2.0], runs=20, seed=7)
    >>> [each.person_epsilon for each in ahead.courses], ahead.courses[0].lost.mean < ahead.split
    ([1.0, 2.0], True)
    """

    policy: str
    person_epsilon: float
    epsilon: float
    first: float
    useful: float | None
    lost: Estimate
    found: tuple[Estimate, ...]

    @property
    def useful_text(self) -> str:
        """When the first useful release is there, for a table."""
        return "not in sight" if self.useful is None else shown(self.useful)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "policy": self.policy,
            "person_epsilon": self.person_epsilon,
            "epsilon": self.epsilon,
            "first_release_days": self.first,
            "useful_release_days": self.useful,
            "lost": self.lost.to_dict(),
            "found": [each.to_dict() for each in self.found],
        }


@dataclass(frozen=True)
class Forecast:
    """What privacy will cost, and when it will be known what. Made by :func:`hush.forecast`.

    Attributes
    ----------
    rates, per_day, days, learnt, person_epsilon, person_bound, window
        What was asked; the window in milliseconds.
    within
        The noise on an arm's mean that was called useful: the difference to the next-best arm, or
        0.1 where that is larger.
    looked
        The days on which it was looked which arm is shown most.
    courses
        A :class:`Course` of each policy for each promise.
    without
        The same policies without privacy, a course each: in batches and with the same wait, at an
        epsilon so large that no noise is ever seen.
    split
        How many successes a fixed split loses: every arm shown to an equal share, for as long.
    runs, seed
        How many runs of each, and what to pass to get exactly this again.
    left_out
        Policies that nobody asked for by name, and whose simulation would take too long.

    Examples
    --------
    >>> import hush
    >>> ahead = hush.forecast([0.2, 0.4], per_day=200, person_epsilon=1.0, days=7,
    ...                       policies=["NoiseAwareTS"], epsilons=[2.0], runs=20, seed=7)
    >>> ahead.split, ahead.looked
    (140.0, (1, 2, 4, 7))
    >>> ahead.recommendation.startswith("Run NoiseAwareTS at person_epsilon 1:")
    True
    """

    rates: tuple[float, ...]
    per_day: float
    days: int
    learnt: float
    person_epsilon: float
    person_bound: int
    window: int
    within: float
    looked: tuple[int, ...]
    courses: tuple[Course, ...]
    without: tuple[Course, ...]
    split: float
    runs: int
    seed: int
    left_out: tuple[str, ...] = ()

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the policies."""
        return tuple(each.policy for each in self.without)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The promises, in order."""
        return tuple(sorted({each.person_epsilon for each in self.courses}))

    @property
    def best_possible(self) -> float:
        """How many successes there are where the best arm is shown from the start."""
        return max(self.rates) * self.per_day * self.days

    def without_privacy(self, policy: str) -> Course:
        """Return the course of a policy without privacy."""
        return next(each for each in self.without if each.policy == policy)

    @property
    def recommendation(self) -> str:
        """What to do, in a sentence."""
        return advise(self)

    @property
    def title(self) -> str:
        """What was asked, in a line."""
        rates = ", ".join(f"{rate:g}" for rate in self.rates)
        bound = "one decision" if self.person_bound == 1 else f"{self.person_bound:,} decisions"
        share = "" if self.learnt == 1.0 else f", {self.learnt:.0%} of them learnt from"
        return (
            f"{self.days} days at {self.per_day:,g} decisions a day{share}, rates {rates}, "
            f"learns from {bound} of a person, window {readable(self.window)}"
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of :attr:`rows`."""
        days = (f"day {day}" for day in self.looked)
        return ("policy", "person epsilon", "useful within", "lost (95 % interval)", *days)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The table, as text: every policy without privacy, and for every promise."""
        found = []
        for policy in self.policies:
            mine = [each for each in self.courses if each.policy == policy]
            found += [self._row(self.without_privacy(policy), "no privacy")]
            found += [self._row(each, f"{each.person_epsilon:g}") for each in reversed(mine)]
        dashes = ("-",) * len(self.looked)
        return (*found, ("fixed split", "-", "-", shown(self.split), *dashes))

    @staticmethod
    def _row(course: Course, promise: str) -> tuple[str, ...]:
        chances = (f"{100 * each.mean:.0f} %" for each in course.found)
        return (course.policy, promise, course.useful_text, course.lost.text(), *chances)

    @property
    def words(self) -> str:
        """What stands below the table, in lines that fit on a page."""
        return "\n\n".join(fill(text, WIDTH) for text in (self.legend, self.recommendation))

    @property
    def legend(self) -> str:
        """What the columns mean, in plain words."""
        left_out = f" Not simulated, as it takes long: {', '.join(self.left_out)}."
        return (
            "useful within: days until some arm has a release whose noise on its mean is at most "
            f"{self.within:.3g}. lost: successes lost in {self.days} days to someone who shows the "
            f"best arm from the start and has {shown(self.best_possible)}. day: the chance that "
            "the best arm is found by then, which is to say, shown most on that day and on the "
            f"later ones. {self.runs:,} runs of each, seed {self.seed}."
            f"{left_out if self.left_out else ''}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, all that is needed to draw the same conclusions.

        Examples
        --------
        >>> import hush
        >>> ahead = hush.forecast([0.2, 0.4], per_day=200, person_epsilon=1.0, days=7,
        ...                       policies=["NoiseAwareTS"], epsilons=[2.0], runs=20, seed=7)
        >>> sorted(ahead.to_dict()["courses"][0])[:4]
        ['epsilon', 'first_release_days', 'found', 'lost']
        """
        return {
            "rates": list(self.rates),
            "per_day": self.per_day,
            "days": self.days,
            "learnt": self.learnt,
            "person_epsilon": self.person_epsilon,
            "person_bound": self.person_bound,
            "window": readable(self.window),
            "within": self.within,
            "looked": list(self.looked),
            "best_possible": self.best_possible,
            "lost_by_fixed_split": self.split,
            "courses": [
                {
                    **each.to_dict(),
                    "lost_without_privacy": self.without_privacy(each.policy).lost.to_dict(),
                }
                for each in self.courses
            ],
            "without_privacy": [
                {**each.to_dict(), "person_epsilon": None, "epsilon": None} for each in self.without
            ],
            "recommendation": self.recommendation,
            "table": {key: getattr(self, key) for key in ("title", "columns", "rows", "legend")},
            "left_out": list(self.left_out),
            "runs": self.runs,
            "seed": self.seed,
        }

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw what is lost for each promise, and when the best arm is found for that asked for.

        Parameters
        ----------
        path
            Where to save it; the suffix (``.svg``, ``.png``, ``.pdf``) is the format.

        Examples
        --------
        >>> import hush
        >>> ahead = hush.forecast([0.2, 0.4], per_day=200, person_epsilon=1.0, days=7,
        ...                       policies=["NoiseAwareTS"], epsilons=[2.0], runs=20, seed=7)
        >>> len(ahead.plot().axes)
        2
        """
        require("a picture")
        from hush.forecasting.forecast_picture import draw_forecast
        from hush.output.pictures import save_figure

        figure = draw_forecast(self)
        if path is not None:
            save_figure(figure, Path(path))
        return figure

    def __repr__(self) -> str:
        many = counted(len(self.policies), "policy", "policies")
        promises = counted(len(self.epsilons), "promise", "promises")
        return (
            f"<Forecast: {len(self.rates)} arms, {self.days} days at {self.per_day:,g} decisions a "
            f"day, {many} x {promises}, {self.runs} runs, seed {self.seed}>"
        )

    def __str__(self) -> str:
        table = text_table(TableOf(self.columns, self.rows))
        return "\n".join([fill(self.title, WIDTH), "", table, "", self.words])

    def _repr_html_(self) -> str:
        parts = (
            Paragraph(self.recommendation),
            TableOf(self.columns, self.rows),
            Paragraph(f"{self.title}. {self.legend}"),
        )
        return f"<div>{''.join(part.html() for part in parts)}</div>"
