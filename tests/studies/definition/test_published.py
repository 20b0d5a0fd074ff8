"""Published figures in a study's file."""

import pytest
from tests.studies.small import SMALL, small

import hush

ENTRY = """
[[published]]
figure = "figure 2"
policy = "LazyDPTS"
where = { epsilon = 0.5 }
value = 1394
reading = 14
runs = 20
"""


def test_a_published_figure_is_read():
    (found,) = small(SMALL + ENTRY).published
    assert (found.figure, found.policy, found.where) == (
        "figure 2",
        "LazyDPTS",
        (("epsilon", 0.5),),
    )
    assert (found.value, found.reading, found.runs, found.most) == (1394.0, 14.0, 20, False)
    assert not small().published


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value = 1394\n", "", "say under missing"),
        ("value = 1394", 'value = 1394\nmissing = "x"', "say under missing"),
        ("value = 1394", 'missing = "x"', r"published\[1\].reading: goes with a value"),
        ('"LazyDPTS"\nwhere', '"LazyDPT"\nwhere', "did you mean 'LazyDPTS'"),
        ("epsilon = 0.5 }\n", "epsilon = 0.3 }\n", "0.3 is not among"),
        ("reading = 14", "reading = -1", r"published\[1\].reading: reading must be"),
        ("runs = 20", "runs = 0", r"published\[1\].runs"),
        ("runs = 20", 'tried = ["UCB2"]', "did you mean 'UCB1'"),
        ("runs = 20", "over = { alpha = 2 }", "unknown swept parameter 'alpha'"),
        ("runs = 20", "run = 20", "did you mean 'runs'"),
    ],
)
def test_mistakes_name_the_key(old, new, message):
    with pytest.raises(hush.HushError, match=message):
        small(SMALL + ENTRY.replace(old, new))
