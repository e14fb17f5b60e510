"""Domains: what people declare, and every way in which a declaration can be wrong."""

import gzip
import hashlib

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import CallError, InputProblems
from seqveil.tables.characters import refused_in_label
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import table_of

LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(
    lambda s: s == s.strip() and refused_in_label(s) is None
)


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (b"", ["has no labels: give at least one line"]),
        (b"a\n\nb\n", ["line 2 is empty: remove it"]),
        (b"a\n b\nc \n", ["line 2 has blanks around its label: remove them", "line 3 has blanks around its label: remove them"]),
        (b"a\nb\na\n", ["line 3 repeats line 1 ('a'): keep one of them"]),
        (b"a\xff\nb\n\xe9\n", ["line 1 is not UTF-8: save the file as UTF-8", "line 3 is not UTF-8: save the file as UTF-8"]),
        (b"a\tb\n", ["line 1 is 'a\\tb', with the invisible or control character U+0009: remove it"]),
        (
            b"\na \nb\nb\n",
            [
                "line 1 is empty: remove it",
                "line 2 has blanks around its label: remove them",
                "line 4 repeats line 3 ('b'): keep one of them",
            ],
        ),
        (b"x\n" * 30, [f"line {i} repeats line 1 ('x'): keep one of them" for i in range(2, 31)]),
    ],
)
def test_a_bad_domain_file_names_every_line(tmp_path, body, problems):
    """All problems of a domain file are listed together, each with its line."""
    path = tmp_path / "labels.txt"
    path.write_bytes(body)

    with pytest.raises(InputProblems) as caught:
        Domain.from_file(path)

    assert problems == caught.value.problems
    assert f"the domain {path}" == caught.value.source


@pytest.mark.parametrize("body", [b"a\nb c\n", b"a\nb c", b"a\r\nb c\r\n", b"\xef\xbb\xbfa\nb c\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_line_ends_byte_order_marks_and_gzip_make_no_difference(tmp_path, body, packed):
    """The same labels come from files of different editors, packed or not."""
    path = tmp_path / ("labels.txt.gz" if packed else "labels.txt")
    path.write_bytes(gzip.compress(body, mtime=0) if packed else body)

    assert ["a", "b c"] == Domain.from_file(path).labels([0, 1])


@pytest.mark.parametrize("body", [gzip.compress(b"a\nb\n" * 100, mtime=0)[:-9], b"a\nb\n"])
def test_a_damaged_archive_is_told(tmp_path, body):
    """A truncated gzip file, or none at all behind a .gz name, is a problem and not a traceback."""
    path = tmp_path / "labels.txt.gz"
    path.write_bytes(body)

    with pytest.raises(InputProblems) as caught:
        Domain.from_file(path)

    assert ["is a truncated or damaged gzip archive: copy it again, or remove .gz from its name"] == caught.value.problems


@pytest.mark.parametrize(
    ("text", "labels"),
    [("1..3", ["1", "2", "3"]), ("-1..1", ["-1", "0", "1"]), ("a,b", ["a", "b"]), ("a, b c", ["a", "b c"])],
)
def test_parse_takes_ranges_and_lists(text, labels):
    """What people type after --domain."""
    domain = Domain.parse(text)

    assert labels == domain.labels(range(len(domain)))


def test_parse_takes_a_file_even_with_a_comma_in_its_name(tmp_path):
    """A file that exists is a file."""
    path = tmp_path / "a,b.txt"
    path.write_text("x\ny\n")

    assert ["x", "y"] == Domain.parse(str(path)).labels([0, 1])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("5..1", "is empty: write 1..5 instead"),
        ("0..10000000", "has more than 10,000,000 labels: narrow it"),
        ("a,,b", "label 2 is empty: remove it"),
        (
            "nowhere.txt",
            "does not exist: give a file with one label per line, an integer range such as 1..17, or a list such as a,b,c",
        ),
    ],
)
def test_parse_says_what_to_type_instead(text, problem):
    """Mistyped domains."""
    with pytest.raises(InputProblems) as caught:
        Domain.parse(text)

    assert [problem] == caught.value.problems


def test_labels_that_are_no_text_are_refused():
    """Numbers and lone surrogates cannot be labels."""
    with pytest.raises(InputProblems) as caught:
        Domain.of(["a", 3, "\ud800"])

    assert ["label 2 is 3, which is not text", "label 3 is '\\ud800', which is not text"] == caught.value.problems


def test_the_digest_is_sha256_of_the_labels_in_order():
    """Anyone can recompute it with sha256sum on the label file."""
    assert hashlib.sha256(b"b\na\n").hexdigest() == Domain.of(["b", "a"]).digest
    assert Domain.of(["a", "b"]).digest != Domain.of(["b", "a"]).digest
    assert Domain.range(-3, 300_000).digest == Domain.of(map(str, range(-3, 300_001))).digest


@settings(deadline=None)
@given(st.lists(LABELS, unique=True, min_size=1, max_size=30), st.lists(LABELS, max_size=30))
def test_encode_agrees_with_a_dictionary(labels, values):
    """Every way of handing over strings gives the codes that a plain dictionary gives."""
    domain = Domain.of(labels)
    codes = {label: i for i, label in enumerate(labels)}
    values = values + labels
    expected = [codes.get(value.strip(" \t\r"), -1) for value in values]

    assert expected == domain.encode(values).tolist()
    assert expected == domain.encode(pl.Series(values)).tolist()
    assert expected == domain.encode(pa.array(values)).tolist()
    assert expected == domain.encode(pa.array(values).dictionary_encode()).tolist()
    assert expected[2:] == domain.encode(pa.array(values)[2:]).tolist()


@settings(deadline=None)
@given(
    st.integers(-1000, 1000), st.integers(0, 2000), st.lists(st.one_of(st.integers(-4000, 4000).map(str), st.text(max_size=4)))
)
def test_a_range_encodes_like_the_list_of_its_labels(low, size, values):
    """An integer range is only a cheaper way to write the list: 007, +7, 7.0 and -0 are other labels."""
    values = [*values, "007", "+7", "7.0", "-0", "0", "", "-", "9" * 30]
    listed = Domain.of(map(str, range(low, low + size + 1)))

    assert listed.encode(values).tolist() == Domain.range(low, low + size).encode(values).tolist()


def test_other_is_added_once():
    """The catch-all is a new last label, or the one that is already declared."""
    wide = Domain.of(["a", "b"]).with_other()
    declared = Domain.of(["other", "b"]).with_other()

    assert (3, 2, "other") == (len(wide), wide.other, wide.label(2))
    assert (2, 0) == (len(declared), declared.other)


def test_ten_million_labels(tmp_path):
    """The largest domain loads, encodes and decodes."""
    domain = Domain.range(1, 10_000_000)
    wide = domain.with_other()

    assert 10_000_001 == len(wide)
    assert [0, 9_999_999, -1, 10_000_000] == wide.encode(["1", "10000000", "10000001", "other"]).tolist()
    assert ["1", "10000000", "other"] == wide.strings(np.array([0, 9_999_999, 10_000_000])).to_pylist()


def test_code_and_repr():
    """One label at a time; the repr is short whatever the size."""
    domain = Domain.of(["a", "b"], public_because="it is printed on the map")

    assert (1, None, None) == (domain.code("b"), domain.code("z"), domain.code(" b"))
    assert "Domain(2 labels)" == repr(domain)
    assert "it is printed on the map" == domain.public_because


def test_a_list_longer_than_any_file_name_is_a_list():
    """What is typed after --domain may be long: it must not be taken for a file whose name is too long."""
    labels = [f"station-{i}" for i in range(100)]

    assert labels == Domain.parse(",".join(labels)).labels(range(100))


@pytest.mark.parametrize("text", ["home work", b"home work"])
def test_a_text_is_no_list_of_sequences(text):
    """Each of its characters would be a sequence, and be dropped without a message."""
    with pytest.raises(CallError, match=r"the data is one text, not a list of sequences: give lists of labels"):
        table_of(text, Domain.of(["home", "work"]))
