"""One experiment whose noise is 0, so that its releases tell what was counted."""

import hush
import hush.live
from hush.errors import StoreError


def opened(place, clock=None):
    clock = hush.live.ManualClock() if clock is None else clock
    noise = hush.SeededNoise(3, discrete=True)
    given = {"private": place["private"], "secret": bytes(32), "clock": clock, "noise": noise}
    return hush.live.open(place["public"], **given), clock


def running(store):
    experiment = store.create(
        "one", policy="NoiseAwareTS", arms=["a", "b"], person_epsilon=1e6, person_bound=10_000,
        window="10m", tick="1m", parameters={"first_batch": 40},
    )  # fmt: skip
    experiment.start()
    return experiment


def decided(experiment, count, at=0):
    """Decide and reward, until one is refused; return how many were answered."""
    for number in range(at, at + count):
        try:
            made = experiment.decide(f"p{number}", key=f"k{number}")
        except StoreError:
            return number
        experiment.reward(made.id, 1)
    return at + count


def ended(store, clock, experiment):
    """Return how many decisions were released, and their sum: the noise is 0 at this epsilon."""
    if experiment.state == "running":
        experiment.stop()
    for _ in range(3):
        clock.advance("15m")
        store.settle()
    assert experiment.state == "stopped"
    assert len({(each.arm, each.epoch) for each in experiment.releases}) == len(experiment.releases)
    return tuple(sum(getattr(e, n) for e in experiment.releases) for n in ("count", "value"))
