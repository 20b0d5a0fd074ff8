"""The outlook, against experiments that were played on a clock of their own."""

import math

import pytest

import hush
import hush.live

DAY = 86_400_000


def made(policy, per_day, **terms):
    clock = hush.live.ManualClock()
    store = hush.live.open(":memory:", clock=clock, noise=hush.SeededNoise(3))
    options = {"arms": ["a", "b", "c"], "person_epsilon": 2.0, "window": "6h", "tick": "15m"}
    exp = store.create("x", policy=policy, **{**options, **terms})
    return store, exp, clock, exp.outlook(per_day=per_day, within=0.15)


def play(store, exp, clock, per_day, until):
    """Let traffic come evenly, settle every tick, and return when releases appeared, in days."""
    exp.start()
    begun = clock.wall()
    segments = exp.terms.segments
    step = DAY / per_day
    ticks = n = 0
    while clock.wall() - begun < until * DAY:
        ticks += 1
        while n * step < ticks * exp.terms.tick:
            segment = segments[n % len(segments)] or None
            exp.decide(f"u{n}", segment=segment)
            n += 1
        clock.advance("15m")
        store.settle()
    return [((each.at.timestamp() * 1_000 - begun) / DAY, each) for each in exp.releases]


def reached(releases, decisions):
    """Return when the first arm's releases had so many decisions."""
    known = {}
    for at, each in releases:
        known[each.arm] = known.get(each.arm, 0) + each.count
        if known[each.arm] >= decisions:
            return at
    return math.inf


@pytest.mark.parametrize("policy", ["LazyDPTS", "NoiseAwareTS", "NoiseAwareIMED"])
def test_it_is_kept_and_not_idle(policy):
    """Some arm has its first and its useful release by the day that was said, not long before."""
    store, exp, clock, ahead = made(policy, 400)
    releases = play(store, exp, clock, 400, ahead.useful.days + 0.1)
    first = releases[0][0]
    assert first <= ahead.first.days + 0.02  # traffic comes a tick early here
    assert first >= 0.8 * ahead.first.days
    at = reached(releases, ahead.useful.decisions)
    assert at <= ahead.useful.days + 0.02
    # An even share is the slowest: a policy that plays favourites may take 1 / arms of it.
    exposure = ahead.useful.days - ahead.wait / DAY
    assert at >= ahead.wait / DAY * 0.9 + exposure / 4


def test_policies_that_explore_give_every_arm_its_first_release():
    store, exp, clock, ahead = made("NoiseAwareTS", 400)
    releases = play(store, exp, clock, 400, ahead.first.days + 0.05)
    assert {each.arm for _, each in releases} == {0, 1, 2}
    assert {each.count for _, each in releases if each.epoch == 0} == {ahead.first.decisions}


def test_batches_that_are_closed_by_age_are_smaller():
    store, exp, clock, ahead = made("NoiseAwareTS", 60, max_age="1h", person_epsilon=0.5)
    free = made("NoiseAwareTS", 60, person_epsilon=0.5)[3]
    assert ahead.first.decisions < free.first.decisions
    assert ahead.first.noise > free.first.noise
    releases = play(store, exp, clock, 60, ahead.first.days + 0.05)
    assert releases
    assert releases[0][0] <= ahead.first.days + 0.02


def test_noise_is_that_of_the_mechanism():
    ahead = made("LazyDPTS", 100, person_bound=4)[3]
    epsilon = 0.5
    assert ahead.first.noise == pytest.approx(math.sqrt(2) / epsilon)  # a batch of one
    assert ahead.useful.noise <= 0.15
    # The last release alone counts for this policy: 2^k decisions of 2^(k+1) - 1.
    batch = (ahead.useful.decisions + 1) // 2
    assert ahead.useful.noise == pytest.approx(math.sqrt(2) / epsilon / batch)


def test_sums_that_add_up_have_noise_that_adds_up():
    ahead = made("NoiseAwareTS", 100)[3].useful
    expected = math.sqrt(2 * ahead.releases) / 2.0 / ahead.decisions
    assert ahead.noise == pytest.approx(expected)


def test_segments_and_people_who_return_take_longer():
    def days(learnt=1.0, **terms):
        exp = made("NoiseAwareTS", 400, **terms)[1]
        ahead = exp.outlook(per_day=400, learnt=learnt)
        return ahead.useful.days - ahead.wait / DAY

    plain = days()
    assert days(learnt=0.5) == pytest.approx(2 * plain)
    assert days(segments=["phone", "desktop"]) == pytest.approx(2 * plain)
    assert days(person_bound=4) > 2 * plain  # a quarter of the epsilon each


def test_it_says_what_is_assumed():
    exp = made("NoiseAwareTS", 400, segments=["phone", "desktop"], person_bound=2)[1]
    text = str(exp.outlook(per_day=5000))
    assert "At 5,000 decisions a day, spread evenly over 2 segments" in text
    assert "nobody comes more than 2 times" in text
    assert "50% of them learnt from" in str(exp.outlook(per_day=5000, learnt=0.5))


def test_what_cannot_be_reached_is_said():
    exp = made("NoiseAwareTS", 10, max_age="1m", person_epsilon=0.01)[1]
    ahead = exp.outlook(per_day=10)
    assert ahead.useful is None
    assert "no release with noise within 0.1 is in sight" in str(ahead)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_day": 0}, "per_day must be a positive"),
        ({"per_day": 10, "learnt": 1.5}, "learnt must be a share"),
        ({"per_day": 10, "within": -1}, "within must be a positive"),
    ],
)
def test_bad_input_is_refused(options, message):
    exp = made("NoiseAwareTS", 10)[1]
    with pytest.raises(hush.ParameterError, match=message):
        exp.outlook(**options)
