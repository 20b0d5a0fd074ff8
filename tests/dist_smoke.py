"""One small use of each extra, in an installation of the wheel: ``python dist_smoke.py lab``.

Run by ``tests/dist.py`` with the interpreter of an empty environment; needs nothing of this tree.
"""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import hush

S1 = hush.paper_s1()


def command(*words, code=0):
    """Run ``hush``, as a shell would find it; return what it said."""
    place = Path(sys.executable).parent / "hush"
    done = subprocess.run(
        [str(place), *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def lacks(use, line):
    """Check that a use says in one line what it lacks."""
    try:
        use()
    except hush.MissingExtraError as error:
        assert str(error) == line, error
    else:
        raise AssertionError(f"nothing was missing: {line}")


def base(alone):
    learner = hush.NoiseAwareTS(epsilon=1.0).learner(3)
    for _ in range(50):
        learner.update(learner.select(), 1)
    assert learner.releases
    assert hush.policy_from_dict(hush.LazyDPTS(1.0).to_dict()).restore(
        hush.LazyDPTS(1.0).learner(2).state()
    )
    assert hush.audit(hush.LazyDPTS(1.0), methods=["construction"]).verdict == "proved"
    assert hush.bounds(hush.RNMFTNL(1.0), S1, horizon=1000)
    if alone:
        run = lambda: hush.simulate(hush.UCB1(), S1, horizon=10**9, runs=10**6)  # noqa: E731
        lacks(run, "hush.simulate needs numba: pip install 'hush-dp[lab]'")
        lacks(
            lambda: hush.live, "hush.live needs sqlalchemy and alembic: pip install 'hush-dp[live]'"
        )
        line = "the command hush needs typer and rich: pip install 'hush-dp[lab]'\n"
        assert command("policies", code=1) == line


def lab(alone):
    result = hush.simulate(
        [hush.UCB1(), hush.RNMFTNL(1.0)], S1, horizon=100, runs=2, seed=7, workers=1
    )
    assert len(result.to_pandas()) == result.regret.size
    result.plot("result.svg")
    assert Path("result.svg").stat().st_size > 1000
    told = command("simulate", "UCB1", "--instance", "S1", "--horizon", 100, "--runs", 2)
    assert "UCB1" in told
    if alone:
        lacks(
            lambda: hush.live, "hush.live needs sqlalchemy and alembic: pip install 'hush-dp[live]'"
        )
        assert "hush serve needs" in command("serve", "x.db", code=2)


def live(alone):
    with hush.live.open("experiments.db") as store:
        exp = store.create("a", policy="NoiseAwareTS", arms=["x", "y"], person_epsilon=1.0)
        exp.start()
        decision = exp.decide("someone")
        exp.reward(decision.id, 1)
        store.settle()
    assert "a" in command("experiment", "list", "experiments.db")
    if alone:
        told = command("compare", "UCB1", "--instance", "S1", code=2)
        assert told == "error: hush compare needs numba and pandas: pip install 'hush-dp[lab]'\n"


def postgres(_):
    try:
        hush.live.backup("postgresql://127.0.0.1:9/nothing", "backup.db")
    except hush.StoreError:
        return
    raise AssertionError("a server answered that is not there")


def parquet(_):
    with hush.live.open(":memory:") as store:
        exp = store.create("a", policy="LazyDPTS", arms=["x", "y"], person_epsilon=1)
        exp.export("a.parquet")
    assert Path("a.parquet").read_bytes()[:4] == b"PAR1"


def serve(_):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "hush", "serve", "served.db", "--port", str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            assert answer(f"http://127.0.0.1:{port}/healthz", server) == 200
        finally:
            server.terminate()


def answer(address, server, patience=120.0):
    """Return the status of an address, as soon as its server is up."""
    end = time.monotonic() + patience
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(address) as found:
                return found.status
        except urllib.error.URLError:
            time.sleep(0.2)
    raise AssertionError(f"{address} does not answer")


def client(_):
    import httpx

    transport = httpx.MockTransport(lambda _: httpx.Response(401))
    asked = hush.Client("http://a", f"hush_0123456789ab_{'5e' * 32}", transport=transport)
    try:
        asked.experiment("a").decide("someone")
    except hush.StoreError:
        return
    raise AssertionError("a service answered that is not there")


def dask(_):
    from distributed import LocalCluster

    from hush.studies import dask_executor, run_study, shipped_study

    study = shipped_study("price-of-privacy", quick=True).resized(runs=1)
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        dask_executor(cluster.scheduler_address) as executor,
    ):
        assert run_study(study, executor=executor).curves


def data(_):
    import hush

    assert len(hush.actg175()) == 2139
    assert len(hush.rand_health()) == 20_190


def adapters(_):
    from mabwiser.mab import LearningPolicy
    from river.bandit import UCB

    from hush.adapters import from_mabwiser, from_river, to_gymnasium

    env = hush.Bernoulli([0.9, 0.1])
    others = [from_river(UCB(delta=1, seed=1)), from_mabwiser(LearningPolicy.Random())]
    assert hush.simulate(others, env, horizon=50, runs=1, seed=1).regret.shape[0] == 2
    assert to_gymnasium(env).action_space.n == 2


USES = {
    "base": (base,),
    "lab": (base, lab),
    "live": (base, live),
    "postgres": (live, postgres),
    "parquet": (live, parquet),
    "serve": (live, parquet, serve),
    "client": (live, client),
    "dask": (lab, dask),
    "data": (lab, data),
    "adapters": (lab, adapters),
    "all": (base, lab, live, postgres, parquet, serve, client, dask, data),
}


if __name__ == "__main__":
    extra = sys.argv[1]
    assert Path(hush.__file__).is_relative_to(sys.prefix), hush.__file__
    for use in USES[extra]:
        use(extra == use.__name__)
