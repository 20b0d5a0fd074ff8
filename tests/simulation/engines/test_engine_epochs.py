"""Full-information epochs: both engines have one law."""

import pytest
from scipy.stats import ks_2samp, ttest_ind

import hush
from hush import RNMFTNL


@pytest.mark.slow
@pytest.mark.parametrize("make", [RNMFTNL, RNMFTNL.as_printed], ids=["exponential", "laplace"])
@pytest.mark.parametrize("discrete", [False, True])
def test_both_engines_have_the_same_law(make, discrete):
    """20,000 runs of each at 2^12 rounds; every test has a false-alarm rate of 1e-6."""
    env = hush.Bernoulli([0.25, 0.375, 0.5, 0.625, 0.75])
    policies = [make(0.1), make(0.5), make(2.0)]
    leap, rounds = (
        hush.simulate(
            policies, env, horizon=2**12, runs=20_000, seed=5, engine=engine, discrete=discrete
        )
        for engine in ("leap", "rounds")
    )
    for position in (40, -1):
        for one, other in zip(
            leap.regret[:, :, position], rounds.regret[:, :, position], strict=True
        ):
            assert ttest_ind(one, other).pvalue > 1e-6
            assert ks_2samp(one, other).pvalue > 1e-6
            assert ks_2samp(1.1 * one + 1.0, other).pvalue < 1e-6  # the test can fail
