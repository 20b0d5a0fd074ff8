"""A service with experiments in many states, the same every time it is made."""

from tests.live.places import FrozenOutcomes, InMemory, SameBytes
from tests.service.sites import EVERYTHING, SETTINGS, Site

import hush.live

RUNNING = ("checkout", "segmented")
SPARE = tuple(f"spare{n}" for n in range(6))
NAMES = (*RUNNING, "paused", "stopping", "trial", "draft", *SPARE)
SEGMENTS = ("phone", "desktop")


class World:
    """Experiments that run, are paused, stop, are tried out, and have not begun; with decisions.

    Attributes
    ----------
    decisions
        The ids of decisions whose rewards are waited for.
    late
        The id of one whose window is over.
    deferred
        Ids of deferred decisions, each with its person.
    tokens
        Texts of tokens, by what they are for.
    """

    def __init__(self, store=None, *, private="u", settings=SETTINGS, **given):
        self.clock = hush.live.ManualClock()
        if store is None:
            same = {"clock": self.clock, "noise": FrozenOutcomes(), "entropy": SameBytes()}
            (store,) = InMemory().open(**same)
        self.site = site = Site(store=store, settings=settings, **given)
        self.tokens = {
            "everything": site.token,
            "elsewhere": site.grant(*EVERYTHING, experiments=["draft"]),
            "test": site.grant(*EVERYTHING, test=True),
            **{scope: site.grant(scope) for scope in EVERYTHING},
        }
        for name in NAMES:
            self._make(name)
        for name in (*RUNNING, "paused", "stopping"):
            site.ask("POST", f"/v1/experiments/{name}/start", {})
        self.late = site.decide(private, "paused").json["decision"]
        self.decisions = [site.decide(f"{private}{n}").json["decision"] for n in range(12)]
        site.decide(private, "stopping")
        for name, act in (("paused", "pause"), ("stopping", "stop"), ("trial", "rehearse")):
            site.ask("POST", f"/v1/experiments/{name}/{act}", {})
        self.clock.advance("1h")
        site.core.tick()
        people = [f"{private}{n}" for n in range(4)]
        self.deferred = [
            (site.decide(person, defer=True).json["decision"], person) for person in people
        ]

    def _make(self, name):
        terms = {
            "name": name,
            "policy": "NoiseAwareTS",
            "arms": ["old", "new"],
            "person_epsilon": 1.0,
            "window": "30m" if name == "paused" else "1d",
            "segments": list(SEGMENTS) if name == "segmented" else None,
        }
        assert self.site.ask("POST", "/v1/experiments", terms).status == 201

    def close(self):
        self.site.close()
