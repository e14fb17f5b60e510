"""The figures that a new method is compared with: means over seeds of the method that was the default before it.

They are kept in a file of the project, because the code they were measured with changes; they count only where the set's records
are the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, variance

from seqveil.errors import CallError
from seqveil.evaluate.bench.quality.run import Quality
from seqveil.whole import write_whole

FILE = "quality-today.json"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over runs and the variance of that mean; one run has none.

    >>> Mean.of([1.0, 3.0]), Mean.of([2.0])
    (Mean(value=2.0, variance=1.0, runs=2), Mean(value=2.0, variance=0.0, runs=1))
    """

    value: float
    variance: float
    runs: int

    @classmethod
    def of(cls, values: list[float]) -> Mean:
        """Of the values of one metric."""
        return cls(fmean(values), variance(values) / len(values) if len(values) > 1 else 0.0, len(values))


Means = dict[tuple[str, str], dict[str, Mean]]
"""Every metric by (set, ε)."""


def means(quality: Quality) -> Means:
    """The mean of every metric that all runs have."""
    return {
        cell: {name: Mean.of([run[name] for run in runs]) for name in runs[0] if all(name in run for run in runs)}
        for cell, runs in quality.runs.items()
    }


def write_today(path: Path, quality: Quality) -> None:
    """Keep these figures as those to compare with."""
    sets = {
        name: {
            "data": facts.digest,
            "epsilons": {
                epsilon: {metric: [float(f"{m.value:.6g}"), float(f"{m.variance:.3g}"), m.runs] for metric, m in figures.items()}
                for (own, epsilon), figures in means(quality).items()
                if own == name
            },
        }
        for name, facts in quality.facts.items()
    }
    lines = [f" {json.dumps(name)}: {json.dumps(one)}" for name, one in sets.items()]
    text = f'{{"method": {json.dumps(quality.method)}, "sets": {{\n' + ",\n".join(lines) + "\n}}\n"
    write_whole(path, text.encode(), overwrite=True)


def read_today(path: Path, quality: Quality) -> Means:
    """The kept figures of the sets that are the same; none without a file."""
    if not path.is_file():
        return {}
    try:
        sets = json.loads(path.read_text(encoding="utf-8"))["sets"]
        return {
            (name, epsilon): {metric: Mean(*figure) for metric, figure in figures.items()}
            for name, one in sets.items()
            if name in quality.facts and one["data"] == quality.facts[name].digest
            for epsilon, figures in one["epsilons"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CallError(f"{path} does not hold figures of `seqveil bench quality`: delete it, or measure them again.") from None
