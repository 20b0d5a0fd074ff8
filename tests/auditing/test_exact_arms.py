"""Laws of arms: all tables at once, and listed, say the same."""

import itertools

import pytest
from tests import every

import hush
from hush.auditing.attacked_claim import Claim
from hush.auditing.exact_arms import _other_picks, all_rewards, listed
from hush.auditing.search import Search


@pytest.mark.slow
@pytest.mark.untraced
def test_listing_stays_below_all_tables_at_once():
    whole, parts = Search(), Search()
    policy = hush.AnytimeLazyUCB(2.0)
    all_rewards(policy, Claim(2.0), whole)
    listed(policy, 2, Claim(2.0), 7, parts)
    assert 0.5 < parts.loss <= whole.loss + 1e-9 <= 2.0 + 2e-9
    assert all(each.averaged for each in whole.candidates)
    assert whole.witness.loss == pytest.approx(whole.loss)


@pytest.mark.parametrize("rewards", [1, 2, 3, 9])
def test_every_pair_of_small_tables_is_compared_once(rewards):
    """All tables of four rounds with three kinds of rows; the last one is never settled."""
    compared = []
    for picks in itertools.product(range(3), repeat=4):
        for places, others in _other_picks(picks, 3, Claim(1.0, rewards=rewards)):
            second = list(picks)
            for place, other in zip(places, others, strict=True):
                second[place] = other
            compared.append(frozenset((picks, tuple(second))))
    wanted = {
        frozenset((one, other))
        for one, other in itertools.combinations(itertools.product(range(3), repeat=4), 2)
        if one[3] == other[3] and sum(a != b for a, b in zip(one, other, strict=True)) <= rewards
    }
    assert len(compared) == len(wanted)
    assert set(compared) == wanted


def test_what_is_removed_counts_as_zeros():
    found = list(_other_picks((2, 0, 1, 1), 3, Claim(1.0, "add-remove", 2)))
    assert found == [((0,), (0,)), ((2,), (0,)), ((0, 2), (0, 0))]


@pytest.mark.untraced
@pytest.mark.parametrize(
    "policy", every.sampled([hush.AnytimeLazyUCB(1.0), hush.RNMFTNL(1.0)], 2), ids=str
)
def test_exact_losses_of_a_person_reach_her_claim_and_no_more(policy):
    report = hush.audit(policy, n_arms=2, person_bound=3, methods=["exact"])
    (found,) = report.findings
    assert found.status == "consistent"
    assert 2.2 < found.loss <= 3.0 * (1 + 1e-9)
    assert len(found.witness.rounds) == 3
    assert "differ in up to 3 rounds" in found.says


def test_short_tables_tell_nothing_about_many_rewards():
    report = hush.audit(hush.AnytimeLazyUCB(1.0), n_arms=2, person_bound=20, methods=["exact"])
    assert report.findings[0].status == "inconclusive"
    assert "the person has up to 20 rewards" in report.findings[0].says
    violated = hush.audit(
        hush.AnytimeLazyUCB(1.0), n_arms=2, person_bound=20, claim=0.5, methods=["exact"]
    )
    assert violated.verdict == "violated"
