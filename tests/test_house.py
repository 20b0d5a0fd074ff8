"""The house stays as its map says, and as small as it became."""

import importlib
import re
import tomllib
from functools import reduce
from itertools import pairwise
from pathlib import Path

import pytest
from tests import house

from hush.policies import REGISTERED

ROOT = Path(__file__).parent.parent
MAP = (ROOT / "docs" / "architecture.md").read_text()
# Public functions and commands, whose every argument has a name and a default.
WIDE = {
    "audit", "compare", "create", "forecast", "identify", "replay", "reproduce", "serve",
    "simulate",
}  # fmt: skip
# One class whose every method holds one lock: what decides, settles, stores and refuses.
LONG = {"policies/core/learner.py"}
# Heavy rooms are loaded where they are asked for; a command's own package waits for its extras.
LATE = {
    "auditing/report.py: hush.auditing.picture",
    "auditing/report.py: hush.output.pictures",
    "cli/__init__.py: hush.cli.app",
    "forecasting/forecast_result.py: hush.forecasting.forecast_picture",
    "forecasting/forecast_result.py: hush.output.pictures",
    "live/connecting.py: hush.live.postgres",
    "output/pictures.py: hush.output.shown_figure",
    "policies/core/thompson.py: hush.numerics.beta",
    "numerics/noisy_sums.py: hush.numerics.compiled.noisy_sums",
    "simulation/engines/rules.py: hush.numerics.compiled.apart",
    "simulation/engines/thompson.py: hush.numerics.compiled.beta",
    "simulation/engines/thompson.py: hush.numerics.compiled.beta_panels",
    "simulation/interpreting.py: hush.numerics.compiled",
    "simulation/interpreting.py: hush.numerics.compiled.apart",
    "simulation/identification_result.py: hush.output.pictures",
    "simulation/identification_result.py: hush.simulation.identification_picture",
    "simulation/identification_result.py: hush.simulation.summary_frame",
    "simulation/replay_result.py: hush.output.pictures",
    "simulation/replay_result.py: hush.simulation.replay_picture",
    "simulation/result.py: hush.output.pictures",
    "simulation/result.py: hush.simulation.plotting",
    "simulation/result.py: hush.simulation.saved_result",
    "simulation/result.py: hush.simulation.summary_frame",
    "simulation/result.py: hush.theory.guides",
    "studies/exact_curves.py: hush.theory",
    "studies/exact_curves.py: hush.theory.expected_regret",
    "studies/outcome.py: hush.studies.report.tables",
    "studies/yardsticks.py: hush.theory",
}
FAMILIES = {
    "BanditPolicy", "EpochPolicy", "IndexPolicy", "RelativeIndexPolicy", "ScoredPolicy",
    "ThompsonPolicy",
}  # fmt: skip


def rooms():
    return re.findall(r"^\| `(\w+)` \|", MAP, re.M)


def test_every_room_is_on_the_map():
    inside = (ROOT / "src" / "hush").iterdir()
    found = {p.stem for p in inside if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert set(rooms()) == found - {"__init__", "__main__"}  # the doors


def test_arrows_point_as_the_map_says():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = project["tool"]["importlinter"]["contracts"][0]
    layers = [re.findall(r"hush\.(\w+)", layer) for layer in reversed(contract["layers"])]
    order = {room: place for place, room in enumerate(rooms())}
    flat = [room for layer in layers for room in layer]
    assert sorted(flat) == sorted(order)
    for below, above in pairwise(layers):
        assert max(order[room] for room in below) < min(order[room] for room in above)


def names():
    return sorted(set(re.findall(r"`(hush(?:\.\w+)+)`", MAP)))


@pytest.mark.parametrize("name", names())
def test_every_name_on_the_map_is_in_the_code(name):
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        reduce(getattr, parts[cut:], found)
        return
    pytest.fail(name)


def test_six_walks_in_under_ten_steps():
    walks = re.split(r"^## ", MAP, flags=re.M)[1:]
    assert [walk.splitlines()[0] for walk in walks] == [
        "A reward", "A live decision", "A request over HTTP", "A simulation", "A study", "An audit",
    ]  # fmt: skip
    for walk in walks:
        assert 3 < len(re.findall(r"^\d+\. ", walk, re.M)) < 10


@pytest.mark.untraced
def test_files_and_functions_stay_small():
    assert set(house.long_files()) <= LONG
    wide = house.wide_functions()
    assert {each.rpartition(" ")[2] for each in wide} <= WIDE, wide
    assert len(wide) < 16


@pytest.mark.untraced
def test_imports_inside_functions_are_for_lightness():
    assert set(house.inner_imports()) <= LATE


@pytest.mark.untraced
def test_nobody_but_the_engines_asks_for_a_family():
    families = FAMILIES | {cls.__name__ for cls in REGISTERED}
    assert house.family_switches(families) == []


@pytest.mark.untraced
def test_near_copies_are_few():
    assert len(house.near_copies()) < 25


def test_what_is_counted_can_be_found(tmp_path):
    lines = "\n".join(f"    x = f(x, {n})" for n in range(7))
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"def {name}(x):\n{lines}\n    return x\n")
    (tmp_path / "wide.py").write_text(
        "def wide(a, b, c, d, e, f, g, h, i):\n    from hush import a\n"
    )
    (tmp_path / "long.py").write_text("x = 1\n" * 301)
    asks = "isinstance(policy, UCB1), type(policy) is UCB1, policy.feedback == 'full'\n"
    (tmp_path / "asks.py").write_text(asks)
    assert len(house.near_copies(tmp_path)) == 2  # and the long file with itself
    assert house.wide_functions(tmp_path) == {"wide.py:1 wide": 9}
    assert house.long_files(tmp_path) == {"long.py": 301}
    assert house.inner_imports(tmp_path) == ["wide.py: hush"]
    assert len(house.family_switches({"UCB1"}, tmp_path)) == 3


# A family's policies, engine and loops; plain and compiled twins; a mechanism and what plays it;
# a verb of the command line and what it is about; what was recorded, played again.
TWINS = {
    "base", "batches", "beta", "binomial", "blocks", "capped_draws", "counters", "dartboard",
    "divergence", "edges", "elimination", "epochs", "experiment", "gaussian_likelihood",
    "identification", "identify", "improved_ucb", "index", "learner", "likelihood",
    "noisy_argmax", "noisy_sums", "pairs", "posterior", "posterior_chances", "quantile",
    "replay", "scores", "series", "store", "study", "thompson", "top_two", "vector_trees",
}  # fmt: skip


def test_no_two_modules_have_one_name_with_unrelated_meanings():
    stems = [path.stem for path in house.files() if path.stem != "__init__"]
    assert {stem for stem in stems if stems.count(stem) > 1} <= TWINS
