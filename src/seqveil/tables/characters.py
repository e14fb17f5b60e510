"""Characters that public texts may hold.

Labels are shown in terminals, reports and spreadsheets, and compared by people. A control character can move a cursor or fill a
clipboard, a bidirectional one reorders what is read, and an invisible one makes two labels look the same. So labels have none of
them. docs/decisions/label-characters.md gives the reasons.

The rule is a fixed list of code points, not a property of the Python at hand: a domain that is accepted once is accepted
everywhere.

>>> [refused_in_label(text) for text in ("caf\\u00e9", "a\\x1bb", "a\\u202eb", "a\\u200bb")]
[None, '\\x1b', '\\u202e', '\\u200b']
>>> refused_in_label("\\u0645\\u06cc\\u200c\\u062e\\u0648"), refused_in_label("a\\u200cb")      # Persian needs the non-joiner
(None, '\\u200c')
"""

from __future__ import annotations

import re

CONTROLS = r"\x{0}-\x{1f}\x{7f}-\x{9f}\x{2028}\x{2029}"
"""C0, DEL, C1, and what separates lines and paragraphs."""

BIDIRECTIONAL = r"\x{202a}-\x{202e}\x{2066}-\x{2069}"
"""Embeddings, overrides and isolates: they reorder the text around them."""

_INVISIBLE = (
    r"\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180e}\x{200b}\x{200e}\x{200f}\x{2060}-\x{2065}\x{206a}-\x{206f}"
    r"\x{3164}\x{feff}\x{ffa0}\x{fff0}-\x{fffb}\x{1bca0}-\x{1bca3}\x{1d173}-\x{1d17a}\x{e0000}-\x{e00ff}\x{e01f0}-\x{e0fff}"
)
"""Zero-width characters, fillers, direction marks, tags, annotations. Joiners and variation selectors have rules of their own."""

_NONCHARACTERS = r"\x{fdd0}-\x{fdef}\x{fffe}\x{ffff}" + "".join(rf"\x{{{n:x}fffe}}\x{{{n:x}ffff}}" for n in range(1, 17))
"""Code points that are no characters; XML cannot carry some of them."""

_JOINERS = r"\x{200c}\x{200d}"
_SELECTORS = r"\x{180b}-\x{180d}\x{180f}\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}"
_JOINED = (
    r"\x{600}-\x{61b}\x{61d}-\x{dff}\x{f00}-\x{109f}\x{1780}-\x{17b3}\x{17b6}-\x{17ff}\x{1800}-\x{180a}\x{1810}-\x{18af}"
    r"\x{a840}-\x{a87f}\x{11000}-\x{11fff}"
)
"""Scripts whose spelling needs joiners: Arabic and its relatives, the scripts of India and South East Asia, Mongolian."""
_PICTURES = (
    r"\x{2190}-\x{27ff}\x{2900}-\x{2bff}\x{3030}\x{303d}\x{3297}\x{3299}\x{1f000}-\x{1faff}"
    r"\x{a9}\x{ae}\x{203c}\x{2049}\x{2122}\x{2139}"
)
"""What emoji are made of."""
_IDEOGRAPHS = r"\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}\x{f900}-\x{faff}\x{20000}-\x{3fffd}"

_REFUSED = (
    rf"[{CONTROLS}{BIDIRECTIONAL}{_INVISIBLE}{_NONCHARACTERS}]"
    # A joiner stands between two characters of scripts that have joiners, or between two pictures.
    rf"|(?:^|[^{_JOINED}{_PICTURES}\x{{fe0f}}])[{_JOINERS}]|[{_JOINERS}](?:$|[^{_JOINED}{_PICTURES}])"
    # A variation selector chooses the picture of the character before it; of ASCII only in keycaps.
    rf"|(?:^|[^{_JOINED}{_PICTURES}{_IDEOGRAPHS}0-9#*])[{_SELECTORS}]|[0-9#*][{_SELECTORS}](?:$|[^\x{{20e3}}])"
)

LABEL = f"(?:{_REFUSED})"
"""Matches what no label may hold; in the syntax of RE2, as Arrow takes it."""

_HEX = re.compile(r"\\x\{([0-9a-f]+)\}")


def _python(pattern: str) -> re.Pattern[str]:
    """The same pattern for Python, which spells code points differently."""
    return re.compile(_HEX.sub(lambda match: rf"\U{int(match[1], 16):08x}", pattern).replace("$", r"\Z"))


_LABEL = _python(rf"[\x{{d800}}-\x{{dfff}}]|{LABEL}")
_PROSE = _python(rf"[\x{{0}}-\x{{8}}\x{{b}}\x{{c}}\x{{e}}-\x{{1f}}\x{{7f}}-\x{{9f}}{BIDIRECTIONAL}\x{{d800}}-\x{{dfff}}]")
_UNSEEN = _python(rf"[\x{{d800}}-\x{{dfff}}{CONTROLS}{BIDIRECTIONAL}{_INVISIBLE}{_NONCHARACTERS}{_JOINERS}{_SELECTORS}]")


def refused_in_label(text: str) -> str | None:
    """The first thing in a text that a label may not hold, None where there is none."""
    match = _LABEL.search(text)
    return None if match is None else next(c for c in match[0] if _UNSEEN.match(c))


def refused_in_prose(text: str) -> str | None:
    """The first character that a sentence may not hold: controls other than tab and line ends, and what reorders text.

    >>> refused_in_prose("the map\\nis \\u200fpublished"), refused_in_prose("\\x1b]52;c;")
    (None, '\\x1b')
    """
    match = _PROSE.search(text)
    return None if match is None else match[0]


def shown(text: str, most: int = 60) -> str:
    """A text in quotes, with everything invisible spelled out; the end of a long one is left out.

    >>> shown("a\\u202eb\\x1b"), shown("\\u3164"), shown("z" * 100, 5)
    ("'a\\\\u202eb\\\\x1b'", "'\\\\u3164'", "'zzzzz…'")
    """
    cut = text[:most] + ("…" if len(text) > most else "")
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), repr(cut))
