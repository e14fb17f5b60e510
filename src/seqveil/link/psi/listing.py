"""A data holder's own list: its rows reduced to values, and the tokens of every value.

Rows with the same reduced cells are one value, so how often a value occurs shows nowhere.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.link.key import Seen
from seqveil.link.psi.edits import Side
from seqveil.link.psi.fields import Token, reduced, tokens
from seqveil.link.psi.terms import Terms
from seqveil.surface import parameter

TOKEN = 16
"""Bytes of a token: two different ones of all that 2²⁸ tokens could be are the same with a chance below 2⁻⁷⁰."""

_APART = "\n"
"""Stands in no reduced cell."""
_SHOWN = "\x1f"


@dataclass(slots=True, eq=False)
class Listing:
    """Values, the rows of each (from 1), the cells of every row, and a digest by which the same file is recognised."""

    values: list[tuple[str, ...]]
    rows: list[list[int]]
    cells: list[tuple[str, ...]]
    digest: str
    unusable: int = 0
    """Rows that can be in no pair: in every rule some field is empty."""


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Different tokens in ascending order; `value[offsets[t]:offsets[t + 1]]` are the values that have token t, and
    `levels` what the token says of each field of each of them, two bits a field."""

    digests: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    value: NDArray[np.int32]
    levels: NDArray[np.uint16] = field(repr=False)

    def __len__(self) -> int:
        return len(self.digests)

    @property
    def instances(self) -> int:
        """Tokens of all values, each as often as values have it."""
        return len(self.value)


def read_listing(terms: Terms, side: Side, columns: Sequence[Iterable[Sequence[str]]], source: str) -> Listing:
    """The list behind columns, one for each field, in batches of the same rows."""
    seen, place = Seen(), dict[tuple[str, ...], int]()
    listing = Listing([], [], [], "")
    for batch in zip(*columns, strict=True):
        for cells in zip(*batch, strict=True):
            listing.cells.append(cells)
            value = tuple(reduced(f.compare, cell, terms.alphabet) for f, cell in zip(terms.fields, cells, strict=True))
            if not any(all(value[i] for i in rule) for rule in terms.places):
                listing.unusable += 1
                continue
            at = place.setdefault(value, len(place))
            if at == len(listing.values):
                listing.values.append(value)
                listing.rows.append([])
            listing.rows[at].append(len(listing.cells))
        seen.add([_SHOWN.join(cells) for cells in zip(*batch, strict=True)])
    listing.digest = seen.digest
    if not listing.values:
        problem = f"none of the {seen.names:,} rows has all the fields of a rule" if seen.names else "has no rows"
        raise InputProblems(source, [f"{problem}: check {parameter('column')}, and the alphabet of the terms"])
    if len(listing.values) > terms.rows[side]:
        raise InputProblems(
            source,
            [f"has {len(listing.values):,} different records, but the terms allow the {side} {terms.rows[side]:,}: agree on new "
             f"terms with more {parameter('rows')}, or list fewer people"],
        )  # fmt: skip
    return listing


def all_tokens(terms: Terms, session: str, side: Side, listing: Listing, source: str) -> Tokens:
    """The tokens of all values under the name of the session, by which no token of one session is one of another."""
    digests, owners, levels = bytearray(), array("i"), array("H")
    keyed = hashlib.blake2b(digest_size=TOKEN, key=bytes.fromhex(session), person=b"seqveil token")
    for number, value in enumerate(listing.values):
        for level, text in _of(terms, value, side):
            one = keyed.copy()
            one.update(text.encode("utf-8", "surrogatepass"))
            digests += one.digest()
            owners.append(number)
            levels.append(level)
    if len(owners) > terms.total(side):
        need = -(-len(owners) // terms.rows[side])
        raise InputProblems(
            source,
            [f"needs {need:,} tokens per row, but the terms allow {terms.tokens:,} (internal, do not share): agree on new terms "
             f"with {parameter('tokens', str(need + need // 5))}, or list fewer people"],
        )  # fmt: skip
    flat = np.frombuffer(bytes(digests), np.uint8).reshape(-1, TOKEN)
    halves = np.ascontiguousarray(flat).view(">u8")
    order = np.lexsort((halves[:, 1], halves[:, 0]))
    ordered = halves[order]
    first = np.flatnonzero(np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(1)]))
    offsets = np.append(first, len(order)).astype(np.int64)
    owner, level_of = np.frombuffer(owners, np.int32)[order], np.frombuffer(levels, np.uint16)[order]
    return Tokens(flat[order[first]], offsets, owner, level_of)


def _of(terms: Terms, value: tuple[str, ...], side: Side) -> Iterator[tuple[int, str]]:
    """Every token of a value: for each rule, one token of each of its fields; with the levels that it shows."""
    own: dict[int, list[Token]] = {}
    for number, rule in enumerate(terms.places):
        if not all(value[i] for i in rule):
            continue
        for i in rule:
            own.setdefault(i, list(tokens(terms.fields[i].compare, value[i], side)))
        for chosen in product(*(own[i] for i in rule)):
            level = sum(token.level << 2 * i for i, token in zip(rule, chosen, strict=True))
            yield level, _APART.join([str(number), *(token.text for token in chosen)])
