"""The ids of decisions: they say everything, and nobody can forge one."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.live.ids import DecisionId, DeferredId, bit_of
from hush.live.keys import Keys

KEYS, OTHER = Keys(bytes(32)), Keys(b"x" * 32)
small, large = st.integers(0, 2**32 - 1), st.integers(0, 2**63 - 1)
workers = st.integers(-(2**63), 2**63 - 1)
decisions = st.builds(DecisionId, small, small, large, workers, small, large)
short = st.integers(0, 2**16 - 1)
deferred = st.builds(
    DeferredId, small, small, short, short, workers, small, large, st.floats(0.0, 1.0)
)


@given(decisions)
def test_what_is_read_is_what_was_written(made):
    text = made.text(KEYS)
    assert len(text) == 64
    assert DecisionId.read(text, KEYS) == made
    assert DecisionId.read(text, OTHER) is None
    assert text.replace("-", "").replace("_", "").isalnum()


@given(deferred, st.binary(min_size=16, max_size=16))
def test_a_deferred_one_binds_its_person(made, person):
    text = made.text(KEYS, person)
    assert len(text) == 72
    assert DeferredId.read(text, KEYS, person) == made
    assert DeferredId.read(text, KEYS, person[::-1] + b"x") is None
    assert DeferredId.read(text, OTHER, person) is None
    assert DecisionId.read(text, KEYS) is None


@given(decisions, st.integers(0, 47), st.integers(1, 255))
def test_no_byte_can_be_changed(made, place, change):
    raw = bytearray(base64.urlsafe_b64decode(made.text(KEYS)))
    raw[place] ^= change
    assert DecisionId.read(base64.urlsafe_b64encode(bytes(raw)).decode(), KEYS) is None


@given(
    st.one_of(st.text("Aa-_=+/ 0\n", max_size=80), st.none(), st.integers(), st.binary(max_size=70))
)
def test_whatever_else_is_none(text):
    assert DecisionId.read(text, KEYS) is None
    assert DeferredId.read(text, KEYS, bytes(16)) is None


@pytest.mark.parametrize("text", ["=" * 64, "A" * 63 + "=", "\n" * 64, "é" * 64, "A" * 60 + "===="])
def test_paddings_and_signs(text):
    assert DecisionId.read(text, KEYS) is None


def bits(unit, worker, keys=KEYS, many=4_000):
    return [bit_of(unit, worker, ordinal, keys) for ordinal in range(many)]


def test_a_bit_is_the_decisions_own():
    assert bits(0.5, -5) == bits(0.5, -5)
    others = [bits(0.5, worker, keys) for worker in (-5, 5) for keys in (KEYS, OTHER)]
    assert len({tuple(each) for each in others}) == 4


@pytest.mark.parametrize("unit", [0.0, 0.001, 0.25, 0.5, 0.999, 1.0])
def test_bits_are_1_as_often_as_the_reward_is_large(unit):
    # The keys are fixed, so it fails always or never; for a good key with chance 6e-5 (z = 4).
    found = bits(unit, 5)
    assert abs(sum(found) - len(found) * unit) <= 4 * (len(found) * unit * (1 - unit)) ** 0.5


def test_a_larger_reward_never_gives_a_smaller_bit():
    small, large = bits(0.3, 5), bits(0.6, 5)
    assert all(a <= b for a, b in zip(small, large, strict=True))
