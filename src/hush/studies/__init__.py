"""The paper's experiments and studies that go beyond it, as data, each made by one command."""

from hush.studies.definition import Claim, Curve, Plot, Published, Study
from hush.studies.definition.from_toml import (
    PAPERS,
    SHIPPED,
    load_study,
    shipped_study,
    shipped_text,
)
from hush.studies.execution import dask_executor, run_studies, run_study
from hush.studies.outcome import Outcome
from hush.studies.report.claims import Finding, check_claims
from hush.studies.report.comparisons import Comparison, compare_published

__all__ = [
    "PAPERS",
    "SHIPPED",
    "Claim",
    "Comparison",
    "Curve",
    "Finding",
    "Outcome",
    "Plot",
    "Published",
    "Study",
    "check_claims",
    "compare_published",
    "dask_executor",
    "load_study",
    "run_studies",
    "run_study",
    "shipped_study",
    "shipped_text",
]
