"""The tables and the picture of the audits' page."""

import os

import pytest

from hush.auditing import side_by_side
from hush.testing.planted import PLANTED
from research import audit
from research.audit import cost_table, draw_losses
from research.pages import load_tables


def test_the_price_of_the_fix():
    """Exact regret, against the simulated figures of the algorithms' page: half a percent."""
    row = next(line for line in cost_table().splitlines() if line.startswith("| 0.1 |"))
    cells = [float(cell.split()[0]) for cell in row.strip("| ").split("|")[1:]]
    assert cells == pytest.approx([49.5, 95.4, 77.2], rel=0.01)


@pytest.mark.slow
def test_the_picture_of_losses():
    texts = [text.get_text() for text in draw_losses().axes[0].texts]
    assert any("claimed" in text for text in texts)


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
def test_tables_are_made_from_audits(tmp_path, monkeypatch):
    some = ("half the noise", "a sum not reset")
    monkeypatch.setattr(side_by_side, "PLANTED", {bug: PLANTED[bug] for bug in some})
    monkeypatch.setattr(side_by_side, "REGISTERED", side_by_side.REGISTERED[:1])
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # in this process
    tables, _ = audit.measure(tmp_path, quick=True, seed=7)
    assert set(tables) == {"all", "as-printed", "planted"}
    assert tables["all"].rows[0][:3] == ("AnytimeLazyUCB", "inconclusive", "-")
    assert [row[1] for row in tables["as-printed"].rows] == ["violated", "inconclusive"]
    assert tables["planted"].rows[0][:4] == ("half the noise", "violated", "replay", "2")


def test_the_stored_tables_are_whole():
    tables = load_tables(audit.PAGE.data)
    assert {row[1] for row in tables["all"].rows} == {"proved", "not private"}
    assert {row[0] for row in tables["planted"].rows} == set(PLANTED)
    assert {row[1] for row in tables["planted"].rows} == {"violated", "inconclusive"}
