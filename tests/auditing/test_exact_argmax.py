"""The worst noisy argmax of a policy: where it is looked for, and where it is not."""

import ast
from pathlib import Path

import pytest

import hush
import hush.auditing
from hush.auditing.attacked_claim import Claim
from hush.auditing.exact_argmax import worst_argmax
from hush.auditing.search import Search


def searched(policy, n_arms=2, rewards=1):
    search = Search()
    worst_argmax(policy, n_arms, Claim(1.0, rewards=rewards), 7, search)
    return search


def test_laplace_noise_is_attacked_as_simulated_and_as_deployed():
    search = searched(hush.RNMFTNL.as_printed(1.0))
    assert set(search.facts["loss_by_epoch"]) == {"laplace", "discrete-laplace"}
    assert search.loss == pytest.approx(2.0, abs=0.02)
    assert "an epoch of" in search.witness.first


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
def test_what_is_found_is_called_a_lower_bound_and_proves_nothing():
    search = searched(hush.RNMFTNL(1.0))
    assert "a lower bound on the worst" in search.parts[-1]
    assert "the worst found in epochs up to 256" in search.witness.note
    report = hush.audit(hush.RNMFTNL(1.0), n_arms=2, methods=["exact"])
    assert [each.status for each in report.findings] == ["consistent"]
    assert report.verdict != "proved"


def test_all_of_a_persons_vectors_are_in_one_epoch():
    search = searched(hush.RNMFTNL(1.0), rewards=3)
    assert search.loss == pytest.approx(3.0, rel=1e-6)
    assert search.differing == 3
    witness = search.witness
    assert witness.rounds == (1, 2, 3)
    assert witness.note.endswith("the first 3 vectors are one person's")
    assert witness.first == "an epoch of 10 x3, 01 x3"
    assert witness.second == "an epoch of 01 x6"


def test_construction_alone_proves():
    files = Path(hush.auditing.__file__).parent.glob("*.py")
    saying = {
        path.stem
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "Finding"
        and "'proved'" in ast.unparse(node)
    }
    assert saying == {"construction"}


@pytest.mark.parametrize(
    ("policy", "n_arms"), [(hush.LazyDPTS(1.0), 2), (hush.FTL(), 2), (hush.RNMFTNL(1.0), 9)]
)
def test_nothing_is_claimed_where_nothing_is_known(policy, n_arms):
    assert searched(policy, n_arms).witness is None
