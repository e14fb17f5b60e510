"""(K, C)_L-privacy, slow and obvious: a database is a list of (set of pairs, a value for each attribute)."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

from seqveil.tables.trajectories import TrajectoryTable, trajectories_of


def table_of(rows, sensitive) -> TrajectoryTable:
    """Rows as the thesis prints them: 'a1 d2' is a at 1, then d at 2."""
    paths = [[(word[0], int(word[1:])) for word in path.split()] for path, _ in rows]
    return trajectories_of(paths, [value for _, value in rows], sensitive)


def spelled(table: TrajectoryTable, codes) -> str:
    return " ".join("".join(table.pairs[code]) for code in codes)


def plain(table: TrajectoryTable):
    """The database of a table; what is not sensitive is None."""
    names = [[*listed, None] for listed in table.values]
    return [
        (frozenset(path.tolist()), tuple(name[code] for name, code in zip(names, codes, strict=True)))
        for path, codes in zip(table.flat, table.sensitive, strict=True)
    ]


def matching(database, q):
    return [i for i, (path, _) in enumerate(database) if q <= path]


def breaks(database, rows, k, c, values):
    """Too few records, or one listed value of one attribute with too large a share among them."""
    return len(rows) < k or any(
        Fraction(sum(database[i][1][attribute] == v for i in rows), len(rows)) > c[attribute]
        for attribute, listed in enumerate(values)
        for v in listed
    )


def brute_violations(database, k, c, l, values):  # noqa: E741
    """All violating sequences, by looking at every subset of every record; C and the values are listed by attribute."""
    present = {frozenset(q) for path, _ in database for n in range(1, l + 1) for q in combinations(sorted(path), n)}
    return {q for q in present if breaks(database, matching(database, q), k, c, values)}


def minimal(sequences):
    return {q for q in sequences if not any(other < q for other in sequences)}


def random_table(seed: int) -> TrajectoryTable:
    """Up to 14 records over up to 9 pairs; one or two sensitive values."""
    draw = random.Random(seed)
    places, hours = draw.randint(1, 2), draw.randint(3, 6)
    rows = []
    for _ in range(draw.randint(5, 14)):
        times = [t for t in range(1, hours + 1) if draw.random() < 0.7] or [1]
        rows.append((" ".join(f"{'ab'[draw.randrange(places)]}{t}" for t in times), draw.choice("xyzw")))
    return table_of(rows, ["x", "y"][: draw.randint(1, 2)])
