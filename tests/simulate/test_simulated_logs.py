"""The simulated logs: the shapes they promise, and seeds that repeat them."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.simulate.logs import bike_days, clicks, loan_cases, web_sessions
from seqveil.tables.sequences import SequenceTable


@pytest.mark.parametrize("log", [bike_days, loan_cases, clicks, web_sessions])
def test_a_seed_repeats_a_log_and_another_one_does_not(log) -> None:
    one, again, other = log(300), log(300), log(300, seed=2)

    assert 300 == len(one)
    assert one.flat.items.tolist() == again.flat.items.tolist()
    assert one.flat.items.tolist() != other.flat.items.tolist()
    assert one.flat.lengths.min() >= 1


def steps(table: SequenceTable) -> np.ndarray:
    """Every pair of neighbours of a record."""
    inside = np.ones(len(table.flat.items), np.bool_)
    inside[table.flat.offsets[1:] - 1] = False
    at = np.flatnonzero(inside)
    return np.stack([table.flat.items[at], table.flat.items[at + 1]], axis=1)


def test_bike_trips_go_somewhere_and_come_back() -> None:
    """A trip ends elsewhere; of days with two trips, most return to where they began."""
    days = bike_days(4_000)
    rows = [s.tolist() for s in days.flat]

    assert all(a != b for s in rows for a, b in zip(s[::2], s[1::2], strict=True))
    assert 0.4 < np.mean([s[0] == s[3] for s in rows if len(s) == 4]) < 0.8


def test_loan_cases_are_long_and_loop() -> None:
    cases = loan_cases(2_000)
    back = steps(cases)

    assert cases.flat.lengths.mean() > 20
    assert 0.1 < (back[:, 1] < back[:, 0]).mean() < 0.5
    assert 24 == len(np.unique(cases.flat.items))


@pytest.mark.parametrize("log", [clicks, web_sessions])
def test_popularity_is_steep_and_pages_are_linked(log) -> None:
    """A tenth of the labels has most of the visits; the commonest steps are far commoner than by popularity alone."""
    table = log(8_000)
    counts = np.sort(np.bincount(table.flat.items, minlength=len(table.domain)))[::-1]
    share = counts / counts.sum()
    pairs = steps(table)
    keys, often = np.unique(pairs[:, 0].astype(np.int64) * len(table.domain) + pairs[:, 1], return_counts=True)
    visits = np.bincount(table.flat.items, minlength=len(table.domain)) / len(table.flat.items)
    best = keys[np.argsort(-often)[:50]]
    expected = visits[best // len(table.domain)] * visits[best % len(table.domain)] * len(pairs)

    assert share[: len(share) // 10].sum() > 0.5
    assert np.median(np.sort(often)[::-1][:50] / expected) > 3
