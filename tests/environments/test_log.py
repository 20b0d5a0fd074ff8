"""Logs: what is refused, without a reward in any message; rates, rounds, coins and persons."""

import math

import numpy as np
import pytest

import hush

ODD = "0.5731"  # a reward that no message may hold


def log(**changes):
    given = {"arms": ["a", "b", "a", "b"], "rewards": [0, 1, 1, 1]}
    return hush.Log(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"arms": []}, hush.ParameterError, "no rows"),
        ({"arms": ["a"] * 4}, hush.ParameterError, "single arm"),
        ({"arms": ["a", "", "a", "b"]}, hush.ParameterError, "row 2 has no arm"),
        ({"arms": ["a", math.nan, "a", "b"]}, hush.ParameterError, "row 2 has no arm"),
        ({"names": ["a", "b", "c"]}, hush.ParameterError, "'c' has no row"),
        ({"names": ["a", "c"]}, hush.ParameterError, "row 2 has an arm that is none of a, c"),
        ({"rewards": [0, 1, 1]}, hush.ParameterError, "one for each of 4 rows"),
        ({"rewards": [0, 1, 1, "x"]}, hush.ParameterError, "must be numbers"),
        ({"rewards": [0, 1, math.nan, 1]}, hush.RewardError, "row 3 is missing"),
        ({"rewards": [0, 1, 0, 17.25]}, hush.RewardError, r"row 4 lies outside \[0, 1\]"),
        ({"rewards": [0, 1, 0, -17.25]}, hush.RewardError, "row 4 lies outside"),
        ({"reward_range": (1, 1)}, hush.ParameterError, "the lower one first"),
        ({"reward_range": (0, math.inf)}, hush.ParameterError, "finite"),
        ({"propensities": [0.5, 0.5, 0.0, 0.5]}, hush.ParameterError, r"row 3 is not in \(0, 1\]"),
        ({"propensities": [0.5, 1.5, 0.5, 0.5]}, hush.ParameterError, "row 2"),
        ({"propensities": [0.5, 0.5, 0.5, math.nan]}, hush.ParameterError, "row 4"),
        ({"propensities": [0.5]}, hush.ParameterError, "one for each"),
        ({"persons": ["x", "y"]}, hush.ParameterError, "one for each"),
        ({"persons": ["x", "y", None, "x"]}, hush.ParameterError, "row 3 has no person"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_row(changes, error, says):
    with pytest.raises(error, match=says) as caught:
        log(**changes)
    assert "17.25" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("arm,reward\na,0\nb,x0.5731\n", hush.RewardError, "row 2 is not a number"),
        ("arm,reward\na,0\nb,\n", hush.RewardError, "row 2 is not a number"),
        ("arm,reward\na,0\nb,nan\n", hush.RewardError, "row 2 is missing"),
        ("arm,reward\na,0\nb,inf\n", hush.RewardError, "row 2 lies outside"),
        ("arm,reward\na,0\nb,900.5731\n", hush.RewardError, "row 2 lies outside"),
        ("arm,reward\na,0\nb,0.5731,1\n", hush.ParameterError, "row 2 has 3 cells"),
        ("arm,rewards\na,0\n", hush.UnknownNameError, "did you mean 'rewards'"),
        ("arm,reward,reward\na,0,1\n", hush.ParameterError, "several columns"),
        ("0.5731,a\n1,b\n", hush.UnknownNameError, "must name its columns"),
        ("a;0.5731\nb;1\n", hush.UnknownNameError, "with commas between"),
        ("arm;reward\na;0.5731\n", hush.UnknownNameError, "with commas between"),
        ("", hush.ParameterError, "is empty"),
        ("arm,reward\n", hush.ParameterError, "no rows"),
        ("arm,reward\na,0.5731\n,1\n", hush.ParameterError, "row 2 has no arm"),
        ('arm,reward\na,"0.5731', hush.ParameterError, "not a CSV file"),
    ],
)
def test_a_bad_file_is_refused_and_no_reward_is_told(text, error, says, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(error, match=says) as caught:
        hush.Log.read(path, arm="arm", reward="reward")
    assert ODD not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_column_has_one_use(tmp_path):
    """Else rewards would be names of arms, and messages hold those."""
    (tmp_path / "log.csv").write_text("a,r\n0,0.5731\n1,1\n")
    with pytest.raises(hush.ParameterError, match="'r' cannot be that of arm and of reward"):
        hush.Log.read(tmp_path / "log.csv", arm="r", reward="r")


def test_a_file_is_read_as_it_was_meant(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes("\ufeffwho,arm , p,r\nx,10,.5,3\ny,9,.5,5\n\nx,9,.5,4\n".encode())
    found = hush.Log.read(
        path, arm="arm", reward="r", propensity="p", person="who", reward_range=(0, 10)
    )
    assert found.names == ("9", "10")
    assert found.arms.tolist() == [1, 0, 0]
    assert found.persons.tolist() == [0, 1, 0]
    assert found.coins().means.tolist() == [0.45, 0.3]
    (tmp_path / "bytes.csv").write_bytes(b"arm,r\n\xff\xfe,1\n")
    with pytest.raises(hush.ParameterError, match="UTF-8"):
        hush.Log.read(tmp_path / "bytes.csv", arm="arm", reward="r")


def test_what_is_shown_of_a_log_holds_no_reward():
    found = log(rewards=[0.5731] * 4, persons=["x", "x", "y", "y"])
    assert repr(found) == "<Log: 4 rows, 2 arms>"
    assert found.to_dict() == {
        "log": "Log", "rows": 4, "arms": {"a": 2, "b": 2}, "chance": 0.5, "persons": 2,
        "reward_range": [0.0, 1.0],
    }  # fmt: skip


def test_rates_are_weighted_by_the_chances_of_rows():
    found = hush.Log(
        ["a", "a", "a", "b"] * 10, [1, 0, 0, 1] * 10, propensities=[0.5, 0.5, 0.8, 0.25] * 10
    )
    assert found.rates.round(6).tolist() == [round(2 / 5.25, 6), 1.0]
    assert found.chance == 0.25


def test_counts_that_chances_speak_against_are_refused():
    """A fair log is refused with a chance of about 10^-9 for each arm."""
    generator = np.random.default_rng(7)
    arms = (generator.random(2000) < 0.1).astype(int)
    with pytest.raises(hush.ParameterError, match="equal chances would give"):
        hush.Log(arms, np.zeros(2000))
    right = np.where(arms == 1, 0.1, 0.9)
    assert hush.Log(arms, np.zeros(2000), propensities=right).chance == 0.1
    with pytest.raises(hush.ParameterError, match="the propensities say"):
        hush.Log(arms, np.zeros(2000), propensities=1.0 - right)


def test_fair_logs_pass():
    """Small ones, and lopsided ones: 300 logs, of which none may be refused."""
    generator = np.random.default_rng(8)
    for _ in range(100):
        for chances in ((0.5, 0.5), (0.02, 0.98), (0.05, 0.15, 0.8)):
            rows = int(generator.integers(200, 600))
            arms = generator.choice(len(chances), size=rows, p=chances)
            names = [n for n in range(len(chances)) if (arms == n).any()]
            if len(names) == len(chances):
                hush.Log(arms, np.zeros(rows), propensities=np.array(chances)[arms])


def test_a_cohort_has_the_logs_persons_in_every_round_of_visits():
    persons = ["x"] * 3 + ["y"] + ["z"] * 2
    found = hush.Log(["a", "b"] * 3, [1, 0] * 3, persons=persons).cohort()
    came = found.arrivals(np.random.default_rng(7))
    first, second = ([next(came) for _ in range(6)] for _ in range(2))
    assert sorted(first) == [0, 1, 1, 2, 2, 2]
    assert sorted(second) == [3, 4, 4, 5, 5, 5]
    assert first != sorted(first)
    assert found.to_dict()["visits"] == {"1": 1, "2": 1, "3": 1}
    assert found == hush.environments.Cohort(hush.Bernoulli(found.means), visits=[1, 2, 3])
    with pytest.raises(hush.ParameterError, match="whose rows"):
        log().cohort()
