"""Audits: privacy that is checked, not claimed.

Three attacks on a policy's guarantee, strongest first (replay, exact, statistical), a test of the
deployed noise, and a report with a witness that a person can check by hand.
"""

from hush.auditing.attack import METHODS, audit
from hush.auditing.enumeration import ArmLaw, enumerate_law
from hush.auditing.finding import Finding, Witness
from hush.auditing.report import AuditReport
from hush.auditing.samplers import LawCheck, check_argmax, check_laplace, marked_share
from hush.auditing.statistical import loss_bound, samples_needed
from hush.auditing.winners import WorstWinner, worst_winner
from hush.numerics.noisy_argmax import win_chances as winner_law

__all__ = [
    "METHODS",
    "ArmLaw",
    "AuditReport",
    "Finding",
    "LawCheck",
    "Witness",
    "WorstWinner",
    "audit",
    "check_argmax",
    "check_laplace",
    "enumerate_law",
    "loss_bound",
    "marked_share",
    "samples_needed",
    "winner_law",
    "worst_winner",
]
