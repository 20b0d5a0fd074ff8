"""The studies of other people's experiments: whole, and the same for any number of workers."""

import pytest

import hush
from hush.studies import PAPERS, SHIPPED, run_study, shipped_study
from hush.studies.definition.from_toml import read_study

TINY = """
runs = 6
horizon = 20_000
confidence = 0.9
epsilon = 1.0
checkpoints = "final"
[environment]
means = [0.9, 0.1]
[[policies]]
policy = "NoiseAwareBAI"
[[policies]]
policy = "DPTT"
threshold = "heuristic"
"""
READINGS = """
runs = 300
horizon = 1_000_000
epsilon = [0.5, 1.0]
checkpoints = "final"
[environment]
instance = "C4"
[[policies]]
policy = "hush.studies.readings:AdaPKLUCBReading"
shift = [0.5, 1.0]
[[policies]]
policy = "DPSE"
"""


def tiny(text):
    return read_study("tiny", text, "tiny.toml")


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", PAPERS)
def test_they_are_whole(name, quick):
    study = shipped_study(name, quick=quick)
    assert study.title != name
    assert study.about
    assert study.published or study.claims
    for each in study.published:
        assert each.value is not None or len(each.missing) > 20, "the missing quantity is named"
        assert len(set(each.tried)) == len(each.tried)


def test_no_name_stands_for_two_studies():
    assert not set(PAPERS) & set(SHIPPED)


def test_instances_are_those_of_the_source():
    study = shipped_study("azize-2025", quick=True)
    means = {dict(c.place)["instance"]: c.env.means.tolist() for c in study.curves}
    assert means == {
        "C1": [0.75, 0.7, 0.7, 0.7, 0.7],
        "S1": [0.75, 0.625, 0.5, 0.375, 0.25],
        "C3": [0.75, 0.53125, 0.375, 0.28125, 0.25],
        "C4": [0.75, 0.71875, 0.625, 0.46875, 0.25],
    }


@pytest.mark.parametrize("text", [READINGS, TINY])
def test_data_are_the_same_for_any_number_of_workers_and_after_a_restart(text, tmp_path):
    study = tiny(text)
    one = run_study(study, cache=tmp_path, workers=1)
    three = run_study(study, workers=3)
    again = run_study(study, cache=tmp_path, workers=2)
    assert one.runs_csv == three.runs_csv == again.runs_csv


def test_samples_are_kept_by_what_they_depend_on(tmp_path, monkeypatch):
    study = tiny(TINY)
    first = run_study(study, cache=tmp_path, workers=1)
    monkeypatch.setattr(hush, "identify", None)  # nothing is searched for again
    assert run_study(study, cache=tmp_path).runs_csv == first.runs_csv
    with pytest.raises(TypeError):
        run_study(study.resized(seed=1), cache=tmp_path)


def test_a_damaged_file_counts_as_missing(tmp_path):
    study = tiny(TINY)
    first = run_study(study, cache=tmp_path, workers=1)
    for file in (tmp_path / "samples").iterdir():
        file.write_bytes(b"x")
    assert run_study(study, cache=tmp_path, workers=1).runs_csv == first.runs_csv


def test_samples_are_those_of_identify():
    study = tiny(TINY)
    found = hush.identify(
        study.curves[0].policy, study.curves[0].env, confidence=0.9, runs=6, seed=2024, most=20_000
    )
    assert run_study(study, workers=1).curves[0].final.tolist() == found.samples[0].tolist()


def test_a_confidence_is_checked():
    with pytest.raises(hush.ParameterError, match=r"tiny.toml: confidence: .*1.5"):
        tiny(TINY.replace("0.9\n", "1.5\n", 1))
