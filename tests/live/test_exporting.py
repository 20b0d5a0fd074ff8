"""Exports: public data alone, whole files, the same bytes for the same store."""

import csv
import json
import sys

import pytest

import hush
import hush.live

SECRETS = ("u17", "u18", "request-9")


def played(folder, name="experiments.db"):
    """Return an experiment with releases in both segments, on files."""
    clock = hush.live.ManualClock()
    store = hush.live.open(folder / name, clock=clock)
    exp = store.create(
        "checkout", policy="LazyDPTS", arms=["old", "new"], person_epsilon=2.0, person_bound=2,
        window="1h", segments=["phone", "desktop"],
    )  # fmt: skip
    exp.start(by="Ada")
    for n in range(12):
        segment = ("phone", "desktop")[n % 2]
        exp.reward(exp.decide(f"u{17 + n}", key=f"request-{n}", segment=segment), int(n % 3 == 0))
    clock.advance("2h")
    store.settle()
    return store, exp, clock


def test_a_row_for_each_release(tmp_path):
    _, exp, _ = played(tmp_path)
    exp.export(tmp_path / "checkout.csv")
    rows = list(csv.DictReader((tmp_path / "checkout.csv").read_text().splitlines()))
    assert len(rows) == len(exp.releases) >= 4
    for row, release in zip(rows, exp.releases, strict=True):
        assert row == {
            "experiment": "checkout",
            "segment": release.segment,
            "arm": release.name,
            "epoch": str(release.epoch),
            "count": str(release.count),
            "noisy_sum": str(release.value),
            "epsilon": "1.0",
            "mechanism": "noisy-sum",
            "published_at": release.at.isoformat(),
        }


def test_parquet_has_what_csv_has(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    _, exp, _ = played(tmp_path)
    exp.export(tmp_path / "checkout.parquet")
    rows = parquet.read_table(tmp_path / "checkout.parquet").to_pylist()
    assert [row["noisy_sum"] for row in rows] == [each.value for each in exp.releases]
    assert [row["published_at"] for row in rows] == [each.at for each in exp.releases]
    assert [(row["segment"], row["arm"], row["epoch"], row["count"]) for row in rows] == [
        (each.segment, each.name, each.epoch, each.count) for each in exp.releases
    ]


def test_json_has_everything_public(tmp_path):
    store, exp, _ = played(tmp_path)
    exp.export(str(tmp_path / "checkout.json"))
    body = json.loads((tmp_path / "checkout.json").read_text())
    assert body["terms"]["person_epsilon"] == 2.0
    assert body["guarantee"]["sentence"] == exp.guarantee.reason
    assert body["guarantee"]["epsilon"] == 2.0
    assert body["arms"] == [{"name": "old", "retired": False}, {"name": "new", "retired": False}]
    assert body["plans"] == exp.plans
    assert body["tallies"] == exp.tallies
    assert body["acts"] == exp.acts
    assert body["ledger"] == store.ledger()
    assert len(body["releases"]) == len(exp.releases)
    assert body["state"] == "running"


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_the_same_store_gives_the_same_bytes_and_nothing_raw(tmp_path, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    store, exp, clock = played(tmp_path)
    exp.export(tmp_path / f"one.{suffix}")
    before = (tmp_path / f"one.{suffix}").read_bytes()
    # Pending rewards, replies and people are not the public store's.
    late = exp.decide("u99", key="request-99", segment="phone")
    exp.reward(late, 1)
    exp.export(tmp_path / f"two.{suffix}")
    store.close()
    with hush.live.open(tmp_path / "experiments.db", clock=clock) as again:
        again.experiment("checkout").export(tmp_path / f"three.{suffix}")
    assert (tmp_path / f"two.{suffix}").read_bytes() == before
    assert (tmp_path / f"three.{suffix}").read_bytes() == before
    assert not [secret for secret in SECRETS if secret.encode() in before]


def test_an_empty_experiment_exports_too(tmp_path):
    store = hush.live.open(":memory:")
    exp = store.create("draft", policy="LazyDPTS", arms=["a", "b"], person_epsilon=1)
    exp.export(tmp_path / "draft.CSV")
    assert len((tmp_path / "draft.CSV").read_text().splitlines()) == 1
    parquet = pytest.importorskip("pyarrow.parquet")
    exp.export(tmp_path / "draft.parquet")
    assert parquet.read_table(tmp_path / "draft.parquet").num_rows == 0


def test_other_suffixes_are_refused_and_leave_nothing(tmp_path):
    store = hush.live.open(":memory:")
    exp = store.create("draft", policy="LazyDPTS", arms=["a", "b"], person_epsilon=1)
    with pytest.raises(hush.ParameterError, match=r"\.csv \.json \.parquet; got 'draft.xlsx'"):
        exp.export(tmp_path / "draft.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_pyarrow_says_so_and_keeps_the_old_file(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "draft.parquet").write_text("old")
    store = hush.live.open(":memory:")
    exp = store.create("draft", policy="LazyDPTS", arms=["a", "b"], person_epsilon=1)
    with pytest.raises(hush.MissingExtraError, match="a Parquet file needs pyarrow"):
        exp.export(tmp_path / "draft.parquet")
    assert (tmp_path / "draft.parquet").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_published_meanwhile_does_not_tear_an_export(tmp_path, monkeypatch):
    store, exp, _ = played(tmp_path)
    tallies = store._records.tallies

    def late(number):
        if exp.state == "running":
            exp.pause()
        return tallies(number)

    monkeypatch.setattr(store._records, "tallies", late)
    exp.export(tmp_path / "x.json")
    body = json.loads((tmp_path / "x.json").read_text())
    assert body["acts"][-1]["act"] == "pause"
    assert body["state"] == "paused"
