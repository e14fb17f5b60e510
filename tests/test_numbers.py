"""The one reader of numbers: what it takes, what it refuses, and that it never takes long."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.numbers import exact, ratio, real, shown, whole
from seqveil.wall.budget import grains


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_as_they_print(value: float) -> None:
    assert Fraction(repr(value)) == exact(value)
    assert value == real(repr(value))


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_whole_numbers_of_eighteen_digits_are_read(value: int) -> None:
    assert value == whole(str(value)) == exact(value)


@given(st.text(max_size=80))
def test_any_other_text_is_a_value_error(text: str) -> None:
    """Nothing else is raised, and what is read is what Python reads."""
    for read, same in ((exact, Fraction), (whole, int), (real, float), (ratio, Fraction)):
        try:
            value = read(text)
        except ValueError:
            continue
        assert same(text.replace(" ", "")) == value


@pytest.mark.parametrize("text", ["1e9999", "1e-9999", "9" * 65, "١", "1_0", "nan", "-inf", "", " ", "1e", ".", "0x1", "1/2"])
def test_what_is_not_plain_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        exact(text)


@pytest.mark.parametrize("text", ["1/0", "1/", "/2", "1/2/3", "1.5/2"])
def test_a_quotient_is_of_two_whole_numbers(text: str) -> None:
    with pytest.raises(ValueError):
        ratio(text)


@pytest.mark.parametrize(
    "epsilon", [Decimal("1e999999999"), 10**5000, math.inf, math.nan, Decimal("sNaN"), "1e999999999"], ids=range(6)
)
def test_an_epsilon_from_python_is_bounded_too(epsilon: object) -> None:
    with pytest.raises(CallError, match="is not a number: give a number above 0"):
        grains(epsilon)  # type: ignore[arg-type]


def test_what_was_given_is_shown_in_short() -> None:
    assert ["'1'", "a number of thousands of digits", 40] == [shown("1"), shown(10**5000), len(shown("9" * 99))]
