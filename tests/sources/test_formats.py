"""The one table of formats: every name, suffix and reader in it is used, and none is ambiguous."""

from __future__ import annotations

import re

import pytest

from seqveil.audit.fuzzing import GRAPHS, NAMES, SEQUENCES
from seqveil.audit.readings import BY_LINE, BY_OWNER
from seqveil.sources.formats import FORMATS, FRAME, formats, infer, shaped, suffixes, words
from seqveil.sources.layout import Layout
from seqveil.sources.problems import call_problems
from seqveil.sources.sequences import _BY_FORMAT
from seqveil.sources.source import readable

ALL_READERS = sorted({reader for format in FORMATS for reader in format.words})


@pytest.mark.parametrize("reader", ALL_READERS)
def test_a_suffix_stands_for_one_format_of_a_reader(reader: str) -> None:
    """Else the order of the table would decide."""
    every = suffixes(reader)

    assert len(set(every)) == len(every)
    for suffix in every:
        assert infer(f"x{suffix}", reader) == infer(f"X{suffix.upper()}.gz", reader) in formats(reader)


@pytest.mark.parametrize("reader", ALL_READERS)
def test_every_format_has_words(reader: str) -> None:
    """A sentence about a file can always be written."""
    assert all(words(name, reader) for name in formats(reader))
    assert FRAME not in formats(reader)


def test_every_reader_of_a_source_has_formats() -> None:
    """Or shares those of another one, as sets do; streams and names have sources of their own."""
    assert {"names", "stream", *(kind.formats or name for name, kind in readable().items())} == set(ALL_READERS)


@pytest.mark.parametrize("name", [name for name in shaped("lines") if name in formats("sequences")])
def test_a_format_without_columns_refuses_them(name: str) -> None:
    """Whoever names a column would otherwise believe that it is used; the shape of a format decides, no second list."""
    assert any("has no columns" in problem for problem in call_problems(Layout(format=name, user="who")))


def test_every_format_is_attacked() -> None:
    """Readers of all formats of sequences are held to locality, and every format of a file is a door for the fuzzer."""
    described = " ".join(reader.read([]).message for reader in (*BY_LINE, *BY_OWNER))

    assert [] == [name for name in formats("sequences") if not re.search(rf"\({name}[,)]", described)]
    assert set(formats("sequences")) == set(SEQUENCES)
    assert (set(formats("graph")), set(formats("names"))) == (set(GRAPHS), set(NAMES))


def test_every_format_of_sequences_is_read() -> None:
    """The table and the readers know the same formats."""
    assert set(formats("sequences")) == set(_BY_FORMAT)
