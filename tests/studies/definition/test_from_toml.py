"""Studies out of TOML: what is read, what is swept, and what every mistake says."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import every
from tests.studies.small import SMALL, small

import hush
from hush.errors import HushError
from hush.policies.core.wrapping import layers
from hush.studies import SHIPPED, load_study, shipped_study
from hush.studies.definition.from_toml import read_study

BASE = """
runs = 2
horizon = 100
epsilon = 1.0
[environment]
instance = "S1"
[[policies]]
policy = "LazyDPTS"
"""


def test_a_study_is_laid_out_as_curves():
    study = small()
    assert study.axes == (("epsilon", (0.5, 1.0)),)
    assert study.policies == ("AnytimeLazyUCB", "LazyDPTS", "UCB1")
    assert [(c.name, dict(c.place), c.runs) for c in study.curves] == [
        ("AnytimeLazyUCB", {"epsilon": 0.5}, 12),
        ("AnytimeLazyUCB", {"epsilon": 1.0}, 12),
        ("LazyDPTS", {"epsilon": 0.5}, 12),
        ("LazyDPTS", {"epsilon": 1.0}, 12),
        ("UCB1", {}, 8),
    ]
    assert study.curves[0].policy == hush.AnytimeLazyUCB(epsilon=0.5)
    assert all(curve.points[-1] == 2000 for curve in study.curves)
    assert study.plots[0].against == "epsilon"  # left out: one against each swept value


def test_quick_sizes_and_other_runs():
    quick = small(quick=True)
    assert {curve.runs for curve in quick.curves} == {2, 8}
    assert quick.axes == ()
    again = small().resized(runs=100, seed=9)
    assert {curve.name: curve.runs for curve in again.curves} == {
        "AnytimeLazyUCB": 100,
        "LazyDPTS": 100,
        "UCB1": 8,  # fewer runs of its own: it keeps them
    }
    assert again.seed == 9
    with pytest.raises(hush.ParameterError, match="runs"):
        small().resized(runs=0)


@pytest.mark.parametrize(
    ("change", "axis", "values"),
    [
        (("horizon = 100", "horizon = [100, 1e3]"), "horizon", (100, 1000)),
        (("epsilon = 1.0", "epsilon = [0.5, 2]"), "epsilon", (0.5, 2.0)),
        (('instance = "S1"', 'family = "packing"\narms = [2, 5]\ngap = 0.1'), "arms", (2, 5)),
        (('instance = "S1"', 'family = "equal"\narms = 3\ngap = [0.1, 0.2]'), "gap", (0.1, 0.2)),
        (('"LazyDPTS"', '"AdaPKLUCB"\nbeta = [1.0, 3.1]'), "beta", (1.0, 3.1)),
        (('"LazyDPTS"', '"NoiseAwareTS"\nprior = [[1, 1], [2, 2]]'), "prior", ((1, 1), (2, 2))),
    ],
)
def test_any_parameter_can_be_swept(change, axis, values):
    study = small(BASE.replace(*change))
    assert study.axes == ((axis, values),)
    assert [dict(curve.place)[axis] for curve in study.curves] == list(values)


def test_a_list_that_is_one_value_sweeps_nothing():
    study = small(BASE.replace('"LazyDPTS"', '"NoiseAwareTS"\nprior = [1, 3]'))
    assert study.axes == ()
    assert study.curves[0].policy.prior == (1.0, 3.0)


def test_policies_that_need_the_horizon_get_it():
    text = BASE.replace("LazyDPTS", "DPSE").replace("horizon = 100", "horizon = [100, 1000]")
    assert [curve.policy.horizon for curve in small(text).curves] == [100, 1000]


def test_own_policies(tmp_path, monkeypatch):
    study = small(BASE.replace('"LazyDPTS"', '"hush.testing.planted:HalfTheNoise"'))
    assert type(study.curves[0].policy).__name__ == "HalfTheNoise"


PLOT = '[[plots]]\nkind = "sweep"\n'
CLAIM = '[[claims]]\ntext = "t"\npolicy = "LazyDPTS"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runs =", "not TOML"),
        (BASE.replace("runs = 2", ""), "mine.toml: runs: is missing"),
        (
            BASE.replace("runs = 2", "rans = 2"),
            "mine.toml: rans: unknown key 'rans'; did you mean 'runs'",
        ),
        (BASE.replace("runs = 2", "runs = 0"), "mine.toml: runs: runs must be a whole"),
        (BASE.replace("= 1.0", "= -1"), "mine.toml: epsilon: epsilon must be a positive"),
        (BASE.replace("= 1.0", "= []"), "mine.toml: epsilon: must be a list that is not empty"),
        (BASE.replace("= 1.0", "= [1, 1]"), "mine.toml: epsilon: the same value"),
        (
            BASE.replace("epsilon = 1.0", ""),
            r"mine.toml: policies\[1\].epsilon: LazyDPTS needs one",
        ),
        (BASE.replace("S1", "S3"), "mine.toml: environment.instance: unknown instance 'S3'"),
        (
            BASE.replace("instance", "instanse"),
            "environment.instanse: unknown key .* mean 'instance'",
        ),
        (BASE.replace('instance = "S1"', "gap = 0.1"), "mine.toml: environment: give one of"),
        (BASE.replace('"S1"', '"S1"\narms = 3'), "environment.arms: goes with a family"),
        (BASE.replace('instance = "S1"', "means = [0.5, 2]"), "environment.means: means must be"),
        (BASE.replace("[environment]", "[enviroment]"), "did you mean 'environment'"),
        (BASE.replace('[environment]\ninstance = "S1"', ""), "environment: is missing"),
        (
            BASE.replace("LazyDPTS", "LazyDPT"),
            r"policies\[1\].policy: unknown policy .* 'LazyDPTS'",
        ),
        (BASE + "betta = 1", r"policies\[1\].betta: unknown parameter of LazyDPTS"),
        (BASE.replace('"LazyDPTS"', '"AdaPKLUCB"\nbetta = 1'), r"betta: .* did you mean 'beta'"),
        (BASE.replace('"LazyDPTS"', '"AdaPKLUCB"\nbeta = -1'), r"policies\[1\]: beta"),
        (BASE + '[[policies]]\npolicy = "LazyDPTS"', r"policies\[2\].name: 'LazyDPTS' is there"),
        (BASE[: BASE.index("[[pol")], "policies: a study needs at least one"),
        ("policies = 3\n" + BASE[: BASE.index("[[pol")], r"must be written as \[\[policies\]\]"),
        ('baseline = "Lazy"\n' + BASE, "baseline: unknown policy of this study 'Lazy'"),
        ("checkpoints = 1\n" + BASE, "checkpoints: checkpoints must be a whole number"),
        (BASE + '[[plots]]\nkind = "tme"', r"plots\[1\].kind: unknown .* did you mean 'time'"),
        (BASE + PLOT, r"plots\[1\].against: is missing"),
        (BASE + PLOT + 'against = "beta"', r"plots\[1\].against: unknown swept parameter"),
        (BASE + '[[plots]]\nkind = "time"\nagainst = "beta"', "against: goes with kind"),
        (
            BASE + CLAIM + 'test = "les"',
            r"claims\[1\].test: unknown test 'les'; did you mean 'less'",
        ),
        (BASE + CLAIM + 'test = "less"', r"claims\[1\].than: is missing"),
        (BASE + CLAIM + 'test = "less"\nthan = "UCB"', r"claims\[1\].than: unknown policy"),
        (
            BASE + CLAIM + 'test = "less"\nfactor = 2',
            r"claims\[1\].factor: goes with test = 'close'",
        ),
        (BASE + CLAIM + 'test = "close"\nto = "LazyDPTS"\nfactor = 0.5', "factor: must be above 1"),
        (BASE + CLAIM + 'test = "rate"\nagainst = "round"\nrounds = [10]', "rounds: needs two"),
        (
            BASE + CLAIM + 'test = "rate"\nagainst = "round"\nrounds = [10, 500]',
            "beyond the horizon",
        ),
        (
            BASE + CLAIM + 'test = "rate"\nagainst = "round"\nrounds = 5\nwhere = 3',
            "where: .*table",
        ),
        (BASE + CLAIM + 'test = "less"\nthan = "LazyDPTS"\nwhere = {beta = 1}', "unknown swept"),
        (BASE + "[quick]\nrums = 1", "quick.rums: unknown key 'rums'; did you mean 'runs'"),
    ],
)
def test_mistakes_name_the_file_the_key_and_the_nearest_name(text, message):
    with pytest.raises(HushError, match=message) as caught:
        read_study("mine", text, "mine.toml")
    assert str(caught.value).startswith("mine.toml: ")


def test_a_missing_file(tmp_path):
    with pytest.raises(hush.ParameterError, match=r"cannot read .*none.toml"):
        load_study(tmp_path / "none.toml")


values = st.one_of(
    st.integers(-5, 5),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.text("ab=[]", max_size=4),
    st.booleans(),
    st.lists(st.integers(-2, 3), max_size=3),
)
KEYS = re.findall(r"^(\w+) =", SMALL, re.MULTILINE)


@given(key=st.sampled_from(KEYS), value=values)
def test_a_wrong_value_is_one_of_our_errors_or_none(key, value):
    """Whatever stands there, a study is made, or an error that names the file."""
    shown = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
    text = re.sub(
        rf"^{key} = .*$", lambda _: f"{key} = {shown}", SMALL, count=1, flags=re.MULTILINE
    )
    try:
        said = "mine.toml: " * bool(read_study("mine", text, "mine.toml").curves)
    except HushError as error:
        said = str(error)
    assert said.startswith("mine.toml: ")


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_studies_are_whole(name, quick):
    study = shipped_study(name, quick=quick)
    assert study.title != name
    assert study.about
    assert study.claims
    assert study.baseline in study.policies


def test_the_page_lists_every_shipped_study():
    page = (Path(__file__).parents[3] / "docs" / "reproduce.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", page, re.M)
    assert set(re.findall(r"[a-z-]+", " ".join(listed))) >= set(SHIPPED)


def test_the_papers_figures_are_the_papers():
    study = shipped_study("figures", quick=True)
    assert {curve.horizon for curve in study.curves} == {10**6}
    assert study.values("epsilon") == (0.25, 0.5, 1.0)
    for name, instance in (("S1", hush.paper_s1()), ("S2", hush.paper_s2())):
        curves = [curve for curve in study.curves if dict(curve.place)["instance"] == name]
        assert {curve.env for curve in curves} == {instance}
        private = [curve for curve in curves if curve.policy.guarantee.private]
        assert {curve.runs for curve in private} == {100}
        assert {type(curve.policy).__name__ for curve in private} == {
            "AnytimeLazyUCB", "LazyDPTS", "DPSE", "AdaPKLUCB",
        }  # fmt: skip
    assert [dict(plot.where)["instance"] for plot in study.plots] == ["S1", "S2"]
    full = [c for c in shipped_study("figures").curves if c.policy.guarantee.private]
    assert {curve.runs for curve in full} == {10_000}


@pytest.mark.parametrize("quick", [False, True])
def test_every_policy_is_in_the_study_of_every_policy(quick):
    """A new bandit policy needs a line there, and another one with a rho where it takes one."""
    study = shipped_study("every-policy", quick=quick)
    shown = {type(each) for curve in study.curves for each in layers(curve.policy)}
    minding = {cls for cls in hush.policies.REGISTERED if cls.feedback == "bandit"}
    assert shown == minding - every.FINDERS  # who look for the best arm mind no regret
    with_rho = {type(curve.policy) for curve in study.curves if getattr(curve.policy, "rho", None)}
    assert with_rho == {cls for cls in shown if "rho" in {each.name for each in fields(cls)}}
    trust = {curve.policy.guarantee.trust for curve in study.curves}
    assert trust == {"central", "distributed", "local"}
    assert len({curve.name for curve in study.curves}) == len(study.curves)


@pytest.mark.parametrize(
    ("name", "nearest"), [("figure-1", "figures"), ("beyond-2", "beyond"), ("arm", "arms")]
)
def test_studies_by_another_name(name, nearest):
    with pytest.raises(hush.UnknownNameError, match=f"did you mean '{nearest}'"):
        shipped_study(name)


def test_an_environment_may_say_who_comes():
    text = """
    runs = 2
    horizon = 50
    epsilon = 1.0
    [environment]
    instance = "S1"
    visits = [1, 5]
    at_once = 3
    [[policies]]
    policy = "Person"
    of = "LazyDPTS"
    bound = [1, 2]
    """
    study = read_study("mine", text, "mine.toml")
    assert study.values("bound") == (1, 2)
    assert {curve.env for curve in study.curves} == {
        hush.People(hush.paper_s1(), visits=[1, 5], at_once=3)
    }
    assert [curve.policy.of.epsilon for curve in study.curves] == [1.0, 0.5]
    with pytest.raises(hush.ParameterError, match="at_once: goes with visits"):
        read_study("mine", text.replace("visits = [1, 5]", ""), "mine.toml")
    with pytest.raises(hush.ParameterError, match="visits"):
        read_study("mine", text.replace("[1, 5]", "[0]"), "mine.toml")
