"""What best-arm identification returns: samples and named arms, and views of them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError, StateError
from hush.extras import require
from hush.numerics.transport import least_samples
from hush.output.document import Paragraph
from hush.output.files import replaced
from hush.output.numbers import counted
from hush.output.tabular import Tabular
from hush.simulation.summary import summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hush.simulation.summary_frame import Summary

__all__ = ["Identification", "upper_limit"]

FORMAT = 1
LEVEL = 0.99
LEFT_OUT = ("se", "far")


@dataclass(frozen=True, eq=False)
class Identification(Tabular):
    """How many samples policies took to name the best arm, and how often they were wrong.

    Attributes
    ----------
    samples
        Pulls until an arm was named, policy x run; ``most`` where none was.
    arms
        The arm that was named, policy x run; -1 where none was: an *undecided* run.
    pulls
        How often each arm was pulled: policy x run x arm.
    policies
        The policies' labels, in order.
    environment
        What the rewards came from.
    confidence
        The chance with which a named arm is to be one of the best.
    most
        After how many samples a run was given up.
    seed
        What to pass to ``identify`` to get exactly this again.
    engines
        How each policy was played: ``"leap"``, or ``"rounds (learner)"``.

    Examples
    --------
    >>> import hush
    >>> found = hush.identify(hush.NoiseAwareBAI(1.0), hush.paper_s1(), runs=4, seed=7)
    >>> found.arms.tolist(), found.wrong.tolist(), found.undecided.tolist()
    ([[0, 0, 0, 0]], [0], [0])
    """

    samples: NDArray[np.int64]
    arms: NDArray[np.int64]
    pulls: NDArray[np.int64]
    policies: tuple[str, ...]
    environment: dict[str, Any]
    confidence: float
    most: int
    seed: int
    engines: tuple[str, ...]
    parameters: tuple[dict[str, Any], ...] = field(repr=False)
    epsilons: tuple[float, ...] = field(repr=False)
    discrete: bool = False

    @property
    def runs(self) -> int:
        """How many runs there are of each policy."""
        return int(self.samples.shape[1])

    @property
    def best_arms(self) -> NDArray[np.int64]:
        """The arms of the largest mean."""
        means = np.array(self.environment["means"])
        return np.flatnonzero(means == means.max())

    @property
    def undecided(self) -> NDArray[np.int64]:
        """How many runs of each policy named no arm."""
        return np.asarray((self.arms < 0).sum(axis=1))

    @property
    def wrong(self) -> NDArray[np.int64]:
        """How many runs of each policy named an arm that is none of the best."""
        named = (self.arms >= 0) & ~np.isin(self.arms, self.best_arms)
        return np.asarray(named.sum(axis=1))

    def bound(self, position: int) -> float:
        """Return a lower bound on the expected samples of a policy; NaN without one best arm.

        For every algorithm of its epsilon that is right with this confidence on all instances:
        ``T*_eps ln(1 / (3 delta))``.
        """
        low, high = self.environment.get("reward_range", (0.0, 1.0))
        means = [(mean - low) / (high - low) for mean in self.environment["means"]]
        try:
            return least_samples(means, self.epsilons[position], 1.0 - self.confidence)
        except ParameterError:
            return math.nan

    def summary(self) -> Summary:
        """Return samples, errors and the lower bound, a row per policy.

        It is a data frame of pandas that prints as a short table.

        ``mean`` with its 95 % interval, quantiles and ``worst`` are of samples, in which an
        undecided run counts ``most``. ``error`` is the share of runs that named a wrong arm, and
        ``error_upper`` its upper limit with 99 % confidence (Clopper and Pearson); ``undecided``
        the share that named none.

        Examples
        --------
        >>> import hush
        >>> found = hush.identify(hush.NoiseAwareBAI(1.0), hush.paper_s1(), runs=4, seed=7)
        >>> list(found.summary().columns)[:6]
        ['mean', 'low', 'high', 'q5', 'q50', 'q95']
        >>> list(found.summary().columns)[6:]
        ['median_low', 'median_high', 'worst', 'error', 'error_upper', 'undecided', 'bound', 'runs',
        'engine']
        """
        require("a pandas table")
        from hush.simulation.summary_frame import Summary

        columns = summarise(self.samples.astype(np.float64), float(self.most))
        kept = {name: each for name, each in columns.items() if name not in {*LEFT_OUT, "runs"}}
        wrong = self.wrong
        kept["error"] = wrong / self.runs
        kept["error_upper"] = [upper_limit(each, self.runs) for each in wrong.tolist()]
        kept["undecided"] = self.undecided / self.runs
        kept["bound"] = [self.bound(place) for place in range(len(self.policies))]
        kept["runs"] = self.runs
        return Summary.of("samples", {**kept, "engine": list(self.engines)}, self.policies)

    def to_columns(self) -> dict[str, Any]:
        """Return all runs in long form: policy, run, samples, arm, and whether it is a best one.

        Examples
        --------
        >>> import hush
        >>> found = hush.identify(hush.NoiseAwareBAI(1.0), hush.paper_s1(), runs=4, seed=7)
        >>> found.to_pandas().shape, list(found.to_columns())
        ((4, 5), ['policy', 'run', 'samples', 'arm', 'right'])
        """
        n_policies, n_runs = self.samples.shape
        return {
            "policy": np.repeat(np.array(self.policies, dtype=object), n_runs),
            "run": np.tile(np.arange(n_runs), n_policies),
            "samples": self.samples.ravel(),
            "arm": self.arms.ravel(),
            "right": np.isin(self.arms, self.best_arms).ravel(),
        }

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """Draw each policy's samples on a log scale: 5 to 95 %, the median, the mean, the bound.

        Parameters
        ----------
        path
            Where to save it; the suffix (``.svg``, ``.png``, ``.pdf``) is the format.
        title
            A title above the picture.

        Examples
        --------
        >>> import hush
        >>> found = hush.identify(hush.NoiseAwareBAI(1.0), hush.paper_s1(), runs=4, seed=7)
        >>> len(found.plot().axes)
        1
        """
        from hush.output.pictures import save_figure
        from hush.simulation.identification_picture import draw_samples

        figure = draw_samples([(title or "", self)])
        if path is not None:
            save_figure(figure, Path(path))
        return figure

    def save(self, path: str | Path) -> None:
        """Write everything to an ``.npz`` file, whole or not at all."""
        about = {
            "hush_identification": FORMAT,
            "policies": list(self.policies),
            "environment": self.environment,
            "confidence": self.confidence,
            "most": self.most,
            "seed": self.seed,
            "engines": list(self.engines),
            "parameters": list(self.parameters),
            "epsilons": [None if math.isinf(each) else each for each in self.epsilons],
            "discrete": self.discrete,
        }
        with replaced(Path(path)) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file,
                samples=self.samples,
                arms=self.arms,
                pulls=self.pulls,
                about=np.array(json.dumps(about)),
            )

    @classmethod
    def load(cls, path: str | Path) -> Identification:
        """Read what :meth:`save` wrote."""
        file = Path(path)
        try:
            with file.open("rb") as raw, np.load(raw, allow_pickle=False) as kept:
                about = json.loads(str(kept["about"]))
                del about["hush_identification"]
                for name in ("policies", "engines", "parameters"):
                    about[name] = tuple(about[name])
                losses = (math.inf if each is None else each for each in about.pop("epsilons"))
                arrays = {name: kept[name] for name in ("samples", "arms", "pulls")}
                return cls(**arrays, **about, epsilons=tuple(losses))
        except (KeyError, TypeError, ValueError, EOFError, BadZipFile) as error:
            raise StateError(f"{file.name} is no saved identification, or is damaged") from error

    def __repr__(self) -> str:
        many = counted(len(self.policies), "policy", "policies")
        return (
            f"<Identification: {many} x {self.runs} runs, confidence {self.confidence:g}, "
            f"seed {self.seed}>"
        )

    def _repr_html_(self) -> str:
        return Paragraph(repr(self)[1:-1]).html() + self.summary()._repr_html_()


def upper_limit(hits: int, tries: int, level: float = LEVEL) -> float:
    """Return an upper limit on a chance that was met so many times (Clopper and Pearson).

    It is below the chance with a probability of at most ``1 - level``.

    >>> round(upper_limit(0, 10_000), 6), round(upper_limit(3, 100), 4), upper_limit(5, 5)
    (0.00046, 0.097, 1.0)
    """
    from scipy.special import betaincinv

    return 1.0 if hits >= tries else float(betaincinv(hits + 1.0, tries - hits, level))
