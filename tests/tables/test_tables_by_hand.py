"""Tables made by hand: what a kernel could not read, or would count twice, is refused when the table is made and costs no ε."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable

ABC = Domain.of(["a", "b", "c"])
RECORDS = Flat.of([[0, 1], [1], [0, 2]])


def array(*values: Any, dtype: Any = None) -> Any:
    return np.array(values, dtype)


@pytest.mark.parametrize("table", [SequenceTable, SetTable])
@pytest.mark.parametrize(
    "users",
    [
        array(1),
        array(1, 2, 3, 4, 5),
        [1, 2, 1],
        array("x", "y", "x"),
        array("x", None, 3, dtype=object),
        array(1.0, np.nan, np.nan),
        array([1], [2], [3]),
        array(1, 2, 3, dtype=">i8"),
        array(1, 2, 3, dtype=np.uint64),
    ],
)
def test_owners_are_one_whole_number_per_record(table: Any, users: Any) -> None:
    """A missing owner would leave records unbounded; what is no number would stop the run when ε is spent."""
    with pytest.raises(CallError, match="users must hold one whole number per record"):
        table(ABC, RECORDS, users)


@pytest.mark.parametrize("table", [SequenceTable, SetTable])
@pytest.mark.parametrize(
    ("flat", "message"),
    [
        ([[0, 1], [1]], "must be a Flat"),
        (Flat(array(0.0, 1.0), array(0, 2)), "must be a Flat"),
        (Flat(array(True, False), array(0, 2)), "must be a Flat"),
        (Flat(array([0, 1], [1, 0]), array(0, 2)), "must be a Flat"),
        (Flat(array(0, 1, dtype=">i4"), array(0, 2)), "must be a Flat"),
        (Flat(array(0, 1), array(0, 9)), "offsets must rise"),
        (Flat(array(0, 1), array(1, 2)), "offsets must rise"),
        (Flat(array(0, 1), array(0, 2, 1, 2)), "offsets must rise"),
        (Flat(array(0, 1), array(0, 2, 1, 2, dtype=np.uint32)), "offsets must rise"),
        (Flat(array(0, 1), array(dtype=np.int64)), "offsets must rise"),
        (Flat(array(0, 3), array(0, 2)), "outside the domain"),
        (Flat(array(-1, 0), array(0, 2)), "outside the domain"),
    ],
)
def test_records_are_within_their_arrays_and_their_domain(table: Any, flat: Any, message: str) -> None:
    with pytest.raises(CallError, match=message):
        table(ABC, flat)


@pytest.mark.parametrize("records", [[[2, 1]], [[0], [1, 1]], [[0, 1], [], [2, 0]]])
def test_sets_are_ascending_without_repeats(records: list[list[int]]) -> None:
    with pytest.raises(CallError, match="ascending and each of them once"):
        SetTable(ABC, Flat.of(records))


@pytest.mark.parametrize("records", [[], [[]], [[2], [1], [], [0]], [[0, 1, 2], [0, 1, 2], []]])
def test_sets_that_are_right_are_taken(records: list[list[int]]) -> None:
    assert len(records) == len(SetTable(ABC, Flat.of(records), np.arange(len(records))))


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        ([0], [1], "two NumPy arrays"),
        (array(0.0), array(1.0), "two NumPy arrays"),
        (array(0, 0), array(1), "two NumPy arrays"),
        (array(0), array(3), "low < high"),
        (array(-1), array(1), "low < high"),
        (array(1), array(1), "low < high"),
        (array(2), array(1), "low < high"),
        (array(1, 0), array(2, 1), "sorted"),
        (array(0, 0), array(1, 1), "none repeated"),
    ],
)
def test_an_edge_is_one_pair_of_the_domain(low: Any, high: Any, message: str) -> None:
    """An edge that stands there twice is counted twice, and no sensitivity for one edge is true."""
    with pytest.raises(CallError, match=message):
        GraphTable(ABC, low, high)
