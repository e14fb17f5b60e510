r"""Text that may come from others, as it is shown; and patterns of labels, as they are shown and as `seqveil query` reads them.

A pattern is written as its labels with a blank between them. A label stands in double quotes if it has blanks or characters that
cannot be seen, or begins with " or -. Inside the quotes a backslash precedes ", another backslash, or a code point: \x1b, \u202e.
So what is printed is visible, and can be pasted back.

>>> to_text(["home", "West Ham", "O'Hare", "A > B", '5"', "&"])
'home "West Ham" O\'Hare "A > B" 5" &'
>>> from_text('home "West Ham" "say \\"hi\\"" &')
['home', 'West Ham', 'say "hi"', '&']
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from seqveil.errors import CallError

_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Letters and marks by their category, but nothing is drawn for them."""

_ESCAPE = re.compile(r'\\(["\\]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})')
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"(?=[ \t\r\n]|$)|([^ \t\r\n"][^ \t\r\n]*)')


def printable(text: str) -> str:
    r"""One line of text, visible as a whole: controls, line breaks, direction marks and invisible characters as escapes.

    >>> print(printable("a\x1b[31mb\n\u202ec\u200bd\U000e0041"))
    a\x1b[31mb\x0a\u202ec\u200bd\U000e0041
    """
    if text.isprintable() and _BLANK_LETTERS.isdisjoint(text):
        return text
    return "".join(c if c.isprintable() and c not in _BLANK_LETTERS else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def to_text(labels: Iterable[str]) -> str:
    """A pattern as it is printed."""
    return " ".join(map(_label, labels))


def _label(label: str) -> str:
    shown = printable(label)
    if label and shown == label and " " not in label and label[0] not in '"-':
        return label
    return '"' + printable(label.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def from_text(text: str) -> list[str]:
    r"""The labels of a pattern as it was printed or typed.

    >>> from_text('A "B')
    Traceback (most recent call last):
    seqveil.errors.CallError: 'A "B': a label that begins with " has no " at its end. Close it, or write the label as "\"B".
    """
    labels = []
    at = 0
    while rest := text[at:].lstrip(" \t\r\n"):
        at = len(text) - len(rest)
        word = _WORD.match(text, at)
        if word is None:
            unclosed = re.split(r"[ \t\r\n]", rest)[0].replace("\\", "\\\\").replace('"', '\\"')
            raise CallError(
                f'{text!r}: a label that begins with " has no " at its end. Close it, or write the label as "{unclosed}".'
            )
        labels.append(word[2] if word[1] is None else _unquoted(word[1], text))
        at = word.end()
    return labels


def _unquoted(quoted: str, text: str) -> str:
    if "\\" in _ESCAPE.sub("", quoted):
        raise CallError(f'{text!r}: inside double quotes a backslash is followed by ", \\, or a code point such as x1b or u202e.')
    try:
        return _ESCAPE.sub(lambda escape: escape[1] if escape[1] in '"\\' else chr(int(escape[1][1:], 16)), quoted)
    except (ValueError, OverflowError):
        raise CallError(f"{text!r}: there is no character of the code point after \\U: the last one is \\U0010ffff.") from None
