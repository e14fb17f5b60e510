"""Transit data beside the printed tables of [Chen thesis, ch. 4, 6, 7]: sequences, sets and the station graph.

    python benchmarks/transit.py PART [--runs 3] [--data metro bus] [--methods …] [--epsilon 1.0 0.5]

PARTs are sequences, heights, habits, lengths, sets, why and graph.
The thesis' STM data is not public. Passengers are simulated from the tube's public counts (simulated_transit.py says what is real
and what is made up). The public taxonomy groups neighbours on the network. Journeys with their hours are in time_bins.py. Prints
Markdown; docs/results/transit.md keeps it. What is printed compares with raw data: it is INTERNAL.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import seqveil as sv
from seqveil.errors import CallError
from seqveil.evaluate.count_queries import relative_error
from seqveil.evaluate.gapped import top_gapped
from seqveil.evaluate.graphs import LARGE, Graph, cut_counts, degree_divergence
from seqveil.evaluate.graphs import relative_error as cut_error
from seqveil.evaluate.sets import Weighted, Workload, containing, set_queries
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable
from simulated_transit import bus, connected, metro, neighbour_groups, stm

TOPS = (100, 150, 200, 250, 300)
H = 12
LEAST_SHARED = 34
"""What a prefix of the simple tree must reach at ε = 1 (two standard deviations of the noise of 12 levels)."""


def line(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells: str) -> None:
    line(*cells)
    line(*["---"] * len(cells))


def taxonomy_file(domain: sv.Domain, groups: list[np.ndarray]) -> str:
    """A file of the one format that prefix-hybrid and diffpart read: label, group, coarser group."""
    rows = zip(domain.labels(range(len(domain))), *(group.tolist() for group in groups), strict=True)
    path = Path(tempfile.mkdtemp()) / "neighbourhoods.tsv"
    path.write_text("".join("\t".join([label, *(f"g{level}-{g}" for level, g in enumerate(row))]) + "\n" for label, *row in rows))
    return str(path)


class Presence:
    """Count queries of Definition 6.5, "who was at all of these", lengths uniform in 1..i·h/4; s = 0.1 % of the records."""

    def __init__(self, raw: Flat, labels: int, queries: int = 4_000) -> None:
        self._labels, self._records = labels, len(raw)
        self._queries = [set_queries(labels, i * H // 4, queries // 4, seed=i) for i in (1, 2, 3, 4)]
        self._truth = self._answers(raw)

    def _answers(self, flat: Flat) -> list[np.ndarray]:
        domain = sv.Domain.range(1, self._labels)
        sets = Weighted.raw(SetTable.of(sv.SequenceTable(domain, flat)).flat)
        return [containing(sets, asked, self._labels) for asked in self._queries]

    def errors(self, synthetic: Flat) -> list[float]:
        pairs = zip(self._answers(synthetic), self._truth, strict=True)
        return [float(relative_error(answer, truth, self._records).mean()) for answer, truth in pairs]


def settings(domain: sv.Domain, size: int) -> dict[str, Any]:
    """The methods that are compared; `size` labels to a group of neighbours."""
    groups = taxonomy_file(domain, [neighbour_groups(len(domain), size)])
    shuffled = taxonomy_file(domain, [np.random.default_rng(1).permutation(neighbour_groups(len(domain), size))])
    return {
        "prefix": sv.PrefixPublication(h=H),
        "prefix, 4 deviations": sv.PrefixPublication(h=H, deviations=4.0),
        "prefix-hybrid, neighbours": sv.PrefixPublication(h=H, granularity="hybrid", taxonomy=groups),
        "prefix-hybrid, groups without meaning": sv.PrefixPublication(h=H, granularity="hybrid", taxonomy=shuffled),
        "ngram": sv.NGram(),
        "record-model": sv.RecordModel(),
    }


class Sequences:
    """What is asked of synthetic sequences: count queries, and frequent patterns with gaps and more than one label."""

    def __init__(self, name: str, table: sv.SequenceTable) -> None:
        self._table, self._labels = table, len(table.domain)
        self._presence = Presence(table.flat, self._labels)
        self._truth = list(top_gapped(table.flat, self._labels, TOPS[-1]))
        mean = table.flat.lengths.mean()
        print(f"\n### {name}: {len(table):,} records, {self._labels} labels, {mean:.2f} on average\n")
        header("method", "ε", *(f"max {i * H // 4}" for i in (1, 2, 3, 4)), *(f"TP of {k}" for k in TOPS), "records", "CPU s")

    def row(self, method: str, mechanism: Any, epsilon: str, runs: int) -> None:
        measured, seconds = [], []
        try:
            for seed in range(runs):
                begun = time.process_time()
                synthetic = sv.experiment(self._table, mechanism, epsilon, seed=seed).synthetic
                seconds.append(time.process_time() - begun)
                patterns = list(top_gapped(synthetic, self._labels, TOPS[-1]))
                hits = [len(set(self._truth[:k]) & set(patterns[:k])) for k in TOPS]
                measured.append([*self._presence.errors(synthetic), *hits, len(synthetic)])
        except CallError:
            line(method, epsilon, "refused", *[""] * 10)
            return
        mean = np.mean(measured, axis=0)
        cells = [*(f"{x:.3f}" for x in mean[:4]), *(f"{x:.0f}" for x in mean[4:9]), f"{mean[9]:,.0f}"]
        line(method, epsilon, *cells, f"{min(seconds):.1f}")


TAPS: dict[str, tuple[Callable[..., sv.SequenceTable | None], int, int]] = {
    "metro": (metro, 847_668, 8),
    "bus": (bus, 778_724, 16),
}
"""Each set of taps, how many passengers it has, and how many labels a group of neighbours."""


def sequences(asked: argparse.Namespace) -> None:
    """Figure 6.3 (count queries) and Tables 6.6 and 6.7 (frequent patterns)."""
    for name in asked.data:
        make, passengers, size = TAPS[name]
        if (table := make(passengers // asked.fraction)) is None:
            return
        measure = Sequences(name, table)
        for method, mechanism in settings(table.domain, size).items():
            if not asked.methods or method in asked.methods:
                for epsilon in asked.epsilon:
                    measure.row(method, mechanism, epsilon, asked.runs)


def heights(asked: argparse.Namespace) -> None:
    """Table 6.8: what the height of the tree does."""
    for name in asked.data:
        make, passengers, size = TAPS[name]
        if (table := make(passengers // asked.fraction)) is None:
            return
        measure, groups = Sequences(name, table), taxonomy_file(table.domain, [neighbour_groups(len(table.domain), size)])
        for h in (6, 8, 10, 12, 14, 16, 18, 20):
            mechanism = sv.PrefixPublication(h=h, granularity="hybrid", taxonomy=groups)
            measure.row(f"prefix-hybrid, h = {h}", mechanism, asked.epsilon[0], asked.runs)


def habits(asked: argparse.Namespace) -> None:
    """What the trees' errors hang on: how often whole records repeat. Passengers who go to their usual place more often."""
    for name in asked.data:
        make, passengers, size = TAPS[name]
        for habit in (0.4, 0.7, 0.9, 1.0):
            if (table := make(passengers // asked.fraction, habit=habit)) is None:
                return
            whole = Counter(record.tobytes() for record in table.flat)
            shared = sum(n for n in whole.values() if n >= LEAST_SHARED) / len(table)
            measure = Sequences(f"{name}, habit {habit:g}: {shared:.1%} of the records have {LEAST_SHARED} like them", table)
            for method, mechanism in settings(table.domain, size).items():
                if method in (asked.methods or ("prefix", "prefix, 4 deviations", "prefix-hybrid, neighbours", "ngram")):
                    for epsilon in asked.epsilon:
                        measure.row(method, mechanism, epsilon, asked.runs)


def lengths(asked: argparse.Namespace) -> None:
    """Which of the most frequent patterns the hybrid tree finds, by the number of their labels."""
    for name in asked.data:
        make, passengers, size = TAPS[name]
        print(f"\n### {name}: the {TOPS[-1]} most frequent patterns by their number of labels, ε = {asked.epsilon[0]}\n")
        header("habit", "2 labels", "3", "4", "5 and more", "found")
        for habit in (0.4, 0.7, 0.9, 1.0):
            if (table := make(passengers // asked.fraction, habit=habit)) is None:
                return
            mechanism = settings(table.domain, size)["prefix-hybrid, neighbours"]
            synthetic = sv.experiment(table, mechanism, asked.epsilon[0], seed=0).synthetic
            true, theirs = (set(top_gapped(flat, len(table.domain), TOPS[-1])) for flat in (table.flat, synthetic))
            all_of, hits = (Counter(min(len(pattern), 5) for pattern in patterns) for patterns in (true, true & theirs))
            line(habit, *(f"{hits[labels]} of {all_of[labels]}" for labels in (2, 3, 4, 5)), len(true & theirs))


def set_workload(table: SetTable) -> Workload:
    return Workload(Weighted.raw(table.flat), len(table.domain), 10_000)


def set_row(name: str, setting: str, table: SetTable, work: Workload, mechanism: Any, epsilon: str, runs: int) -> None:
    """Errors and utilities; "scaled" multiplies all counts by noisy number of records / number of synthetic ones."""
    measured = []
    for seed in range(runs):
        release = sv.experiment(table, mechanism, epsilon, seed=seed)
        published = Weighted.released(release)
        factor = max(release.size.noisy, 1) / max(release.published, 1)
        scaled = Weighted(published.flat, np.rint(published.weight * factor).astype(np.int64), release.size.noisy)
        errors = list(work.errors(published).values())
        top = [work.utility(published, k) for k in (20, 100)]
        measured.append(
            [errors[0], errors[2], *top, work.utility(scaled, 100), release.published / work.raw.records, len(release)]
        )
    mean = np.mean(measured, axis=0)
    line(name, setting, epsilon, *(f"{x:.3f}" for x in mean[:6]), f"{mean[6]:,.0f}")


def set_header() -> None:
    header("data", "setting", "ε", "error ≤20 %", "≤60 %", "utility K=20", "K=100", "K=100, scaled", "records kept", "sets")


def reordered(table: SetTable, seed: int) -> SetTable:
    """The same sets over a domain in random order: groups without meaning."""
    place = np.random.default_rng(seed).permutation(len(table.domain)).astype(np.int32)
    return SetTable.of(sv.SequenceTable(sv.Domain.range(1, len(table.domain)), Flat(place[table.flat.items], table.flat.offsets)))


def sets(asked: argparse.Namespace) -> None:
    """Figure 4.7: the utility of top-K itemsets, at the sizes of Table 4.2."""
    taps = stm()
    if taps is None:
        return
    table = SetTable.of(taps)
    work = set_workload(table)
    print(f"\n{len(table):,} sets, {len(table.domain):,} labels, {table.flat.lengths.mean():.2f} on average\n")
    set_header()
    for epsilon in ("0.5", "0.75", "1.0", "1.25"):
        set_row("stm", "default", table, work, sv.DiffPart(), epsilon, asked.runs)
    mixed = reordered(table, 1)
    set_row("stm", "default, random order", mixed, set_workload(mixed), sv.DiffPart(), "1.0", asked.runs)
    first = np.char.rpartition(np.array(table.domain.labels(range(len(table.domain)))), " ")
    station = np.where(np.char.str_len(first[:, 2]) == 1, first[:, 0], table.domain.labels(range(len(table.domain))))
    groups = np.unique(station, return_inverse=True)[1].reshape(-1)
    path = taxonomy_file(table.domain, [groups, neighbour_groups(len(table.domain), 40)])
    set_row("stm", "file: stop, station, neighbourhood", table, work, sv.DiffPart(taxonomy=path), "1.0", asked.runs)
    for setting in ({"branching": 3.0}, {"branching": 1.5}, {"fan_out": 6}, {"fan_out": 12, "c1": 3.7, "c2": 6.0}):
        set_row(
            "stm", ", ".join(f"{k} {v:g}" for k, v in setting.items()), table, work, sv.DiffPart(**setting), "1.0", asked.runs
        )
    for c1, c2 in ((1.5, 4.6), (2.0, 5.0), (5.0, 5.0), (2.75, 6.75)):
        set_row("stm", f"c1 {c1}, c2 {c2}", table, work, sv.DiffPart(c1=c1, c2=c2), "1.0", asked.runs)


def why(asked: argparse.Namespace) -> None:
    """What the utility of DiffPart hangs on: how often sets repeat. "Best possible" publishes every set of 6 or more exactly."""
    header(
        "habit",
        "labels on average",
        "distinct sets",
        "records in sets of ≥ 6",
        "best possible K=100",
        "diffpart ε = 1",
        "ε = 100",
    )
    for habit, mean in ((0.4, 5.17), (0.7, 7.3), (0.9, 12.0), (0.97, 20.0)):
        taps = stm(habit=habit, mean=mean)
        if taps is None:
            return
        table = SetTable.of(taps)
        work = set_workload(table)
        raw = work.raw
        often = np.flatnonzero(raw.weight >= 6)
        best = Weighted(raw.flat.take(often), raw.weight[often], int(raw.weight[often].sum()))
        cells = [work.utility(best, 100)]
        for epsilon in ("1.0", "100"):
            releases = [sv.experiment(table, sv.DiffPart(), epsilon, seed=seed) for seed in range(asked.runs)]
            cells.append(float(np.mean([work.utility(Weighted.released(release), 100) for release in releases])))
        line(
            habit,
            f"{table.flat.lengths.mean():.2f}",
            f"{len(raw.weight):,}",
            f"{best.records / raw.records:.3f}",
            *(f"{x:.3f}" for x in cells),
        )


def graph(asked: argparse.Namespace) -> None:
    """Table 7.2: cuts of the graph of stations between which many people go, in an order along the network and in others."""
    pair = connected(LEAST_PEOPLE)
    if pair is None:
        return
    network, pairs = pair
    used = np.flatnonzero(network.trips.sum(0) + network.trips.sum(1))
    place = np.full(len(network.names), -1)
    place[used] = np.arange(len(used))
    names = [network.names[i] for i in used]
    orders = {
        "neighbours on the network": np.arange(len(used)),
        "alphabetical": np.argsort(np.argsort(names)),
        "random": np.random.default_rng(3).permutation(len(used)),
    }
    sizes = [round(share * len(used)) for share in LARGE]
    print(f"\n{len(used)} stations, {len(pairs)} edges, density {2 * len(pairs) / len(used) / (len(used) - 1):.5f}\n")
    header("method", "order", "ε", *(f"{share:g}·V" for share in LARGE), "runs of the order, 0.2·V", "KL of degrees")
    line("thesis, STM (1,012 × 7,860), really spends 2ε", "unknown", "1.0", *STM_7_2, "", "")
    for epsilon in ("1.0", "2.0"):
        for method, mechanism in (("der", sv.DER()), ("graph-degrees", sv.GraphDegrees()), ("graph-random", sv.GraphRandom())):
            for order, number in orders.items():
                if order != "neighbours on the network" and method != "der":
                    continue
                domain = sv.Domain.of([names[i] for i in np.argsort(number)])
                table = sv.GraphTable.of(domain, *number[place[pairs]].T)
                cells = graph_errors(table, mechanism, epsilon, sizes, asked.runs)
                line(method, order, epsilon, *(f"{x:.3f}" for x in cells))


LEAST_PEOPLE = 1_300
"""More people than this between two stations make an edge: the density is that of Table 7.1's STM, 0.0154."""
STM_7_2 = (0.076, 0.043, 0.024, 0.014, 0.009)


def graph_errors(table: sv.GraphTable, mechanism: Any, epsilon: str, sizes: list[int], runs: int) -> np.ndarray:
    real, measured = Graph.of(table), []
    for seed in range(runs):
        drawn = Graph.of(sv.experiment(table, mechanism, epsilon, seed=seed, unit=sv.Edge()))
        asked = [(size, False) for size in sizes] + [(sizes[0], True)]
        answers = [
            (cut_counts(real, size, 5_000, runs=along), cut_counts(drawn, size, 5_000, runs=along)) for size, along in asked
        ]
        errors = [cut_error(truth, answer, len(table)) for truth, answer in answers]
        measured.append([*errors, degree_divergence(table.degrees, drawn.degrees)])
    return np.mean(measured, axis=0)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "sequences": sequences,
    "heights": heights,
    "habits": habits,
    "lengths": lengths,
    "sets": sets,
    "why": why,
    "graph": graph,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare methods on transit data with published results.")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", nargs="+", choices=TAPS, default=list(TAPS), help="of sequences and heights")
    parser.add_argument("--methods", nargs="+", help="of sequences; all where nothing is said")
    parser.add_argument("--epsilon", nargs="+", default=["1.0", "0.5"], help="of sequences; heights takes the first")
    parser.add_argument(
        "--fraction", type=int, default=1, help="of sequences and heights: 10 simulates a tenth of the passengers"
    )
    asked = parser.parse_args()
    PARTS[asked.part](asked)


if __name__ == "__main__":
    main()
