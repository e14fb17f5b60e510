"""Synthetic sets from what was measured. Post-processing: what is drawn here is nobody's secret, so its seed is fixed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.bins import itemset
from seqveil.bases.counting import Binned, Counted
from seqveil.bases.live import Live
from seqveil.models.bases.filling import filled, sizes_of
from seqveil.models.bases.population import Population, apportioned, fit, from_bins, independent
from seqveil.tables.flat import Flat

MOST_RECORDS = 200_000
"""The model has at most so many records; a larger population repeats them."""

SEED = 23

Ints = NDArray[np.int64]


def drawn_sets(live: Live, counted: Counted, histogram: NDArray[np.float64], labels: int) -> Flat:
    """As many sets as the noisy number of records says, none of them empty."""
    size, random = max(live.size, 0), np.random.default_rng(SEED)
    modelled = min(size, MOST_RECORDS)
    if not modelled:
        return Flat.of([])
    columns, population = _inside(live, counted, modelled, modelled / size, random)
    sizes = sizes_of(population.sum(axis=1), histogram, random)
    others, weights = _others(live, columns, histogram, labels)
    sets = filled(population, columns, sizes, others, weights, random)
    rows = np.resize(random.permutation(modelled), size)
    sets = sets.take(rows)
    return sets.take(np.flatnonzero(sets.lengths > 0))


def sets_in_bins(binned: Binned, size: int) -> Flat:
    """As many sets as the noisy number of records says, where all labels are one basis; none of them empty."""
    copies = apportioned(binned.fitted, max(size, 0))
    cells = np.flatnonzero(copies)
    rows = np.repeat(np.arange(len(cells)), copies[cells])
    sets = Flat.of(itemset(binned.basis, bin_) for bin_ in cells.tolist()).take(np.random.default_rng(SEED).permutation(rows))
    return sets.take(np.flatnonzero(sets.lengths > 0))


def _inside(live: Live, counted: Counted, size: int, share: float, random: np.random.Generator) -> tuple[Ints, Population]:
    """The labels whose combinations are known, and a population over them."""
    if len(counted.bases) == 1:
        basis = counted.bases[0]
        return np.array(basis.basis, np.int64), from_bins(basis.fitted, len(basis.basis), size)
    columns = sorted({x for itemset in counted.patterns if len(itemset) > 1 for x in itemset})
    at = {x: j for j, x in enumerate(columns)}
    count = {x: n * share for x, n in zip(counted.patterns, counted.count.tolist(), strict=True)}
    single = [count.get((x,), live.counts.get(x, 0) * share) for x in columns]
    population = independent(np.rint(single).astype(np.int64), size, random)
    larger = [x for x in counted.patterns if len(x) > 1]
    wanted = np.rint([max(count[x], 0.0) for x in larger]).astype(np.int64)
    fit(population, [tuple(at[y] for y in x) for x in larger], wanted, random)
    return np.array(columns, np.int64), population


def _others(live: Live, columns: Ints, histogram: NDArray[np.float64], labels: int) -> tuple[Ints, NDArray[np.float64]]:
    """All other labels and their weights: those that stand out by their noisy count, the rest evenly by what sizes leave."""
    weights = np.zeros(labels)
    weights[list(live.labels)] = live.noisy
    occurrences = float((np.maximum(histogram, 0.0) * np.arange(1, len(histogram) + 1)).sum())
    unseen = np.setdiff1d(np.arange(labels), np.union1d(live.labels, columns))
    if len(unseen):
        weights[unseen] = max(occurrences - weights.sum(), 0.0) / len(unseen)
    others = np.setdiff1d(np.arange(labels), columns)
    return others, weights[others]
