"""The page of an audit: everything that the report says, in one file."""

import json
import re

import pytest

import hush
from hush.auditing.finding import Finding, Witness
from hush.auditing.report import AuditReport

WITNESS = Witness("10 x2", "01", "action <0> is chosen", float("inf"), "by hand")


@pytest.fixture
def report():
    findings = (
        Finding("replay", "violated", float("inf"), "Something & more.", WITNESS, seconds=1.5),
        Finding("exact", "inconclusive", None, "Does not apply."),
        Finding("noise", "consistent", 0.0, "As it should be."),
    )
    return AuditReport("Mine(x<1)", 1.0, "replace", "epsilon = 1", 3, findings, 7, "0.0")


def test_the_page_says_what_was_found(report):
    page = report.to_html()
    assert "<title>Audit of Mine(x&lt;1)</title>" in page
    assert '<p class="verdict violated">violated</p>' in page
    for fact in ("epsilon = 1 under replace", "infinite", "seed 7, hush 0.0"):
        assert fact in page
    said = re.findall(r"<h3[^>]*>(\w+) <span[^>]*>(\w+)</span></h3>", page)
    assert said == [("replay", "violated"), ("exact", "inconclusive"), ("noise", "consistent")]
    assert "<pre>rewards A  10 x2\n" in page
    assert "action &lt;0&gt; is chosen" in page
    assert "Something &amp; more." in page


def test_the_page_needs_no_other_file(report, tmp_path):
    path = tmp_path / "audit.html"
    report.save(path)
    page = path.read_text()
    assert page.count("<svg") == 1
    assert re.findall(r'(?:src|href)="(?!#)', page) == []


def test_a_person_is_named_in_text_page_and_data():
    report = hush.audit(hush.LazyDPTS(0.5), person_bound=4, methods=["construction"])
    claim = "epsilon = 2 under replace, per person of up to 4 rewards"
    assert f"claim    {claim}" in str(report)
    for text in (report.to_html(), report.to_json()):
        assert "epsilon = 2 under replace, per person: up to 4 rewards of one person" in text
    assert claim in report.to_html()
    data = json.loads(report.to_json())
    assert (data["claim"], data["unit"], data["person_bound"]) == (2.0, "person", 4)
    assert AuditReport.from_dict(data).to_dict() == data


def test_a_single_reward_is_what_reports_were_about(report):
    data = json.loads(report.to_json())
    assert (data["unit"], data["person_bound"]) == ("round", 1)
    del data["person_bound"], data["findings"][0]["witness"]["rounds"]  # one of earlier times
    assert AuditReport.from_dict(data) == report


def test_a_policy_that_claims_nothing_has_a_page_too():
    report = hush.audit(hush.UCB1())
    assert '<p class="verdict not">not private</p>' in report.to_html()
    assert json.loads(report.to_json())["claim"] is None


def test_a_notebook_shows_the_verdict_and_the_facts(report):
    assert repr(report) == "<audit of Mine(x<1): violated>"
    page = report._repr_html_()
    assert "Audit of Mine(x&lt;1)" in page
    assert '<p class="verdict violated">violated</p>' in page
    assert "<script" not in page
