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


def test_a_policy_that_claims_nothing_has_a_page_too():
    report = hush.audit(hush.UCB1())
    assert '<p class="verdict not">not private</p>' in report.to_html()
    assert json.loads(report.to_json())["claim"] is None
