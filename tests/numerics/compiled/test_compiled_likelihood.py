"""The compiled likelihood against the one that a live learner uses, number for number."""

import math

import numpy as np
import pytest

from hush.numerics import likelihood as plain
from hush.numerics.compiled import likelihood as compiled


@pytest.mark.parametrize("n", [1, 3, 40, 256, 257, 3000, 10**6, 10**12, 10**17])
@pytest.mark.parametrize("epsilon", [0.02, 0.3, 3.0])
def test_likelihoods_agree(n, epsilon):
    generator = np.random.default_rng(n % 1000)
    for _ in range(6):
        mean = generator.random()
        value = generator.binomial(n, mean) + generator.laplace(0, 1 / epsilon)
        spread = math.sqrt(0.25 / n + 2 / (epsilon * n) ** 2)
        x = np.clip(value / n + spread * np.linspace(-8, 8, 33), 1e-6, 1 - 1e-6)
        total = np.zeros(x.size)
        compiled.log_likelihood(x, float(n), float(value), epsilon, total)
        wanted = plain.log_likelihood(x, 1 - x, float(n), float(value), epsilon)
        assert np.abs(total - wanted).max() < 1e-9 + 1e-14 * math.sqrt(n)
