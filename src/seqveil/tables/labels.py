"""The labels of a domain as people write them: one list or one file, checked as a whole, every problem at once."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.tables.characters import LABEL, refused_in_label, refused_in_prose, shown

MOST_LABELS = 10_000_000
"""The largest domain that is tested."""

MOST_BYTES = 1 << 30
"""The longest file of labels; a small archive may unpack into anything."""

LONGEST_LABEL = 1 << 16
"""Bytes of one label."""

LONGEST_REASON = 1 << 17
"""Characters of the reason why a domain is public: as long as the longest argument of a command."""

_BOM = b"\xef\xbb\xbf"


def labels_of_file(path: Path) -> Any:
    """The labels of a UTF-8 file, one per line, as an Arrow array."""
    source = f"the domain {path}"
    return labels_of_text(source, body_of(path, source))


def labels_of_text(source: str, body: bytes) -> Any:
    """The labels of UTF-8 text, one per line, as an Arrow array. What is too long is refused before room is made for it."""
    body = body.removeprefix(_BOM)
    body = body if body.endswith(b"\n") or not body else body + b"\n"
    if (total := body.count(b"\n")) > MOST_LABELS:
        raise InputProblems(source, [f"has {total:,} labels: at most {MOST_LABELS:,} are supported"])
    body = body.replace(b"\r\n", b"\n")
    try:
        body.decode()
    except UnicodeDecodeError:
        lines = enumerate(body.split(b"\n"), 1)
        raise InputProblems(source, [f"line {i} is not UTF-8: save the file as UTF-8" for i, s in lines if _bad(s)]) from None
    letters = np.frombuffer(body, np.uint8)
    ends = np.flatnonzero(letters == 10)
    offsets = np.append(0, ends - np.arange(len(ends)))
    packed = pa.py_buffer(letters[letters != 10])
    return checked_labels(source, "line", pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), packed))


def _bad(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False


def body_of(path: Path, source: str, most: int | None = None) -> bytes:
    """The bytes of a public file, unpacked; or at most the first `most` of them."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            body = file.read(MOST_BYTES + 1) if most is None else file.readline(most)
    except FileNotFoundError:
        advice = "give a file with one label per line, an integer range such as 1..17, or a list such as a,b,c"
        raise InputProblems(source, [f"does not exist: {advice}"]) from None
    except IsADirectoryError:
        advice = "give a file with one label per line; the labels of a discovery are those of its release, load(FOLDER).domain"
        raise InputProblems(source, [f"is a folder: {advice}"]) from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        advice = "copy it again, or remove .gz from its name"
        raise InputProblems(source, [f"is a truncated or damaged gzip archive: {advice}"]) from None
    except OSError as error:
        raise InputProblems(source, [f"cannot be read ({error.strerror})"]) from None
    if len(body) > MOST_BYTES:
        raise InputProblems(source, ["is longer than 1 GB (unpacked), which no list of labels is: check the file"])
    return body


def checked_labels(source: str, place: str, labels: Any) -> Any:
    """The labels as an Arrow array of large strings, or every problem with them.

    `place` names a position for people: "line" in a file, "label" in a list.
    """
    if not isinstance(labels, pa.Array):
        wrong = [(i, label) for i, label in enumerate(labels, 1) if not _is_text(label)]
        if wrong:
            named = [(i, shown(label) if isinstance(label, str) else repr(label)) for i, label in wrong]
            raise InputProblems(source, [f"{place} {i} is {label}, which is not text" for i, label in named])
        labels = pa.array(labels, pa.large_string())
    if not len(labels):
        raise InputProblems(source, [f"has no labels: give at least one {place}"])
    if len(labels) > MOST_LABELS:
        raise InputProblems(source, [f"has {len(labels):,} labels: at most {MOST_LABELS:,} are supported"])
    if problems := _malformed(place, labels) + _repeated(place, labels):
        raise InputProblems(source, problems)
    return labels


def _is_text(label: object) -> bool:
    return isinstance(label, str) and not any(0xD800 <= ord(c) < 0xE000 for c in label)


def can_be_labels(spellings: list[bytes]) -> NDArray[np.bool_]:
    """Which of these may be labels, by the rules of a domain: text that is neither empty nor too long, and shows all it holds.

    >>> can_be_labels([b"Ely", b"", b"\\xff", b"a\\x1bb", "\\u2003x".encode()]).tolist()
    [True, False, False, False, False]
    """
    texts = [None if _bad(spelling) else spelling.decode() for spelling in spellings]
    labels = pa.array(texts, pa.large_string())
    wrong = [mask for mask, _ in _rules(labels)] + [pc.match_substring_regex(labels, LABEL)]
    fine = np.array([text is not None for text in texts], np.bool_)
    for mask in wrong:
        fine &= ~mask.fill_null(True).to_numpy(zero_copy_only=False)
    return fine


def _rules(labels: Any) -> list[tuple[Any, str]]:
    """What labels may not be: which are, and what to say of it."""
    return [
        (pc.equal(pc.binary_length(labels), 0), "is empty: remove it"),
        (
            pc.and_(pc.greater(pc.binary_length(labels), 0), pc.not_equal(pc.utf8_trim_whitespace(labels), labels)),
            "has blanks around its label: remove them",
        ),
        (pc.greater(pc.binary_length(labels), LONGEST_LABEL), f"is longer than {LONGEST_LABEL:,} bytes: shorten it"),
    ]


def _malformed(place: str, labels: Any) -> list[str]:
    problems = [f"{place} {row + 1} {what}" for mask, what in _rules(labels) for row in _rows(mask)]
    return problems + [_spelled(place, row, labels[row].as_py()) for row in _rows(pc.match_substring_regex(labels, LABEL))]


def _spelled(place: str, row: int, label: str) -> str:
    """What is wrong with the characters of a label; it is shown with everything invisible spelled out."""
    character = refused_in_label(label) or ""
    return f"{place} {row + 1} is {shown(label)}, with the invisible or control character U+{ord(character):04X}: remove it"


def checked_reason(text: str | None) -> str | None:
    """The reason why a domain is public, as a manifest can carry it."""
    if text is not None and (character := refused_in_prose(text)) is not None:
        problem = f"is {shown(text)}, with the control character U+{ord(character):04X}: remove it"
        raise InputProblems("the reason why the domain is public", [problem])
    if text is not None and len(text) > LONGEST_REASON:
        problem = f"has {len(text):,} characters: write at most {LONGEST_REASON:,}"
        raise InputProblems("the reason why the domain is public", [problem])
    return text


def _rows(mask: Any) -> list[int]:
    rows: list[int] = np.flatnonzero(mask.to_numpy(zero_copy_only=False)).tolist()
    return rows


def _repeated(place: str, labels: Any) -> list[str]:
    coded = labels.dictionary_encode()
    if len(coded.dictionary) == len(labels):
        return []
    ids: NDArray[np.int32] = coded.indices.to_numpy()
    _, first = np.unique(ids, return_index=True)
    return [
        f"{place} {row + 1} repeats {place} {first[ids[row]] + 1} ({shown(labels[row].as_py())}): keep one of them"
        for row in np.setdiff1d(np.arange(len(ids)), first).tolist()
        if labels[row].as_py()
    ]
