"""Linkage the slow and obvious way: strings and Python integers only."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from seqveil.link import Base, Vectors


def occurrences(s: str, g: str) -> int:
    """O_s(g)."""
    return sum(s.startswith(g, i) for i in range(len(s)))


def vector(s: str, grams: tuple[str, ...]) -> list[Fraction]:
    """Definition 4.3."""
    return [Fraction(occurrences(s, g), len(g)) for g in grams]


def squared(s: str, z: str, grams: tuple[str, ...]) -> Fraction:
    """d'(s, z)²."""
    return sum(((x - y) ** 2 for x, y in zip(vector(s, grams), vector(z, grams), strict=True)), Fraction(0))


def one_edit_away(s: str, alphabet: str) -> set[str]:
    """Every string that one deletion, substitution or insertion makes of s, and s."""
    deleted = {s[:i] + s[i + 1 :] for i in range(len(s))}
    put = {s[:i] + c + s[i + 1 :] for i in range(len(s)) for c in alphabet}
    return {s} | deleted | put | {s[:i] + c + s[i:] for i in range(len(s) + 1) for c in alphabet}


def within(s: str, edits: int, alphabet: str) -> set[str]:
    """Every string within so many edits of s."""
    near = {s}
    for _ in range(edits):
        near = set().union(*(one_edit_away(z, alphabet) for z in near))
    return near


def matches(a: Vectors, b: Vectors) -> dict[tuple[int, int], int]:
    """Pairs of positions from 1 and their squared distances, in Python's integers."""
    weights = [int(w) for w in a.weights]
    scaled = [[[int(x) * w for x, w in zip(row, weights, strict=True)] for row in side.counts.tolist()] for side in (a, b)]
    reach_a = None if a.reach is None else a.reaches.tolist()
    reach_b = None if a.reach is not None else b.reaches.tolist()
    near = {}
    for i, x in enumerate(scaled[0]):
        for j, y in enumerate(scaled[1]):
            away = sum((p - q) ** 2 for p, q in zip(x, y, strict=True))
            if away <= (reach_a[i] if reach_a is not None else reach_b[j]):
                near[i + 1, j + 1] = away
    return near


def vectors_of(rows: list[list[int]], lengths: list[int], reach: object, digest: str, bits: int = 8) -> Vectors:
    """Vectors as if loaded."""
    kind = np.uint8 if bits == 8 else np.uint16
    reaches = np.array(reach, np.int64) if isinstance(reach, list) else reach
    return Vectors(np.array(rows, kind).reshape(len(rows), len(lengths)), reaches, "0" * 64, np.array(lengths, np.int64), digest)


def base_of(alphabet: str, *grams: str) -> Base:
    """A base without releases, for tests."""
    from seqveil.tables.names import Alphabet

    return Base(Alphabet(alphabet), grams)
