"""Studies whose regret is computed: what they hold, what their claims say, what is refused."""

import subprocess
import sys

import pytest
from tests.studies.small import small

import hush
from hush.studies import check_claims, exact_curves, run_study
from hush.theory import exact_regret

EXACT = """
exact = true
horizon = [100, 1e6]
epsilon = [0.5, 1.0]
checkpoints = "final"
relative_to = ["conjectured rate", "brackets"]
[environment]
family = "packing"
arms = [2, 8, 32]
gap = 0.1
[[policies]]
policy = "RNMFTNL"
[[policies]]
policy = "FTL"
"""
BOUNDED = """
[[claims]]
text = "t"
test = "bounded"
policy = "RNMFTNL"
relative_to = "conjectured rate"
"""
ONE = EXACT.replace('[[policies]]\npolicy = "FTL"', "")


@pytest.mark.slow
def test_regret_is_what_theory_computes():
    outcome = run_study(small(EXACT.replace(', "brackets"', "")).resized(runs=9), workers=1)
    assert {each.regret.shape for each in outcome.curves} == {(1, 1)}  # no runs to resize
    each = outcome.find("RNMFTNL", {"epsilon": 0.5, "arms": 8, "horizon": 10**6})[0]
    # In another process, and sums of other shapes: they may be rounded another way.
    expected = exact_regret(hush.RNMFTNL(0.5), hush.packing(8, 0.1), 10**6, checkpoints=[]).final
    assert each.final.tolist() == pytest.approx([expected], rel=1e-13)
    summary = outcome.summary()
    assert (summary["low"] == summary["high"]).all()
    assert (summary["se"] == 0.0).all()


def test_they_are_computed_beside_the_simulations(monkeypatch):
    """In a process of their own; several studies share what they have in common."""
    asked = []

    def elsewhere(function, curves):
        asked.append(len(curves))
        return function(curves)

    monkeypatch.setattr(exact_curves, "call_in_fresh_process", elsewhere)
    from hush.studies import run_studies

    simulated = small(ONE.replace("exact = true", "runs = 2"))
    outcomes = run_studies([small(ONE), simulated, small(ONE)])
    assert asked == [12]
    assert outcomes[0].digest == outcomes[2].digest
    assert outcomes[1].curves[0].regret.shape == (2, 1)


def test_what_goes_wrong_is_told_to_whoever_asks(monkeypatch):
    def fails(function, curves):
        raise MemoryError("too many actions")

    monkeypatch.setattr(exact_curves, "call_in_fresh_process", fails)
    with pytest.raises(MemoryError, match="too many actions"):
        run_study(small(ONE))


@pytest.mark.usefixtures("exact_here")
@pytest.mark.parametrize(("factor", "verdict"), [(9.0, "holds"), (0.1, "does not hold")])
def test_exact_figures_decide(factor, verdict):
    (finding,) = check_claims(run_study(small(f"{ONE}{BOUNDED}factor = {factor}")))
    assert finding.verdict == verdict
    assert "over 12 places, exact" in finding.figures


@pytest.mark.usefixtures("exact_here")
def test_growth_relative_to_a_yardstick():
    claim = """
[[claims]]
text = "t"
test = "rate"
policy = "RNMFTNL"
against = "arms"
relative_to = "conjectured rate"
exponent = 0.0
within = 0.2
where = {{ horizon = 1e6, epsilon = {epsilon} }}
"""
    text = ONE.replace("epsilon = [0.5, 1.0]", "epsilon = [0.02, 1.0]")
    (finding,) = check_claims(run_study(small(text + claim.format(epsilon=0.02))))
    assert finding.verdict == "holds"
    assert finding.figures.startswith("exponent of arms at horizon 10^6, epsilon 0.02: ")
    assert finding.figures.endswith(", exact")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"RNMFTNL"', '"LazyDPTS"'), r"policies\[1\]: exact regret is known for full-information"),
        (('"RNMFTNL"', '"ShrinkingDartboard"'), r"policies\[1\]: exact regret is known"),
        (("exact = true", "exact = true\nruns = 5"), "runs: exact regret is computed"),
        (('"RNMFTNL"', '"RNMFTNL"\nruns = 5'), r"policies\[1\].runs: exact regret is computed"),
        (("exact = true", "exact = 1"), "exact: must be true or false"),
        (("1e6]", "1e17]"), "2\\^50 rounds"),
        (('"brackets"', '"bracket"'), "relative_to: .*bracket"),
        (('"RNMFTNL"', '"FTL"'), "relative_to: .*brackets"),
    ],
)
def test_what_cannot_be_computed_is_refused(change, message):
    with pytest.raises(hush.HushError, match=message) as caught:
        small(ONE.replace(*change))
    assert str(caught.value).startswith("small.toml: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOUNDED, r"claims\[1\].factor: is missing"),
        (
            BOUNDED.replace("conjectured rate", "rate") + "factor = 2",
            "relative_to: unknown yardstick",
        ),
        (
            BOUNDED.replace('relative_to = "conjectured rate"', "factor = 2"),
            "relative_to: is missing",
        ),
        ('[[plots]]\nkind = "time"\nrelative_to = "brackets"', "relative_to: goes with kind"),
        (
            '[[claims]]\ntext = "t"\ntest = "rate"\npolicy = "RNMFTNL"\nagainst = "round"\n'
            'rounds = [10, 100]\nrelative_to = "brackets"',
            "relative_to: goes with a swept parameter",
        ),
    ],
)
def test_yardsticks_of_plots_and_claims(text, message):
    with pytest.raises(hush.HushError, match=message):
        small(ONE + text)


def test_studies_are_light_to_import():
    code = "import sys, hush.studies; sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
