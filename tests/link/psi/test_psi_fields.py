"""Cells agree if and only if they share a token, and records if and only if all fields of a rule do."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from seqveil.errors import CallError, InputProblems
from seqveil.link.psi.fields import EQUAL, Field, reduced, tokens
from seqveil.link.psi.listing import all_tokens, read_listing
from seqveil.link.psi.terms import Terms, at_least
from seqveil.tables.names import Alphabet

LATIN = Alphabet.parse("latin")
SESSION = "ab" * 32


def swapped(date):
    return date[:4] + date[6:] + date[4:6]


def agree(how, one, other):
    """What a comparison promises, said in another way."""
    if not one or not other:
        return False
    if how == "edits":
        return Levenshtein.distance(one, other) <= 1
    if how == "date":
        return other in (one, swapped(one)) or sum(a != b for a, b in zip(one, other, strict=True)) == 1
    return one == other


def listing_of(terms, side, rows):
    columns = [[list(column)] for column in zip(*rows, strict=True)]
    return read_listing(terms, side, columns, "people")


def pairs_of_rows(terms, ours, theirs):
    """Rows that share a token, by plain sets."""
    sides = []
    for side, rows in (("starter", ours), ("answerer", theirs)):
        listing = listing_of(terms, side, rows)
        own = all_tokens(terms, SESSION, side, listing, "people")
        by_row = {}
        for t in range(len(own)):
            for v in own.value[own.offsets[t] : own.offsets[t + 1]]:
                for row in listing.rows[v]:
                    by_row.setdefault(row - 1, set()).add(own.digests[t].tobytes())
        sides.append(by_row)
    return {(i, j) for i, a in sides[0].items() for j, b in sides[1].items() if a & b}


DATES = st.sampled_from(["1985-04-12", "1985-12-04", "1985-04-13", "1986-04-12", "1985-05-13", "19850412", "12.4.85", ""])
NAMES = st.sampled_from(["Anna", "Ana", "Hanna", "Ann", "Otto", "Ott", "", "王"])


ROWS = st.lists(st.tuples(NAMES, NAMES, DATES), min_size=1, max_size=5)


@given(ROWS, ROWS, st.sampled_from([1, 2, 3]))
def test_two_of_three(ours, theirs, k):
    """The rules are what they say, for every k."""
    fields = [Field("last", "edits"), Field("first", "sound"), Field("born", "date")]
    terms = Terms.agree(fields, (9, 9), LATIN, at_least(fields, k), tokens=2000)

    def same(a, b):
        cells = [
            (f.compare, reduced(f.compare, x, LATIN), reduced(f.compare, y, LATIN)) for f, x, y in zip(fields, a, b, strict=True)
        ]
        return sum(agree(*cell) for cell in cells) >= k

    anybody = ("Zoe", "Zoe", "2001-01-01")  # so that no list is without a usable row
    ours, theirs = [*ours, anybody], [*theirs, anybody]
    expected = {(i, j) for i, a in enumerate(ours) for j, b in enumerate(theirs) if same(a, b)}
    assert expected == pairs_of_rows(terms, ours, theirs)


@given(st.dates(), st.dates())
def test_dates(one, other):
    """Equal, day and month swapped, or one digit wrong; nothing else."""
    a, b = (reduced("date", d.isoformat(), LATIN) for d in (one, other))
    for theirs in (b, a, swapped(a), a[:7] + str((int(a[7]) + 3) % 10)):
        shared = {t for t in tokens("date", a, "starter")} & {t for t in tokens("date", theirs, "answerer")}
        assert agree("date", a, theirs) == bool(shared)
        assert (a == theirs) == any(token.level == EQUAL for token in shared)


def test_equal_records_are_one_value():
    """How often a record occurs shows in no number of tokens."""
    terms = Terms.agree([Field("name", "edits")], (9, 9), LATIN)
    listing = listing_of(terms, "starter", [["Anna"], ["ANNA "], [""], ["Bob"], ["anna"]])

    assert [("anna",), ("bob",)] == listing.values
    assert [[1, 2, 5], [4]] == listing.rows
    assert 1 == listing.unusable


def test_tokens_are_sorted_and_each_knows_its_values():
    """Anna and Anne share the token with a hole at the end."""
    terms = Terms.agree([Field("name", "edits")], (9, 9), LATIN)
    own = all_tokens(terms, SESSION, "starter", listing_of(terms, "starter", [["Anna"], ["Anne"]]), "people")
    halves = own.digests.view(">u8")
    times = np.diff(own.offsets)

    assert [tuple(h) for h in halves.tolist()] == sorted({tuple(h) for h in halves.tolist()})
    assert (2, own.instances) == (times.max(), times.sum())
    assert own.instances == 2 * (2 + 4 + 3)


def test_too_much_is_refused_before_anything_is_computed():
    """More records or tokens than the terms say; a list without a usable row."""
    terms = Terms.agree([Field("name", "edits")], (2, 2), LATIN, tokens=10)
    with pytest.raises(InputProblems, match="has 3 different records, but the terms allow the starter 2"):
        listing_of(terms, "starter", [["Anna"], ["Bob"], ["Carl"]])
    with pytest.raises(InputProblems, match="needs 11 tokens per row, but the terms allow 10"):
        all_tokens(terms, SESSION, "starter", listing_of(terms, "starter", [["Annabella"], ["x"]]), "people")
    with pytest.raises(InputProblems, match="none of the 2 rows has all the fields of a rule"):
        listing_of(terms, "starter", [["王"], [""]])
    with pytest.raises(CallError, match="give a number from 1 to 1"):
        at_least(terms.fields, 2)


def test_sessions_share_no_tokens():
    """The same people in two sessions have nothing in common."""
    terms = Terms.agree([Field("name", "edits")], (9, 9), LATIN)
    listing = listing_of(terms, "starter", [["Anna"]])
    first, second = (all_tokens(terms, session, "starter", listing, "people") for session in (SESSION, "cd" * 32))

    assert not {d.tobytes() for d in first.digests} & {d.tobytes() for d in second.digests}


def test_rules_are_combinations():
    """Two of three, as people say it."""
    fields = [Field(name, "exact") for name in "abc"]
    assert list(combinations("abc", 2)) == at_least(fields, 2)
