"""Names of accounts: one spelling for what looks the same, and a warning where two are easily confused."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from seqveil.errors import CallError

LONGEST_NAME = 200

_INVISIBLE = re.compile(
    "[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\U0001d159\\U000e0100-\\U000e01ef]"
)
"""Fillers, selectors and blanks that Python calls printable and a reader does not see."""

_NUMBER = re.compile(r"\d+")


def check_name(name: object) -> str:
    """An account's name in normal form (NFC): printable, not blank, not longer than a line.

    >>> check_name("metro 2026-10")
    'metro 2026-10'
    >>> check_name("Zu\\u0308rich") == "Z\\u00fcrich"
    True
    """
    if isinstance(name, str) and name.strip() == name != "" and name.isprintable() and len(name) <= LONGEST_NAME:
        return unicodedata.normalize("NFC", name)
    raise _refused(name)


def settle(name: str, accounts: Collection[str]) -> str:
    """The account that is meant: one that exists, whatever normal form it was once written in, or else a new one.

    >>> settle("Z\\u00fcrich", ["Zu\\u0308rich"]) == "Zu\\u0308rich"
    True
    """
    if name in accounts:
        return name
    normal = check_name(name)
    for other in accounts:
        if unicodedata.normalize("NFC", other) == normal:
            return other
    if _INVISIBLE.search(normal):
        raise _refused(name)
    return normal


def _refused(name: object) -> CallError:
    return CallError(
        f"account = {name!a}: give a name of 1 to {LONGEST_NAME} printable, visible characters without spaces around it, "
        "for example metro-2026."
    )


def near(name: str, accounts: Collection[str]) -> list[str]:
    """The accounts whose names are easily confused with a new one: by case, width, - _ and space, or one slip of the hand.

    Names that differ only in a number are meant to differ.

    >>> near("metro_2026", ["Metro-2026", "metro-2025", "meter-2026", "mtro_2026", "bus"])
    ['Metro-2026', 'mtro_2026']
    """
    return [other for other in sorted(accounts) if other != name and _alike(_plain(name), _plain(other))]


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return re.sub(r"[\s_\u2010-\u2015\u2212-]+", "-", folded)


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if min(len(one), len(other)) < 4 or _NUMBER.sub("0", one) == _NUMBER.sub("0", other):
        return False
    return _one_slip(one, other)


def _one_slip(one: str, other: str) -> bool:
    """Whether one character was added, left out, replaced, or swapped with its neighbour.

    >>> [_one_slip("metro", other) for other in ("mtero", "metr", "metros", "netro", "trome")]
    [True, True, True, True, False]
    """
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def confusable(name: str, accounts: Collection[str]) -> str | None:
    """The warning that a new account may be an existing one mistyped.

    >>> print(confusable("Metro", ["metro", "bus"]))
    Account 'Metro' is new, and its name is close to that of 'metro'. No cap limits the sum of two accounts: if both are \
about the same people, use the existing name.
    """
    others = near(name, accounts)
    if not others:
        return None
    names = ", ".join(map(repr, others[:3])) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    return (
        f"Account {name!r} is new, and its name is close to that of {names}. No cap limits the sum of two accounts: "
        "if both are about the same people, use the existing name."
    )
