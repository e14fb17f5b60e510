"""Mean and 95 % interval of every metric over several runs. INTERNAL."""

from __future__ import annotations

import numpy as np

from seqveil.evaluate.comparison import Metrics


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


def average(measured: list[Metrics]) -> Metrics:
    """The same keys with mean, low and high in place of every number; a run that has none (None) does not count.

    >>> average([{"a": {4: 1.0}}, {"a": {4: 1.0}}])
    {'a': {4: {'mean': 1.0, 'low': 1.0, 'high': 1.0}}}
    """
    out: Metrics = {}
    for key in dict.fromkeys(key for one in measured for key in one):
        column = [one[key] for one in measured if one.get(key) is not None]
        if not column:
            out[key] = None
        elif isinstance(column[0], dict):
            out[key] = average(column)
        elif isinstance(column[0], (int, float)) and not isinstance(column[0], bool):
            out[key] = interval([float(value) for value in column])
    return out
