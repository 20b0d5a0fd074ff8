"""When a decision can be expected: by what is assumed, as late as it then comes."""

from dataclasses import replace

import numpy as np
import pytest
from tests.live.test_beliefs import entry, made, terms

from hush.live.beliefs import Beliefs
from hush.live.clock import moment
from hush.live.forecasting import Traffic, expectation
from hush.numerics.posterior_chances import win_chances

DAY = 86_400_000
COUNTS = (4, 4, 8, 16, 32, 64)


def beliefs(means, counts=COUNTS, policy="NoiseAwareTS"):
    """Return what is believed after releases that say exactly these means."""
    found = Beliefs(terms(policy, window="1h"), 0)
    entries = [made()]
    for count in counts:
        for arm, mean in enumerate(means):
            body = {"segment": 0, "arm": arm, "epoch": 0, "count": count, "value": count * mean}
            body |= {"mechanism": "laplace", "epsilon": 1.0}
            entries.append(entry(len(entries) + 1, "release", body))
    found.take(entries)
    return found


def traffic(found, days=4.0):
    return Traffic(tuple(found.counts), int(days * DAY), 10 * DAY, True)


def expected(found, seen=None, delta=0.05):
    return expectation(found, found._terms, seen or traffic(found), delta)


def test_what_is_decided_says_since_when():
    found = beliefs((0.1, 0.9))
    known = expected(found)
    assert known.decided
    assert known.leader == "b"
    assert known.by is None
    chances = [(each.at, each.best[1]) for each in found.history]
    first = next(at for at, chance in chances if chance >= 0.95)
    assert known.since == moment(first)
    assert str(known).startswith("b is the best with a chance of")


def test_a_closer_race_takes_longer_and_the_closest_is_not_in_sight():
    times = [expected(beliefs((0.5, mean))).by for mean in (0.58, 0.56, 0.54)]
    assert times[0] < times[1] < times[2]
    close = expected(beliefs((0.5, 0.5001)))
    assert close.by is None
    assert "20 times" in close.basis
    assert "not in sight" in str(close)


def test_a_smaller_delta_and_less_traffic_take_longer():
    found = beliefs((0.5, 0.57))
    known = expected(found)
    assert not known.decided
    assert expected(found, delta=0.04).by > known.by
    slow = traffic(found, days=8.0)
    assert expected(found, slow).by - moment(slow.now) > 1.5 * (known.by - moment(10 * DAY))


def test_what_does_not_run_or_was_not_seen_has_no_date():
    found = beliefs((0.5, 0.57))
    seen = traffic(found)
    assert expected(found, replace(seen, running=False)).basis == "it does not run"
    assert expected(found, replace(seen, learnt=(0, 0))).basis == "no traffic was seen yet"
    assert expected(found, replace(seen, ran=0)).by is None
    nothing = beliefs((0.5, 0.6), counts=())
    assert expected(nothing).leader is None


@pytest.mark.parametrize("policy", ["LazyDPTS", "AnytimeLazyUCB"])
def test_other_policies_are_taken_to_keep_their_shares(policy):
    known = expected(beliefs((0.5, 0.57), policy=policy))
    assert known.by is not None
    assert "keep the shares" in known.basis


@pytest.mark.untraced
def test_decisions_come_about_when_they_are_expected():
    """Half of 60 races played on as assumed are decided by 0.4 to 2.5 times what was expected.

    By even shares, sums drawn from the means that are believed, and the same batches: the median
    is within that in all but one of a thousand repetitions; the seed is fixed.
    """
    found = beliefs((0.5, 0.57), policy="LazyDPTS")
    seen = traffic(found)
    ahead = (expected(found, seen).by - moment(seen.now)).total_seconds() * 1_000
    begun = [found.posterior(arm) for arm in (0, 1)]
    generator, lengths = np.random.default_rng(3), []
    for _ in range(60):
        mine, decided = begun, sum(COUNTS)
        for _ in range(40):
            if win_chances(mine)[1] >= 0.95:
                break
            size = max(decided // 8, 1)
            decided += size
            sums = [generator.binomial(size, each.mean) + generator.laplace() for each in begun]
            mine = [each.given(size, float(s)) for each, s in zip(mine, sums, strict=True)]
        lengths.append((decided / sum(COUNTS) - 1.0) * seen.ran)
    assert 0.4 < float(np.median(lengths)) / ahead < 2.5
