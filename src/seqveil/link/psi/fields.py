"""Fields of a record and how each is compared: what is left of a cell, and its tokens.

Two cells agree if and only if they share a token. A token says whether it stands for equal cells (EQUAL) or similar ones (NEAR).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from seqveil.link.psi.edits import Side, edit_tokens, most_edit_tokens
from seqveil.tables.names import Alphabet, fold

Comparison = Literal["exact", "edits", "sound", "date"]
COMPARISONS: tuple[Comparison, ...] = get_args(Comparison)
NEAR, EQUAL = 1, 2
USUAL_LENGTH = 10
"""Characters of a usual name, from which the usual number of tokens follows."""

_DATE = 8
_CODES = {letter: code for code, letters in enumerate(("bfpv", "cgjkqsxz", "dt", "l", "mn", "r"), 1) for letter in letters}


class Token(NamedTuple):
    """What two cells share when they agree, and how much that says."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """A column that both data holders have, under the name that the terms give it."""

    name: str
    compare: Comparison


def reduced(compare: Comparison, cell: str, alphabet: Alphabet) -> str:
    """What of a cell is compared; "" where it cannot be, and then it agrees with nothing.

    >>> latin = Alphabet.parse("latin")
    >>> [reduced(how, "Müller-Lüdenscheidt", latin) for how in ("exact", "edits", "sound")]
    ['müllerlüdenscheidt', 'mullerludenscheidt', 'm464']
    >>> [reduced("date", cell, latin) for cell in ("1950-02-29", "19500229", "29.2.1950", "")]
    ['19500229', '19500229', '', '']
    """
    if compare == "exact":
        return "".join(c for c in fold(cell) if c.isalnum())
    if compare == "date":
        return _digits(cell.strip())
    word = alphabet.normalise(cell)
    return soundex(word) if compare == "sound" else word


def _digits(cell: str) -> str:
    parts = cell.split("-")
    if [len(part) for part in parts] == [4, 2, 2]:
        cell = "".join(parts)
    return cell if len(cell) == _DATE and cell.isascii() and cell.isdigit() else ""


def soundex(word: str) -> str:
    """The code of a word by its sound in English: its first letter and three digits; "" without a letter from a to z.

    >>> [soundex(word) for word in ("robert", "rupert", "ashcraft", "tymczak", "pfister", "lee", "ёж")]
    ['r163', 'r163', 'a261', 't522', 'p236', 'l000', '']
    """
    letters = [c for c in word if "a" <= c <= "z"]
    if not letters:
        return ""
    code, last = letters[0], _CODES.get(letters[0])
    for letter in letters[1:]:
        digit = _CODES.get(letter)
        if digit is not None and digit != last:
            code += str(digit)
        if letter not in "hw":  # the two that do not part letters of one code
            last = digit
    return (code + "000")[:4]


def tokens(compare: Comparison, value: str, side: Side) -> Iterator[Token]:
    """The tokens of a reduced cell, each once.

    >>> [token.text for token in tokens("date", "19850412", "starter")][:4]
    ['=19850412', '/19850412', '~0 9850412', '~1 1850412']
    >>> {t.text for t in tokens("date", "19851204", "starter")} & {t.text for t in tokens("date", "19850412", "answerer")}
    {'/19850412'}
    """
    return _TOKENS[compare](value, side)


def _exact(value: str, side: Side) -> Iterator[Token]:
    yield Token(EQUAL, value)


def _sound(value: str, side: Side) -> Iterator[Token]:
    yield Token(NEAR, value)


def _edits(value: str, side: Side) -> Iterator[Token]:
    return (Token(EQUAL if equal else NEAR, text) for equal, text in edit_tokens(value, side))


def _date(value: str, side: Side) -> Iterator[Token]:
    """Equal, day and month swapped, or one wrong digit. Swapping twice is no change, so the smaller of both names the two."""
    yield Token(EQUAL, f"={value}")
    yield Token(NEAR, f"/{min(value, value[:4] + value[6:] + value[4:6])}")
    for i in range(_DATE):
        yield Token(NEAR, f"~{i} {value[:i]}{value[i + 1 :]}")


_TOKENS: dict[Comparison, Callable[[str, Side], Iterator[Token]]] = {
    "exact": _exact, "edits": _edits, "sound": _sound, "date": _date,
}  # fmt: skip
USUAL: dict[Comparison, int] = {"exact": 1, "edits": most_edit_tokens(USUAL_LENGTH), "sound": 1, "date": _DATE + 2}
"""Tokens of a usual cell."""
