"""Random bandits that bounds are held against."""

import math

import numpy as np

import hush

CLOSER = ("epochs", "gaps, closed form", "any gaps, closed form")


def nearest_to_epochs(make, *, seed, instances, shapes, largest, reach, runs):
    """Assert that regret lies below all closer bounds; return how near ``epochs`` it comes.

    There are crowds near the best as well as means far from it, epsilon up to ``exp(largest)``, and
    horizons up to ``10 ** reach``. Where T times the smallest gap is near, nothing is counted.
    """
    nearest = 0.0
    for number in range(instances):
        rng = np.random.default_rng([seed, number])
        best, n_arms = rng.uniform(0.3, 1.0), int(rng.integers(2, 9))
        gaps = best * rng.random(n_arms - 1) ** rng.choice(shapes)
        env = hush.Bernoulli([best, *(best - gaps).tolist()])
        policy = make(float(math.exp(rng.uniform(-3.0, largest))))
        horizon = int(10.0 ** rng.uniform(1.0, reach))
        result = hush.simulate(
            policy, env, horizon=horizon, runs=runs, seed=number, progress=False, workers=1
        )
        regret, report = result.regret[0, :, -1].mean(), hush.bounds(policy, env, horizon)
        for name in CLOSER:
            assert regret <= report[name].value, (number, name)
        bound = report["epochs"].value
        assert all(bound <= each.value for each in report.items if each.name == "samples")
        if bound < 0.1 * horizon * float(env.gaps[1:].min()):
            nearest = max(nearest, regret / bound)
    return nearest
