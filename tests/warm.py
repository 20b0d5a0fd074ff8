"""Compile every loop once before the tests, side by side: their workers would each compile all."""

from concurrent.futures import ProcessPoolExecutor

from tests import every

import hush
from hush.simulation.engines import engine_of
from hush.simulation.interpreting import never_interpret

SLOWEST = ("posterior", "batches", "thompson", "index")


def compile_engine(policies):
    for policy in policies:
        engine = engine_of(policy)
        if engine.interpreted:
            never_interpret(engine.loop("leap"))
    env = hush.Bernoulli([0.6, 0.4])
    for policy in policies:
        for engine in ("auto", "rounds"):
            for delay in (0, 3):
                given = {"engine": engine, "delay": delay, "workers": 1}
                hush.simulate(policy, env, horizon=50, runs=1, seed=1, **given)


def compile_search(policies):
    env = hush.Bernoulli([0.9, 0.1])
    for policy in policies:
        hush.identify([policy], env, confidence=0.6, runs=1, seed=1, workers=1)


def main():
    engines = {}
    for policy in every.DEFAULT:
        engines.setdefault(engine_of(policy).name, []).append(policy)
    order = sorted(engines, key=lambda name: (name not in SLOWEST, name))
    found = [policy for policy in every.DEFAULT if type(policy) in every.FINDERS]
    with ProcessPoolExecutor() as pool:
        done = [pool.submit(compile_engine, engines[name]) for name in order]
        done.append(pool.submit(compile_search, found))
        for each in done:
            each.result()


if __name__ == "__main__":
    main()
