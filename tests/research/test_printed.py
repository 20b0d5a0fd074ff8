"""Pages whose examples print what stands behind them."""

import ast

import pytest

from research import free_privacy, pages
from research.errata import PAGE
from research.pages import fill, load_tables
from research.printed import PrintedPage, printed

TEXT = """
```python
half = 1 / 2
print("unmarked")
```

```python
print(half)
```

<!-- begin printed-half -->
<!-- end printed-half -->
"""


def test_examples_share_names_and_marked_ones_are_kept():
    assert printed(TEXT) == {"printed-half": "```text\n0.5\n```"}


def test_what_is_printed_is_filled_in_and_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    page = PrintedPage("mine", {})
    page.path.write_text(TEXT)
    assert page.stale()
    page.write()
    assert "```text\n0.5\n```" in page.path.read_text()
    assert not page.stale()
    page.path.write_text(page.path.read_text().replace("\n0.5\n", "\n0.6\n"))
    assert page.stale()


@pytest.mark.untraced
def test_the_figures_of_the_errata():
    """All of them are computed anew, and the ones that its prose and other pages rest on."""
    text = PAGE.path.read_text()
    found = printed(text)
    assert fill(text, found, "errata.md") == text
    assert "epoch of 256: 1.9922 by hand, 1.9922 computed" in found["printed-scale"]
    assert "[0, 1, 1]: action 0 wins" in found["printed-scale"]
    for loss in ("0.9648", "1.4246", "1.7590"):
        assert f"a loss of {loss}" in found["printed-scale"]
    for line in found["printed-neighbours"].splitlines()[1:-1]:
        kinds = ast.literal_eval(line[line.index("{") :])
        assert kinds["one entry"] <= kinds["one way"] <= 1.0
        assert (kinds["any"] > 1.0) == ("2 actions, epoch of 1" not in line)
    for regret in ("137.9", "1,188.1", "11,697.5"):
        assert f"exact regret {regret:>8}" in found["printed-second-form"]
    assert "given that O = 1: 0.00915, in all 0.00886" in found["printed-lemma"]


def test_tables_of_the_study_of_free_privacy(tmp_path):
    tables, figure = free_privacy.measure(tmp_path, quick=True, seed=7)
    assert [row[:3] for row in tables["growth"].rows][-1] == ("8", "10.605", "10.605")
    assert tables["priors"].rows[0] == ("Beta(1, 1)", "2", "3", "5", "0.693", "10.6")
    assert tables["priors"].rows[1][1:4] == ("4", "6", "at least 8")
    assert tables["needed"].rows == (("2", "Beta(1, 1)", "1.00"), ("4", "Beta(8, 8)", "0.89"))
    assert len(figure.axes[0].lines) == 6


def test_the_stored_tables_are_of_the_full_size():
    tables = load_tables(free_privacy.PAGE.data)
    assert tables["growth"].rows[-1][:2] == ("100", "363.739")
    assert len(tables["priors"].rows) == 4
