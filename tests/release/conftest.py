"""The sample database of the N-gram paper as a release, and facts as the wall would state them."""

from __future__ import annotations

from typing import Any

import pytest

import sealing
from seqveil.facts import Facts, Stage
from seqveil.release.grams import GramRelease, GramTable
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.units import User

TABLE_1 = ["231", "23", "32", "231", "321", "23123", "32", "3123"]
LABELS = Domain.of(["I1", "I2", "I3"], public_because="printed in the paper")
END = 3


def exact_grams(n_max: int) -> GramTable:
    """All grams of Table 1 up to n_max symbols with their exact counts, & appended to every record."""
    counts: dict[tuple[int, ...], int] = {}
    for record in TABLE_1:
        codes = [int(c) - 1 for c in record] + [END]
        for start in range(len(codes) - 1):
            for stop in range(start + 1, min(start + n_max, len(codes)) + 1):
                gram = tuple(codes[start:stop])
                counts[gram] = counts.get(gram, 0) + 1
    grams = sorted(counts, key=lambda gram: (len(gram), gram))
    return GramTable.of([list(g) for g in grams], [float(counts[g]) for g in grams], scale=0.0)


def facts(**changes: Any) -> Facts:
    """What the wall would vouch for."""
    run = {
        "paper": "Chen, Acs, Castelluccia, CCS 2012",
        "parameters": {"l_max": 5, "n_max": 3},
        "unit": User(max_sequences=2),
        "unused": "0.36",
        "stages": [Stage("exploration tree", "tree", "1.0", "0.64", "dearest path")],
        "noise": "discrete Laplace, secure",
        "domain": LABELS,
    }
    return sealing.facts(**{**run, **changes})


@pytest.fixture
def paper() -> GramRelease:
    """Table 1 as an unsealed release with exact counts."""
    records = Flat.of([[int(c) - 1 for c in record] for record in TABLE_1])
    return GramRelease(LABELS, grams=exact_grams(3), synthetic=records, l_max=5, n_max=3)


@pytest.fixture
def wall_facts() -> Any:
    """Makes facts, with changes."""
    return facts


@pytest.fixture
def sealed(paper: GramRelease) -> GramRelease:
    """The same, sealed by a wall."""
    paper.seal(facts())
    return paper
