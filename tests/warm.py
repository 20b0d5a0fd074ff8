"""Compile every loop once before the tests, side by side: their workers would each compile all."""

from concurrent.futures import ProcessPoolExecutor

from tests import every

import hush
from hush.simulation.engines import engine_of

SLOWEST = ("posterior", "thompson", "index")


def compile_engine(policies):
    env = hush.Bernoulli([0.6, 0.4])
    for policy in policies:
        for engine in ("auto", "rounds"):
            hush.simulate(policy, env, horizon=50, runs=1, seed=1, engine=engine, workers=1)


def main():
    engines = {}
    for policy in every.DEFAULT:
        engines.setdefault(engine_of(policy).name, []).append(policy)
    order = sorted(engines, key=lambda name: (name not in SLOWEST, name))
    with ProcessPoolExecutor() as pool:
        list(pool.map(compile_engine, [engines[name] for name in order]))


if __name__ == "__main__":
    main()
