"""Reading over HTTP: the same as in process, from the public store alone."""

import json

import msgspec
import pytest

from hush.service.answers import InsightAnswer


@pytest.fixture
def learnt(site):
    """A site whose experiment has releases."""
    site.begun(window="1h", policy="LazyDPTS")
    for n in range(12):
        site.reward(site.decide(f"u{n}").json["decision"], n % 2)
    site.clock.advance("3h")
    site.core.tick()
    return site


def test_releases_by_place(learnt):
    exp = "/v1/experiments/checkout/releases"
    found = learnt.ask("GET", exp).json
    mine = learnt.store.experiment("checkout").releases
    assert [each["noisy_sum"] for each in found["releases"]] == [each.value for each in mine]
    assert len(mine) >= 2
    later = learnt.ask("GET", f"{exp}?after={found['releases'][0]['seq']}").json
    assert later["releases"] == found["releases"][1:]
    assert learnt.ask("GET", f"{exp}?after={found['next']}").json == {
        "releases": [],
        "next": found["next"],
    }


@pytest.mark.parametrize("after", ["x", "-1", "1e3", "²", "9" * 40])
def test_a_place_that_is_none(learnt, after):
    heard = learnt.ask("GET", f"/v1/experiments/checkout/releases?after={after}")
    assert (heard.status, heard.kind) == (422, "malformed")


def test_the_plan_has_a_tag(learnt):
    path = "/v1/experiments/checkout/plan"
    heard = learnt.ask("GET", path)
    assert heard.json["plans"] == learnt.store.experiment("checkout").plans
    again = learnt.ask("GET", path, If_None_Match=heard.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    learnt.ask("POST", "/v1/experiments/checkout/adjust", {"floor": 0.1})
    later = learnt.ask("GET", path, If_None_Match=heard.headers["etag"])
    assert later.status == 200
    assert later.headers["etag"] != heard.headers["etag"]


def test_what_is_promised(learnt):
    exp = learnt.store.experiment("checkout")
    heard = learnt.ask("GET", "/v1/experiments/checkout/guarantee").json
    assert heard["epsilon"] == exp.guarantee.epsilon
    assert heard["sentence"] == exp.guarantee.reason
    assert learnt.ask("GET", "/v1/experiments/checkout/ledger").json == learnt.store.ledger()


def test_what_is_known(learnt):
    """Types and all: read back, it is what the store itself says."""
    exp = learnt.store.experiment("checkout")
    heard = learnt.ask("GET", "/v1/experiments/checkout/insight")
    assert (heard.json["experiment"], heard.json["state"]) == ("checkout", "running")
    found = msgspec.json.decode(heard.body, type=InsightAnswer).insight
    assert found == exp.insight
    assert found[""].history
    assert found[""].decision.leader in ("old", "new")


def test_what_is_known_of_segments(site):
    site.begun(name="split", segments=["de", "fr"])
    site.core.tick()
    found = site.ask("GET", "/v1/experiments/split/insight").json["insight"]
    assert [(name, each["segment"]) for name, each in found.items()] == [("de", "de"), ("fr", "fr")]
    assert found["de"]["decision"]["leader"] is None


def test_exports_are_those_of_the_store(learnt, tmp_path):
    exp = learnt.store.experiment("checkout")
    for suffix in (".csv", ".json", ".parquet"):
        exp.export(tmp_path / f"checkout{suffix}")
        heard = learnt.ask("GET", f"/v1/experiments/checkout/export{suffix}")
        assert heard.status == 200
        assert heard.headers["content-disposition"].endswith(f'"checkout{suffix}"')
        assert heard.body == (tmp_path / f"checkout{suffix}").read_bytes()


def test_the_list_and_one(learnt):
    learnt.begun(name="other")
    listed = learnt.ask("GET", "/v1/experiments").json["experiments"]
    assert [each["name"] for each in listed] == ["checkout", "other"]
    assert learnt.ask("GET", "/v1/experiments/other").json == listed[1]
    mine = learnt.grant("read", experiments=["other"])
    listed = learnt.ask("GET", "/v1/experiments", token=mine).json["experiments"]
    assert [each["name"] for each in listed] == ["other"]


@pytest.mark.parametrize(
    "what", ["", "/plan", "/releases", "/acts", "/ledger", "/insight", "/export.csv"]
)
def test_a_name_that_is_not_there(site, what):
    heard = site.ask("GET", f"/v1/experiments/nothing{what}")
    assert (heard.status, heard.kind) == (404, "unknown-name")


def test_metrics_say_what_is_public(learnt):
    text = learnt.ask("GET", "/metrics").body.decode()
    tallies = learnt.store.experiment("checkout").tallies
    for each in tallies:
        label = f'experiment="checkout",segment="",arm="{each["arm"]}"'
        label = ",".join(sorted(label.split(",")))
        lines = [line for line in text.splitlines() if line.startswith("hush_decisions_total{")]
        found = {
            ",".join(sorted(line.partition("{")[2].partition("}")[0].split(","))): line
            for line in lines
        }
        assert float(found[label].split()[-1]) == each["served"]
    assert "reward" not in text.replace("made-up reward", "")
    assert "process_" not in text
    assert 'hush_population_epsilon{population="default"} 1.0' in text


def test_health(site):
    assert site.ask("GET", "/healthz", token=None).json == {"status": "alive"}
    assert site.ask("GET", "/readyz", token=None).json == {"status": "ready"}
    site.store._public.close()
    assert site.ask("GET", "/healthz", token=None).status == 200


def test_the_document_names_every_operation(site):
    found = json.loads(site.ask("GET", "/openapi.json", token=None).body)
    named = {each["operationId"] for path in found["paths"].values() for each in path.values()}
    assert {"decide", "reward", "start", "continue", "export_parquet", "healthz"} <= named
    text = json.dumps(found)
    for reference in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert reference in found["components"]["schemas"]
    assert ">>>" not in text
    assert "Examples" not in text
