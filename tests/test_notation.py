"""Patterns as text: what is printed is visible, and read back it is the same pattern."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.notation import from_text, printable, to_text

LABELS = st.text(min_size=1, max_size=12)
HARD = [
    '"',
    "\\",
    '\\"',
    "-",
    "--total",
    "A > B",
    "a, b",
    "O'Hare",
    " ",
    "\x1b]52;c;aGk=\x07",
    "\u202eevil",
    "\u200b",
    "\ud800",
    "\x85",
]


@given(st.lists(LABELS | st.sampled_from(HARD), min_size=1, max_size=5))
@example(HARD)
def test_a_pattern_is_read_back_as_it_was(labels):
    """Whatever the labels are."""
    assert labels == from_text(to_text(labels))


@given(st.lists(LABELS | st.sampled_from(HARD), max_size=5))
def test_a_pattern_as_text_can_be_seen_and_is_no_option(labels):
    """No control, direction mark or invisible character; nothing that a command would take for an option."""
    text = to_text(labels)

    assert text == printable(text)
    assert not text.startswith("-")


@given(st.text())
@example("".join(map(chr, range(0x250))) + "".join(map(chr, range(0x2000, 0x2070))) + "\ufeff\u061c\ue000\U000e0041\u3164")
def test_printable_leaves_nothing_that_a_terminal_obeys_or_hides(text):
    """C0, C1, DEL, direction marks, zero width, line breaks, surrogates: all of them are escaped; twice is once."""
    shown = printable(text)

    assert [] == [c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")]
    assert shown == printable(shown)
    assert len(shown.encode()) >= len(shown)  # no surrogate is left, which no terminal could be sent


@pytest.mark.parametrize("plain", ["home", "West Ham", "Ærø", "日本", "👩", "a\\b", "50 %"])
def test_what_can_be_seen_stays_as_it_is(plain):
    """Escapes are for what is invisible."""
    assert plain == printable(plain)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('A "B', 'no " at its end'),
        ('"A"B', 'no " at its end'),
        ('"\\q"', "backslash is followed by"),
        ('"\\Uffffffff"', "there is no character"),
    ],
)
def test_what_cannot_be_read_is_told(text, message):
    """A query that is typed wrong is a wrong call."""
    with pytest.raises(CallError, match=message):
        from_text(text)
