"""Rewards that were really about people: published trials, from the packages that carry them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from hush.environments.bernoulli import Bernoulli
from hush.environments.log import Log
from hush.errors import MissingExtraError, choice
from hush.extras import require

__all__ = ["TRIALS", "actg175", "rand_health"]

Row = dict[str, str]
TREATMENTS = (
    "zidovudine",
    "zidovudine and didanosine",
    "zidovudine and zalcitabine",
    "didanosine",
)
OUTCOMES: dict[str, Callable[[Row], bool]] = {
    "event-free": lambda row: row["cens"] == "0",
    "CD4": lambda row: float(row["cd420"]) > float(row["cd40"]),
}
CHEAP = 100.0


def actg175(outcome: str = "event-free") -> Log:
    """Return the AIDS Clinical Trials Group Study 175, a row per patient.

    Adults with HIV and 200 to 500 CD4 cells per cubic millimetre were assigned at random, one as
    likely as the other, to four treatments; 2,139 of the trial's 2,467 patients are in these data.
    *An arm* is a treatment: zidovudine alone (532 patients), with didanosine (522) or with
    zalcitabine (524), or didanosine alone (561). *A person* is a patient, and has one row, one arm
    and one reward.

    Two rewards of 0 and 1 are made of the published columns. ``"event-free"``: 1 if none of the
    trial's events (the CD4 count halved, AIDS, or death) was seen as long as the patient was
    followed, 0 if one was (``cens`` 0 or 1). Patients were not followed equally long, which this
    leaves aside. ``"CD4"``: 1 if the CD4 count was larger after 20 weeks than at the beginning
    (``cd420 > cd40``), else 0. Neither says that a treatment is good for a patient; the trial's
    report does that.

    The data come with the package lifelines, from 0.30.3 on: ``pip install 'hush-dp[data]'``.

    Parameters
    ----------
    outcome
        ``"event-free"`` or ``"CD4"``.

    References
    ----------
    Hammer et al.: A Trial Comparing Nucleoside Monotherapy with Combination Therapy in HIV-Infected
    Adults with CD4 Cell Counts from 200 to 500 per Cubic Millimeter. New England Journal of
    Medicine 335, 1996. https://doi.org/10.1056/NEJM199610103351501

    Davidson-Pilon: lifelines, survival analysis in Python.
    https://doi.org/10.21105/joss.01317

    Examples
    --------
    >>> import hush
    >>> log = hush.actg175()
    >>> log.counts.tolist(), log.coins().means.round(3).tolist()
    ([532, 522, 524, 561], [0.66, 0.803, 0.792, 0.772])
    """
    choice("outcome", outcome, OUTCOMES)
    rows = _rows("hush.actg175", "lifelines 0.30.3", "datasets/ACTG175.csv")
    return Log(
        [TREATMENTS[int(row["arms"])] for row in rows],
        [OUTCOMES[outcome](row) for row in rows],
        persons=[row["pidnum"] for row in rows],
        names=TREATMENTS,
    )


def rand_health() -> Log:
    """Return the RAND Health Insurance Experiment, a row per person and year.

    Families were assigned to health insurance plans for three or five years. *An arm* is the share
    of a bill that the plan left to them, its coinsurance: 0, 25, 50, 95 or 100 per cent. *A row* is
    a year of a person's: 20,190 rows of 5,912 persons (``zper``), one to five each. *The reward* is
    1 if her medical spending in that year was below 100 dollars (``meddol < 100``), else 0.

    Low spending is no measure of health, and nobody should be steered to it; the reward is here
    because persons come back, and spending is private. Persons kept their plan, and the plans were
    of different sizes: arms were not drawn anew for each row, so that :func:`hush.replay` refuses
    this log. Play on its :meth:`~hush.Log.cohort` instead.

    The data come with the package statsmodels, from 0.15 on: ``pip install 'hush-dp[data]'``.

    References
    ----------
    Manning, Newhouse, Duan, Keeler, Leibowitz: Health Insurance and the Demand for Medical Care:
    Evidence from a Randomized Experiment. American Economic Review 77, 1987.
    https://www.jstor.org/stable/1804094

    Seabold, Perktold: statsmodels, econometric and statistical modeling with Python.
    https://doi.org/10.25080/Majora-92bf1922-011

    Examples
    --------
    >>> import hush
    >>> log = hush.rand_health()
    >>> log, log.names, log.coins().means.round(3).tolist()
    (<Log: 20190 rows, 5 arms>, ('0', '25', '50', '95', '100'), [0.705, 0.761, 0.791, 0.823, 0.766])
    """
    path = "datasets/randhie/src/randhie.csv"
    rows = _rows("hush.rand_health", "statsmodels 0.15", path)
    shares = [row["coins"] for row in rows]
    sizes = {share: shares.count(share) / len(shares) for share in set(shares)}
    return Log(
        shares,
        [float(row["meddol"]) < CHEAP for row in rows],
        propensities=[sizes[share] for share in shares],
        persons=[row["zper"] for row in rows],
    )


TRIALS: dict[str, Callable[[], Bernoulli]] = {
    "ACTG175": lambda: actg175().coins(),
    "ACTG175-CD4": lambda: actg175("CD4").coins(),
    "RAND": lambda: rand_health().cohort(),
}
"""Coins at the rates of trials, which the command line knows by name; ``RAND`` with its persons."""


def _rows(feature: str, needed: str, path: str) -> list[Row]:
    """Return the rows of a file that a package carries; the package is not imported."""
    require(feature)
    package = needed.partition(" ")[0]
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        file = Path(folder) / path
        if file.exists():
            with file.open(encoding="utf-8", newline="") as lines:
                return list(csv.DictReader(lines))
    line = f"{feature} needs {needed} or newer: pip install --upgrade 'hush-dp[data]'"
    raise MissingExtraError(line, name=package)
