"""The paper's experiments and studies that go beyond it, as data, each made by one command."""

from hush.studies.definition import Claim, Curve, Plot, Study
from hush.studies.definition.from_toml import PAPERS, SHIPPED, load_study, shipped_study
from hush.studies.execution import dask_executor, run_studies, run_study
from hush.studies.outcome import Outcome
from hush.studies.report.claims import Finding, check_claims

__all__ = [
    "PAPERS",
    "SHIPPED",
    "Claim",
    "Curve",
    "Finding",
    "Outcome",
    "Plot",
    "Study",
    "check_claims",
    "dask_executor",
    "load_study",
    "run_studies",
    "run_study",
    "shipped_study",
]
