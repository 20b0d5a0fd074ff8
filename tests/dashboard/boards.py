"""Stores with something to see, for the tests of the dashboard."""

from random import Random

import hush.live

HOSTILE = "<script>alert(1)</script>\"'&{{7*7}}"


def filled(address, clock=None):
    """Make a store with experiments in several states; return the text of a token for all."""
    clock = hush.live.ManualClock() if clock is None else clock
    store = hush.live.open(address, clock=clock, noise=hush.SeededNoise(1))
    _learn(store, clock, "checkout", ["old", "new", "none"], (0.3, 0.5, 0.2))
    split = _learn(store, clock, "mail", ["short", "long"], (0.4, 0.5), segments=["de", "fr"])
    split.pause(by=HOSTILE)
    store.create("ideas", policy="LazyDPTS", arms=["a", "b"], person_epsilon=2.0)
    text = store.tokens.create(["read", "admin"], note=HOSTILE)
    store.settle()
    store.close()
    return text


def _learn(store, clock, name, arms, rates, segments=None):
    experiment = store.create(
        name,
        policy="NoiseAwareTS",
        arms=arms,
        person_epsilon=1.0,
        person_bound=2,
        window="1h",
        segments=segments,
    )
    experiment.start(by="Ada")
    draw = Random(name)
    for step in range(6):
        asked = [
            {"person": f"secret-{name}-{step}-{n}"}
            | ({"segment": segments[n % len(segments)]} if segments else {})
            for n in range(150)
        ]
        made = experiment.decide_many(asked)
        experiment.reward_many([(each.id, int(draw.random() < rates[each.arm])) for each in made])
        clock.advance("3h")
        store.settle()
    return experiment
