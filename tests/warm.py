"""Compile every loop once before the tests, side by side: their workers would each compile all."""

from concurrent.futures import ProcessPoolExecutor

from tests import every

import hush

SLOWEST = ("posterior", "thompson", "index")


def compile_kind(policies):
    env = hush.Bernoulli([0.6, 0.4])
    for policy in policies:
        for engine in ("auto", "rounds"):
            hush.simulate(policy, env, horizon=50, runs=1, seed=1, engine=engine, workers=1)


def main():
    kinds = {}
    for policy in every.DEFAULT:
        kinds.setdefault(policy.kind, []).append(policy)
    order = sorted(kinds, key=lambda kind: (kind not in SLOWEST, kind))
    with ProcessPoolExecutor() as pool:
        list(pool.map(compile_kind, [kinds[kind] for kind in order]))


if __name__ == "__main__":
    main()
