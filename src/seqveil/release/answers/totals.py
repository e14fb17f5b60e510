"""Totals of several counts of one release: when a sum has an interval, is an estimate, or is not released."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.release.answers.answer import Answer
from seqveil.release.answers.table import refuse_no_queries

if TYPE_CHECKING:
    from seqveil.release.capabilities import Countable

Queries = Iterable[Sequence[str]]


def total_of(
    release: Countable,
    queries: Queries,
    row_of: Callable[[Sequence[str]], int | None],
    summed: Callable[[list[int], list[int]], Answer],
) -> Answer:
    """The sum of the counts of different queries; an estimate where one of them is in no row.

    `summed` adds up rows; it is also given the number of labels of each.
    """
    asked = [tuple(query) for query in queries]
    refuse_no_queries(asked)
    refuse_repeated(asked)
    parts = [release.count(query) for query in asked]
    if any(part.kind == "not released" for part in parts):
        return Answer.not_released(release.about)
    rows = [row for query in asked if (row := row_of(query)) is not None]
    if len(rows) < len(asked):
        return Answer(sum(part.value for part in parts), None, None, "estimate", release.about)
    return summed(rows, [len(query) for query in asked])


def refuse_repeated(queries: list[tuple[str, ...]]) -> None:
    """A sum counts every pattern once."""
    for query in queries:
        if queries.count(query) > 1:
            raise CallError(f"{' '.join(query)!r} is in this total more than once: give every query once.")
