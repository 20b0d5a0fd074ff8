"""The audit of the audit: no broken policy passes, no honest one is accused."""

import pytest
from tests import every

import hush
from hush.testing.honest import HONEST
from hush.testing.planted import PLANTED

# Nothing in their class gives them away: what they do must be found by playing.
PLAYED = {
    "a guarantee of half of what is spent",
    "a person's epsilon spent on each reward",
    "sums kept over all epochs",
}


def plainly(bug):
    return hush.audit(PLANTED[bug](epsilon=1.0), methods=["construction", "taint"])


@pytest.mark.untraced
@pytest.mark.parametrize("bug", every.sampled(sorted(PLANTED.keys() - PLAYED), 6))
def test_no_planted_bug_can_pass_whatever_attacks_find(bug):
    """Their classes say enough: no attack that fails could make them consistent."""
    report = plainly(bug)
    assert report.verdict == "inconclusive"
    assert (
        "private hooks" in report.why or "its code names" in report.why or "read at" in report.why
    )


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
@pytest.mark.parametrize("bug", every.sampled(sorted(PLAYED), 2))
def test_what_no_class_tells_is_found_by_playing(bug):
    assert plainly(bug).verdict == "inconclusive"
    report = hush.audit(PLANTED[bug](epsilon=1.0), methods=["replay"], rounds=200)
    assert report.verdict == "violated"


HUNTED = (
    "sums doubled by restore",
    "expiry that settles with the last reward",
    "a batch whose last reward counts twice",
    "noise shared out from five arms on",
)


@pytest.mark.untraced
@pytest.mark.parametrize("bug", every.sampled(HUNTED, 2))
def test_what_counts_too_much_now_and_then_is_hunted_down(bug):
    report = hush.audit(PLANTED[bug](epsilon=1.0), methods=["replay"], rounds=200)
    assert report.verdict == "violated"


PROVED = {
    "Fibonacci epochs", "lengths that follow releases", "lengths that are drawn",
    "a memory of all releases", "a rule that draws a lot", "elimination in two stages",
}  # fmt: skip


@pytest.mark.untraced
@pytest.mark.parametrize("name", every.sampled(HONEST, 2))
def test_honest_policies_are_proved_or_named(name):
    report = hush.audit(HONEST[name](epsilon=1.0), methods=["construction", "taint"])
    assert report.verdict == ("proved" if name in PROVED else "inconclusive"), report.why


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
@pytest.mark.parametrize("name", every.sampled(HONEST, 6))
def test_replay_accuses_no_honest_policy(name):
    report = hush.audit(HONEST[name](epsilon=1.0), methods=["replay"], rounds=64)
    assert report.findings[0].status != "violated", report


@pytest.mark.slow
@pytest.mark.parametrize("bug", PLANTED)
def test_no_planted_bug_passes(bug):
    report = hush.audit(PLANTED[bug](epsilon=1.0), first=True)
    assert report.verdict in ("violated", "inconclusive")


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_no_honest_policy_is_accused(name):
    """All methods; samples alone can err, once in a hundred at worst."""
    assert hush.audit(HONEST[name](epsilon=1.0)).verdict != "violated"
