"""Figures that tests print; pytest shows them with -s or -rP."""


def tell(text):
    """Print a line."""
    print(text)  # noqa: T201  the figures are what the test is run for
