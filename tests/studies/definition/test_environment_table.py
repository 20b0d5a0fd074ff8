"""Environments of studies: instances and families, alone and swept."""

import numpy as np
import pytest
from tests.studies.small import small

import hush
from hush.studies import run_study
from hush.studies.definition.environment_table import brackets, uniform

BASE = """
runs = 3
horizon = 500
epsilon = 1.0
checkpoints = 4
[environment]
instance = ["S1", "S2"]
[[policies]]
policy = "LazyDPTS"
[[policies]]
policy = "UCB1"
[[claims]]
text = "t"
test = "less"
policy = "UCB1"
than = "LazyDPTS"
"""


def test_an_instance_can_be_swept():
    study = small(BASE)
    assert study.axes == (("instance", ("S1", "S2")),)
    assert [(c.name, dict(c.place), c.env) for c in study.curves] == [
        ("LazyDPTS", {"instance": "S1"}, hush.paper_s1()),
        ("LazyDPTS", {"instance": "S2"}, hush.paper_s2()),
        ("UCB1", {"instance": "S1"}, hush.paper_s1()),
        ("UCB1", {"instance": "S2"}, hush.paper_s2()),
    ]
    assert study.plots[0].against == "instance"


def test_it_comes_before_other_axes():
    study = small(BASE.replace("epsilon = 1.0", "epsilon = [0.5, 1.0]"))
    assert [axis for axis, _ in study.axes] == ["instance", "epsilon"]


def test_each_curve_has_the_data_of_a_study_of_its_own():
    both = run_study(small(BASE))
    for name in ("S1", "S2"):
        alone = run_study(small(BASE.replace('["S1", "S2"]', f'"{name}"')))
        for policy in ("LazyDPTS", "UCB1"):
            (swept,) = both.find(policy, {"instance": name})
            assert (swept.regret == alone.find(policy)[0].regret).all()


def test_claims_name_the_instance():
    from hush.studies import check_claims

    (finding,) = check_claims(run_study(small(BASE)))
    assert [part.where for part in finding.parts] == [{"instance": "S1"}, {"instance": "S2"}]
    fixed = BASE.replace('than = "LazyDPTS"', 'than = "LazyDPTS"\nwhere = { instance = "S2" }')
    (finding,) = check_claims(run_study(small(fixed)))
    assert [part.where for part in finding.parts] == [{"instance": "S2"}]


def test_quick_may_take_one_instance():
    study = small(BASE + '[quick]\ninstance = "S2"', quick=True)
    assert study.axes == ()
    assert {curve.env for curve in study.curves} == {hush.paper_s2()}


FAMILY = BASE.replace('instance = ["S1", "S2"]', "{}")


@pytest.mark.parametrize(
    ("lines", "axes", "last"),
    [
        (
            'family = ["packing", "equal, best last"]\narms = 3\ngap = 0.25',
            (("family", ("packing", "equal, best last")),),
            [0.5, 0.5, 0.75],
        ),
        (
            'family = "brackets"\nbrackets = [1, 2]\ncrowd = [1, 2]\ngap = 0.25',
            (("brackets", (1, 2)), ("crowd", (1, 2))),
            [0.25, 0.25, 0.5, 0.5, 0.75],
        ),
        (
            'family = "doubling crowds"\narms = [2, 8]\ngap = 0.125',
            (("arms", (2, 8)),),
            [0.25, 0.25, 0.5, 0.5, 0.625, 0.625, 0.75],  # three brackets of two: 7 of 8 actions
        ),
    ],
)
def test_families(lines, axes, last):
    study = small(FAMILY.format(lines).replace("{ }", "{}"))
    assert study.axes == axes
    assert study.curves[-1].env.means.tolist() == last


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('instance = ["S1", "S3"]', "environment.instance: unknown instance 'S3'"),
        ('instance = ["S1", "S1"]', "environment.instance: the same value"),
        ("instance = []", "environment.instance: must be a list that is not empty"),
        ('family = ["packing", "pack"]\narms = 2\ngap = 0.1', "family: .* mean 'packing'"),
        ('family = ["packing", "brackets"]', "family: 'packing' and 'brackets' have different"),
        ('family = "packing"\ncrowd = 2', "crowd: the family has arms, gap instead"),
        ('family = "brackets"\narms = 2', "arms: the family has brackets, crowd, gap instead"),
        ('family = "brackets"\nbrackets = 4\ncrowd = 1\ngap = 0.25', "largest gap would be 2"),
        ('family = "packing"\ngap = 0.1', "environment.arms: is missing"),
    ],
)
def test_mistakes(lines, message):
    with pytest.raises(hush.HushError, match=message):
        small(FAMILY.format(lines))


def test_brackets_of_doubling_gaps():
    assert brackets(3, 2, 0.25).gaps == pytest.approx([1.0, 1.0, 0.5, 0.5, 0.25, 0.25, 0.0])
    assert brackets(1, 3, 0.1).gaps == pytest.approx([0.1, 0.1, 0.1, 0.0])


def test_uniform_means_are_those_of_numpys_older_generator():
    env = uniform(10, 0.5, 3)
    np.random.seed(3)
    assert env.means.tolist() == (0.5 * np.random.rand(10) + 0.25).tolist()
    assert uniform(10, 0.5, 3) == env != uniform(10, 0.5, 4)
    with pytest.raises(hush.ParameterError, match="gap must be at most 1"):
        uniform(2, 1.5, 0)
