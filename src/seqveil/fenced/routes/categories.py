"""Categories as paths: whoever wants "food" accepts "food/pizza" [Bonomi thesis, §6.1]."""

from __future__ import annotations

from collections.abc import Iterable


def above(category: str) -> list[str]:
    """The wider categories that a category belongs to, nearest first.

    >>> above("food/pizza/take-away"), above("museum")
    (['food/pizza', 'food'], [])
    """
    parts = category.split("/")
    return [wider for cut in range(len(parts) - 1, 0, -1) if (wider := "/".join(parts[:cut]))]


def accepts(wanted: str, offered: str) -> bool:
    """Whether a place that offers one category will do for another: the same one, or one below it.

    >>> accepts("food", "food/pizza"), accepts("food/pizza", "food"), accepts("foo", "food/pizza")
    (True, False, False)
    """
    return offered == wanted or wanted in above(offered)


def wantable(categories: Iterable[str]) -> list[str]:
    """All that may be asked for: the categories of a graph, then what lies above them.

    >>> wantable(["food/pizza", "museum", "food/bakery"])
    ['food/pizza', 'museum', 'food/bakery', 'food']
    """
    listed = list(categories)
    return list(dict.fromkeys([*listed, *(wider for category in listed for wider in above(category))]))
