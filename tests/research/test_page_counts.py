"""Counts that pages have in their prose, next to figures that a run writes."""

import inspect

import pytest

import hush
from hush.policies import REGISTERED
from research.comparison import Scale as Comparison
from research.noise_aware_ts import Scale
from research.pages import DOCS

WORDS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight"}
COUNTERS = WORDS[sum(getattr(cls, "counter", None) is not None for cls in REGISTERED)]
SAMPLES = inspect.signature(hush.audit).parameters["samples"].default


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("audit", f"what {SAMPLES:,} samples prove"),
        ("policies", f"{COUNTERS} policies release a running sum every round"),
        ("privacy", f"{COUNTERS} policies keep a [counter]"),
        ("noise_aware_ts", f"On {Scale().tuning} random instances"),
        ("noise_aware_ts", f"{Scale().early} random instances of 2 to 8 arms"),
        ("noise_aware_ts", f"on {Scale().unseen} random instances that no"),
        ("comparison", f"among {Comparison().tail_runs:,} runs each"),
    ],
)
def test_prose_counts_what_is_run(page, words):
    assert words in (DOCS / f"{page}.md").read_text(encoding="utf-8")
