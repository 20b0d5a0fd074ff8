"""Tables of many audits."""

from hush.auditing.finding import Finding
from hush.auditing.report import AuditReport
from hush.auditing.side_by_side import bugs_table, reports_table


def report(*findings):
    return AuditReport("Mine(epsilon=1)", 1.0, "replace", "", 3, findings, 7, "0.0")


FOUND = report(
    Finding("replay", "violated", float("inf"), ""),
    Finding("exact", "inconclusive", None, ""),
    Finding("statistical", "violated", 1.23456, ""),
    Finding("noise", "consistent", 0.0, "", seconds=2.4),
)


def test_a_row_has_losses_or_says_why_not():
    row = ("Mine", "violated", "-", "-", "inf", "inconclusive", "1.235", "passed", "2")
    assert reports_table([FOUND]).rows == (row,)
    assert reports_table([FOUND], ["other"]).rows[0][0] == "other"
    assert reports_table([report()]).rows[0][2:6] == ("-", "-", "-", "-")


def test_a_bugs_row_says_what_caught_it():
    rows = bugs_table({"a bug": FOUND, "none": report()}).rows
    assert rows[0] == ("a bug", "violated", "replay, statistical", "inf", "inconclusive", "1.235")
    assert rows[1][2] == "nothing"
