"""Alphabet: the public characters that names are written in, declared like a domain, and how a name is reduced to them.

>>> latin = Alphabet.parse("latin")
>>> latin.normalise("Émile O'Brien-Weiß"), latin.normalise("İSTANBUL"), latin.normalise("王")
('emileobrienweiss', 'istanbul', '')
>>> Alphabet.parse("а..я,ё").normalise("Фёдоров"), Alphabet.parse("U+4E00..U+9FFF").normalise("王 小明")
('фёдоров', '王小明')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.labels import labels_of_file

NORMALISATION = 1
"""The version of `Alphabet.normalise`: two data holders' vectors compare only when both reduced names in the same way."""

MOST_CHARACTERS = 100_000
"""The largest alphabet: all of Unicode's Han characters fit."""

_WORDS = {"latin": "a..z"}
_SCRIPTS = {
    "arabic": "U+0621..U+064A", "ascii": "latin", "cyrillic": "а..я,ё", "english": "latin", "greek": "α..ω", "hebrew": "א..ת",
    "letters": "latin", "roman": "latin",
}  # fmt: skip
"""Words that people may type for an alphabet, and what they mean: taken for a list of letters, they would cost a release."""
_STROKES = {
    "æ": "ae", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ĸ": "k", "ł": "l", "ŋ": "n", "ø": "o", "œ": "oe", "ŧ": "t", "þ": "th",
}  # fmt: skip
"""Letters that Unicode does not take apart, as registries without them write them."""
_END = r"(U\+[0-9A-Fa-f]{4,6}|.)"
_RANGE = re.compile(rf"{_END}\.\.{_END}", re.DOTALL)
_FILE = re.compile(r".*[/\\].+|.*\.(txt|txt\.gz)", re.DOTALL)
_APART = "\n"


@dataclass(frozen=True)
class Alphabet:
    """Characters in a fixed order; each is its own normal form. Public: it may be printed and sent.

    >>> Alphabet("aA b")
    Traceback (most recent call last):
    seqveil.errors.InputProblems: the alphabet has 2 problems:
      - 'A' (U+0041) is written as 'a' after normalisation: give that instead
      - ' ' (U+0020) is a blank, and blanks never count in names: remove it
    """

    text: str

    def __post_init__(self) -> None:
        _refuse("the alphabet", _problems(self.text))

    @classmethod
    def parse(cls, text: str) -> Alphabet:
        """From what people type: `latin`, characters, ranges such as `а..я` or `U+0430..U+044F`, parts joined by commas, a file.

        A file has one such part per line, and there a comma is a character. Characters nobody sees (joiners, direction
        marks, soft hyphens) are left out: they never count in a name either.

        >>> Alphabet.parse("Ba,0..3,ß").text
        'ba0123s'
        """
        source, parts = _parts(text)
        problems: list[str] = []
        spans = [span for part in parts for span in _spans(part, problems)]
        if not problems and sum(last - first + 1 for first, last in spans) > 10 * MOST_CHARACTERS:
            problems.append(f"has far more than {MOST_CHARACTERS:,} characters: name the ranges that the names are written in")
        _refuse(source, problems)
        typed = [chr(code) for first, last in spans for code in range(first, last + 1)]
        _refuse(source, [problem for c in typed if (problem := _unfit(c))])
        folded = "".join(dict.fromkeys(f for c in typed for f in fold(c) if unicodedata.category(f) != "Cf"))
        _refuse(source, _problems(folded))
        return cls(folded)

    @classmethod
    def of_domain(cls, domain: Domain) -> Alphabet:
        """The alphabet whose characters are the labels of a domain, such as the one a base was mined over.

        >>> Alphabet.of_domain(Domain.of(["a", "bc"]))
        Traceback (most recent call last):
        seqveil.errors.InputProblems: the domain: is not an alphabet: 'bc' is not one character
        """
        if len(domain) > MOST_CHARACTERS:
            raise InputProblems("the domain", [f"is not an alphabet: it has more than {MOST_CHARACTERS:,} labels"])
        labels = domain.labels(range(len(domain)))
        if long := next((label for label in labels if len(label) != 1), None):
            raise InputProblems("the domain", [f"is not an alphabet: {long[:40]!r} is not one character"])
        return cls("".join(labels))

    @cached_property
    def domain(self) -> Domain:
        """One label per character, in order."""
        return Domain.of(list(self.text))

    def normalise(self, name: str) -> str:
        """The name in characters of the alphabet only.

        Composed (NFC) and case-folded; then a character of the alphabet stays, of any other one those parts of its
        compatibility decomposition (NFKD) stay that are in the alphabet, and the rest is dropped. Letters with strokes and
        ligatures, which have no decomposition, are written as their plain letters.

        >>> Alphabet.parse("latin").normalise("Łukasz Søren Ægir"), Alphabet.parse("latin,ø").normalise("Søren")
        ('lukaszsorenaegir', 'søren')
        """
        return fold(name).translate(self._kept)

    def encode(self, names: Sequence[str]) -> Flat:
        """The normalised names as codes, all at once.

        >>> [s.tolist() for s in Alphabet("abc").encode(["Cab", "", "x\\nA"])]
        [[2, 0, 1], [], [0]]
        """
        if not names:
            return Flat.of([])
        joined = _APART.join(names)
        if joined.count(_APART) != len(names) - 1:
            joined = _APART.join(name.replace(_APART, " ") for name in names)
        # Neither composition nor case folding reaches over a line feed, so this is `normalise` of every name.
        letters = np.frombuffer(fold(joined).translate(self._kept_apart).encode("utf-32-le"), np.uint32)
        ends = np.flatnonzero(letters == ord(_APART))
        offsets = np.concatenate([[0], ends - np.arange(len(ends)), [len(letters) - len(ends)]])
        return Flat(self._codes[letters[letters != ord(_APART)]], offsets.astype(np.int64))

    @cached_property
    def _kept(self) -> _Kept:
        return _Kept(self.text)

    @cached_property
    def _kept_apart(self) -> _Kept:
        return _Kept(self.text + _APART)

    @cached_property
    def _codes(self) -> NDArray[np.int32]:
        """The code of a character by its number in Unicode."""
        numbers = [ord(c) for c in self.text]
        codes = np.full(max(numbers) + 1, -1, np.int32)
        codes[numbers] = np.arange(len(numbers), dtype=np.int32)
        return codes


class _Kept(dict[int, str]):
    """What remains of each character, filled as characters are met; a table for `str.translate`."""

    def __init__(self, characters: str) -> None:
        super().__init__((ord(c), c) for c in characters)
        self._characters = frozenset(characters)

    def __missing__(self, number: int) -> str:
        parts = unicodedata.normalize("NFKD", chr(number)).casefold()
        parts = "".join(part if part in self._characters else _STROKES.get(part, part) for part in parts)
        self[number] = "".join(part for part in parts if part in self._characters)
        return self[number]


def fold(text: str) -> str:
    """Composed and without case; composed again, since folding takes some characters apart (ΐ into three).

    >>> fold("E\\u0301"), fold("ẞ"), fold("ΟΔΥΣΣΕΎΣ")
    ('é', 'ss', 'οδυσσεύσ')
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _parts(text: str) -> tuple[str, Iterable[str]]:
    """Where the alphabet comes from, for people, and its parts."""
    if not _is_file(text):
        source = f"the alphabet {text[:40]!r}"
        if _FILE.fullmatch(text):
            raise InputProblems(source, ["does not exist: check the path, or give the characters themselves"])
        return source, text.split(",")
    source = f"the alphabet {text}"
    try:
        labels = labels_of_file(Path(text))
    except InputProblems as error:
        raise InputProblems(source, error.problems) from None
    return source, labels.to_pylist()


def _is_file(text: str) -> bool:
    try:
        return text not in _WORDS and Path(text).is_file()
    except (OSError, ValueError):
        return False


def _spans(part: str, problems: list[str]) -> Iterator[tuple[int, int]]:
    """First and last number of each run of characters that a part stands for."""
    word = part.strip().lower()
    part = _WORDS.get(word, part.strip())
    meant = _SCRIPTS.get(word) or next(iter(get_close_matches(word, _WORDS, 1, 0.75)), None)
    if word not in _WORDS and meant:
        problems.append(f"{word} is not the name of an alphabet: write {meant}, or, for these letters, {','.join(word)}")
    elif not part:
        problems.append("has an empty part: remove the extra comma")
    elif ends := _RANGE.fullmatch(part):
        first, last = (int(end[2:], 16) if len(end) > 1 else ord(end) for end in ends.groups())
        if last < first:
            problems.append(f"{part} runs backwards: write {ends[2]}..{ends[1]}")
        elif last > 0x10FFFF:
            problems.append(f"{part} goes beyond Unicode: U+10FFFF is the last character")
        else:
            yield first, last
    elif ".." in part:
        problems.append(f"{part[:40]!r} is not a range: give one character on each side, such as а..я or U+0430..U+044F")
    else:
        yield from ((ord(c), ord(c)) for c in unicodedata.normalize("NFC", part))


def _problems(text: str) -> list[str]:
    """What keeps characters from being an alphabet."""
    if not text:
        return ["has no characters: give some, such as latin or а..я"]
    if len(text) > MOST_CHARACTERS:
        return [f"has {len(text):,} characters: at most {MOST_CHARACTERS:,} are supported"]
    problems = [f"{_shown(c)} is written as {fold(c)!r} after normalisation: give that instead" for c in text if fold(c) != c]
    problems += [problem for c in text if (problem := _unfit(c))]
    problems += [f"{_shown(c)} cannot be seen: remove it" for c in text if unicodedata.category(c) == "Cf"]
    if len(set(text)) < len(text):
        problems.append("has a character twice: keep one of them")
    return problems


def _unfit(c: str) -> str | None:
    """Why a character can be in no alphabet, if so."""
    if c.isspace():
        return f"{_shown(c)} is a blank, and blanks never count in names: remove it"
    if unicodedata.category(c) in ("Cc", "Cs"):
        return f"{_shown(c)} is not a character of text: remove it"
    return None


def _shown(c: str) -> str:
    return f"{c!r} (U+{ord(c):04X})"


def _refuse(source: str, problems: list[str]) -> None:
    if problems:
        raise InputProblems(source, problems)
