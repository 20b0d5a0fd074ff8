"""``hush audit`` and the pages that commands fill in."""

import json
import sys

import pytest
from typer.testing import CliRunner

from hush.cli.app import app
from hush.cli.audit_page import cost_table, draw_losses
from hush.cli.pages import fill
from hush.errors import ParameterError
from hush.testing.planted import PLANTED


def run(*arguments):
    return CliRunner().invoke(app, ["audit", *arguments])


def test_a_violation_exits_with_one_and_leaves_a_page(tmp_path):
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    shown = run(
        "RNMFTNL.as_printed",
        *("--method", "exact", "--arms", "2", "--out", str(page), "--out", str(data)),
    )
    assert shown.exit_code == 1
    assert "VIOLATED" in shown.output
    assert "is chosen next" in shown.output
    assert "<svg" in page.read_text()
    assert json.loads(data.read_text())["claim"] == 1.0


def test_consistent_policies_exit_with_zero():
    shown = run("AnytimeLazyUCB:epsilon=0.3", "--method", "replay", "--method", "exact")
    assert shown.exit_code == 0, shown.output
    assert "epsilon = 0.3 under replace" in shown.output


def test_the_claim_and_the_neighbours_can_be_changed():
    common = ("RNMFTNL.as_printed", "--method", "replay", "--arms", "2")
    assert run(*common, "--neighbours", "add-remove").exit_code == 0
    assert run(*common, "--claim", "2").exit_code == 0
    assert run(*common, "--claim", "1.5").exit_code == 1


OWN = """
from dataclasses import dataclass
import hush
from hush.mechanisms import NoisySum

@dataclass(frozen=True)
class Careless(hush.AnytimeLazyUCB):
    factor: float = 3.0
    def _mechanism(self, noise):
        return NoisySum(epsilon=self.factor * self.epsilon, noise=noise)
"""


def test_a_policy_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "careless_policies.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    shown = run("careless_policies:Careless", "--epsilon", "0.5", "--method", "replay")
    assert shown.exit_code == 1
    assert "lose 1.5 at most" in shown.output
    fine = run("careless_policies:Careless:factor=1.0", "--method", "replay")
    assert fine.exit_code == 0
    wrong = run("careless_policies:Carelss", "--method", "replay")
    assert wrong.exit_code == 2
    assert "did you mean 'Careless'?" in wrong.output
    assert run("no_such_module:Policy").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give one policy"),
        (("LazyDPTS", "--all"), "give one policy"),
        (("LazyDTPS",), "did you mean 'LazyDPTS'?"),
        (("LazyDPTS", "--method", "exakt"), "did you mean 'exact'?"),
        (("LazyDPTS", "--out", "x.doc"), "suffix"),
        (("LazyDPTS", "--page", "x.md"), "--page is for"),
        (("--all", "--out", "x.html"), "--out is for one policy"),
        (("--all", "--workers", "0"), "--workers"),
        (("RNMFTNL.as_printed:growth=2",), "takes no parameters"),
        (("LazyDPTS", "--epsilon", "-1"), "epsilon"),
    ],
)
def test_bad_arguments_say_what_to_do(arguments, message):
    shown = run(*arguments)
    assert shown.exit_code == 2
    assert message in " ".join(shown.output.split())


def test_planted_bugs_side_by_side(tmp_path, monkeypatch):
    some = ("half the noise", "a sum not reset")
    monkeypatch.setattr(
        sys.modules["hush.cli.audit"], "PLANTED", {bug: PLANTED[bug] for bug in some}
    )
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin planted -->\nold\n<!-- end planted -->\nafter\n")
    shown = run("--planted", "--method", "replay", "--workers", "2", "--page", str(page))
    assert shown.exit_code == 1, shown.output
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| half the noise | violated | replay | 2 |" in text


@pytest.mark.slow
def test_all_registered_policies_are_consistent(tmp_path):
    """The page in the docs, made anew: every private policy consistent, as printed violated."""
    page = tmp_path / "page.md"
    marks = "\n".join(
        f"<!-- begin {n} -->\n<!-- end {n} -->" for n in ("all", "as-printed", "cost")
    )
    page.write_text(marks)
    shown = run("--all", "--page", str(page))
    assert shown.exit_code == 0, shown.output
    text = page.read_text()
    assert text.count("| consistent |") == 16
    assert text.count("| violated |") == 1
    assert (tmp_path / "images" / "audit-rnm.svg").exists()


def test_the_price_of_the_fix():
    """Exact regret, against the simulated figures of the algorithms' page: half a percent."""
    row = next(line for line in cost_table().splitlines() if line.startswith("| 0.1 |"))
    cells = [float(cell.split()[0]) for cell in row.strip("| ").split("|")[1:]]
    assert cells == pytest.approx([49.5, 95.4, 77.2], rel=0.01)


def test_the_picture_of_losses(tmp_path):
    draw_losses(tmp_path / "losses.svg")
    assert "claimed" in (tmp_path / "losses.svg").read_text()


def test_a_page_without_its_place_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- begin a -->\nx\n<!-- end a -->\n")
    with pytest.raises(ParameterError, match="no place for b"):
        fill(page, {"a": "new", "b": "other"})
    assert "x" in page.read_text()
    with pytest.raises(ParameterError, match="cannot read"):
        fill(tmp_path / "none.md", {})
