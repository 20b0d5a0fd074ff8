"""What is said of pip-audit's report: nothing audited is never called clean."""

from tests.audit_deps import UNREACHED, verdict

CLEAN = {"name": "numpy", "version": "2.4.6", "vulns": []}
UNKNOWN = {"name": "opendp", "skip_reason": "Dependency not found on PyPI"}
FAULTY = {
    "name": "jinja2",
    "version": "3.1.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.1.6"]}, {"id": "PYSEC-2", "fix_versions": []}],
}


def test_where_nothing_was_audited_a_line_says_so():
    assert verdict(None) == ([UNREACHED], 0)
    assert verdict({"dependencies": [UNKNOWN]}) == ([UNREACHED], 0)


def test_what_is_clean_passes_and_what_was_skipped_is_named():
    lines, code = verdict({"dependencies": [CLEAN, UNKNOWN]})
    assert code == 0
    assert lines[0] == "1 packages audited: 0 known vulnerabilities"
    assert lines[1].endswith("does not know them: opendp")


def test_a_known_vulnerability_fails_and_is_named():
    lines, code = verdict({"dependencies": [CLEAN, FAULTY]})
    assert code == 1
    assert lines[:2] == [
        "jinja2 3.1.0: PYSEC-1, mended in 3.1.6",
        "jinja2 3.1.0: PYSEC-2, mended in no version yet",
    ]
