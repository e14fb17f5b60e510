"""Sequences: counts, patterns and shapes of a release against the raw table. INTERNAL: reads raw data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.evaluate.baseline import exact_records, mechanism_of
from seqveil.evaluate.beginnings import top_beginnings
from seqveil.evaluate.cells import grid_of_cells, measure_cells
from seqveil.evaluate.comparison import Grid, Metrics, number, row
from seqveil.evaluate.cut import cut_of, drawn, records_of
from seqveil.evaluate.intervals import covered
from seqveil.evaluate.mined import grids_of, measure_patterns
from seqveil.evaluate.ranking import agreement, released_patterns
from seqveil.evaluate.times import time_errors
from seqveil.evaluate.yardstick import KS, Yardstick
from seqveil.release.capabilities import Synthetic
from seqveil.release.grams import GramRelease
from seqveil.release.histogram import HistogramRelease
from seqveil.release.model import RecordRelease
from seqveil.release.patterns import PatternRelease
from seqveil.release.prefixes import PrefixRelease

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.flat import Flat
    from seqveil.tables.sequences import SequenceTable

MINED = {
    "occurrences_truncated": "contiguous, by occurrences, truncated data: from synthetic records",
    "documents_full": "contiguous, by records, full data: from synthetic records",
    "gapped_documents": "with gaps, by records, full data: from synthetic records",
}
"""The three ways in which patterns of synthetic records are mined, as people read them."""

RELEASED = {
    "occurrences_truncated": "contiguous, by occurrences, truncated data: from released counts",
    "beginnings_full": "what records begin with, full data: from released counts",
}


class SequenceEvaluator:
    """The true answers of a table of sequences."""

    def __init__(self, table: SequenceTable, runs: int = 1) -> None:
        self._table, self._runs = table, runs
        self._yards: dict[int, Yardstick] = {}

    def measure(self, release: Release, sources: bool, on_step: Callable[[str], None]) -> Metrics:
        """Of synthetic records: counts, top K, shape, and where the error comes from. Of mined patterns: their agreement."""
        if isinstance(release, PatternRelease):
            on_step("patterns")
            return measure_patterns(release, self._table.flat, self._runs)
        if isinstance(release, HistogramRelease):
            on_step("cells")
            return {"cells": measure_cells(release, self._table.flat)}
        if not isinstance(release, Synthetic):
            raise CallError(f"the release holds {release.description}: there are no sequences or patterns in it to compare.")
        yard, records = self._yard(release), release.synthetic
        times = time_errors(self._table.domain, records_of(release, self._table), records)
        return {
            **({"times": times} if times else {}),
            **yard.measure(records, on_step),
            **self._of_counts(release, yard, on_step),
            **(self._sources(release, yard, records, on_step) if sources else {}),
        }

    def _yard(self, release: Release) -> Yardstick:
        l_max = cut_of(release)
        if drawn(release):
            return Yardstick(self._table.flat, len(self._table.domain), l_max, cut=records_of(release, self._table))
        if l_max not in self._yards:
            self._yards[l_max] = Yardstick(self._table.flat, len(self._table.domain), l_max)
        return self._yards[l_max]

    def _of_counts(self, release: Release, yard: Yardstick, on_step: Callable[[str], None]) -> Metrics:
        """What the released counts say without any synthesis in between: top K, and intervals where their truth is known."""
        on_step("released counts")
        most, labels = max(KS), len(self._table.domain)
        if isinstance(release, PrefixRelease):
            truth = top_beginnings(self._table.flat, labels, most, shortest=2)
            return {"top_k_released": {"beginnings_full": agreement(truth, released_patterns(release, most, shortest=2), KS)}}
        if not isinstance(release, GramRelease | RecordRelease):
            return {}
        truth = yard.true_patterns["occurrences_truncated"]
        out: Metrics = {"top_k_released": {"occurrences_truncated": agreement(truth, released_patterns(release, most, 2), KS)}}
        # Where a secret choice of a user's records, or of the items of a record, was counted, its counts are not known.
        exact = release.manifest.whom.name == "record" and not drawn(release)
        return {**out, "intervals": covered(release, yard.cut)} if exact else out

    def _sources(self, release: Release, yard: Yardstick, records: Flat, on_step: Callable[[str], None]) -> Metrics:
        """How much of the error is truncation, model and noise; nothing where the model without noise does not fit."""
        on_step("sources of the error")
        mechanism = mechanism_of(release)
        exact = None if mechanism is None else exact_records(self._table, mechanism, release)
        return {} if exact is None else {"error_sources": yard.error_sources(records, exact)}

    def grids(self, metrics: Metrics) -> list[Grid]:
        if "patterns" in metrics:
            return grids_of(metrics)
        if "cells" in metrics:
            return [grid_of_cells(metrics)]
        return [
            _counts(metrics),
            _whole_records(metrics),
            _paths(metrics),
            _visits(metrics),
            *_times(metrics),
            *_tops(metrics),
            _shape(metrics),
            *_intervals(metrics),
        ]


def _counts(metrics: Metrics) -> Grid:
    count, sources = metrics["count_error"], metrics.get("error_sources", {})
    rows = [row("against the full data", count["full"].values())]
    named = ("truncation", "model", "noise") if sources else ()
    rows += [row(f"  of which {name}", (parts[name] for parts in sources.values())) for name in named]
    rows += [row("against the truncated data", count["truncated"].values())]
    rows += [row("records that begin with the query", metrics["other_queries"]["prefix"].values())]
    left_out = "The error is not split into its sources: not requested, or the model without noise does not fit in memory."
    return Grid(["mean relative error of counts, queries of up to", *map(str, count["full"])], rows, "" if sources else left_out)


WHOLE = {
    "records": "number of records, synthetic / raw",
    "length": "mean length, synthetic / raw",
    "lengths": "share of records with a wrong length",
    "first": "share of records with a wrong first label",
    "last": "share of records with a wrong last label",
    "trip": "share of records with a wrong pair of first and last label",
}
"""What whole records look like beside the raw ones, as people read it."""


def _whole_records(metrics: Metrics) -> Grid:
    whole = metrics["whole_records"]
    remark = (
        "1 is best for the first two rows, 0 for the others (total variation: the records that would have to change). "
        "Raw records are cut where the release cuts them; of a user all are compared, not only as many as the release used."
    )
    return Grid(["whole records", "value"], [row(text, [whole[name]]) for name, text in WHOLE.items()], remark)


PATHS = {
    "false_steps": "share of synthetic steps that occur nowhere in the raw data",
    "missing_steps": "share of raw steps that occur nowhere in the synthetic records",
    "unseen_records": "share of synthetic records that no raw record equals",
}
"""What only one side has, as people read it."""


def _paths(metrics: Metrics) -> Grid:
    paths = metrics["paths"]
    unseen = ["number of synthetic records that no raw record equals", number(paths["unseen"], 0)]
    remark = (
        "0 is best for steps. Even a few false steps mislead miners that turn every step into a rule (inductive miners): "
        "for them, draw supported records only, from a release of record-model. Long records are nearly always new."
    )
    return Grid(["paths", "value"], [*(row(text, [paths[name]]) for name, text in PATHS.items()), unseen], remark)


def _visits(metrics: Metrics) -> Grid:
    visited = metrics["other_queries"]["visited_all"]
    return Grid(["mean relative error, sets of up to", *map(str, visited)], [row("visited all of these", visited.values())])


TIMES = {
    "visits_per_bin": "visits per time bin",
    "departures_per_bin": "first items per time bin",
    "place_per_bin": "visits per place and time bin",
    "ordered_places": "one place before another",
    "trip_per_departure": "first place, its time bin, and last place",
}
"""What is compared over a timed domain, as people read it."""


def _times(metrics: Metrics) -> list[Grid]:
    if "times" not in metrics:
        return []
    times = metrics["times"]
    rows = [row(text, [times[name], times[f"{name}_count"]]) for name, text in TIMES.items()]
    rows += [row("share of records whose time runs backwards, synthetic and raw", [times["backwards"], times["backwards_raw"]])]
    remark = "0 is best: total variation of shares, and the sum of all differences of counts, divided by the sum of raw counts."
    return [Grid(["times", "shares", "counts"], rows, remark)]


def _tops(metrics: Metrics) -> list[Grid]:
    grids = []
    for metric in ("true_positive_ratio", "utility_loss"):
        header = [f"top K patterns: {metric.replace('_', ' ')}, K =", *map(str, next(iter(metrics["top_k"].values())))]
        rows = [row(text, (at[metric] for at in metrics["top_k"][name].values())) for name, text in MINED.items()]
        for name, by_k in metrics.get("top_k_released", {}).items():
            rows.append(row(RELEASED[name], (at[metric] for at in by_k.values())))
        grids.append(Grid(header, rows))
    return grids


def _shape(metrics: Metrics) -> Grid:
    remark = (
        "lengths to items: Jensen-Shannon divergence in bits, 0 is best. coverage: rank correlation of how often labels occur, "
        "1 is best. frequent: F-score (1) and median relative error (0) of frequent patterns with gaps."
    )
    rows = [row(name.replace("_", " "), [value]) for name, value in metrics["shape"].items()]
    return Grid(["shape", "value"], rows, remark)


def _intervals(metrics: Metrics) -> list[Grid]:
    if "intervals" not in metrics:
        return []
    share = number(metrics["intervals"].get("covered"))
    return [Grid(["intervals", "value"], [["n-grams whose 95 % confidence interval covers the true count", share]])]
