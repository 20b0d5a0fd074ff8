"""RNM-FTNL: the choices that it has, and the one that its paper prints."""

import numpy as np
import pytest

from hush import RNMFTNL
from hush.noise import argmax_scale


def test_as_printed_it_has_two_sided_noise_of_half_the_scale():
    printed = RNMFTNL.as_printed(0.5)
    assert printed == RNMFTNL(0.5, noise="laplace", neighbours="add-remove")
    assert printed.choice_law(3) == ("laplace", 2.0)


@pytest.mark.parametrize(
    ("policy", "replaced"),
    [(RNMFTNL(0.5), 0.5), (RNMFTNL.as_printed(0.5), 1.0), (RNMFTNL(0.5, noise="gumbel"), 0.5)],
    ids=str,
)
def test_its_guarantee_says_what_a_replaced_vector_loses(policy, replaced):
    assert policy.guarantee.under("replace") == replaced


def leaf_estimates(gradient, samples, depth, generator):
    """Yield the gradient estimates that one tree of private Frank-Wolfe chooses its vertices by.

    The root estimates from its own samples. A left child takes its parent's estimate over; a right
    one corrects it by what the gradient has changed between the parent's point and its own, on
    samples of its own. A leaf moves the point towards the vertex with the largest noisy estimate.
    """
    root, rest = samples[: len(samples) // 4], samples[len(samples) // 4 :]
    point = np.full(samples.shape[1], 1.0 / samples.shape[1])
    path = {"": (point, gradient(point, root))}
    for leaf in range(2**depth):
        name = format(leaf, f"0{depth}b")
        for size in range(1, depth + 1):
            node, parent = name[:size], path[name[: size - 1]]
            if node in path:
                continue
            if node[-1] == "0":
                path[node] = parent
                continue
            own, rest = rest[: len(root) >> size], rest[len(root) >> size :]
            change = gradient(point, own) - gradient(parent[0], own)
            path[node] = (point, parent[1] + change)
        estimate = path[name][1]
        yield estimate
        step = 2.0 / (2 ** (depth - 1) + leaf + 1)
        winner = int((estimate + generator.laplace(scale=0.1, size=estimate.size)).argmax())
        point = (1.0 - step) * point + step * np.eye(estimate.size)[winner]


def test_for_experts_variance_reduced_frank_wolfe_is_a_noisy_leader_with_less_epsilon():
    """Rewards are linear in chances: no correction is other than 0; leaves share the root's sums.

    Noise on a mean of b rewards is 2 2^depth / (b eps): that of a noisy argmax of the b rewards'
    sums at eps / 2^depth, as often as there are leaves. Where gradients move, estimates do too.
    """
    samples = np.random.default_rng(1).integers(2, size=(4096, 4)).astype(float)
    linear, curved = (
        np.array(list(leaf_estimates(gradient, samples, 3, np.random.default_rng(2))))
        for gradient in (
            lambda _point, batch: batch.mean(axis=0),
            lambda point, batch: (batch * (1.0 - point)).mean(axis=0),
        )
    )
    assert (linear == samples[:1024].mean(axis=0)).all()
    assert np.ptp(curved, axis=0).min() > 0.01
    for depth, epsilon in ((1, 0.5), (3, 2.0)):
        assert argmax_scale(epsilon / 2**depth, "replace") == 2 * 2**depth / epsilon
