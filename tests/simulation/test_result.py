import json
import math
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import hush
from hush import UCB1, LazyDPTS, ParameterError, Result, StateError, UnknownNameError, paper_s1
from hush.output.files import replaced


@pytest.fixture(scope="module")
def result():
    return hush.simulate(
        [LazyDPTS(1.0), UCB1()], paper_s1(), horizon=500, runs=6, seed=3, checkpoints=[50, 500]
    )


def test_summary(result):
    table = result.summary()
    values = result.regret[0, :, -1]
    row = table.loc["LazyDPTS(epsilon=1)"]
    assert row["mean"] == pytest.approx(values.mean())
    error = values.std(ddof=1) / math.sqrt(6)
    assert row["se"] == pytest.approx(error)
    half, unseen = 2.5706 * error, 1.0 - 0.025 ** (1 / 6)  # Student, 5 df, and what was not seen
    assert row["mean"] - row["low"] == pytest.approx(half + unseen * row["mean"], rel=1e-4)
    assert row["high"] == pytest.approx(row["mean"] + half + unseen * (250.0 - row["mean"]))
    assert (row["median_low"], row["median_high"]) == (values.min(), values.max())
    assert row["far"] == (values > 3 * np.median(values)).mean()
    assert row["q50"] == pytest.approx(np.median(values))
    assert row["worst"] == values.max()
    assert (result.summary(at=50)["mean"] <= table["mean"]).all()
    with pytest.raises(ParameterError, match="nearest one is 50"):
        result.summary(at=60)


def test_a_single_run_has_no_interval():
    one = hush.simulate(UCB1(), paper_s1(), horizon=50, runs=1, seed=3)
    assert math.isnan(one.summary()["low"].iloc[0])
    assert math.isnan(one.summary()["median_low"].iloc[0])


def test_to_pandas(result):
    table = result.to_pandas()
    assert len(table) == 2 * 6 * 2
    chosen = table[(table.policy == "UCB1()") & (table.run == 4) & (table["round"] == 50)]
    assert chosen.regret.item() == result.regret[1, 4, 0]


def test_save_and_load(result, tmp_path):
    path = tmp_path / "deep" / "out.npz"
    result.save(path)
    again = Result.load(path)
    for name in ("regret", "pulls", "checkpoints"):
        assert (getattr(again, name) == getattr(result, name)).all()
    assert again.policies == result.policies
    assert again.parameters == result.parameters
    assert (again.seed, again.engines, again.horizon) == (result.seed, result.engines, 500)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(StateError, match="damaged"):
        Result.load(path)
    (tmp_path / "no.npz").write_text("nothing")
    with pytest.raises(StateError, match=r"no\.npz"):
        Result.load(tmp_path / "no.npz")


@pytest.mark.parametrize(("time", "suffix"), [("log", "svg"), ("linear", "png"), ("both", "pdf")])
def test_plot(result, tmp_path, time, suffix):
    path = tmp_path / f"figure.{suffix}"
    figure = result.plot(path, time=time, title="A title")
    assert path.stat().st_size > 2000
    assert len(figure.axes) == (2 if time == "both" else 1)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert len(texts) == 2
    assert any("LazyDPTS" in text for text in texts)


@pytest.mark.untraced
def test_the_same_data_draw_the_same_bytes(result, tmp_path):
    for suffix in ("svg", "pdf", "png"):
        one, two = tmp_path / f"1.{suffix}", tmp_path / f"2.{suffix}"
        result.plot(one)
        result.plot(two)
        assert one.read_bytes() == two.read_bytes()


def test_plot_refuses_an_unknown_scale(result):
    with pytest.raises(UnknownNameError, match="linear"):
        result.plot(time="liner")


def test_a_file_is_whole_or_not_there(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("old")

    def interrupted():
        with replaced(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_select_keeps_labels_in_order(result):
    part = result.select(["UCB1()"])
    assert part.policies == ("UCB1()",)
    assert (part.regret[0] == result.regret[1]).all()
    assert part.parameters == (result.parameters[1],)
    turned = result.select(list(reversed(result.policies)))
    assert (turned.pulls[0] == result.pulls[1]).all()
    with pytest.raises(UnknownNameError, match="UCB1"):
        result.select(["UCB1"])


def test_short_labels_leave_out_a_shared_epsilon(result):
    from hush.simulation.plotting import short_labels

    assert short_labels(result) == ["LazyDPTS", "UCB1"]
    assert short_labels(result.select(list(reversed(result.policies)))) == ["UCB1", "LazyDPTS"]
    mixed = hush.simulate([LazyDPTS(1.0), LazyDPTS(0.5)], paper_s1(), horizon=20, runs=1, seed=3)
    assert short_labels(mixed) == ["LazyDPTS(epsilon=1)", "LazyDPTS(epsilon=0.5)"]


@dataclass(frozen=True)
class Mine(hush.IndexPolicy):
    """A policy that nobody registered."""

    epsilon: float

    @staticmethod
    def index(mean, count, t, parameters):
        return mean + np.log(t) / count


def test_bounds_are_drawn_for_your_own_policy_too(tmp_path):
    result = hush.simulate(Mine(1.0), hush.paper_s1(), horizon=500, runs=2, seed=1)
    assert result.policy_objects == (Mine(1.0),)
    assert len(result.plot(bounds=True).axes[0].lines) > 1
    result.save(tmp_path / "mine.npz")
    again = hush.Result.load(tmp_path / "mine.npz")
    assert again.policy_objects == (Mine(1.0),)
    assert len(again.plot(bounds=True).axes[0].lines) > 1


def test_a_loaded_result_imports_nothing(tmp_path, monkeypatch):
    result = hush.simulate([Mine(1.0), hush.UCB1()], hush.paper_s1(), horizon=9, runs=2, seed=1)
    result.save(tmp_path / "mine.npz")
    monkeypatch.delattr(sys.modules[__name__], "Mine")
    again = hush.Result.load(tmp_path / "mine.npz")
    assert again.policy_objects == (None, hush.UCB1())
    again.plot()
    with pytest.raises(hush.ParameterError, match="is not imported"):
        again.plot(bounds=True)


def test_a_notebook_shows_the_summary(result):
    page = result._repr_html_()
    assert page.startswith("<p>Result: 2 policies x 6 runs")
    assert "LazyDPTS(epsilon=1)" in page
    assert "<script" not in page


def test_a_saved_result_keeps_how_late_rewards_came(tmp_path):
    result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=50, runs=2, seed=1, delay=7)
    result.save(tmp_path / "late.npz")
    assert hush.Result.load(tmp_path / "late.npz").delay == 7


def test_a_result_that_was_saved_before_there_were_delays_has_none(tmp_path):
    path = tmp_path / "old.npz"
    hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=50, runs=2, seed=1).save(path)
    with np.load(path) as file:
        parts = dict(file)
    about = json.loads(str(parts["about"]))
    del about["delay"]
    np.savez_compressed(path, **{**parts, "about": np.array(json.dumps(about))})
    assert hush.Result.load(path).delay == 0
