"""Epsilon in integer grains, so that every sum is exact.

One unit of epsilon is 10¹² grains. Decimals are exact, divisions round down, and sums along the paths of a tree are plain
`int64` arithmetic: `0.1 + 0.2` is `0.3`, and nothing is ever overspent by rounding.

>>> grains("0.1") + grains("0.2") == grains("0.3")
True
>>> decimal(grains("1.0") // 3)
'0.333333333333'
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from seqveil.errors import CallError
from seqveil.numbers import exact, shown
from seqveil.surface import parameter

GRAINS = 10**12
"""Grains in one unit of epsilon."""

MOST_EPSILON = 1_000_000
"""Above this a stated epsilon promises nothing, and path sums could leave int64."""

LARGE_EPSILON = 20
"""Above this a release comes with a warning: e^20 is about 500 million."""


def grains(epsilon: str | int | float | Decimal | Fraction) -> int:
    """The exact number of grains of a stated epsilon.

    A float is read as the decimal it prints as, so `grains(0.1) == grains("0.1")`.

    >>> grains("1.5")
    1500000000000
    >>> grains("0")
    Traceback (most recent call last):
    seqveil.errors.CallError: epsilon = 0: give a number above 0 and at most 1,000,000, for example 1.0.
    >>> grains("1e-13")
    Traceback (most recent call last):
    seqveil.errors.CallError: epsilon = 1e-13 has more than 12 decimals; write it with at most 12, for example 0.000000000001.
    """
    advice = "give a number above 0 and at most 1,000,000, for example 1.0."
    try:
        stated = exact(epsilon)
    except ValueError:
        raise CallError(f"epsilon = {shown(epsilon)} is not a number: {advice}") from None
    if not 0 < stated <= MOST_EPSILON:
        raise CallError(f"epsilon = {epsilon}: {advice}")
    scaled = stated * GRAINS
    if scaled.denominator != 1:
        nearest = decimal(max(1, int(scaled)))
        raise CallError(f"epsilon = {epsilon} has more than 12 decimals; write it with at most 12, for example {nearest}.")
    return scaled.numerator


def too_large(amount: int, unit: str) -> str | None:
    """The warning about an epsilon that protects next to nothing, whatever the method is.

    >>> print(too_large(grains("50"), "user"))
    epsilon = 50.0 is too large to protect anything: one user may change the probability of an outcome by a factor of e^50.0. \
Choose a smaller one, for example epsilon=1.0
    >>> too_large(grains("20"), "user")
    """
    if amount <= LARGE_EPSILON * GRAINS:
        return None
    return (
        f"epsilon = {decimal(amount)} is too large to protect anything: one {unit} may change the probability of an outcome by "
        f"a factor of e^{decimal(amount)}. Choose a smaller one, for example {parameter('epsilon', '1.0')}"
    )


def decimal(amount: int) -> str:
    """Grains as a plain decimal, without trailing zeros but with at least one digit after the point.

    >>> decimal(1_500_000_000_000), decimal(10**12), decimal(0), decimal(1)
    ('1.5', '1.0', '0.0', '0.000000000001')
    """
    sign, amount = ("-", -amount) if amount < 0 else ("", amount)
    whole, rest = divmod(int(amount), GRAINS)
    return f"{sign}{whole}.{f'{rest:012d}'.rstrip('0') or '0'}"
