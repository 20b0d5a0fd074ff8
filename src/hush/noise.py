"""Where noise is drawn.

Three sources, kept apart by type. :class:`SecureNoise` is for deployment and takes no seed.
:class:`SeededNoise` is for simulation and demands one. :class:`ScriptedNoise` replays values.
A source is handed a raw sum and hands back a noisy one; only :mod:`hush.mechanisms` calls it.

Besides noise, a source owns two plain generators that privacy does not rest on: ``selection``
for the draws of Thompson-type rules (post-processing of releases) and ``coins`` for the coin-toss
reduction of bounded rewards (any outcome moves a sum by at most one). They are apart from the
noise, so that replaying releases on other rewards meets the same selection draws.
"""

from __future__ import annotations

import math
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

import numpy as np

from hush.errors import NoiseError, ParameterError, StateError, is_number, whole
from hush.privacy import Neighbours, Release

__all__ = [
    "ArgmaxLaw",
    "NoiseSource",
    "ScriptedNoise",
    "SecureNoise",
    "SeededNoise",
    "argmax_scale",
]

ArgmaxLaw = Literal["exponential", "laplace"]


def argmax_scale(epsilon: float, neighbours: Neighbours) -> float:
    """Return the noise scale at which a noisy argmax of sums in steps of 1 loses epsilon.

    Replacing a reward vector can raise one sum and lower another, which costs twice what
    adding or removing a vector of non-negative rewards does.

    >>> argmax_scale(0.5, "replace"), argmax_scale(0.5, "add-remove")
    (4.0, 2.0)
    """
    return (2.0 if neighbours == "replace" else 1.0) / epsilon


class NoiseSource(ABC):
    """What every noise source offers.

    Invariants: ``add_laplace`` and ``argmax`` are called once per release, by a mechanism that
    has checked its input; what they are handed is never stored, logged, or put into an error.
    """

    secure: ClassVar[bool] = False

    @abstractmethod
    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int | float:
        """Return ``total`` plus Laplace noise of scale ``sensitivity / epsilon``."""

    @abstractmethod
    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Return the position of the largest total after independent noise on each."""

    @property
    @abstractmethod
    def selection(self) -> np.random.Generator:
        """The generator of selection rules."""

    @property
    @abstractmethod
    def coins(self) -> np.random.Generator:
        """The generator of coin tosses for bounded rewards."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what is needed to go on from here, JSON-able."""

    @staticmethod
    def from_state(state: Mapping[str, Any]) -> NoiseSource:
        """Rebuild the source that :meth:`state` described."""
        kinds: dict[str, type[SecureNoise | SeededNoise | ScriptedNoise]] = {
            "secure": SecureNoise,
            "seeded": SeededNoise,
            "scripted": ScriptedNoise,
        }
        kind = kinds.get(str(state.get("kind")))
        if kind is None:
            raise StateError("the state names no known noise source; pass noise= explicitly")
        try:
            return kind._from_state(state)
        except (KeyError, TypeError, ValueError) as error:
            raise StateError("the noise source in this state is damaged; pass noise=") from error


class SecureNoise(NoiseSource):
    """Exact discrete noise from OpenDP, drawn with cryptographic randomness. For deployment.

    Sums get discrete Laplace noise on 64-bit integers; the noisy argmax is exact
    permute-and-flip (``law="exponential"``) or the argmax after discrete Laplace noise. No
    floating-point sample ever meets a sum. The loss of each mechanism is read from OpenDP's own
    privacy map, and the scale is raised until that loss is at most what is claimed.

    It takes no seed, has no state, and can be shared between learners and across forks.

    Examples
    --------
    >>> from hush import SecureNoise
    >>> type(SecureNoise().add_laplace(10, epsilon=1.0))
    <class 'int'>
    >>> SecureNoise()
    SecureNoise()
    """

    secure: ClassVar[bool] = True

    def __init__(self) -> None:
        _opendp()  # a missing library shows at once, not at the first release
        self._generator: np.random.Generator | None = None
        _FORK_SENSITIVE.add(self)

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int:
        """Return ``total`` plus exact discrete Laplace noise."""
        return int(_invoke(_laplace(epsilon, sensitivity), total))

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Return the winner by permute-and-flip, or after discrete Laplace noise."""
        if law == "exponential":
            return int(_invoke(_permute_and_flip(epsilon, neighbours), list(totals)))
        # Two sums can move in opposite directions under "replace": each may cost half.
        share = epsilon / 2.0 if neighbours == "replace" else epsilon
        noisy = _invoke(_laplace_vector(share), list(totals))
        return max(range(len(noisy)), key=noisy.__getitem__)

    @property
    def selection(self) -> np.random.Generator:
        """A generator seeded by the operating system, new in every forked process."""
        if self._generator is None:
            self._generator = np.random.default_rng()
        return self._generator

    @property
    def coins(self) -> np.random.Generator:
        """The same generator: neither use is one that privacy rests on."""
        return self.selection

    def state(self) -> dict[str, Any]:
        """Return the kind alone: there is nothing to resume."""
        return {"kind": "secure"}

    @classmethod
    def _from_state(cls, _state: Mapping[str, Any]) -> SecureNoise:
        return cls()

    def __reduce__(self) -> tuple[type[SecureNoise], tuple[()]]:
        return SecureNoise, ()

    def __repr__(self) -> str:
        return "SecureNoise()"


_FORK_SENSITIVE: weakref.WeakSet[SecureNoise] = weakref.WeakSet()


def _forget_generators() -> None:
    for source in _FORK_SENSITIVE:
        source._generator = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_generators)


@lru_cache(maxsize=1)
def _opendp() -> Any:  # noqa: ANN401  OpenDP ships no precise types for its combinators
    # Not opendp.prelude, which imports scikit-learn and all that it needs where it is installed.
    from opendp import domains, measurements, measures, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    return SimpleNamespace(
        atom_domain=domains.atom_domain,
        vector_domain=domains.vector_domain,
        absolute_distance=metrics.absolute_distance,
        l1_distance=metrics.l1_distance,
        linf_distance=metrics.linf_distance,
        max_divergence=measures.max_divergence,
        make_laplace=measurements.make_laplace,
        make_noisy_max=measurements.make_noisy_max,
    )


def _confirmed(build: Any, scale: float, distance: int, epsilon: float) -> Any:  # noqa: ANN401
    """Build a measurement whose own privacy map stays within epsilon.

    OpenDP rounds the loss up, so ``distance / scale`` can come out one unit in the last place
    above epsilon; the scale then grows until it does not.
    """
    for _ in range(64):
        measurement = build(scale)
        if measurement.map(distance) <= epsilon:
            return measurement
        scale = math.nextafter(scale, math.inf)
    raise NoiseError(f"no noise scale confirms epsilon = {epsilon:g}; choose a larger epsilon")


@lru_cache(maxsize=256)
def _laplace(epsilon: float, sensitivity: int) -> Any:  # noqa: ANN401
    dp = _opendp()
    # "i64": OpenDP reads Python's int as 32-bit.
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
    return _confirmed(
        lambda scale: dp.make_laplace(*space, scale=scale),
        sensitivity / epsilon,
        sensitivity,
        epsilon,
    )


@lru_cache(maxsize=256)
def _laplace_vector(epsilon: float) -> Any:  # noqa: ANN401
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return _confirmed(lambda scale: dp.make_laplace(*space, scale=scale), 1.0 / epsilon, 1, epsilon)


@lru_cache(maxsize=256)
def _permute_and_flip(epsilon: float, neighbours: Neighbours) -> Any:  # noqa: ANN401
    dp = _opendp()
    metric = dp.linf_distance(T="i64", monotonic=neighbours == "add-remove")
    space = dp.vector_domain(dp.atom_domain(T="i64")), metric
    return _confirmed(
        lambda scale: dp.make_noisy_max(*space, dp.max_divergence(), scale=scale),
        argmax_scale(epsilon, neighbours),
        1,
        epsilon,
    )


def _invoke(measurement: Any, argument: Any) -> Any:  # noqa: ANN401
    try:
        return measurement(argument)
    except Exception:  # noqa: BLE001, S110  its message can show the argument, which is raw
        pass
    # Raised out here, so that OpenDP's exception is not chained to ours.
    raise NoiseError("OpenDP refused to draw this release; is the sum within 64 bits?")


class SeededNoise(NoiseSource):
    """Reproducible noise from NumPy. For simulation only: who knows the seed sees through it.

    Parameters
    ----------
    seed
        A non-negative integer or a :class:`numpy.random.SeedSequence`. There is no default.
    discrete
        False: continuous Laplace noise, as in the paper. True: the discrete law that
        :class:`SecureNoise` deploys, so that what is deployed can be simulated.

    Examples
    --------
    >>> from hush import SeededNoise
    >>> SeededNoise(7).add_laplace(10, epsilon=1.0) == SeededNoise(7).add_laplace(10, epsilon=1.0)
    True
    >>> type(SeededNoise(7, discrete=True).add_laplace(10, epsilon=1.0))
    <class 'int'>
    """

    def __init__(self, seed: int | np.random.SeedSequence, *, discrete: bool = False) -> None:
        if isinstance(seed, np.random.SeedSequence):
            sequence = seed
        else:
            sequence = np.random.SeedSequence(whole("seed", seed, least=0))
        self.discrete = bool(discrete)
        self._noise, self._selection, self._coins = (
            np.random.Generator(np.random.PCG64(child)) for child in children(sequence, 3)
        )

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int | float:
        """Return ``total`` plus continuous or discrete Laplace noise."""
        scale = sensitivity / epsilon
        if self.discrete:
            return total + self._discrete_laplace(scale)
        return total + self._noise.laplace(0.0, scale)

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Return the winner after one-sided exponential or Laplace noise.

        Continuous exponential noise has the law of permute-and-flip (Ding et al. 2021), so
        ``discrete`` makes no difference there.
        """
        scale = argmax_scale(epsilon, neighbours)
        size = len(totals)
        noisy = np.asarray(totals, dtype=np.float64)
        if law == "exponential":
            noisy = noisy + scale * self._noise.standard_exponential(size)
        elif self.discrete:
            noisy = noisy + [self._discrete_laplace(scale) for _ in range(size)]
        else:
            noisy = noisy + self._noise.laplace(0.0, scale, size)
        return int(noisy.argmax())

    def _discrete_laplace(self, scale: float) -> int:
        # floor(scale * Exp(1)) is geometric; the difference of two has P(k) ~ exp(-|k| / scale).
        up = math.floor(scale * self._noise.standard_exponential())
        return up - math.floor(scale * self._noise.standard_exponential())

    @property
    def selection(self) -> np.random.Generator:
        """The generator of selection rules."""
        return self._selection

    @property
    def coins(self) -> np.random.Generator:
        """The generator of coin tosses."""
        return self._coins

    def state(self) -> dict[str, Any]:
        """Return the position of the three generators."""
        names = ("noise", "selection", "coins")
        streams = (self._noise, self._selection, self._coins)
        return {
            "kind": "seeded",
            "discrete": self.discrete,
            "generators": {n: _position(g) for n, g in zip(names, streams, strict=True)},
        }

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> SeededNoise:
        source = cls(0, discrete=state["discrete"])
        for name, generator in (
            ("noise", source._noise),
            ("selection", source._selection),
            ("coins", source._coins),
        ):
            _move(generator, state["generators"][name])
        return source

    def __repr__(self) -> str:
        return f"SeededNoise(<seed>, discrete={self.discrete})"


class ScriptedNoise(NoiseSource):
    """Replays given releases in order, whatever the sums are. For replays and tests only.

    Parameters
    ----------
    releases
        Noisy sums or chosen actions, or :class:`~hush.Release` objects, in the order in which
        they will be asked for.
    selection
        Seed of the selection rule's draws; two replays with the same one meet the same draws.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> script = ScriptedNoise([3.5, -1.0])
    >>> script.add_laplace(10, epsilon=1.0), script.remaining
    (3.5, 1)
    """

    def __init__(self, releases: Sequence[float | Release], *, selection: int = 0) -> None:
        values = [each.value if isinstance(each, Release) else each for each in releases]
        for value in values:
            if not is_number(value) or not math.isfinite(value):
                raise ParameterError("a script holds finite numbers or Release objects only")
        self._values = values
        self._next = 0
        seed = np.random.SeedSequence(whole("selection", selection, least=0))
        self._selection, self._coins = (
            np.random.Generator(np.random.PCG64(child)) for child in children(seed, 2)
        )

    @property
    def remaining(self) -> int:
        """How many releases the script still holds."""
        return len(self._values) - self._next

    def _draw(self) -> float:
        if not self.remaining:
            raise NoiseError(f"the script's {len(self._values)} releases are used up; add more")
        value = self._values[self._next]
        self._next += 1
        return value

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> float:  # noqa: ARG002
        """Return the next scripted value; the total is ignored."""
        return self._draw()

    def argmax(
        self,
        totals: Sequence[int],
        *,
        epsilon: float,  # noqa: ARG002
        law: ArgmaxLaw,  # noqa: ARG002
        neighbours: Neighbours,  # noqa: ARG002
    ) -> int:
        """Return the next scripted action; the totals are ignored."""
        if self.remaining and self._values[self._next] not in range(len(totals)):
            raise NoiseError(f"the next scripted value is not an action in 0..{len(totals) - 1}")
        return int(self._draw())

    @property
    def selection(self) -> np.random.Generator:
        """The generator of selection rules."""
        return self._selection

    @property
    def coins(self) -> np.random.Generator:
        """The generator of coin tosses."""
        return self._coins

    def state(self) -> dict[str, Any]:
        """Return what is left of the script, and the generators' positions."""
        return {
            "kind": "scripted",
            "values": [float(v) if isinstance(v, float) else int(v) for v in self._values],
            "next": self._next,
            "generators": {
                "selection": _position(self._selection),
                "coins": _position(self._coins),
            },
        }

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> ScriptedNoise:
        source = cls(state["values"])
        source._next = whole("next", state["next"], least=0, most=len(source._values))
        _move(source._selection, state["generators"]["selection"])
        _move(source._coins, state["generators"]["coins"])
        return source

    def __repr__(self) -> str:
        return f"ScriptedNoise(<{self.remaining} releases>)"


def children(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Derive child sequences by number, without the parent's hidden counter moving."""
    return [
        np.random.SeedSequence(
            seed.entropy, spawn_key=(*seed.spawn_key, position), pool_size=seed.pool_size
        )
        for position in range(count)
    ]


def _position(generator: np.random.Generator) -> dict[str, Any]:
    # As text: the 128-bit numbers of PCG64 do not survive every JSON library.
    state = generator.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": int(state["has_uint32"]),
        "uinteger": int(state["uinteger"]),
    }


def _move(generator: np.random.Generator, position: Mapping[str, Any]) -> None:
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(position["state"]), "inc": int(position["inc"])},
        "has_uint32": position["has_uint32"],
        "uinteger": position["uinteger"],
    }
