"""δ in whole parts of 10⁻¹⁸, so that every sum is exact.

>>> in_parts("1e-6"), stated(in_parts("1e-6")), stated(in_parts("0.0000025")), stated(0)
(1000000000000, '1e-6', '2.5e-6', '0')
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from seqveil.errors import CallError
from seqveil.numbers import exact, shown
from seqveil.surface import parameter

PARTS = 10**18
"""Parts in δ = 1."""

LARGE_DELTA = PARTS // 1000
"""From here on a release comes with a warning: one unit in a thousand may be exposed entirely."""


def in_parts(delta: str | int | float | Decimal | Fraction) -> int:
    """The exact number of parts of a stated δ. A float is read as the decimal it prints as.

    >>> in_parts(0)
    Traceback (most recent call last):
    seqveil.errors.CallError: delta = 0: give a number above 0 and below 1, well below 1 divided by the number of users, for \
example 1e-6.
    >>> in_parts("1e-19")
    Traceback (most recent call last):
    seqveil.errors.CallError: delta = 1e-19 has more than 18 decimals; give at least 1e-18, for example 1e-6.
    """
    advice = "give a number above 0 and below 1, well below 1 divided by the number of users, for example 1e-6."
    try:
        number = exact(delta)
    except ValueError:
        raise CallError(f"delta = {shown(delta)} is not a number: {advice}") from None
    if not 0 < number < 1:
        raise CallError(f"delta = {delta}: {advice}")
    scaled = number * PARTS
    if scaled.denominator != 1:
        raise CallError(f"delta = {delta} has more than 18 decimals; give at least 1e-18, for example 1e-6.")
    return scaled.numerator


def stated(parts: int) -> str:
    """Parts as people write them: `1e-6`, `2.5e-7`, `0`."""
    if not parts:
        return "0"
    digits = str(parts)
    power = len(digits) - 19
    digits = digits.rstrip("0")
    return f"{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{power}"


def roomier(thresholds: int) -> int:
    """A δ that leaves room beside that of thresholds: twice as large, or half way to 1.

    >>> stated(roomier(in_parts("4e-7"))), stated(roomier(in_parts("0.8")))
    ('8e-7', '9e-1')
    """
    return min(2 * thresholds, (thresholds + PARTS) // 2)


def too_crowded(parts: int, size: int | None, unit: str) -> str | None:
    """The warning about a δ that is not well below one in the number of units.

    >>> print(too_crowded(in_parts("1e-6"), 500_000, "user"))
    delta = 1e-6 with 500,000 users: choose δ well below 1/500,000, for example delta=1e-8
    >>> too_crowded(in_parts("1e-6"), 100_000, "user"), too_crowded(in_parts("1e-6"), None, "user")
    (None, None)
    """
    if size is None or parts * size * 10 <= PARTS:
        return None
    example = parameter("delta", f"1e-{min(len(str(size)) + 2, 18)}")
    return f"delta = {stated(parts)} with {size:,} {unit}s: choose δ well below 1/{size:,}, for example {example}"


def too_likely(parts: int, unit: str) -> str | None:
    """The warning about a δ that is too large to be neglected.

    >>> print(too_likely(in_parts("0.01"), "user"))
    delta = 1e-2 is too large: with that probability the guarantee may fail for a user. Choose δ well below 1 divided by the \
number of users, for example delta=1e-6
    >>> too_likely(in_parts("1e-6"), "user")
    """
    if parts < LARGE_DELTA:
        return None
    return (
        f"delta = {stated(parts)} is too large: with that probability the guarantee may fail for a {unit}. Choose δ well below 1 "
        f"divided by the number of {unit}s, for example {parameter('delta', '1e-6')}"
    )
