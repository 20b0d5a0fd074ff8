"""How many examples a test by Hypothesis meets: all in `make test-slow`, a third in `make test`."""

from hypothesis import settings

BRIEF, FULL = 20, 60


def examples(most):
    """Return settings of a test that needs another number of examples than others do."""
    return settings(max_examples=-(-most * settings().max_examples // FULL))
