"""Simulated people: surnames from syllables, a few of them frequent and most of them rare, and what typists do to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ONSETS = [
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pr", "r", "s", "sch",
    "sh", "st", "t", "th", "tr", "v", "w",
]  # fmt: skip
NUCLEI = [
    "a", "a", "a", "e", "e", "e", "i", "i", "o", "o", "u", "ai", "ea", "ie", "oo", "ou",
]  # fmt: skip
CODAS = [
    "", "", "", "", "l", "ll", "m", "n", "n", "nd", "ng", "r", "r", "rd", "rt", "s", "ss", "st", "t", "tt", "ck",
]  # fmt: skip
ENDINGS = [
    "", "", "", "son", "er", "man", "ley", "ton", "berg", "field", "s", "sen", "well",
]  # fmt: skip

_SKEW = 0.8
"""How steeply frequencies fall with rank; chosen so that a few names are frequent and most are rare."""


def names(n: int, seed: int = 2026) -> list[str]:
    """The surnames of n people, in no order; people share the frequent ones.

    >>> names(4, seed=1)
    ['...', '...', '...', '...']
    >>> names(4, seed=1) == names(4, seed=1) != names(4, seed=2)
    True
    """
    random = np.random.default_rng(seed)
    different = _surnames(max(20, n // 2))
    weights = np.arange(1, len(different) + 1, dtype=np.float64) ** -_SKEW
    chosen = random.choice(len(different), n, p=weights / weights.sum())
    return [different[k] for k in chosen.tolist()]


def _surnames(n: int) -> list[str]:
    """n different surnames, the same for every seed: two towns of one country share them."""
    random = np.random.default_rng(1)
    distinct: dict[str, None] = {}
    while len(distinct) < n:
        syllables = [
            "".join(parts[random.integers(len(parts))] for parts in (ONSETS, NUCLEI, CODAS)) for _ in range(random.integers(1, 3))
        ]
        distinct["".join([*syllables, ENDINGS[random.integers(len(ENDINGS))]]).capitalize()] = None
    return list(distinct)


def with_typing_errors(names: Sequence[str], edits: int, seed: int = 2026) -> list[str]:
    """Every name after so many random edits: a letter left out, typed too much, or typed wrongly.

    Later edits may undo earlier ones, so the edit distance is at most `edits`; after a single edit it is 1 but for case.

    >>> with_typing_errors(["Miller"], 0), len(with_typing_errors(["Miller"], 1)[0]) in (5, 6, 7)
    (['Miller'], True)
    """
    random = np.random.default_rng(seed)
    return [_mistyped(name, edits, random) for name in names]


def _mistyped(name: str, edits: int, random: np.random.Generator) -> str:
    for _ in range(edits):
        kind = int(random.integers(3)) if len(name) > 1 else 1
        at = int(random.integers(len(name) + (kind == 1)))
        letter = LETTERS[random.integers(len(LETTERS))]
        if kind == 2 and letter == name[at].lower():
            letter = LETTERS[(LETTERS.index(letter) + 1) % len(LETTERS)]
        name = name[:at] + (letter if kind else "") + name[at + (kind != 1) :]
    return name
