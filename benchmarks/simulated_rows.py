"""Made-up rows of a relational table, nobody's, reproducible, free to tune on.

`adult` has the shape of UCI's Adult: a person belongs to one of eight hidden groups; each attribute's value is drawn from the
group's own distribution, in which a few values are frequent. So attributes hang together, and combinations repeat. Defaults were
chosen on it and on mushrooms; `census`, `survey` and `visits` have other shapes and were made afterwards, to check that choice.
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


def census(records: int, seed: int = 0) -> SetTable:
    """Seven attributes that hang together along a chain, most people alike: region, kind of home, tenure, cars, job, age, sex.

    Every value is drawn from a row of chances that the value before it chooses, and most rows have one frequent value: skewed.
    """
    sizes = {"region": 12, "home": 5, "tenure": 4, "cars": 4, "job": 9, "age": 8, "sex": 2}
    rng = np.random.default_rng([seed, records, 7])
    before, columns, labels = np.zeros(records, np.int64), [], []
    for name, values in sizes.items():
        chances = rng.dirichlet(1.6 / np.arange(1, values + 1), size=int(before.max()) + 1)
        before = np.minimum((rng.random(records)[:, None] > np.cumsum(chances, axis=1)[before]).sum(axis=1), values - 1)
        columns.append(len(labels) + before)
        labels += [f"{name}={i}" for i in range(values)]
    return _table(columns, labels)


def survey(records: int, questions: int = 6, agreement: float = 0.6, seed: int = 0) -> SetTable:
    """Answers from 1 to 5 around a person's own leaning: normal scores that share this correlation, cut at fixed places."""
    rng = np.random.default_rng([seed, records, 5])
    leaning = rng.normal(size=records) * agreement**0.5
    scores = leaning[:, None] + rng.normal(size=(records, questions)) * (1 - agreement) ** 0.5
    answers = np.searchsorted([-1.2, -0.4, 0.4, 1.2], scores)
    labels = [f"q{q}={i + 1}" for q in range(questions) for i in range(5)]
    return _table([5 * q + answers[:, q] for q in range(questions)], labels)


def visits(records: int, seed: int = 0) -> SetTable:
    """Ten attributes of two or three values, independent and uneven, of which a person leaves out each with a chance of 0.15."""
    rng = np.random.default_rng([seed, records, 10])
    columns, labels = [], []
    for q in range(10):
        values = 2 + q % 2
        drawn = rng.choice(values, records, p=rng.dirichlet([4.0, *[0.7] * (values - 1)]))
        columns.append(np.where(rng.random(records) < 0.15, -1, len(labels) + drawn))
        labels += [f"v{q}={i}" for i in range(values)]
    return _table(columns, labels)


def _table(columns: list[np.ndarray], labels: list[str]) -> SetTable:
    """Rows of codes; -1 is no value, and a row without any is none."""
    wide = np.stack(columns, axis=1)
    wide = wide[(wide >= 0).any(axis=1)]
    offsets = np.concatenate([[0], np.cumsum((wide >= 0).sum(axis=1))]).astype(np.int64)
    return SetTable(sv.Domain.of(labels), Flat(wide[wide >= 0].astype(np.int32), offsets))


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
