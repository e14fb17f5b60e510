"""Seeded runs of one method on one table, and the mean and 95 % interval of every metric. INTERNAL, and never private."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from seqveil.errors import CallError
from seqveil.evaluate.evaluation import cut_of, evaluate
from seqveil.evaluate.yardstick import Yardstick

if TYPE_CHECKING:
    from seqveil.tables.sequences import SequenceTable
    from seqveil.tables.units import Unit
    from seqveil.wall.mechanism import Mechanism

Metrics = dict[Any, Any]


def flatten(metrics: Metrics, under: str = "") -> dict[str, float]:
    """Numbers by their path.

    >>> flatten({"top_k": {20: {"utility_loss": 0.5}}, "name": "ngram", "flag": True})
    {'top_k.20.utility_loss': 0.5}
    """
    out: dict[str, float] = {}
    for key, value in metrics.items():
        path = f"{under}.{key}" if under else str(key)
        if isinstance(value, dict):
            out.update(flatten(value, path))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            out[path] = float(value)
    return out


def interval(values: list[float]) -> dict[str, float | None]:
    """Mean and the 95 % interval of the mean by Student's t; a single run has no interval.

    Values 1, 2, 3: the mean is 2, the standard error 1/√3, and t(0.975; 2) = 4.303, so 2 ± 2.484.

    >>> {name: round(value, 3) for name, value in interval([1.0, 2.0, 3.0]).items()}
    {'mean': 2.0, 'low': -0.484, 'high': 4.484}
    """
    from scipy.stats import t

    mean = float(np.mean(values))
    if len(values) < 2:
        return {"mean": mean, "low": None, "high": None}
    half = float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values)))
    return {"mean": mean, "low": mean - half, "high": mean + half}


def average(found: list[Metrics]) -> Metrics:
    """The same keys with mean, low and high in place of every number.

    >>> average([{"a": {4: 1.0}}, {"a": {4: 1.0}}])
    {'a': {4: {'mean': 1.0, 'low': 1.0, 'high': 1.0}}}
    """
    out: Metrics = {}
    for key, first in found[0].items():
        column = [one[key] for one in found if key in one]
        if isinstance(first, dict):
            out[key] = average(column)
        elif isinstance(first, (int, float)) and not isinstance(first, bool):
            out[key] = interval([float(value) for value in column])
    return out


def experiments(
    table: SequenceTable,
    mechanism: Mechanism,
    epsilon: str,
    runs: int,
    unit: Unit | None = None,
    first_seed: int = 1,
    sources: bool = True,
    on_step: Callable[[str], None] = lambda step: None,
) -> Metrics:
    """Mean and 95 % interval over `runs` seeds, under the keys of a single evaluation."""
    from seqveil.wall.vault import experiment

    if runs < 1:
        raise CallError(f"--runs {runs}: make at least 1 run; 5 give a usable interval.")
    yard: Yardstick | None = None
    found: list[Metrics] = []
    for seed in range(first_seed, first_seed + runs):
        on_step(f"run {len(found) + 1} of {runs}")
        release: Any = experiment(table, mechanism, epsilon, seed=seed, unit=unit)
        if yard is None or yard.l_max != cut_of(release):
            yard = Yardstick(table.flat, len(table.domain), cut_of(release))
        measured = evaluate(table, release, yard, sources)
        found.append({key: value for key, value in measured.items() if key != "release"})
    made = {"method": mechanism.name, "parameters": mechanism.parameters(), "epsilon": epsilon}
    return {"experiments": {**made, "runs": runs, "first_seed": first_seed, "private": False}, **average(found)}
