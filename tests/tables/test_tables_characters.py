"""What a label may be made of: nothing that controls a terminal, reorders text or cannot be seen, wherever it comes from."""

from __future__ import annotations

import gzip
import unicodedata

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import InputProblems, SeqveilError
from seqveil.sources import read_sequences
from seqveil.tables.characters import LABEL, refused_in_label, shown
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities

HOSTILE = {
    "C0": "a\x1b]52;c;QUFB\x07b", "NUL": "a\x00b", "DEL": "a\x7fb", "C1": "a\x9b31mb", "NEL": "a\x85b",
    "override": "a\u202eb", "embedding": "a\u202ab", "isolate": "a\u2066b", "pop": "a\u2069b",
    "LRM": "a\u200eb", "RLM": "a\u200fb", "ALM": "a\u061cb",
    "zero-width space": "a\u200bb", "non-joiner in Latin": "a\u200cb", "joiner in Latin": "a\u200db", "word joiner": "a\u2060b",
    "byte order mark": "a\ufeffb", "line separator": "a\u2028b", "paragraph separator": "a\u2029b", "soft hyphen": "a\u00adb",
    "grapheme joiner": "a\u034fb", "Hangul filler": "a\u3164b", "tag": "a\U000e0041b", "annotation": "a\ufff9b",
    "selector in Latin": "a\ufe0fb", "ideographic selector in Latin": "a\U000e0100b", "Mongolian selector in Latin": "a\u180bb",
    "two selectors": "\u2764\ufe0f\ufe0f", "noncharacter": "a\uffffb", "noncharacter of plane 16": "a\U0010fffeb",
    "joiner at the end": "\u0645\u200d", "two joiners": "\u0645\u200c\u200c\u062e",
}  # fmt: skip
NEEDED = {
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Hindi": "\u0915\u094d\u200d\u0937", "Bengali": "\u09b0\u200d\u09cd\u09af",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467", "heart": "\u2764\ufe0f",
    "rainbow": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "keycap": "1\ufe0f\u20e3", "ideograph with a selector": "\u845b\U000e0100", "Mongolian": "\u1820\u180b",
    "Arabic number sign": "\u0600\u0661", "accent": "e\u0301", "Hebrew": "\u05d0\u05d1", "private use": "\ue000",
    "ASCII": "=a'\"<&]]>",
}  # fmt: skip
every_hostile = pytest.mark.parametrize("label", HOSTILE.values(), ids=HOSTILE)


def _file(label, folder):
    path = folder / "labels.txt"
    path.write_bytes(f"b\n{label}\n".encode())
    return Domain.from_file(path)


def _archive(label, folder):
    path = folder / "labels.txt.gz"
    path.write_bytes(gzip.compress(f"b\n{label}\n".encode()))
    return Domain.from_file(path)


DOORS = {
    "of": lambda label, folder: Domain.of(["b", label]),
    "parse": lambda label, folder: Domain.parse(f"b,{label}"),
    "file": _file,
    "archive": _archive,
    "catch-all": lambda label, folder: Domain.range(1, 3).with_other(label),
    "attribute=value": lambda label, folder: Domain.of(["sex=f", f"sex={label}"]),
}
"""Where a domain is made; vertices, places with slots and attributes are labels like any other."""


@every_hostile
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_hostile_label_makes_no_domain(label, door, tmp_path):
    """It is refused as a problem of the input, and spelled out where it is shown."""
    with pytest.raises(InputProblems) as caught:
        door(label, tmp_path)

    message = str(caught.value)
    assert message.replace("\n", "").isprintable()
    assert refused_in_label(message.replace("\n", "")) is None


@pytest.mark.parametrize("label", ["a\ud800b", "\udfff"])
def test_surrogates_are_no_text(label):
    """They cannot be written to any file."""
    with pytest.raises(InputProblems) as caught:
        Domain.of([label])

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("label", NEEDED.values(), ids=NEEDED)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_what_languages_need_is_a_label(label, door, tmp_path):
    """Joiners between letters of scripts that have them, emoji, variants of ideographs."""
    if door is DOORS["attribute=value"] and label == NEEDED["keycap"]:
        label = f"x{label}"
    assert len(door(label, tmp_path)) in (2, 4)


def test_arrow_and_python_read_one_rule():
    """Every code point, alone and between letters."""
    every = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for texts in (every, [f"a{c}b" for c in every], [f"\u0645{c}\u062e" for c in every]):
        matches = pc.match_substring_regex(pa.array(texts, pa.large_string()), LABEL).to_pylist()
        assert [refused_in_label(text) is not None for text in texts] == matches


def test_all_controls_and_nearly_all_format_characters_are_refused():
    """The rest are the visible ones: signs that stand before Arabic numbers, and what joins hieroglyphs."""
    left = {
        c for c in map(chr, range(0x110000))
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and refused_in_label(f"a{c}b") is None
    }  # fmt: skip
    visible = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13456)}

    assert {ord(c) for c in left} <= visible


@given(st.text(max_size=20))
def test_what_is_shown_has_nothing_invisible(text):
    """And it is short."""
    output = shown(text, 10)

    assert refused_in_label(output) is None
    assert len(output) < 10 * 10 + 10


@every_hostile
def test_a_taxonomy_shows_no_hostile_label(label, tmp_path):
    """It is outside every domain."""
    path = tmp_path / "groups.txt"
    path.write_text(f"a\tx\nb\ty\n{label}\ty\n", encoding="utf-8")
    with pytest.raises(SeqveilError) as caught:
        Granularities.from_file(path, Domain.of(["a", "b"]))

    assert refused_in_label(str(caught.value).replace("\n", "")) is None


def test_hostile_items_in_data_are_dropped_in_silence(tmp_path):
    """Data is not a domain: what is outside is left out, as ever."""
    path = tmp_path / "data.jsonl"
    path.write_text('["a", "a\\u202eb"]\n["\\u001b", "b"]\n', encoding="utf-8")
    table = read_sequences(path, domain=Domain.of(["a", "b"]))

    assert [[0], [1]] == [sequence.tolist() for sequence in table.flat]


@pytest.mark.parametrize("reason", ["\x1b[2J", "a\u202eb", "a\x9bb", "a" * 200_000])
def test_a_reason_that_no_manifest_can_carry_is_refused_before_anything_is_spent(reason):
    """Wherever a domain gets it."""
    with pytest.raises(InputProblems, match="the reason why the domain is public"):
        Domain.of(["a"], public_because=reason)


def test_a_reason_may_have_lines_and_marks_of_direction():
    """Sentences of people, in any language."""
    because = "the map\nis \u200fpublished\u200c"
    assert because == Domain.of(["a"], public_because=because).public_because
