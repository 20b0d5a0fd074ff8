"""What results, reports and records look like at a prompt and in a notebook."""

import math
import re
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest

import hush
import hush.live
from hush.privacy import Releases
from hush.studies import Curve, Study, run_study

EVIL = "<script>alert(1)</script>"


@dataclass(frozen=True)
class Named(hush.UCB1):
    """A policy whose label is an attack on the page that shows it."""

    label = EVIL
    non_private = True


def outcome():
    env = hush.paper_s1()
    curves = tuple(
        Curve(name, policy, env, 100, 4, (100,), ())
        for name, policy in ((EVIL, hush.UCB1()), ("b", hush.ThompsonSampling()))
    )
    study = Study(
        name="x", title=EVIL, about="", seed=3, axes=(), curves=curves, plots=(), baseline="b"
    )
    return run_study(study)


def store():
    clock = hush.live.ManualClock()
    place = hush.live.open(":memory:", clock=clock)
    exp = place.create(
        "checkout", policy="LazyDPTS", arms=["old", "new"], person_epsilon=1.0, window="1h"
    )
    exp.start()
    exp.decide("u17")
    clock.advance("2h")
    place.settle()
    return place


def learner():
    made = hush.AnytimeLazyUCB(epsilon=1.0).learner(2, noise=hush.ScriptedNoise([0.25, 1]))
    for _ in range(2):
        made.update(made.select(), 1)
    return made


SHOWN = {
    "result": lambda: hush.simulate(Named(), hush.paper_s1(), horizon=50, runs=3, seed=7),
    "summary": lambda: hush.simulate(
        Named(), hush.paper_s1(), horizon=50, runs=3, seed=7
    ).summary(),
    "identification": lambda: hush.identify(
        hush.NoiseAwareBAI(1.0), hush.paper_s1(), runs=2, seed=7
    ),
    "forecast": lambda: hush.forecast(
        [0.2, 0.4], per_day=200, person_epsilon=1.0, days=7, policies=["NoiseAwareTS"],
        epsilons=[2.0], runs=2, seed=7,
    ),
    "outcome": outcome,
    "audit": lambda: hush.audit(hush.LazyDPTS(1.0), methods=["construction"]),
    "bounds": lambda: hush.bounds(Named(), hush.paper_s1(), 1000),
    "guarantee": lambda: hush.LazyDPTS(1.0).guarantee,
    "release": lambda: learner().releases[0],
    "releases": lambda: learner().releases,
    "published": lambda: store().experiment("checkout").releases,
    "store": store,
    "experiment": lambda: store().experiment("checkout"),
    "outlook": lambda: store().experiment("checkout").outlook(per_day=100),
}  # fmt: skip


class Balanced(HTMLParser):
    """Notes which tags are open, and complains of one that closes another."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_is_short_whole_and_escaped(name):
    thing = SHOWN[name]()
    text, page = repr(thing), thing._repr_html_()
    assert len(text.splitlines()[0]) <= 160
    assert len(text.splitlines()) <= 4
    reader = Balanced()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert reader.seen
    assert "script" not in reader.seen


def test_the_attack_is_on_the_page_as_text():
    for name in ("result", "outcome", "bounds"):
        assert "&lt;script&gt;" in SHOWN[name]()._repr_html_(), name


def test_nothing_raw_is_shown_of_releases():
    """Five rewards wait in an open epoch: no figure of theirs is in any of the forms."""
    made = hush.AnytimeLazyUCB(epsilon=1.0).learner(1, noise=hush.ScriptedNoise([0.5] * 4))
    for _ in range(12):  # epochs of 1, 2 and 4 are released, five rewards are not
        made.update(made.select(), 1)
    for form in (repr, str, lambda each: each._repr_html_()):
        shown = form(made.releases)
        assert set(re.findall(r"\d+\.\d+", shown)) <= {"0.5"}, shown


def test_releases_are_a_tuple_of_which_the_last_are_shown():
    one = hush.Release(0, 0, 1, 0.5, "exact-sum", math.inf)
    many = Releases([one] * 1_000)
    assert many == (one,) * 1_000
    assert repr(many) == "<1,000 releases>"
    assert str(many).startswith("1,000 releases; the last 20\narm  epoch  count")
    assert len(str(many).splitlines()) == 22
    assert many._repr_html_().count("<tr>") == 21
    assert "infinite" in str(many)
    assert repr(Releases([one])) == "<1 release>"
    assert (str(Releases()), repr(Releases())) == ("0 releases", "<0 releases>")


def test_bounds_are_short_and_say_between_what():
    found = hush.bounds(hush.UCB1(), hush.paper_s1(), 10**6)
    assert repr(found) == "<Bounds: UCB1(), 5 arms, 1,000,000 rounds: 1.25 to 1,847>"
    assert "regret lies between 1.25 and 1,847" in found._repr_html_()
    assert repr(hush.UCB1().guarantee) == "<guarantee: not private (epsilon = infinity)>"
