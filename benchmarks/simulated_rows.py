"""Made-up rows of a relational table, of the shape of UCI's Adult: nobody's, reproducible, free to tune on.

A person belongs to one of eight hidden groups; each attribute's value is drawn from the group's own distribution, in which a few
values are frequent. So attributes hang together, and combinations repeat.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

import seqveil as sv
from data import find
from seqveil.evaluate.sets import Weighted
from seqveil.tables.attributes import attribute_numbers
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable

ADULT = {"age": 10, "workclass": 7, "education": 16, "marital": 7, "occupation": 14, "race": 5, "sex": 2, "income": 2}
"""Attributes of Adult and how many values each has; age in ranges."""
GROUPS = 8


def adult(records: int, attributes: int = len(ADULT), seed: int = 0) -> SetTable:
    """So many rows of the last attributes."""
    rng = np.random.default_rng([seed, records])
    group = rng.choice(GROUPS, records, p=(w := 1 / np.arange(1, GROUPS + 1)) / w.sum())
    columns, labels = [], []
    for name, values in list(ADULT.items())[-attributes:]:
        chances = np.stack([rng.permutation((np.arange(values) + 1.0) ** -2.0) for _ in range(GROUPS)])
        edges = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
        drawn = (rng.random(records)[:, None] > edges[group]).sum(axis=1)
        columns.append(len(labels) + np.minimum(drawn, values - 1))
        labels += [f"{name}={i}" for i in range(values)]
    rows = np.stack(columns, axis=1).astype(np.int32)
    return SetTable(sv.Domain.of(labels), Flat(rows.reshape(-1), np.arange(records + 1, dtype=np.int64) * rows.shape[1]))


def mushroom(attributes: int = 23) -> SetTable | None:
    """UCI's mushrooms: every record has one value of each of 23 attributes, numbered one attribute after the other."""
    path = find("mushroom.dat.gz")
    if path is None:
        return None
    flat = sv.read_sets(path, domain=sv.Domain.range(1, 119)).flat
    rows = flat.items.reshape(-1, 23)
    column = np.zeros(119, np.int64)
    for i in range(23):
        column[rows[:, i]] = i
    kept = rows[:, :attributes]
    labels = [f"a{column[code]}={code}" for code in range(int(kept.max()) + 1)]
    return SetTable(sv.Domain.of(labels), Flat(kept.reshape(-1), np.arange(len(kept) + 1, dtype=np.int64) * attributes))


def marginal_error(published: Weighted, raw: Weighted, domain: sv.Domain, ways: int) -> float:
    """Half the sum of |true − published| in the cells of a table of `ways` attributes, per record; mean over all such tables."""
    attribute = attribute_numbers(domain)
    number = int(attribute.max()) + 1

    def columns(sets: Weighted) -> np.ndarray:
        wide = np.zeros((len(sets.flat), number), np.int64)
        wide[np.repeat(np.arange(len(sets.flat)), sets.flat.lengths), attribute[sets.flat.items]] = sets.flat.items + 1
        return wide

    size = len(domain) + 1
    ours, theirs = columns(published), columns(raw)
    errors = []
    for chosen in combinations(range(number), ways):
        cells = [np.ravel_multi_index(tuple(c[:, list(chosen)].T), (size,) * ways) for c in (ours, theirs)]
        names, where = np.unique(np.concatenate(cells), return_inverse=True)
        weight = np.concatenate([published.weight, -raw.weight])
        errors.append(np.abs(np.bincount(where.reshape(-1), weight, len(names))).sum() / 2 / raw.records)
    return float(np.mean(errors))
