"""The arm of the largest upper end, where most arms are passed over."""

import numpy as np
import pytest

from hush.numerics.compiled.evidence import upper_of
from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend
from hush.numerics.prior import UNIFORM
from hush.simulation.kernels.batches import Arms, highest, raise_ceilings

pytest.importorskip("numba")


def known_arms(n_arms, generator):
    counts = 2 ** generator.integers(2, 12, n_arms)
    posteriors = blank_posteriors(n_arms)
    for arm, count in enumerate(counts):
        total = count * generator.uniform(0.3, 0.7) + generator.laplace()
        extend(posteriors, arm, Releases(np.array([float(count)]), np.array([total]), 1.0), UNIFORM)
    none = np.zeros(n_arms, np.int64)
    return Arms(posteriors, np.zeros(n_arms), counts, none, none, none, none)


@pytest.mark.parametrize("n_arms", [1, 2, 40])
def test_arms_below_their_ceilings_are_passed_over_rightly(n_arms):
    generator = np.random.default_rng(n_arms)
    arms, ceilings = known_arms(n_arms, generator), np.zeros(n_arms)
    for level in (2.0, 8.0, 20.0):
        raise_ceilings(arms, ceilings, level + 1.0)
        every = [upper_of(arms.posteriors, arm, level) for arm in range(n_arms)]
        assert (ceilings >= every).all()
        assert highest(arms, ceilings, level) == int(np.argmax(every))


def test_arms_that_tie_and_arms_without_a_release():
    arms, ceilings = known_arms(4, np.random.default_rng(1)), np.zeros(4)
    for field in arms.posteriors:
        field[:] = field[:1]  # all alike
    raise_ceilings(arms, ceilings, 5.0)
    assert highest(arms, ceilings, 4.0) == 0
    arms.released[2] = 0
    assert highest(arms, ceilings, 4.0) == 2
