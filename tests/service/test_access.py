"""Who may do what: every operation times every scope, and nothing that is not listed."""

import itertools
import logging
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service.sites import EVERYTHING

import hush.service
from hush.live.tokens import parse
from hush.service import OPERATIONS, access
from hush.service.access import Gate

BODIES = {
    "decide": {"person": "u1"},
    "activate": {"decision": "A" * 72, "person": "u1"},
    "reward": {"value": 1},
    "create": {"name": "fresh", "policy": "LazyDPTS", "arms": ["a", "b"], "person_epsilon": 1.0},
    "add_arm": {"name": "third"},
    "retire_arm": {"name": "new"},
    "advance": {"length": "1h"},
    "limit": {"limit": None},
    "erase": {"person": "u1"},
}
GUARDED = [each for each in OPERATIONS if each.scope is not None]
# What a token that may not do it on this experiment is told where the body names the experiment.
WHERE = {"name": "checkout", "id": "A" * 64, "population": "default"}


def ask(site, each, token):
    path = each.path.format(**WHERE)
    if each.asks is None:
        return site.ask(each.method, path, token=token)
    if each.lines:
        return site.lines(path, [], token=token)
    return site.ask(each.method, path, BODIES.get(each.name, {}), token=token)


def test_the_table_has_what_the_design_lists():
    listed = {(each.method, each.path): each.scope for each in OPERATIONS}
    assert len(listed) == len(OPERATIONS)
    exp = "/v1/experiments/{name}"
    wanted = {
        ("POST", "/v1/experiments"): "admin",
        **{
            ("POST", f"{exp}/{act}"): "admin"
            for act in ("start", "pause", "resume", "stop", "continue")
        },
        ("POST", f"{exp}/decisions"): "decide",
        ("POST", "/v1/activations"): "decide",
        ("PUT", "/v1/decisions/{id}/reward"): "reward",
        ("POST", "/v1/batch/decisions"): "decide",
        ("POST", "/v1/batch/rewards"): "reward",
        **{
            ("GET", f"{exp}/{what}"): "read"
            for what in (
                "plan",
                "releases",
                "ledger",
                "guarantee",
                "insight",
                "export.csv",
                "export.json",
                "export.parquet",
            )
        },
        ("GET", "/metrics"): "read",
        ("POST", "/v1/people/erase"): "admin",
        ("GET", "/healthz"): None,
        ("GET", "/readyz"): None,
        ("GET", "/openapi.json"): None,
    }
    assert wanted.items() <= listed.items()
    assert {each.name for each in OPERATIONS if each.scope is None} == {
        "healthz",
        "readyz",
        "openapi",
    }


@pytest.mark.parametrize("each", GUARDED, ids=lambda each: each.name)
def test_no_token_no_answer(site, each):
    site.begun()
    heard = ask(site, each, None)
    assert (heard.status, heard.kind) == (401, "no-token")
    assert heard.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("each", GUARDED, ids=lambda each: each.name)
def test_every_scope_but_its_own_is_denied(site, each):
    site.begun()
    others = [scope for scope in EVERYTHING if scope != each.scope]
    for size in (1, 3):
        for scopes in itertools.combinations(others, size):
            heard = ask(site, each, site.grant(*scopes))
            assert (heard.status, heard.kind) == (403, "not-allowed"), scopes


@pytest.mark.parametrize("each", GUARDED, ids=lambda each: each.name)
def test_its_own_scope_is_enough(site, each):
    site.begun()
    assert ask(site, each, site.grant(each.scope)).status not in (401, 403)


@pytest.mark.parametrize("each", GUARDED, ids=lambda each: each.name)
def test_its_own_scope_elsewhere_is_denied_or_shows_nothing(site, each):
    site.begun()
    token = site.grant(*EVERYTHING, experiments=["elsewhere"])
    heard = ask(site, each, token)
    if each.over in ("path", "all") or each.name == "create":
        assert (heard.status, heard.kind) == (403, "not-allowed")
    elif each.name == "list_experiments":
        assert heard.json == {"experiments": []}
    else:
        assert each.name in ("activate", "reward", "decide_many", "reward_many")
        assert heard.status in (200, 404)


def test_an_experiment_that_is_not_there_is_denied_like_one_that_is(site):
    site.begun()
    token = site.grant("read", experiments=["elsewhere"])
    heard = [site.ask("GET", f"/v1/experiments/{n}", token=token) for n in ("checkout", "nothing")]
    assert heard[0] == heard[1]


def test_a_batch_denies_by_line(site):
    site.begun()
    site.begun(name="other")
    token = site.grant("decide", experiments=["other"])
    heard = site.lines(
        "/v1/batch/decisions",
        [{"experiment": name, "person": "u1"} for name in ("checkout", "other")],
        token=token,
    )
    assert [each["status"] for each in heard.lines] == [403, 201]


def test_a_token_ends_when_it_is_revoked_or_expires(site):
    site.begun()
    token = site.grant("read", expires="1h")
    assert site.ask("GET", "/v1/experiments", token=token).status == 200
    site.clock.advance("61m")
    assert site.ask("GET", "/v1/experiments", token=token).status == 401
    token = site.grant("read")
    site.store.tokens.revoke(token.split("_")[1])
    site.core.tick()
    assert site.ask("GET", "/v1/experiments", token=token).status == 401


def test_test_tokens_are_for_rehearsals_and_others_are_not(site):
    site.begun()
    token = site.grant("decide", "reward", test=True)
    heard = site.decide(token=token)
    assert (heard.status, heard.kind) == (409, "wrong-state")
    decision = site.decide().json["decision"]
    assert site.reward(decision, token=token).status == 404


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1", 404),
        ("GET", "/v1/experiments/", 404),
        ("DELETE", "/v1/experiments", 405),
        ("GET", "/v1/experiments/checkout/decisions", 405),
        ("POST", "/v1/experiments/checkout/delete", 404),
        ("GET", "/v1/experiments/checkout/../../healthz", 404),
        ("PATCH", "/healthz", 405),
    ],
)
def test_what_is_not_listed_is_not_there(site, method, path, status):
    heard = site.ask(method, path)
    assert heard.status == status
    assert heard.headers["content-type"] == "application/problem+json"
    if status == 405:
        assert "allow" in heard.headers


@pytest.fixture(scope="module")
def gate():
    made = Gate(lambda: 0)
    with hush.live.open(":memory:") as store:
        store.tokens.create(EVERYTHING)
        made.learn(store.tokens.all())
    return made


@given(text=st.one_of(st.text(max_size=100), st.from_regex(r"hush_[0-9a-f]{12}_[0-9a-f]{64}")))
def test_no_other_text_opens_the_gate(gate, text):
    assert gate.access(b"Bearer " + text.encode("utf-8", "surrogatepass")) is None
    assert gate.access(text.encode("utf-8", "surrogatepass")) is None
    assert gate.access(None) is None


def test_a_token_that_was_let_in_is_refused_once_it_expires_or_is_revoked():
    now = [0]
    with hush.live.open(":memory:") as store:
        header = f"Bearer {store.tokens.create(['read'], expires='1h')}".encode()
        tokens = store.tokens.all()
    gate = Gate(lambda: now[0])
    gate.learn(tokens)
    assert gate.access(header) == gate.access(header) is not None
    expires = tokens[0].expires
    now[0] = int(expires.timestamp() * 1_000)
    assert gate.access(header) is None
    now[0] = 0
    assert gate.access(header) is not None
    gate.learn([replace(tokens[0], revoked=expires)])
    assert gate.access(header) is None


def test_a_check_that_is_under_way_while_a_token_is_revoked_is_not_remembered(monkeypatch):
    with hush.live.open(":memory:") as store:
        header = f"Bearer {store.tokens.create(['read'])}".encode()
        gate = Gate(lambda: 0)
        gate.learn(store.tokens.all())

    def revoked_meanwhile(text):
        gate.learn([])
        return parse(text)

    monkeypatch.setattr(access, "parse", revoked_meanwhile)
    assert gate.access(header) is not None
    assert gate.access(header) is None


def test_a_token_with_one_digit_changed_is_refused(site):
    site.begun()
    for place in range(len(site.token)):
        if site.token[place] == "_":
            continue
        digit = "0" if site.token[place] != "0" else "1"
        wrong = site.token[:place] + digit + site.token[place + 1 :]
        assert site.ask("GET", "/v1/experiments", token=wrong).status == 401


def test_tokens_are_in_no_log(site, caplog):
    site.begun()
    with caplog.at_level(logging.DEBUG):
        site.decide()
        site.decide(token="hush_000000000000_" + "0" * 64)
        site.ask("POST", "/v1/experiments/checkout/decisions", b"{", token=site.token)
        site.core.tick()
    assert site.token.rpartition("_")[2] not in caplog.text
    assert "hush_0" not in caplog.text
    assert site.token not in repr(vars(site.core.gate))
