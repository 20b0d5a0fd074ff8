"""The clients' names: documented, the same on both sides, and light to load."""

import inspect
import subprocess
import sys
import typing

import pytest
from tests.client.sides import Made, decided, opened

import hush
import hush.client
import hush.live
from hush.client import calls, in_process, remote_deciding
from hush.client.client_methods import NewTerms
from hush.client.either_way import Asks, Reads
from hush.service import decision_routes, endpoint, operations
from hush.service.messages import NewExperiment

PAIRS = [
    (hush.client.Client, hush.client.AsyncClient),
    (hush.client.RemoteExperiment, hush.client.AsyncRemoteExperiment),
]
# What only a process with the store itself can do, or needs to.
INSIDE = {"settle", "held", "ledger", "tokens", "tallies", "outlook"}


def members(kind):
    return {name: inspect.getattr_static(kind, name) for name in dir(kind) if name[0] != "_"}


def all_members():
    for pair in PAIRS:
        for kind in pair:
            yield kind.__name__, kind
            yield from ((f"{kind.__name__}.{name}", each) for name, each in members(kind).items())
    for name in in_process.__all__:
        yield name, getattr(in_process, name)


@pytest.mark.parametrize("name", dict(all_members()))
def test_every_name_has_a_docstring_with_an_example(name):
    assert ">>>" in (inspect.getdoc(dict(all_members())[name]) or ""), name


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_sides_have_the_same_names_and_parameters(one, other):
    assert members(one).keys() == members(other).keys()
    for name, here in members(one).items():
        there = members(other)[name]
        if isinstance(here, Asks | Reads):
            assert here is there
        else:
            assert inspect.signature(here) == inspect.signature(there)
            assert name in ("flush", "close", "experiment")
    assert inspect.signature(one) == inspect.signature(other) or one is not hush.Client


def test_names_are_those_of_a_store_in_this_process():
    store, here = members(hush.live.Store), members(hush.Client)
    assert store.keys() - here.keys() == INSIDE & store.keys()
    assert here.keys() - store.keys() == {"ready", "flush"}
    exp, there = members(hush.live.Experiment), members(hush.client.RemoteExperiment)
    assert exp.keys() - there.keys() == (INSIDE - {"ledger"}) & exp.keys()
    assert there.keys() - exp.keys() == {"advance"}
    for name, each in there.items():
        if isinstance(each, Reads):
            assert isinstance(exp[name], property)


@pytest.mark.parametrize("name", ["decide", "adjust", "export", "activate", "reward_many"])
def test_parameters_are_those_of_a_store_in_this_process_and_more(name):
    exp = hush.client.RemoteExperiment(hush.Client("http://a", TOKEN, transport=Made()), "a")
    here = inspect.signature(getattr(exp, name)).parameters
    there = dict(inspect.signature(getattr(hush.live.Experiment, name)).parameters)
    del there["self"]
    assert there.keys() <= here.keys()
    for each, parameter in there.items():
        assert here[each].kind == parameter.kind
        assert here[each].default == parameter.default


TOKEN = f"hush_0123456789ab_{'5e' * 32}"


def test_terms_are_those_that_a_service_and_a_store_take():
    here = typing.get_type_hints(NewTerms).keys()
    assert here == set(NewExperiment.__struct_fields__) - {"name", "start"}
    store = inspect.signature(hush.live.Store.create).parameters
    assert here == store.keys() - {"self", "name"}


def test_limits_are_the_services():
    assert calls.MOST_LINES == endpoint.MOST_LINES
    assert calls.MOST_BYTES == operations.LARGE
    assert (calls.JSON, calls.LINES) == (operations.JSON, operations.LINES)
    longest = "a" * decision_routes.LONGEST_KEY
    assert remote_deciding.KEY.fullmatch(longest)
    assert not remote_deciding.KEY.fullmatch(longest + "a")


def test_large_lines_are_split_by_their_bytes():
    rows = [bytes(6_500)] * 1_000
    parts = [rows[each] for each in calls.pieces(rows)]
    assert sum(map(len, parts)) == 1_000
    assert len(parts) == 2
    assert all(sum(len(row) + 1 for row in part) <= calls.MOST_BYTES for part in parts)
    assert list(calls.pieces([])) == []


def test_a_bound_method_shows_what_it_takes():
    with opened(hush.Client) as side:
        exp = side.client(Made(decided())).experiment("checkout")
        assert [*inspect.signature(exp.decide).parameters][:2] == ["person", "key"]
        assert exp.decide.__doc__.startswith("Decide what to show")
        assert isinstance(hush.client.RemoteExperiment.plan, Reads)
        assert isinstance(hush.client.RemoteExperiment.start, Asks)


# -- what is loaded, and when ---------------------------------------------------------------------


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_clients_are_reached_by_name_and_loaded_then():
    run(
        "import sys, hush\n"
        "assert not {'httpx', 'msgspec', 'hush.client'} & set(sys.modules)\n"
        "assert {'Client', 'AsyncClient'} <= set(dir(hush))\n"
        "from hush.client import AsyncClient, Client\n"
        "assert (hush.Client, hush.AsyncClient) == (Client, AsyncClient)\n"
    )


def test_a_client_needs_no_server():
    run(
        "import sys\n"
        "for name in ('starlette', 'uvicorn', 'prometheus_client', 'uvloop', 'httptools'):\n"
        "    sys.modules[name] = None\n"
        "import httpx, hush\n"
        f"client = hush.Client('http://a', '{TOKEN}',\n"
        "    transport=httpx.MockTransport(lambda request: httpx.Response(401)))\n"
        "try:\n"
        "    client.experiment('a').decide('u17')\n"
        "except hush.StoreError:\n"
        "    sys.exit(0)\n"
        "sys.exit(1)\n"
    )


@pytest.mark.parametrize("missing", ["httpx", "msgspec", "sqlalchemy"])
def test_what_is_missing_is_named_with_its_extra(missing):
    run(
        "import sys\n"
        f"sys.modules['{missing}'] = None\n"
        "import hush\n"
        "for name in ('Client', 'AsyncClient'):\n"
        "    try:\n"
        "        getattr(hush, name)\n"
        "    except hush.HushError as error:\n"
        f"        line = \"hush.client needs {missing}: pip install 'hush-dp[client]'\"\n"
        "        assert str(error) == line, error\n"
        "    else:\n"
        "        sys.exit(1)\n"
    )


def test_everything_can_be_imported_without_the_extra():
    assert not {"Client", "AsyncClient"} & set(hush.__all__)


def test_a_client_does_not_survive_a_fork():
    run(
        "import os, sys, httpx, hush\n"
        f"client = hush.Client('http://a', '{TOKEN}', flush=60.0,\n"
        "    transport=httpx.MockTransport(lambda request: httpx.Response(204)))\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    for ask in (lambda: client.erase('u17'), lambda: client.reward('a', 1),\n"
        "                client.flush, client.close):\n"
        "        try:\n"
        "            ask()\n"
        "        except hush.MisuseError as error:\n"
        "            assert 'forked' in str(error)\n"
        "        else:\n"
        "            os._exit(1)\n"
        "    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "client.erase('u17')\n"
        "client.close()\n"
    )
