"""The whole audit: what it must find, and what it must not."""

import functools
import json
import math

import pytest
from tests import every

import hush
from hush.auditing import METHODS
from hush.auditing.reward_tables import rows_text
from hush.auditing.transcripts import draw_loss
from hush.policies.core.bandit_learner import BanditLearner
from hush.testing import DrawnRelease
from hush.testing.planted import PLANTED


@functools.cache
def printed():
    """Audit the algorithm as printed, once for all that look at the report."""
    policy = hush.RNMFTNL.as_printed(1.0)
    return hush.audit(policy, n_arms=2, methods=["replay", "exact"], rounds=200)


@pytest.mark.untraced
def test_the_printed_algorithm_is_violated_with_a_witness():
    report = printed()
    assert report.verdict == "violated"
    assert [finding.loss > 1.9 for finding in report.findings] == [True, True]
    witness = report.witness.witness
    assert witness.first.startswith("an epoch of")
    assert "wins with probability" in witness.note


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
def test_the_printed_algorithm_is_consistent_one_way():
    report = hush.audit(
        hush.RNMFTNL.as_printed(1.0),
        n_arms=2,
        neighbours="add-remove",
        methods=["replay", "exact"],
        rounds=200,
    )
    assert report.verdict == "consistent"
    assert 0.99 < report.worst_loss <= 1.0 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("policy", every.PRIVATE, ids=str)
def test_no_registered_policy_is_accused(policy):
    """All methods; the statistical one alone can err, once in a hundred at worst."""
    report = hush.audit(policy, claim=policy.guarantee.under("replace"))
    assert report.verdict == "proved"


QUICK = [p for p in every.DEFAULT if p.guarantee.private and not isinstance(p, hush.DPSE)]


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
@pytest.mark.parametrize("policy", every.sampled(QUICK, 8), ids=str)
def test_replay_accuses_no_registered_policy(policy):
    report = hush.audit(policy, methods=["replay"], rounds=64)
    assert report.findings[0].status == "consistent"
    assert report.verdict == "inconclusive"  # one method alone is not enough


FAST = (
    "AnytimeLazyUCB", "AdaPUCB", "AdaPKLUCB", "DPKLUCB", "DPIMED", "RNMFTNL", "LazyKLUCB",
)  # fmt: skip


@pytest.mark.untraced
@pytest.mark.parametrize(
    "policy", every.sampled([p for p in every.DEFAULT if type(p).__name__ in FAST], 3), ids=str
)
def test_exact_losses_reach_the_claim_and_no_more(policy):
    report = hush.audit(policy, methods=["exact"])
    assert report.findings[0].status == "consistent"
    assert 0.99 * policy.epsilon < report.worst_loss <= policy.epsilon * (1 + 1e-9)


CAUGHT = {
    "half the noise": "replay exact",
    "a sum not reset": "replay",
    "a reward used in two epochs": "replay",
    "a peek at a raw reward": "replay exact",
    "the first pull un-noised": "replay exact",
    "a redraw after restore": "replay",
    "noise scaled by the wrong epoch length": "replay",
    "a selection rule that reads the running sum": "replay",
    "an argmax calibrated to monotone neighbours": "replay exact",
    "sums kept over all epochs": "replay exact",
}


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
@pytest.mark.parametrize("bug", every.sampled(CAUGHT, 3))
def test_replay_catches_planted_bugs(bug):
    report = hush.audit(PLANTED[bug](1.0), methods=["replay"], rounds=200)
    assert report.verdict == "violated"
    assert report.witness.witness.loss > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("bug", CAUGHT)
def test_planted_bugs_are_caught(bug):
    report = hush.audit(PLANTED[bug](1.0), methods=["replay", "exact"])
    caught = {finding.method for finding in report.findings if finding.status == "violated"}
    assert caught >= set(CAUGHT[bug].split())
    assert report.witness.witness.loss > 1.0


def test_shared_noise_is_caught():
    report = hush.audit(PLANTED["one noise value shared by all arms"](1.0), methods=["replay"])
    assert math.isinf(report.worst_loss)
    assert "with all noisy values the same" in report.witness.witness.event
    assert "they differ in round 1" in report.witness.witness.note


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
def test_a_larger_claim_is_kept():
    bug = PLANTED["half the noise"](1.0)
    report = hush.audit(bug, claim=2.0, methods=["replay", "exact"], rounds=128)
    assert report.verdict == "consistent"


def test_nothing_is_claimed_for_policies_that_are_not_private():
    report = hush.audit(hush.UCB1())
    assert report.verdict == "not private"
    assert report.findings == ()
    assert "not private" in str(report)
    attacked = hush.audit(hush.UCB1(), claim=1.0, methods=["replay"])
    assert attacked.verdict == "violated"


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
def test_the_same_seed_gives_the_same_report():
    def found():
        report = hush.audit(
            hush.AdaPUCB(1.0), methods=["replay", "exact", "statistical"], samples=500, rounds=64
        )
        return [(f.loss, f.says, f.witness) for f in report.findings]

    assert found() == found()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n_arms": 1}, hush.ParameterError),
        ({"claim": 0.0}, hush.ParameterError),
        ({"claim": math.nan}, hush.ParameterError),
        ({"samples": 10}, hush.ParameterError),
        ({"neighbours": "swap"}, hush.UnknownNameError),
        ({"methods": ["replai"]}, hush.UnknownNameError),
        ({"noise": "none"}, hush.UnknownNameError),
        ({"seed": -1}, hush.ParameterError),
        ({"rounds": 0}, hush.ParameterError),
    ],
)
def test_bad_arguments_are_refused(options, error):
    with pytest.raises(error):
        hush.audit(hush.LazyDPTS(1.0), **options)
    with pytest.raises(hush.ParameterError, match="takes a policy"):
        hush.audit("LazyDPTS")


@pytest.mark.parametrize("bound", [0, -1, 1.5, True, "3", math.nan, 10**30, 10_001, math.inf])
def test_a_bound_that_is_none_is_refused_before_anything_runs(bound, monkeypatch):
    monkeypatch.setattr(hush.LazyDPTS, "learner", None)
    with pytest.raises(hush.ParameterError, match="person_bound must be a whole number"):
        hush.audit(hush.LazyDPTS(1.0), person_bound=bound)


def test_one_reward_is_what_is_attacked_unless_said_otherwise():
    reports = [
        hush.audit(hush.LazyDPTS(1.0), methods=["construction"], person_bound=bound)
        for bound in (None, 1, 1.0)
    ]
    for report in reports:
        assert str(report).partition("time")[0] == str(reports[0]).partition("time")[0]
        assert report.claim_text == "epsilon = 1 under replace"
        assert report.guarantee == str(hush.LazyDPTS(1.0).guarantee)


def test_a_claim_that_is_given_is_the_persons():
    """A quarter of what she is promised for each of her four rewards, and no less."""
    policy = hush.NoiseAwareTS(0.25)
    options = {"person_bound": 4, "methods": ["construction"]}
    assert hush.audit(policy, claim=1.0, **options).verdict == "proved"
    assert hush.audit(policy, claim=0.99, **options).verdict == "inconclusive"


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
@pytest.mark.parametrize(
    ("bound", "claim", "status"),
    [(None, 1.0, "violated"), (4, 2.0, "violated"), (1, 1.0, "consistent")],
)
def test_a_persons_epsilon_must_cover_all_her_rewards(bound, claim, status):
    bug = PLANTED["a person's epsilon spent on each reward"](1.0)
    report = hush.audit(bug, person_bound=bound, methods=["replay"], rounds=32)
    assert (report.claim, report.findings[0].status) == (claim, status)
    assert report.worst_loss == (bound or 3)


def test_reports_as_text_json_and_page(tmp_path):
    report = printed()
    for suffix in ("html", "json", "txt"):
        report.save(tmp_path / f"report.{suffix}")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace(
        "http://creativecommons.org", ""
    ).replace("http://purl.org", "").replace("https://matplotlib.org", "")
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["verdict"] == "violated"
    assert [each["witness"]["loss"] > 1.8 for each in data["findings"]] == [True, True]
    assert "VIOLATED" in (tmp_path / "report.txt").read_text()
    with pytest.raises(hush.ParameterError, match="suffix"):
        report.save(tmp_path / "report.pdf")


def test_verdicts_rest_on_more_than_one_attack():
    from hush.auditing import AuditReport, Finding

    def report(**statuses):
        findings = (
            Finding(method, statuses.get(method, "inconclusive"), None, "") for method in METHODS
        )
        return AuditReport("x", 1.0, "replace", "", 2, tuple(findings), 7, "0")

    held = {"replay": "consistent", "exact": "consistent"}
    assert report(noise="consistent").verdict == "inconclusive"
    assert report(replay="consistent", taint="consistent").verdict == "inconclusive"
    assert "one method is not enough" in report(replay="consistent").why
    assert report(exact="consistent", statistical="consistent").why == "replay does not apply"
    assert report(**held).verdict == "consistent"
    assert report(**held, noise="violated").verdict == "violated"
    assert report(construction="proved").verdict == "proved"
    assert report(construction="proved", statistical="violated").verdict == "violated"
    assert report().worst_loss is None


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
def test_the_first_violation_can_be_the_last():
    bug = PLANTED["half the noise"](1.0)
    report = hush.audit(bug, methods=["replay", "exact"], first=True, rounds=64)
    assert [finding.method for finding in report.findings] == ["replay"]


class Chatty(hush.AnytimeLazyUCB):
    """Shows one release fewer where its first reward was 1."""

    def _new_learner(self, n_arms, noise, rewards):
        return ChattyLearner(self, n_arms, noise, rewards)


class ChattyLearner(BanditLearner):
    first = None

    def update(self, arm, reward):
        self.first = reward if self.first is None else self.first
        return super().update(arm, reward)

    @property
    def releases(self):
        return super().releases[1 if self.first else 0 :]


def test_replay_looks_at_how_many_releases_are_shown():
    report = hush.audit(Chatty(1.0), methods=["replay"])
    assert math.isinf(report.worst_loss)


def test_infinite_losses_survive_json():
    report = hush.audit(PLANTED["a peek at a raw reward"](1.0), methods="replay")  # one, by name
    assert json.loads(report.to_json())["worst_loss"] == "infinite"
    assert "infinite" in report.to_html()


def test_the_loss_of_one_draw():
    first, second = (DrawnRelease(raw, 0, 1.0, "argmax-laplace") for raw in ((1, 7), (0, 8)))
    assert draw_loss(first, second) == pytest.approx(1.7769, abs=1e-4)
    far = [DrawnRelease(raw, 0, 0.001, "argmax-laplace") for raw in ((1, 7), (0, 8))]
    assert draw_loss(*far) == pytest.approx(2000.0)  # too small for a double: the bound


def test_long_tables_are_cut_in_print():
    import numpy as np

    table = np.arange(120).reshape(60, 2) % 3 % 2
    assert "..." in rows_text(table.astype(np.int8))
