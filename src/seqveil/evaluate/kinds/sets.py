"""Sets: itemset counts and frequent itemsets of a release against the raw table. INTERNAL: reads raw data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.evaluate.comparison import Grid, Metrics, number, row
from seqveil.evaluate.mined import grids_of, measure_patterns
from seqveil.evaluate.sets import Weighted, Workload, measure
from seqveil.release.patterns import PatternRelease
from seqveil.release.sets import SetModelRelease, SetRelease

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.sets import SetTable


class SetEvaluator:
    """The true answers of a table of sets; rows of a relational table are sets, too."""

    def __init__(self, table: SetTable, runs: int = 1) -> None:
        self._table, self._runs = table, runs

    @cached_property
    def _workload(self) -> Workload:
        return Workload(Weighted.raw(self._table.flat), len(self._table.domain))

    def measure(self, release: Release, sources: bool, on_step: Callable[[str], None]) -> Metrics:
        """Of published sets: counts, top K, intervals. Of mined itemsets: their agreement."""
        if isinstance(release, PatternRelease):
            on_step("patterns")
            return measure_patterns(release, self._table.flat, self._runs)
        if not isinstance(release, SetRelease | SetModelRelease):
            raise CallError(f"the release holds {release.description}: there are no sets or itemsets in it to compare.")
        on_step("counts and itemsets")
        return {"sets": measure(release, self._workload)}

    def grids(self, metrics: Metrics) -> list[Grid]:
        if "patterns" in metrics:
            return grids_of(metrics)
        sets = metrics["sets"]
        errors, utility, ranked = sets["count_error"], sets["top_k_utility"], sets["top_k_utility_released"]
        header = ["mean relative error, itemsets of up to", *(f"{share} % of the longest" for share in errors)]
        tops = [row("from synthetic records", utility.values()), row("from released counts", ranked.values())]
        rest = [
            ["synthetic records per raw record", number(sets["records_kept"])],
            ["counts whose 95 % confidence interval covers the true one", number(sets["intervals_covered"])],
        ]
        return [
            Grid(header, [row("records that contain the itemset", errors.values())]),
            Grid(["utility of the top K itemsets (1 is perfect), K =", *map(str, utility)], tops),
            Grid(["sets", "value"], rest),
        ]
