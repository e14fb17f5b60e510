"""Carrying a bench out: every run that the journal does not hold yet, one after the other. INTERNAL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqveil.errors import CallError
from seqveil.evaluate.baseline import LAVISH, exactly
from seqveil.evaluate.bench.data import find, read
from seqveil.evaluate.bench.journal import Journal, code_digest, file_digest
from seqveil.evaluate.bench.spec import Bench, Contestant
from seqveil.evaluate.experiments import flatten
from seqveil.evaluate.yardstick import Yardstick
from seqveil.registry import make
from seqveil.release.capabilities import Ranked, Synthetic


@dataclass(frozen=True, slots=True)
class Run:
    """One experiment of a bench; a run without noise has no seed."""

    contestant: Contestant
    epsilon: str
    seed: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The metrics of every run, and what was left out, with the reason."""

    metrics: dict[tuple[str, str], list[dict[str, float]]]
    skipped: dict[str, str]


def runs_of(bench: Bench, runs: int) -> list[Run]:
    """All experiments of a bench: every contestant, budget and seed; the exact Baseline once."""
    return [
        Run(contestant, epsilon, seed)
        for contestant in bench.contestants
        for epsilon in ((contestant.epsilons or bench.epsilons) if contestant.noise else ("∞",))
        for seed in (range(1, runs + 1) if contestant.noise else [None])
    ]


def mechanisms(bench: Bench) -> tuple[dict[str, Any], dict[str, str]]:
    """The mechanism of each contestant; a method that this Seqveil does not have is skipped, with the reason."""
    built: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    for contestant in bench.contestants:
        try:
            mechanism = make(contestant.method, contestant.parameters)
            built[contestant.label] = mechanism if contestant.noise else exactly(mechanism)
        except (CallError, ImportError) as error:
            skipped[contestant.label] = str(error)
    return built, skipped


def carry_out(
    bench: Bench, results: Path, data: Path | None, runs: int | None = None, on_run: Callable[[str, int, int], None] | None = None
) -> Outcome:
    """Run what is missing and return everything; `on_run(what, done, all)` is called before each run."""
    path = find(bench.data, data, bench.get)
    journal = Journal(results / f"{bench.name}.jsonl")
    built, skipped = mechanisms(bench)
    todo = [run for run in runs_of(bench, runs or bench.runs) if run.contestant.label in built]
    keys = [_key(bench, run, built[run.contestant.label], file_digest(path)) for run in todo]
    laboratory: _Laboratory | None = None
    metrics: dict[tuple[str, str], list[dict[str, float]]] = {}
    for done, (run, key) in enumerate(zip(todo, keys, strict=True)):
        measured = journal.get(key)
        if on_run:
            on_run(f"{run.contestant.label}, ε = {run.epsilon}", done, len(todo))
        if measured is None and run.contestant.label not in skipped:
            laboratory = laboratory or _Laboratory(bench, path)
            try:
                measured = laboratory.experiment(run, built[run.contestant.label])
            except CallError as error:
                skipped[run.contestant.label] = str(error)
                continue
            journal.add(key, measured)
        if measured is not None:
            metrics.setdefault((run.contestant.label, run.epsilon), []).append(measured)
    if on_run:
        on_run("done", len(todo), len(todo))
    return Outcome(metrics, skipped)


class _Laboratory:
    """The data of a bench, read once, with its yardstick."""

    def __init__(self, bench: Bench, path: Path) -> None:
        self.bench = bench
        self.table = read(path, bench.domain)
        self.yard = Yardstick(self.table.flat, len(self.table.domain), bench.truncate)

    def experiment(self, run: Run, mechanism: Any) -> dict[str, float]:
        """One run and its metrics, with the seconds it took."""
        from time import perf_counter

        from seqveil.wall.vault import experiment

        began = perf_counter()
        epsilon = run.epsilon if run.contestant.noise else LAVISH
        release = experiment(self.table, mechanism, epsilon, seed=run.seed)
        seconds = perf_counter() - began
        records = release.synthetic if isinstance(release, Synthetic) else None  # a miner releases patterns and no records
        measured = {}
        for part in self.bench.measure:
            if part == "top_k_released" and isinstance(release, Ranked):
                measured[part] = self.yard.top_k_released(release)
            elif part != "top_k_released" and records is not None:
                measured[part] = getattr(self.yard, part)(records)
        size = {} if records is None else {"records": float(len(records))}
        return {**flatten(measured), "seconds": seconds, **size}


def _key(bench: Bench, run: Run, mechanism: Any, data: str) -> dict[str, Any]:
    """What makes a run the same run: data, code, method and its parameters, budget, seed, and what was measured."""
    return {
        "data": data,
        "code": code_digest(),
        "method": mechanism.name,
        "version": mechanism.version,
        "parameters": mechanism.parameters(),
        "epsilon": run.epsilon,
        "seed": run.seed,
        "measure": list(bench.measure),
        "truncate": bench.truncate,
    }
