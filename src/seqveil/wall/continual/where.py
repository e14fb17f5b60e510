"""Which events a continual count counts: a comparison, written as text so that it can stand in a promise."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.tables.spelling import spelling

_PARTS = re.compile(r"\s*(==|=|!=|<=|>=|<|>|in\b)\s*(.*\S)\s*", re.DOTALL)
_ORDER = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def number(event: object) -> float | None:
    """An event as a finite number, or None: null, text that is no number, NaN, an infinity, what has no spelling. Never raises.

    >>> number("2.5"), number(" 7 "), number("seven"), number("nan"), number(None), number(True)
    (2.5, 7.0, None, None, None, 1.0)
    """
    if isinstance(event, str):
        event = str.__str__(event)  # of a subclass, its text and none of its own code
    elif spelling(event) is None:
        return None
    try:
        value = float(event)  # type: ignore[arg-type]
    except Exception:  # numbers may be of anybody's own type
        return None
    return value if value - value == 0 else None


def text_of(event: object) -> str | None:
    """An event as text, or None: null, empty text, what has no spelling. Never raises.

    >>> text_of("home"), text_of(5), text_of(""), text_of([1]), text_of(10**5000)
    ('home', '5', None, None, None)
    """
    if isinstance(event, str):
        return str.__str__(event) or None
    if spelling(event) is None:
        return None
    try:
        return str(event)
    except Exception:  # as above
        return None


def compared(event: object, text: str) -> float | str:
    """What an event with this text is compared by: a number where it is one, else the text.

    >>> compared("5.0", "5.0"), compared("home", "home")
    (5.0, 'home')
    """
    value = number(event)
    return text if value is None else value


@dataclass(frozen=True)
class Where:
    """A comparison of one event: `= a`, `!= a`, `< 5`, `<= 5`, `> 5`, `>= 5`, `in a,b,c`.

    Numbers are compared as numbers where both sides are numbers, else as text.

    >>> Where(">= 5").holds("7.5"), Where("= home").holds("work"), Where("in a,b").holds("b"), Where("< 5").holds("?")
    (True, False, True, None)
    >>> Where("power > 5")
    Traceback (most recent call last):
    seqveil.errors.CallError: where='power > 5': write a comparison of the event, for example '>= 5', '= home' or 'in a,b,c'.
    >>> Where("=> 5")
    Traceback (most recent call last):
    seqveil.errors.CallError: where='=> 5': write '>= 5'.
    """

    text: str
    _sign: str = field(init=False, repr=False, compare=False)
    _words: frozenset[str] = field(init=False, repr=False, compare=False)
    _numbers: frozenset[float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        named, parts = parameter("where", repr(self.text)), _PARTS.fullmatch(self.text)
        if parts is None:
            raise CallError(f"{named}: write a comparison of the event, for example '>= 5', '= home' or 'in a,b,c'.")
        sign, operand = parts.groups()
        if sign in ("=", "==") and operand[0] in "<>!":
            raise CallError(f"{named}: write '{operand[0]}= {operand[1:].strip()}'.")
        words = [word.strip() for word in operand.split(",")] if sign == "in" else [operand.strip("'\"")]
        numbers = frozenset(value for word in words if (value := number(word)) is not None)
        if sign in _ORDER and not numbers:
            raise CallError(f"{named}: {sign} needs a number, for example '{sign} 5'.")
        object.__setattr__(self, "_sign", sign)
        object.__setattr__(self, "_words", frozenset(words))
        object.__setattr__(self, "_numbers", numbers)

    def holds(self, event: object) -> bool | None:
        """Whether the event is counted; None when it cannot be told, which makes it a null event."""
        text = text_of(event)
        if text is None:
            return None
        value = number(event)
        if self._sign in _ORDER:
            (bound,) = self._numbers
            return None if value is None else _ORDER[self._sign](value, bound)
        equal = text in self._words or (value is not None and value in self._numbers)
        return not equal if self._sign == "!=" else equal
