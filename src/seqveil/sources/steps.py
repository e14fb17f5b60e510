"""The steps of a strptime pattern: what a kernel does one after the other along a value (`patterns.py`)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

YEAR, MONTH, DAY, YEARDAY, HOUR, HOUR12, HALF, MINUTE, SECOND, MICROS, WEEKDAY, OFFSET, EPOCH = range(13)
"""The fields of a moment."""

LITERAL, BLANKS, NUMBER, SHORT_YEAR, FRACTION, POINT, NAME, SHIFT, ZONE = range(9)
"""What a step does."""


class Step(NamedTuple):
    """One step: what to do, the field to fill (or the byte to find), and two numbers: fewest and most digits, or which words."""

    do: int
    field: int = 0
    first: int = 0
    last: int = 0


_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september"]
_MONTHS += ["october", "november", "december"]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WORDS = np.array([list(word.encode().ljust(10, b"\0")) for word in (*_MONTHS, *_DAYS, "am", "pm")], np.uint8)
"""Words in small letters, one a row, each with an end."""

_MONTH_NAME, _DAY_NAME, _HALF_NAME = Step(NAME, MONTH, 0, 12), Step(NAME, WEEKDAY, 12, 19), Step(NAME, HALF, 19, 21)
_TWO = {"m": MONTH, "d": DAY, "e": DAY, "H": HOUR, "k": HOUR, "I": HOUR12, "l": HOUR12, "M": MINUTE, "S": SECOND}
_FRACTIONS = {"f": (1, 9), "3f": (3, 3), "6f": (6, 6), "9f": (9, 9)}

DIRECTIVES: dict[str, Step | str] = {
    **{letter: Step(NUMBER, field, 1, 2) for letter, field in _TWO.items()},
    **{word: Step(FRACTION, MICROS, *digits) for word, digits in _FRACTIONS.items()},
    **{f".{word}": Step(POINT, MICROS, *digits) for word, digits in _FRACTIONS.items()},
    "Y": Step(NUMBER, YEAR, 4, 4),
    "y": Step(SHORT_YEAR, YEAR, 2, 2),
    "j": Step(NUMBER, YEARDAY, 3, 3),
    "s": Step(NUMBER, EPOCH, 1, 12),
    "b": _MONTH_NAME,
    "h": _MONTH_NAME,
    "B": _MONTH_NAME,
    "a": _DAY_NAME,
    "A": _DAY_NAME,
    "p": _HALF_NAME,
    "P": _HALF_NAME,
    "z": Step(SHIFT, OFFSET),
    ":z": Step(SHIFT, OFFSET),
    "Z": Step(ZONE),
    "%": Step(LITERAL, ord("%")),
    "n": Step(BLANKS),
    "t": Step(BLANKS),
    "F": "%Y-%m-%d",
    "D": "%m/%d/%y",
    "x": "%m/%d/%y",
    "T": "%H:%M:%S",
    "X": "%H:%M:%S",
    "R": "%H:%M",
    "r": "%I:%M:%S %p",
    "c": "%a %b %e %H:%M:%S %Y",
}
"""What stands after a percent sign, and the step or the pattern that it means."""

_LONGEST_FIRST = sorted(DIRECTIVES, key=len, reverse=True)


class Steps(NamedTuple):
    """The steps as a table for the kernel, and the fields that they fill."""

    table: NDArray[np.int64]
    fields: frozenset[int]


@lru_cache(maxsize=64)
def steps_of(pattern: str) -> Steps | None:
    """The steps of a pattern; None for one that has no meaning.

    >>> steps = steps_of("%d/%m")
    >>> steps.table.tolist(), steps.fields == {DAY, MONTH}, steps_of("%Q")
    ([[2, 2, 1, 2], [0, 47, 0, 0], [2, 1, 1, 2]], True, None)
    """
    steps: list[Step] = []
    at = 0
    while at < len(pattern):
        if pattern[at] != "%":
            bytes_of = pattern[at].encode("utf-8", "surrogatepass")
            steps += [Step(BLANKS)] if pattern[at].isspace() else [Step(LITERAL, byte) for byte in bytes_of]
            at += 1
            continue
        word = next((d for d in _LONGEST_FIRST if pattern.startswith(d, at + 1)), None)
        if word is None:
            return None
        meant = DIRECTIVES[word]
        if isinstance(meant, str):
            whole = steps_of(meant)
            assert whole is not None
            steps += [Step(*row) for row in whole.table.tolist()]
        else:
            steps.append(meant)
        at += 1 + len(word)
    filled = frozenset(step.field for step in steps if step.do not in (LITERAL, BLANKS, ZONE))
    return Steps(np.array(steps, np.int64).reshape(-1, 4), filled)
