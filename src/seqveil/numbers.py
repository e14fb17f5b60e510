"""Numbers as people type them, read exactly and in bounded time.

Python takes minutes to read `1e999999999` exactly, takes `١٢`, `1_000` and `nan` for numbers, and raises where an integer has
more than 4,300 digits. Every number that is typed, or stands in a file of parameters, is read here instead: plain ASCII digits,
a point, an exponent of at most three digits, nothing longer than anybody needs.

>>> exact("0.1"), exact(0.1), exact("2.5e3")
(Fraction(1, 10), Fraction(1, 10), Fraction(2500, 1))
>>> exact("1e999999999")
Traceback (most recent call last):
ValueError: not a plain number
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

LONGEST = 64
"""Characters of a number; what Python prints for a float has at most 24."""

_EXACT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
"""Whole numbers fit into 64 bits, with room for a sum."""

_SHOWN = 40


def exact(value: str | int | float | Decimal | Fraction) -> Fraction:
    """The exact value of a decimal number; ValueError for anything else. A float is the decimal that it prints as."""
    if isinstance(value, Fraction):
        return value
    text = str(value).strip()
    if len(text) > LONGEST or not _EXACT.fullmatch(text):
        raise ValueError("not a plain number")
    return Fraction(text)


def ratio(value: str | int | float | Decimal | Fraction) -> Fraction:
    """Like `exact`, or a quotient of two whole numbers.

    >>> ratio("3/5"), ratio("0.6")
    (Fraction(3, 5), Fraction(3, 5))
    """
    above, slash, below = value.partition("/") if isinstance(value, str) else (value, "", "")
    if not slash:
        return exact(value)
    if not (divisor := whole(below)):
        raise ValueError("a division by 0")
    return Fraction(whole(str(above)), divisor)


def whole(text: str) -> int:
    """A whole number of at most 18 digits; ValueError for anything else.

    >>> whole(" 12 ")
    12
    """
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError("not a whole number of at most 18 digits")
    return int(text)


def real(text: str) -> float:
    """A finite float; ValueError for anything else.

    >>> real("0.25")
    0.25
    """
    exact(text)
    value = float(text)
    if value - value != 0:
        raise ValueError("too large for a float")
    return value


def shown(value: object) -> str:
    """What was given, short enough for a message.

    >>> shown("1.5"), shown("9" * 5000)
    ("'1.5'", "'9999999999999999999999999999999999999…'")
    """
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}…{text[-1] if isinstance(value, str) else ''}"
