"""Upper quantiles of Beta laws: the compiled twin against scipy's."""

import numpy as np
import pytest

from hush.numerics.compiled import quantile as compiled
from hush.numerics.quantile import beta_upper

TAILS = (1.0, 0.5, 0.3, 1e-2, 1e-6, 1e-18)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 40, 1000, 10**5, 10**7])
def test_twins_agree(count):
    successes = np.unique(np.linspace(0, count, min(count + 1, 30)).round())
    for tail in TAILS:
        found = [compiled.beta_upper(each, count - each, tail) for each in successes]
        wanted = beta_upper(successes, count - successes, tail)
        np.testing.assert_allclose(found, wanted, atol=1e-11, rtol=0)


def test_a_known_quantile():
    """Of three heads in five tosses: the chance that a Beta(4, 3) draw is above, by its formula."""
    q = compiled.beta_upper(3.0, 2.0, 0.05)
    below = sum([15 * q**4 * (1 - q) ** 2, 6 * q**5 * (1 - q), q**6])
    assert 1.0 - below == pytest.approx(0.05, abs=1e-12)
