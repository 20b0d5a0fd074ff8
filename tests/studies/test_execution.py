"""Running studies: their curves on the one executor."""

import pytest
from tests.studies.small import SMALL, small

import hush
from hush.studies import run_study


def test_a_policy_that_cannot_be_played_names_its_study():
    study = small(SMALL.replace("horizon = 2000", "horizon = 1e15"))
    with pytest.raises(hush.ParameterError, match=r"small: UCB1: .*take days"):
        run_study(study)
