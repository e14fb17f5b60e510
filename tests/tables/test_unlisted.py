"""Labels that nobody has listed, as tables hold them."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.errors import CallError, InputProblems
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.labels import LONGEST_LABEL, can_be_labels, checked_labels
from seqveil.tables.unlisted import UNKNOWN, LabelTable, Words, labels_of

ODD = [b"", b" ", b"\xff\xfe", b"a\x1b[2J", "a\u202eb".encode(), "\u2003x".encode(), b"x" * (LONGEST_LABEL + 1), b"a\nb"]
FINE = ["é".encode(), b"a b", b"#1", b"x" * LONGEST_LABEL, "نامه‌ای".encode()]


def read(table):
    return [table.words.text(own) for own in table.flat]


@pytest.mark.parametrize("spelling", ODD)
def test_what_is_no_label_is_dropped_without_a_word(spelling):
    """And exactly that: a domain refuses it, too."""
    table = labels_of([["a", spelling], [spelling]])

    assert [["a"]] == read(table)
    if spelling.strip():
        assert [False] == can_be_labels([spelling]).tolist()
        with pytest.raises((InputProblems, UnicodeDecodeError)):
            checked_labels("the domain", "label", [spelling.decode()])


@pytest.mark.parametrize("spelling", FINE)
def test_what_a_domain_accepts_is_kept(spelling):
    assert [[spelling.decode()]] == read(labels_of([[spelling]]))
    assert 1 == len(Domain.of([spelling.decode()]))


def test_everything_of_a_user_is_one_record_of_distinct_labels():
    """In the order of bytes, whatever the order of the rows."""
    table = labels_of([["b", "Z"], ["a"], ["b", "é"]], users=["ann", "bob", "ann"])

    assert [["Z", "b", "é"], ["a"]] == read(table)
    assert 2 == len(table) == len(table.users)
    assert (table.take(np.array([1])).words is table.words, len(table.bounded(1, np.zeros(2, np.uint64)))) == (True, 2)


def test_nothing_that_is_shown_depends_on_the_data():
    few, many = labels_of([["a"]]), labels_of([["a", "b"]] * 9)

    assert repr(few) == repr(many) == "LabelTable()"
    assert repr(few.words) == repr(many.words)
    assert 0 == len(many.domain)


def test_tables_by_hand_are_held_to_the_same():
    words = Words.of([b"a"])
    with pytest.raises(CallError, match="leave the domain out"):
        LabelTable(Domain.of(["a"]), Flat.of([[0]]), words)
    with pytest.raises(CallError, match="everything that a user has is one record"):
        LabelTable(UNKNOWN, Flat.of([[0], [0]]), words, np.array([3, 3]))
    with pytest.raises(CallError, match="outside the domain"):
        LabelTable(UNKNOWN, Flat.of([[1]]), words)
