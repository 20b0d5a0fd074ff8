"""What posteriors say for and against a mean: means, upper tails, ratios to the prior."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import betaln, logsumexp
from tests.examples import examples

from hush.numerics.compiled.evidence import log_above, log_ratio, mean_of, upper_of
from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend
from hush.numerics.likelihood import log_likelihood
from hush.numerics.posterior import Posterior
from hush.numerics.prior import Prior

releases = st.lists(
    st.tuples(st.integers(1, 5_000), st.floats(-0.05, 1.05)), min_size=1, max_size=6
).map(lambda pairs: [(n, share * n) for n, share in pairs])
priors = st.sampled_from([(1.0, 1.0), (2.0, 2.0), (1.0, 3.0), (0.5, 0.5)])


def both(epsilon, prior, history):
    known, table = Posterior.before(epsilon=epsilon, prior=Prior(*prior)), blank_posteriors(1)
    for i, (count, value) in enumerate(history):
        known = known.given(count, value)
        counts, values = np.array(history[: i + 1], dtype=float).T.copy()
        extend(table, 0, Releases(counts, values, epsilon), Prior(*prior))
    return known, table


def direct(epsilon, prior, history, x, rest):
    """Return the log density, up to a constant, from all releases at once."""
    logs = (prior[0] - 1.0) * np.log(x) + (prior[1] - 1.0) * np.log(rest)
    for count, value in history:
        logs = logs + log_likelihood(x, rest, float(count), value, epsilon)
    return logs


@examples(40)
@given(st.sampled_from([0.1, 0.5, 1.0, 3.0]), priors, releases)
@example(0.1, (0.5, 0.5), [(1, 0.0)])
def test_means_and_tails_are_those_of_the_density(epsilon, prior, history):
    known, table = both(epsilon, prior, history)
    edges = known.edges
    points, weights = np.polynomial.legendre.leggauss(30)
    half = 0.5 * np.diff(edges)[:, None]
    x = (edges[:-1, None] + half * (1.0 + points)).ravel()
    rest = (1.0 - edges[1:, None] + half * (1.0 - points)).ravel()  # not 0 where x is 1
    logs = direct(epsilon, prior, history, x, rest) + np.log((half * weights).ravel())
    logs -= logsumexp(logs)
    assert known.mean == pytest.approx(np.exp(logs) @ x, abs=1e-6)
    assert mean_of(table, 0) == pytest.approx(known.mean, abs=1e-6)
    for panel in (1, edges.size // 2, edges.size - 2):
        at, expected = edges[panel], logsumexp(logs[panel * points.size :])
        if 1.0 - at < 1e-11:  # so near to 1 numbers are too far apart to say what lies above
            continue
        assert known.log_above(float(at)) == pytest.approx(expected, abs=1e-4)
        assert log_above(table, 0, float(at), Prior(*prior)) == pytest.approx(expected, abs=1e-4)


@examples(40)
@given(st.sampled_from([0.1, 0.5, 1.0, 3.0]), priors, releases)
def test_the_ratio_is_likelihood_over_mixture_and_bounds_it_beyond_the_panels(
    epsilon, prior, history
):
    known, table = both(epsilon, prior, history)
    x = np.linspace(0.001, 0.999, 101)
    likelihood = direct(epsilon, (1.0, 1.0), history, x, 1.0 - x)
    peak = 0.5 * (known.edges[0] + known.edges[-1])
    top = np.array([peak])
    constant = direct(epsilon, (1.0, 1.0), history, top, 1.0 - top) - known.log_ratio(top)
    found = known.log_ratio(x)
    within = (x >= known.edges[0]) & (x <= known.edges[-1])
    inside = within & (likelihood - constant > -60.0)
    assert found[inside] == pytest.approx((likelihood - constant)[inside], abs=2e-4)
    assert (found[~within] >= (likelihood - constant)[~within] - 2e-4).all()
    both_hold = inside & (x >= table.edges[0, 0]) & (x <= table.edges[0, table.panels[0]])
    compiled = [log_ratio(table, 0, each, betaln(*prior)) for each in x[both_hold]]
    assert compiled == pytest.approx(found[both_hold], abs=2e-4)


def test_the_prior_averages_the_ratio_to_one():
    known, _ = both(0.5, (1.0, 1.0), [(40, 31.5), (80, 55.0)])
    x = np.linspace(0.0, 1.0, 200_001)[1:-1]
    assert np.exp(known.log_ratio(x)).mean() == pytest.approx(1.0, abs=1e-4)


@pytest.mark.untraced
@examples(40)
@given(st.sampled_from([0.1, 0.5, 1.0, 3.0]), releases, st.floats(0.1, 60.0))
def test_the_upper_end_is_where_the_evidence_runs_out(epsilon, history, level):
    known, table = both(epsilon, (1.0, 1.0), history)
    upper = known.upper(level)
    assert upper_of(table, 0, level) == pytest.approx(upper, abs=1e-6)
    width = known.edges[-1] - known.edges[0]
    inside, outside = np.array([upper - 1e-6 * width]), np.array([upper + 1e-6 * width])
    assert known.log_ratio(inside)[0] >= -level - 1e-9
    assert upper == 1.0 or known.log_ratio(outside)[0] <= -level + 1e-9
