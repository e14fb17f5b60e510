"""Small record models whose tables are exact counts of their own records with noise put on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

import sealing
from seqveil.release.model import Counted, RecordRelease, SequenceCounts
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

PLACES = Domain.of(["home", "work", "city hall"], public_because="a published list")
RECORDS = [(0, 1), (0, 1, 0), (2,), (1, 1, 1), (0, 2, 1, 0), (0, 1)]
SCALES = [2.0, 0.5]


def counted(counts: Counter[tuple[int, ...]], rng: np.random.Generator) -> SequenceCounts:
    """The counts with some noise, the last row left unmeasured."""
    rows = sorted(counts, key=lambda row: (len(row), row))
    count = np.array([float(counts[row]) for row in rows])
    noisy = count.astype(np.int64) + rng.integers(-3, 4, len(rows))
    measured = np.arange(len(rows)) < len(rows) - 1
    return SequenceCounts.of(rows, Counted.of(count + 0.25, noisy, SCALES, measured))


def model_of(records: Iterable[Sequence[int]], domain: Domain = PLACES, n_max: int = 2, l_max: int = 4) -> RecordRelease:
    """A release whose tables are about these records, which are its synthetic ones too."""
    rows, rng = [tuple(record) for record in records], np.random.default_rng(7)
    grams = Counter(r[i : i + n] for r in rows for n in range(1, n_max + 1) for i in range(len(r) - n + 1))
    lengths = np.bincount([len(r) for r in rows], minlength=l_max + 1)[1:]
    return RecordRelease(
        domain,
        grams=counted(grams, rng),
        firsts=counted(Counter(r[:1] for r in rows if r), rng),
        lasts=counted(Counter(r[-1:] for r in rows if r), rng),
        trips=counted(Counter((r[0], r[-1]) for r in rows if r), rng),
        lengths=Counted.of(lengths + 0.5, lengths + 1, SCALES),
        synthetic=Flat.of(rows),
        l_max=l_max,
        n_max=n_max,
    )


def model() -> RecordRelease:
    """A sealed release."""
    release: RecordRelease = sealing.sealed(model_of(RECORDS))
    return release
