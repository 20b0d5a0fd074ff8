"""``hush audit``: one policy, all of them, the planted bugs."""

import json

import pytest
from typer.testing import CliRunner

from hush.auditing import side_by_side
from hush.cli.app import app
from hush.policies import REGISTERED
from hush.testing.planted import PLANTED

pytestmark = pytest.mark.usefixtures("brief_audits")


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


@pytest.mark.untraced
def test_consistent_policies_exit_with_zero():
    methods = ("--method", "replay", "--method", "exact", "--rounds", "64")
    shown = run("AnytimeLazyUCB:epsilon=0.3", *methods)
    assert shown.exit_code == 0, shown.output
    assert "epsilon = 0.3 under replace" in shown.output


@pytest.mark.untraced
def test_the_claim_and_the_neighbours_can_be_changed():
    common = ("RNMFTNL.as_printed", "--method", "construction", "--arms", "2")
    assert run(*common, "--neighbours", "add-remove").exit_code == 0
    assert run(*common, "--claim", "2").exit_code == 0
    assert run(*common, "--claim", "1.5").exit_code == 2  # nothing was proved
    assert run(*common, "--claim", "1.5", "--method", "exact").exit_code == 1


def test_a_persons_rewards_change_together(tmp_path):
    page = tmp_path / "report.html"
    replay = ("--method", "replay", "--rounds", "32")
    shown = run(
        "hush.testing.planted:SpentOnEach", *replay, "--person-bound", "3", "--out", str(page)
    )
    assert shown.exit_code == 1, shown.output
    assert "epsilon = 1 under replace, per person of up to 3 rewards" in shown.output
    assert "all of one person" in shown.output
    assert "per person of up to 3 rewards" in page.read_text()
    proved = run("LazyDPTS", "--method", "construction", "--person-bound", "3")
    assert proved.exit_code == 0
    assert "epsilon = 3 under replace, per person" in proved.output


def test_what_is_not_private_can_be_refused():
    assert run("UCB1").exit_code == 0
    assert run("UCB1", "--require-private").exit_code == 1
    assert run("LazyDPTS", "--require-private", "--method", "construction").exit_code == 0


@pytest.mark.untraced
def test_replay_takes_a_length_and_stops_at_the_first_violation():
    common = ("hush.testing.planted:HalfTheNoise", "--method", "replay", "--method", "exact")
    shown = run(*common, "--rounds", "64", "--first")
    assert shown.exit_code == 1
    assert "up to 64 rounds" in shown.output
    assert "exact:" not in shown.output


def test_an_interrupted_audit_of_all_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(side_by_side, "REGISTERED", side_by_side.REGISTERED[:2])
    options = {"methods": ("construction",)}
    first = side_by_side.audit_registered(1.0, options, 1, tmp_path / "parts")
    assert len(list((tmp_path / "parts").iterdir())) == 2

    def never(*work):
        raise AssertionError

    monkeypatch.setattr(side_by_side, "audit", never)
    again = side_by_side.audit_registered(1.0, options, 1, tmp_path / "parts")
    assert [each.to_dict() for each in again] == [each.to_dict() for each in first]


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


@pytest.mark.untraced
def test_your_own_policy(tmp_path, monkeypatch):
    (tmp_path / "careless_policies.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    replay = ("--method", "replay", "--rounds", "64")
    shown = run("careless_policies:Careless", "--epsilon", "0.5", *replay)
    assert shown.exit_code == 1
    assert "lose 1.5 at most" in shown.output
    fine = run("careless_policies:Careless:factor=1.0", *replay)
    assert fine.exit_code == 2
    assert "one method is not enough" in fine.output
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
        (("--all", "--out", "x.html"), "--out and --rho are for one policy"),
        (("--all", "--workers", "0"), "--workers"),
        (("RNMFTNL.as_printed:growth=2",), "takes no parameters"),
        (("LazyDPTS", "--epsilon", "-1"), "epsilon"),
        (("LazyDPTS", "--person-bound", "0"), "person_bound must be a whole number"),
        (("LazyDPTS", "--person-bound", "1.5"), "--person-bound"),
    ],
)
def test_bad_arguments_say_what_to_do(arguments, message):
    shown = run(*arguments)
    assert shown.exit_code == 2
    assert message in " ".join(shown.output.split())


@pytest.mark.slow
def test_planted_bugs_side_by_side(monkeypatch):
    some = ("half the noise", "a sum not reset")
    monkeypatch.setattr(side_by_side, "PLANTED", {bug: PLANTED[bug] for bug in some})
    shown = run("--planted", "--method", "replay", "--workers", "2", "--rounds", "16")
    assert shown.exit_code == 1, shown.output
    (line,) = [line for line in shown.output.splitlines() if "half the noise" in line]
    assert line.split()[-4:] == ["replay", "2", "-", "-"]


@pytest.mark.slow
def test_all_registered_policies_are_proved(tmp_path, monkeypatch):
    """Every private policy is proved; as printed, RNM-FTNL is violated one way."""
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["audit", "--all"], env={"COLUMNS": "180"})
    assert shown.exit_code == 0, shown.output
    rows = [line.split() for line in shown.output.splitlines()]
    private = sum(bool({"epsilon", "rho"} & set(cls.__dataclass_fields__)) for cls in REGISTERED)
    assert sum("proved" in row for row in rows) == private + 1
    assert not (tmp_path / "results" / "audit-parts").exists()
    assert sum("violated" in row for row in rows) == 1
