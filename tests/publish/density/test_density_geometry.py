"""The upper triangle against plain loops over pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.tables.triangle import cells, cells_at, count_splits, nth_splits, numbers_at, quadrants, root, tight

regions = st.tuples(*[st.integers(0, 12)] * 4).map(lambda r: (min(r[0], r[1]), max(r[0], r[1]), min(r[2], r[3]), max(r[2], r[3])))


def pairs(region: tuple[int, ...]) -> list[tuple[int, int]]:
    top, bottom, left, right = region
    return [(i, j) for i in range(top, bottom) for j in range(left, right) if i < j]


@given(regions)
def test_sizes_and_numbers_are_those_of_the_pairs(region: tuple[int, ...]) -> None:
    """A region's size, and its cells by number, are what a double loop finds; tightening loses no cell."""
    expected = pairs(region)
    where = np.array(region)
    row, column = cells_at(where, np.arange(len(expected)))
    numbers = numbers_at(*region, row, column)

    assert len(expected) == int(cells(where))
    assert expected == list(zip(row.tolist(), column.tolist(), strict=True))
    assert list(range(len(expected))) == numbers.tolist()
    assert expected == pairs(tuple(tight(where).tolist()))


@given(regions, st.integers(0, 12), st.integers(0, 12))
def test_a_split_puts_every_pair_into_exactly_one_part(region: tuple[int, ...], row: int, column: int) -> None:
    """The four parts are disjoint and together the region."""
    row = min(max(row, region[0]), region[1])
    column = min(max(column, region[2]), region[3])
    parts = quadrants(np.array([region]), np.array([[row, column]]))[0]

    assert sorted(pairs(region)) == sorted(pair for part in parts.tolist() for pair in pairs(tuple(part)))


@settings(max_examples=60)
@given(st.integers(2, 9), st.integers(1, 8), st.integers(0, 3))
def test_legal_splits_are_those_whose_parts_are_large_enough(vertices: int, least: int, step: int) -> None:
    """The numbered candidates are exactly the points on the grid whose parts hold no cell or at least `least`."""
    region = root(vertices)
    top, bottom, left, right = region.tolist()
    by = step or 1  # below 64 a side, "auto" tries every point
    expected = []
    for row in range(top + by, bottom, by):
        for column in range(left + by, right, by):
            sizes = [len(pairs(part)) for part in (
                (top, row, left, column), (top, row, column, right), (row, bottom, left, column), (row, bottom, column, right),
            )]  # fmt: skip
            if all(size == 0 or size >= least for size in sizes):
                expected.append([row, column])
    splits = int(count_splits(region[None], least, step)[0])
    actual = [nth_splits(region[None], least, np.array([n]), step)[0].tolist() for n in range(splits)]

    assert expected == actual


def test_auto_tries_at_most_64_cuts_a_side() -> None:
    """A region of a million vertices costs no more to split than one of a hundred."""
    assert count_splits(root(1_000_000)[None], 1)[0] <= 64 * 64
