"""Carrying out `seqveil bench quality`: every set, budget and seed that the journal does not hold yet. INTERNAL."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from seqveil.errors import CallError
from seqveil.evaluate.bench.journal import Journal, code_digest
from seqveil.evaluate.bench.quality.sets import SETS, QualitySet
from seqveil.evaluate.quality.yard import QualityYard
from seqveil.registry import make, method, parameters
from seqveil.release.capabilities import Synthetic
from seqveil.surface import parameter
from seqveil.tables.sequences import SequenceTable

N_MAX = 5
"""Patterns of 2..N_MAX items are ranked, grams of 3..N_MAX items are the strong ones, whatever the method."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the bars need to know about a set, and a fingerprint of its records."""

    records: int
    labels: int
    l_max: int
    digest: str


@dataclass(frozen=True, slots=True)
class Quality:
    """The runs of one method by (set, ε), the sets that were read, and those left out, with the reason."""

    method: str
    runs: dict[tuple[str, str], list[dict[str, float]]] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def chosen_sets(names: Sequence[str] | None) -> list[QualitySet]:
    """The sets of these names, or all."""
    unknown = [name for name in names or () if name not in SETS]
    if unknown:
        raise CallError(f"{parameter('sets', ','.join(unknown))}: unknown; choose among {', '.join(SETS)}.")
    return [SETS[name] for name in names] if names else list(SETS.values())


def mechanism_for(name: str, given: Mapping[str, Any], l_max: int) -> Any:
    """The method with its defaults, the given parameters, and the set's l_max and the first items, where it takes these.

    The truth is the first l_max items of every record: a method that keeps other items by default would be compared with
    something that it does not publish.

    >>> chosen = mechanism_for("ngram", {"n_max": "4"}, l_max=7)
    >>> chosen.l_max, chosen.n_max, chosen.cut
    (7, 4, 'first')
    >>> mechanism_for("diffpart", {}, l_max=7)
    Traceback (most recent call last):
    seqveil.errors.CallError: diffpart works on sets, not on sequences: choose another method.
    """
    chosen = method(name, "publish")
    if chosen.kind != "sequences":
        raise CallError(f"{name} works on {chosen.kind}, not on sequences: choose another {parameter('method')}.")
    own = {key: value for key, value in (("l_max", l_max), ("cut", "first")) if key in parameters(chosen)}
    return make(name, {**own, **given}, "publish")


def epsilon_text(text: str) -> str:
    """A budget as it is written in keys and tables.

    >>> epsilon_text("1.0"), epsilon_text(".10"), epsilon_text("10")
    ('1', '0.1', '10')
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise CallError(f"{parameter('epsilon', text)}: give numbers above 0, separated by commas.")
    return f"{value:g}"


def carry_out(
    name: str,
    sets: Sequence[QualitySet],
    epsilons: Sequence[str],
    runs: int,
    *,
    given: Mapping[str, Any] | None = None,
    results: Path | None = None,
    data: Path | None = None,
    delta: str | None = None,
    on_run: Callable[[str, int, int], None] | None = None,
) -> Quality:
    """Run what is missing and return everything; without `results` nothing is remembered. Sets without data are skipped.

    With `delta` every run is charged in zCDP: its figures are no figures of pure ε, and the name of the method says so.
    """
    out = Quality(name if delta is None else f"{name}, δ = {delta}")
    journal = None if results is None else Journal(results / "quality.jsonl")
    budgets = [epsilon_text(epsilon) for epsilon in epsilons]
    mechanisms = {one.name: mechanism_for(name, given or {}, one.l_max) for one in sets}
    of, warm = len(sets) * len(budgets) * runs, False
    for place, one in enumerate(sets):
        try:
            table = one.read(data)
        except CallError as error:
            out.skipped[one.name] = str(error)
            continue
        facts = out.facts[one.name] = Facts(len(table), len(table.domain), one.l_max, table_digest(table))
        yard = QualityYard(table.flat, facts.labels, one.l_max, N_MAX)
        for at, (epsilon, seed) in enumerate((epsilon, seed) for epsilon in budgets for seed in range(1, runs + 1)):
            if on_run:
                on_run(f"{one.name}, ε = {epsilon}", place * len(budgets) * runs + at, of)
            key = _key(one, facts, mechanisms[one.name], epsilon, seed) | ({} if delta is None else {"delta": delta})
            measured = journal.get(key) if journal else None
            if measured is None:
                try:
                    warm = warm or _warm_up(table, mechanisms[one.name], epsilon, delta)
                    measured = _run(table, yard, mechanisms[one.name], epsilon, seed, delta)
                except CallError as error:
                    out.skipped[one.name] = str(error)
                    break
                if journal:
                    journal.add(key, measured)
            out.runs.setdefault((one.name, epsilon), []).append(measured)
    if on_run:
        on_run("done", of, of)
    return out


def _warm_up(table: SequenceTable, mechanism: Any, epsilon: str, delta: str | None) -> bool:
    """Load compiled code before anything is timed."""
    from seqveil.wall.vault import experiment

    experiment(table.take(np.arange(min(len(table), 500))), mechanism, epsilon, seed=0, delta=delta)
    return True


def _run(table: SequenceTable, yard: QualityYard, mechanism: Any, epsilon: str, seed: int, delta: str | None) -> dict[str, float]:
    from seqveil.wall.vault import experiment

    began = perf_counter()
    release = experiment(table, mechanism, epsilon, seed=seed, delta=delta)
    if not isinstance(release, Synthetic):
        raise CallError(f"{mechanism.name} publishes no records: choose another {parameter('method')}.")
    records = release.synthetic
    return {"seconds": perf_counter() - began, **yard.measure(records, release)}


def table_digest(table: SequenceTable) -> str:
    """A fingerprint of records and labels, however they were read or simulated."""
    digest = hashlib.sha256(table.domain.digest.encode())
    digest.update(table.flat.offsets.astype("<i8").tobytes())
    digest.update(table.flat.items.astype("<i4").tobytes())
    return digest.hexdigest()[:16]


def _key(one: QualitySet, facts: Facts, mechanism: Any, epsilon: str, seed: int) -> dict[str, Any]:
    """What makes a run the same run."""
    return {
        "set": one.name,
        "data": facts.digest,
        "l_max": one.l_max,
        "code": code_digest(),
        "method": mechanism.name,
        "version": mechanism.version,
        "parameters": mechanism.parameters(),
        "epsilon": epsilon,
        "seed": seed,
    }
