"""Terms: what both data holders agree on before anything is exchanged, as one public file that both keep."""

from __future__ import annotations

import hashlib
import json
import math
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args

from seqveil.errors import CallError, InputProblems
from seqveil.link.psi.edits import Side
from seqveil.link.psi.fields import COMPARISONS, USUAL, Field
from seqveil.link.whole import read_json, refuse_other_keys
from seqveil.surface import parameter
from seqveil.tables.names import NORMALISATION, Alphabet
from seqveil.whole import write_whole

FORMAT, VERSION = "seqveil linkage terms", 1
MOST_FIELDS = 8
"""The levels of so many fields fit into 16 bits."""
MOST_TOKENS = 1 << 28
"""Tokens of one side: half a day of arithmetic."""

Learns = Literal["both", "starter"]

_MOST_BYTES = 1 << 22
_NAME = re.compile(r"\w[\w -]{0,39}")
_NONCE = re.compile(r"[0-9a-f]{64}")
_KEYS: dict[str, tuple[type, ...]] = {
    "format": (str,), "version": (int,), "normalisation": (int,), "id": (str,), "alphabet": (str,), "fields": (list,),
    "rules": (list,), "rows": (dict,), "tokens": (int,), "one_to_one": (bool,), "learns": (str,), "nonce": (str,),
}  # fmt: skip


@dataclass(frozen=True)
class Terms:
    """Records are a pair if and only if all fields of some rule agree. Each side sends rows × tokens tokens, real or not.

    `rows` bounds what each side may list, and with it what it may guess. `nonce` makes every session another one.
    """

    alphabet: Alphabet
    fields: tuple[Field, ...]
    rules: tuple[tuple[str, ...], ...]
    rows: dict[Side, int]
    tokens: int
    one_to_one: bool
    learns: Learns
    nonce: str

    def __post_init__(self) -> None:
        if problems := _problems(self):
            raise InputProblems("the terms", problems)

    @classmethod
    def agree(
        cls,
        fields: Sequence[Field],
        rows: tuple[int, int],
        alphabet: Alphabet,
        rules: Sequence[Sequence[str]] = (),
        tokens: int | None = None,
        one_to_one: bool = False,
        learns: Learns = "both",
    ) -> Terms:
        """New terms. Without rules all fields must agree; without a number of tokens there are as many as usual names have.

        >>> terms = Terms.agree([Field("name", "edits")], (2_000, 91_002), Alphabet.parse("latin"))
        >>> terms.rules, terms.tokens, terms.total("starter")
        ((('name',),), 22, 44000)
        """
        named = tuple(tuple(rule) for rule in rules) or (tuple(field.name for field in fields),)
        kind = {field.name: field.compare for field in fields}
        usual = sum(math.prod(USUAL.get(kind.get(name, "exact"), 1) for name in rule) for rule in named)
        sides: dict[Side, int] = {"starter": rows[0], "answerer": rows[1]}
        many = usual if tokens is None else tokens
        return cls(alphabet, tuple(fields), named, sides, many, one_to_one, learns, secrets.token_hex(32))

    def total(self, side: Side) -> int:
        """How many tokens a side sends, whatever it has."""
        return self.rows[side] * self.tokens

    @cached_property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """The rules by the numbers of their fields."""
        place = {field.name: i for i, field in enumerate(self.fields)}
        return tuple(tuple(place[name] for name in rule) for rule in self.rules)

    @cached_property
    def id(self) -> str:
        """SHA-256 over everything that is agreed."""
        body = json.dumps([FORMAT, VERSION, NORMALISATION, self._body()], ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(body.encode()).hexdigest()

    def session(self, nonce: str) -> str:
        """The name of the session of these terms that a starter opens with a nonce of its own."""
        return hashlib.sha256(f"seqveil linkage session {VERSION} {self.id} {nonce}".encode()).hexdigest()

    def _body(self) -> dict[str, Any]:
        return {
            "alphabet": self.alphabet.text, "fields": [[field.name, field.compare] for field in self.fields],
            "rules": [list(rule) for rule in self.rules], "rows": {side: self.rows[side] for side in get_args(Side)},
            "tokens": self.tokens, "one_to_one": self.one_to_one, "learns": self.learns, "nonce": self.nonce,
        }  # fmt: skip

    def save(self, path: str | Path) -> Path:
        """As a JSON file that is whole or not there at all."""
        head = {"format": FORMAT, "version": VERSION, "normalisation": NORMALISATION, "id": self.id}
        text = json.dumps({**head, **self._body()}, indent=2, ensure_ascii=False) + "\n"
        return write_whole(Path(path), text.encode())

    @classmethod
    def load(cls, path: str | Path) -> Terms:
        """Read strictly: whatever is not exactly what `save` writes is refused."""
        source, data = str(path), read_json(Path(path), _MOST_BYTES, follow=True)
        if data.get("format") != FORMAT:
            raise InputProblems(source, ["is not a file of terms: give the one that `seqveil link psi terms` wrote"])
        if data.get("version") != VERSION or data.get("normalisation") != NORMALISATION:
            raise InputProblems(
                source,
                [f"has version {str(data.get('version'))[:20]} (normalisation {str(data.get('normalisation'))[:20]}), but this "
                 f"Seqveil reads version {VERSION} (normalisation {NORMALISATION}): both must use the same version of Seqveil"],
            )  # fmt: skip
        refuse_other_keys(source, data, _KEYS)
        shaped = (
            all(isinstance(f, list) and len(f) == 2 and all(isinstance(text, str) for text in f) for f in data["fields"])
            and all(isinstance(rule, list) and all(isinstance(name, str) for name in rule) for rule in data["rules"])
            and data["rows"].keys() == set(get_args(Side))
            and all(type(many) is int for many in data["rows"].values())
        )
        if not shaped:
            raise InputProblems(source, ["has fields, rules or rows of another form: it was not written by Seqveil"])
        fields = tuple(Field(name, compare) for name, compare in data["fields"])
        rules = tuple(tuple(rule) for rule in data["rules"])
        try:
            terms = cls(
                Alphabet(data["alphabet"]), fields, rules, data["rows"], data["tokens"], data["one_to_one"], data["learns"],
                data["nonce"],
            )  # fmt: skip
        except InputProblems as error:
            raise InputProblems(source, error.problems) from None
        if data["id"] != terms.id:
            raise InputProblems(source, ["its id does not match its content: the file was changed; copy it again"])
        return terms

    @property
    def said(self) -> list[str]:
        """What is agreed, for people, line by line."""
        kinds = ", ".join(f"{field.name} ({field.compare})" for field in self.fields)
        rules = " or ".join(" and ".join(rule) for rule in self.rules)
        who = "Both sides learn their rows" if self.learns == "both" else "Only the starter learns its rows"
        lines = [f"Fields: {kinds}.", f"A pair agrees in {rules}."]
        sides: tuple[tuple[Side, Side], ...] = (("starter", "answerer"), ("answerer", "starter"))
        for side, other in sides:
            lines.append(
                f"The {side} lists at most {self.rows[side]:,} rows. A cheating {side} could test up to {self.total(side):,} "
                f"guesses against the {other}'s list."
            )
        return [*lines, f"{who} in pairs{', each value in at most one' if self.one_to_one else ''}."]


def at_least(fields: Sequence[Field], k: int) -> list[tuple[str, ...]]:
    """The rules of "k of these fields must agree".

    >>> at_least([Field("a", "exact"), Field("b", "edits"), Field("c", "date")], 2)
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    if not 1 <= k <= len(fields):
        raise CallError(f"{parameter('at_least', str(k))}: give a number from 1 to {len(fields)}, the number of fields.")
    return list(combinations([field.name for field in fields], k))


def _problems(terms: Terms) -> list[str]:
    names = [field.name for field in terms.fields]
    problems = [f"field {name!r} is given {times} times: keep one" for name, times in Counter(names).items() if times > 1]
    if not 1 <= len(names) <= MOST_FIELDS:
        problems.append(f"{len(names)} fields: give 1 to {MOST_FIELDS}")
    for field in terms.fields:
        if not _NAME.fullmatch(field.name):
            problems.append(f"field {field.name[:40]!r} is no name: use up to 40 letters, digits, blanks, - and _")
        if field.compare not in COMPARISONS:
            problems.append(f"field {field.name!r} is compared by {field.compare[:20]!r}: use {', '.join(COMPARISONS)}")
    if not terms.rules:
        problems.append("no rule: name the fields that must agree")
    for rule in terms.rules:
        if unknown := [name for name in rule if name not in names]:
            problems.append(f"rule {'+'.join(rule)[:80]!r} names {unknown[0][:40]!r}, which is no field")
        if not rule or len(set(rule)) < len(rule):
            problems.append(f"rule {'+'.join(rule)[:80]!r} is empty or names a field twice")
    if len(set(map(frozenset, terms.rules))) < len(terms.rules):
        problems.append("a rule is given twice: keep one of them")
    if terms.tokens < 1 or any(many < 1 for many in terms.rows.values()):
        problems.append("rows and tokens must be 1 or more")
    elif max(terms.rows.values()) * terms.tokens > MOST_TOKENS:
        problems.append(
            f"{max(terms.rows.values()):,} rows of {terms.tokens:,} tokens are more than {MOST_TOKENS:,} in all: compare fewer "
            f"fields by edits, or list fewer rows"
        )
    if terms.learns not in get_args(Learns):
        problems.append(f"{terms.learns[:20]!r} may learn the pairs: choose both or starter")
    if not _NONCE.fullmatch(terms.nonce):
        problems.append("the nonce is not 64 hexadecimal digits")
    return problems
