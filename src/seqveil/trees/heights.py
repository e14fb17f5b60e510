"""How high a tree may be declared to be."""

from __future__ import annotations

from seqveil.parameters import unfit

MOST_HEIGHT = 10_000
"""ε is divided over the levels: nothing is left of it on trees that are higher, and planning them would take minutes."""


def check_height(usual: int, **given: int) -> None:
    """Refuse a height, given by the name of its parameter, that no tree can have.

    >>> check_height(12, h=10**8)
    Traceback (most recent call last):
    seqveil.errors.CallError: h=100000000: give a whole number from 1 to 10,000; 12 is usual.
    """
    for name, height in given.items():
        if not 1 <= height <= MOST_HEIGHT:
            raise unfit(f"give a whole number from 1 to {MOST_HEIGHT:,}; {usual} is usual.", **{name: height})
