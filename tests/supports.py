"""What supports are, written down without any cleverness: fixtures for the tests of questions and of their miners."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable


@pytest.fixture
def every_support() -> Any:
    """All patterns of at most `longest` items that occur, with their supports, by enumerating subsequences."""

    def count(records: Any, longest: int) -> dict[tuple[int, ...], int]:
        out: dict[tuple[int, ...], int] = {}
        for r in records:
            parts = {tuple(r[i] for i in at) for k in range(1, longest + 1) for at in combinations(range(len(r)), k)}
            for p in parts:
                out[p] = out.get(p, 0) + 1
        return out

    return count


@pytest.fixture
def all_records() -> Any:
    """Every record over `labels` labels with `shortest` to `longest` items."""
    return lambda labels, longest, shortest=1: [r for n in range(shortest, longest + 1) for r in product(range(labels), repeat=n)]


@pytest.fixture
def table() -> Any:
    """A table from codes."""
    return lambda records, labels: SequenceTable(Domain.range(1, labels), Flat.of(records))


@pytest.fixture
def dense() -> Any:
    """The exact answers of a question as plain numbers."""

    def ask(question: Any, data: Any, unit: Any) -> list[int]:
        tally = question.tally(data, unit)
        out = np.zeros(question.slots(len(data.domain)), np.int64)
        out[tally.index] = tally.count
        return out.tolist()

    return ask
