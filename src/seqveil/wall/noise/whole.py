"""Whole numbers as arguments."""

from __future__ import annotations

import operator
from typing import Any

from seqveil.errors import CallError


def whole(name: str, value: Any, least: int) -> int:
    """The argument as a Python integer of at least `least`.

    >>> whole("size", 3, 0)
    3
    >>> whole("size", -1, 0)
    Traceback (most recent call last):
    seqveil.errors.CallError: size = -1: give a whole number of at least 0.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise CallError(f"{name} = {value}: give a whole number of at least {least}.")
    return number
