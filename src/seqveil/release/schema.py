"""What the values of a manifest may be: type, range and length of each, stated once and checked before any is used.

A field takes a value and its place, and lists what is wrong with it. All problems of a manifest are reported together; a value
is shown with everything invisible spelled out, and cut short.

>>> one = Fields({"epsilon": Amount(least=1), "private": Flag()})
>>> one.problems({"epsilon": "-1", "private": 1, "size": 3}, "")
["has an unknown key 'size'", "has '-1' at 'epsilon': expected a decimal number above 0 and at most 1,000,000 with up to 12 \
decimals", "has a value of the wrong type at 'private'"]
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any, Protocol

from seqveil.tables.characters import refused_in_label, refused_in_prose, shown

MOST_TEXT = 1 << 17
"""Characters of one text: the longest argument of a command."""

_GRAINS = 10**12
_AMOUNT = re.compile(r"(\d{1,7})(?:\.(\d{1,12}))?", re.ASCII)
_DELTA = re.compile(r"[1-9](\.\d{1,17})?e-\d{1,2}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", re.ASCII)


class Field(Protocol):
    """One place of a manifest."""

    def problems(self, value: Any, where: str) -> list[str]:
        """What is wrong with a value, in words that follow "manifest.json"."""
        ...


def _wrong_type(where: str) -> list[str]:
    return [f"has a value of the wrong type at {where!r}"]


def _not_this(value: object, where: str, belongs: str) -> list[str]:
    text = shown(value) if isinstance(value, str) else shown(str(value))[1:-1]
    return [f"has {text} at {where!r}: expected {belongs}"]


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""

    def problems(self, value: Any, where: str) -> list[str]:
        return [] if type(value) is bool else _wrong_type(where)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number in a range."""

    least: int
    most: int

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not int:
            return _wrong_type(where)
        if self.least <= value <= self.most:
            return []
        number = value if abs(value) < 10**20 else "a number of more than 20 digits"
        return _not_this(number, where, f"a whole number from {self.least:,} to {self.most:,}")


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number in a range; a whole number is one, too."""

    least: float
    most: float

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) not in (int, float):
            return _wrong_type(where)
        return [] if self.least <= value <= self.most else [f"has a number outside {self.least:g}..{self.most:g} at {where!r}"]


@dataclass(frozen=True, slots=True)
class Amount:
    """An ε: a decimal string of at least `least` grains (10⁻¹²)."""

    least: int = 0

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not str:
            return _wrong_type(where)
        if _AMOUNT.fullmatch(value) and self.least <= grains(value) <= 10**6 * _GRAINS:
            return []
        low = "above 0" if self.least else "of at least 0"
        return _not_this(value, where, f"a decimal number {low} and at most 1,000,000 with up to 12 decimals")


def grains(amount: str) -> int:
    """The exact number of grains of an amount that was checked.

    >>> grains("1.5"), grains("2"), grains("0.000000000001")
    (1500000000000, 2000000000000, 1)
    """
    whole, _, rest = amount.partition(".")
    return int(whole) * _GRAINS + int(rest.ljust(12, "0") or 0)


@dataclass(frozen=True, slots=True)
class Delta:
    """A δ: a power of ten with its first digits, such as 1e-6 or 2.5e-7, and a whole number of 10⁻¹⁸."""

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not str:
            return _wrong_type(where)
        if _DELTA.fullmatch(value) and (Fraction(value) * 10**18).denominator == 1:
            return []
        return _not_this(value, where, "a δ such as 1e-6, of at least 1e-18 and with up to 18 decimals")


@dataclass(frozen=True, slots=True)
class Name:
    """A short text without control, bidirectional or invisible characters."""

    most: int = 1000
    least: int = 1

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not str:
            return _wrong_type(where)
        if self.least <= len(value) <= self.most and refused_in_label(value) is None:
            return []
        return _not_this(value, where, f"a text of {self.least} to {self.most:,} visible characters on one line")


@dataclass(frozen=True, slots=True)
class Prose:
    """A sentence: it may have line ends and what languages need, but nothing that controls a terminal or reorders text."""

    most: int = MOST_TEXT

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not str:
            return _wrong_type(where)
        if len(value) <= self.most and refused_in_prose(value) is None:
            return []
        return _not_this(value, where, f"a text of at most {self.most:,} characters without control characters")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text of one spelling, such as a digest."""

    pattern: str
    belongs: str

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not str:
            return _wrong_type(where)
        return [] if re.fullmatch(self.pattern, value, re.ASCII) else _not_this(value, where, self.belongs)


DIGEST = Spelled("[0-9a-f]{64}", "a SHA-256 in 64 hexadecimal digits")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in UTC, to the second, of the years 1970 to 2999."""

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not str:
            return _wrong_type(where)
        try:
            sound = bool(_MOMENT.fullmatch(value)) and 1970 <= datetime.fromisoformat(value).year < 3000
        except ValueError:
            sound = False
        return [] if sound else _not_this(value, where, "a time such as 2026-03-01T08:00:00+00:00")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few texts."""

    among: tuple[str, ...]

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not str:
            return _wrong_type(where)
        return [] if value in self.among else _not_this(value, where, f"one of {', '.join(self.among)}")


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value, or null."""

    of: Field

    def problems(self, value: Any, where: str) -> list[str]:
        return [] if value is None else self.of.problems(value, where)


@dataclass(frozen=True, slots=True)
class Each:
    """A list of values of one sort."""

    of: Field
    most: int

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not list:
            return [f"has no list at {where!r}"]
        if len(value) > self.most:
            return [f"has {len(value):,} entries at {where!r}: expected at most {self.most:,}"]
        return [problem for i, entry in enumerate(value) for problem in self.of.problems(entry, f"{where}[{i}]")]


@dataclass(frozen=True, slots=True)
class Table:
    """An object whose keys are names that nobody knows beforehand."""

    key: Field
    value: Field
    most: int

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not dict:
            return [f"has no object at {where!r}"]
        if len(value) > self.most:
            return [f"has {len(value):,} entries at {where!r}: expected at most {self.most:,}"]
        keys = [problem for key in value for problem in self.key.problems(key, where)]
        return keys or [problem for key, entry in value.items() for problem in self.value.problems(entry, f"{where}.{key}")]


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with exactly these keys; those in `optional` may be missing."""

    fields: Mapping[str, Field]
    optional: frozenset[str] = field(default_factory=frozenset)

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not dict:
            return [f"has no object at {where!r}"]
        under = f"{where}." if where else ""
        unknown = [f"has an unknown key {shown(under + key)}" for key in value if key not in self.fields]
        missing = [f"lacks the key {under + key!r}" for key in self.fields if key not in value and key not in self.optional]
        inside = [p for key, of in self.fields.items() if key in value for p in of.problems(value[key], under + key)]
        return unknown + missing + inside


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever JSON can say, of bounded depth, size and numbers: parameters of methods that this Seqveil may not know.

    Texts may hold any character but surrogates: a parameter can be a file name. Whoever shows one spells it out.
    """

    depth: int = 8
    most: int = 10_000

    def problems(self, value: Any, where: str) -> list[str]:
        for count, (level, part) in enumerate(_walk(value, 0)):
            if level > self.depth or count >= self.most:
                return [f"has more than {self.most:,} values, or values nested deeper than {self.depth}, at {where!r}"]
            if isinstance(part, str) and (len(part) > MOST_TEXT or any("\ud800" <= c <= "\udfff" for c in part)):
                return _not_this(part, where, f"a text of at most {MOST_TEXT:,} characters")
            if type(part) is int and abs(part) >= 1 << 63:
                return [f"has a number of more than 64 bits at {where!r}"]
        return []


def _walk(value: Any, level: int) -> Iterator[tuple[int, Any]]:
    """A value and everything inside it, with the depth it stands at."""
    pending = [(level, value)]
    while pending:
        at, part = pending.pop()
        yield at, part
        if isinstance(part, dict):
            pending += [(at + 1, inner) for pair in part.items() for inner in pair]
        elif isinstance(part, list):
            pending += [(at + 1, inner) for inner in part]


class NotJson(ValueError):
    """A text that is not JSON as this project writes it."""


def parse(text: str) -> Any:
    """JSON without what parsers disagree on: keys that stand twice, NaN and infinities, numbers beyond 64-bit floats.

    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    seqveil.release.schema.NotJson: the key 'a' occurs twice in one object
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
    except NotJson:
        raise
    except (ValueError, RecursionError):
        raise NotJson("the text is not JSON") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise NotJson(f"the key {shown(key)} occurs twice in one object")
    return keys


def _no_constant(word: str) -> Any:
    raise NotJson(f"{word} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotJson(f"{shown(text)[1:-1]} is too large for a number")
    return value
