import sys
import threading
from collections import Counter
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings
from tests.examples import BRIEF, FULL

# They hold no examples to run, and all have one name.
collect_ignore_glob = ["*conftest.py"]

# Fixed examples: a failure is a fault, never bad luck. No deadline: first calls may compile.
for name, most in (("brief", BRIEF), ("full", FULL)):
    settings.register_profile(
        name,
        derandomize=True,
        deadline=None,
        max_examples=most,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("brief")


TRACED = 1


def pytest_collection_modifyitems(items):
    """Trace the first case of a test: tracing doubles its time, and the others run alike."""
    cases = Counter()
    for item in items:
        name = item.nodeid.partition("[")[0]
        cases[name] += 1
        if cases[name] > TRACED:
            item.add_marker("untraced")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Take the tracer away for a while; pytest-cov's own mark leaves it in workers."""
    if item.get_closest_marker("untraced") is None:
        return (yield)
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)  # threads that the test starts would be traced all the same
    try:
        return (yield)
    finally:
        threading.settrace(of_threads)
        sys.settrace(tracer)


@pytest.fixture
def brief_audits(monkeypatch):
    """Let audits look at less, where a test is about what is made of them."""
    from hush.auditing import exact_arms, recorded_runs, replay, statistical

    monkeypatch.setattr(exact_arms, "ALL_ROUNDS", 10_000)
    monkeypatch.setattr(exact_arms, "MOST_ROUNDS", 2_000)
    monkeypatch.setattr(exact_arms, "PAIRS", 6)
    monkeypatch.setattr(replay, "BUDGET", 1_000)
    monkeypatch.setattr(recorded_runs, "LENGTHS", (200,))
    monkeypatch.setattr(statistical, "PILOT", 200)
    monkeypatch.setattr(statistical, "PILOT_FIRST", 20)
    monkeypatch.setattr(statistical, "PILOT_PAIRS", 4)


def pytest_terminal_summary(terminalreporter):
    """Say it where tests were skipped because a server is missing; -q would not."""
    skipped = terminalreporter.stats.get("skipped", [])
    missing = [each for each in skipped if "PostgreSQL is missing" in str(each.longrepr)]
    if missing:
        terminalreporter.write_line(
            f"PostgreSQL is missing: {len(missing)} tests were skipped; install it to run them"
        )


@pytest.fixture
def site():
    """A service of live experiments, without a network."""
    from tests.service.sites import opened

    with opened() as made:
        yield made


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server, one for each process of the tests."""
    from tests.live import servers

    if servers.binaries() is None:
        pytest.skip(servers.MISSING)
    made = servers.Server()
    yield made
    made.close()


@pytest.fixture
def place_of(request, tmp_path):
    """Where a store that is served may lie, by the name of the database; it is empty."""
    from hush.service import Place

    secret = tmp_path / "master.key"
    secret.write_text(bytes(range(32)).hex())
    with ExitStack() as lent:

        def place(kind):
            if kind == "sqlite":
                return Place(str(tmp_path / "store.db"), str(tmp_path / "hidden.db"), secret)
            databases = request.getfixturevalue("server").databases("public", "private")
            return Place(*lent.enter_context(databases), secret)

        yield place
