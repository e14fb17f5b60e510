"""Records that noise did not plausibly make: published ones whose first label, last label and every step the release supports.

A first label, a last label or a step is *supported* if it was measured, its noisy count is more than `ABOVE` standard deviations
of its noise, and the count that the model gives it is more than `FITTED` of them. The first alone lets one empty cell in forty
pass; the model, which knows the whole table, takes most of these for what they are. Both figures were chosen on seven sets
(docs/mechanisms/record-model.md, 'Supported records').

Published records with anything else in them are redrawn: replaced by supported ones, of the same length as far as each of those
is then used `OFTEN` times at most. So lengths stay as they are where supported records have them, and a length that only noise
has is not filled with copies of the one record that happens to pass. All of it is computed from the release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.release.model.tables import Counted, SequenceCounts
from seqveil.tables.flat import Flat

ABOVE, FITTED, OFTEN = 2.0, 1.0, 4

_SEED = 0x5EC7E11
"""Public: the same release gives the same records."""


@dataclass(frozen=True, slots=True, eq=False)
class Supported:
    """As many records as were published, all of them supported (none where no record is).

    `redrawn` published records were not supported and were replaced, `resized` of them by records of another length.
    """

    flat: Flat
    redrawn: int
    resized: int


def standing_out(counted: Counted) -> NDArray[np.bool_]:
    """For every row whether noise could not plausibly have made it.

    The noise of scale 10 has a standard deviation of 14.1: of the counts 40 and 20, the first is clear of it. A noisy answer
    that the model does not believe does not count, nor does a count that was not measured.

    >>> standing_out(Counted.of(count=[40.0, 20.0, 3.0], noisy=[41, 19, 60], scales=[10.0])).tolist()
    [True, False, False]
    >>> standing_out(Counted.of(count=[900.0])).tolist()
    [False]
    """
    each = 1.0 if counted.gaussian else 2.0  # the variance of noise of scale 1, or of σ = 1
    deviation = np.array([np.sqrt(each * np.sum(np.square(law))) for law in counted.laws] + [np.inf])[counted.law]
    return np.asarray((counted.noisy > ABOVE * deviation) & (counted.count > FITTED * deviation))


def supported(flat: Flat, firsts: SequenceCounts, lasts: SequenceCounts, grams: SequenceCounts, labels: int) -> Supported:
    """The published records, those that are not supported redrawn."""
    kept = _supported_records(flat, firsts, lasts, grams, labels)
    source = np.flatnonzero(kept)
    if not len(source):
        return Supported(Flat.of([]), len(flat), 0)
    random = np.random.default_rng(_SEED)
    rows, missing = [source], 0
    lengths, own = flat.lengths, flat.lengths[source]
    for length in np.unique(lengths[~kept]).tolist():
        like, wanted = source[own == length], int((lengths[~kept] == length).sum())
        taken = min(wanted, len(like) * (OFTEN - 1))
        rows.append(_repeated(like, taken, random))
        missing += wanted - taken
    rows.append(_repeated(np.concatenate(rows), missing, random))
    every = random.permutation(np.concatenate(rows))
    return Supported(flat.take(every), len(flat) - len(source), missing)


def _supported_records(
    flat: Flat, firsts: SequenceCounts, lasts: SequenceCounts, grams: SequenceCounts, labels: int
) -> NDArray[np.bool_]:
    first, last = np.zeros(labels, np.bool_), np.zeros(labels, np.bool_)
    first[firsts.symbols[standing_out(firsts.counted)]] = True
    last[lasts.symbols[standing_out(lasts.counted)]] = True
    start, pairs = grams.block(2)
    clear = standing_out(grams.counted.take(np.arange(start, start + len(pairs))))
    steps = pairs[clear, 0].astype(np.int64) * labels + pairs[clear, 1]
    filled = np.flatnonzero(flat.lengths > 0)
    begins, ends = flat.offsets[filled], flat.offsets[filled + 1] - 1
    kept = np.zeros(len(flat), np.bool_)
    kept[filled] = first[flat.items[begins]] & last[flat.items[ends]]
    inside = np.ones(len(flat.items), np.bool_)
    inside[begins] = False
    after = np.flatnonzero(inside)
    taken = flat.items[after - 1].astype(np.int64) * labels + flat.items[after]
    record = np.repeat(np.arange(len(flat)), flat.lengths)
    kept[record[after[~np.isin(taken, steps)]]] = False
    return kept


def _repeated(rows: NDArray[np.int64], number: int, random: np.random.Generator) -> NDArray[np.int64]:
    """So many of the rows: all equally often, and the rest drawn without replacement."""
    if not number:
        return rows[:0]
    whole, rest = divmod(number, len(rows))
    return np.concatenate([np.tile(rows, whole), random.permutation(rows)[:rest]])
