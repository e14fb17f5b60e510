"""Attack by statistics: a stranger who sees releases only, and bets on which of two neighbours they came from.

Many releases are made of each. On one half of them the best event is chosen (a value present, or above or below something);
on the other half its two frequencies are measured. Clopper–Pearson bounds at 97.5 % each give, with 95 % confidence, a
value that ε cannot be below. It is a lower bound: a low one shows a weak attack or a careful mechanism, never which.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.findings import Attack
from seqveil.audit.replay import Heard, replay
from seqveil.audit.subjects import Subject
from seqveil.audit.tape import Recorder
from seqveil.audit.watch import watching
from seqveil.wall.budget import GRAINS, decimal
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import perform

Features = dict[str, float]
LIKELIHOOD = "log-likelihood ratio of the answers"
ERROR = 0.05
"""How often the reported bound may be wrong, over everything that was tried on one method."""

ALARM = 1e-6
"""How often a bound may be wrong that raises an alarm: a mechanism that spends all of its ε shows values close to it."""

FEATURES = 400
"""Features looked at, at most; those that vary most between the two."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something about a release that is true or false."""

    feature: str
    least: float
    above: bool
    swapped: bool  # whether it is likelier on the second neighbour

    def __str__(self) -> str:
        rare = abs(self.least) > 1e18  # a value that stands for "not there"
        return f"{self.feature} {'is present' if rare else f'≥ {self.least:g}' if self.above else f'< {self.least:g}'}"


@lru_cache(maxsize=100_000)
def clopper_pearson(hits: int, runs: int, error: float) -> tuple[float, float]:
    """One-sided bounds on a probability, each wrong with probability `error` at most.

    >>> low, high = clopper_pearson(0, 100, 0.025)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    from scipy.stats import beta

    low = 0.0 if hits == 0 else float(beta.ppf(error, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(beta.ppf(1 - error, hits + 1, runs - hits))
    return low, high


def lower_bound(often: int, seldom: int, runs: int, error: float = 0.05) -> float:
    """What ε is at least, but for probability `error`, when an event was seen so often in `runs` runs of each neighbour."""
    low, _ = clopper_pearson(often, runs, error / 2)
    _, high = clopper_pearson(seldom, runs, error / 2)
    return max(0.0, math.log(low / high)) if low > 0 else 0.0


def features(release: Any) -> Features:
    """Everything about a release that can be bet on: every value of every row, the sizes, the totals."""
    numbers: Features = {}
    for name, table in release.tables().items():
        columns = {c: table.column(c).to_pylist() for c in table.column_names}
        numeric = {c: v for c, v in columns.items() if v and all(_is_number(value) for value in v)}
        keys = [c for c in columns if c not in numeric]
        numbers[f"rows of {name}"] = table.num_rows
        for column, values in numeric.items():
            numbers[f"sum of {name}.{column}"] = float(sum(value or 0 for value in values))
            for row, value in enumerate(values):
                if value is None:
                    continue
                key = ",".join(str(columns[k][row]) for k in keys) if keys else str(row)
                numbers[f"{name}[{key}].{column}"] = float(value)
    for name, body in release.extras().items():
        numbers[f"size of {name}"] = len(body)
    return numbers


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _matrix(runs: list[Features], names: list[str]) -> NDArray[np.float64]:
    """A row per run; what a release does not have is −∞, so that its presence is an event too."""
    return np.array([[run.get(name, -math.inf) for name in names] for run in runs])


def best_event(here: list[Features], there: list[Features]) -> Event | None:
    """The event with the best lower bound on these runs."""
    names = sorted({name for run in (*here, *there) for name in run})
    a, b = _matrix(here, names), _matrix(there, names)
    spread = np.array([abs(np.mean(a[:, j] > -math.inf) - np.mean(b[:, j] > -math.inf)) for j in range(len(names))])
    with np.errstate(invalid="ignore"):
        finite = np.where(np.isfinite(a), a, 0).mean(0) - np.where(np.isfinite(b), b, 0).mean(0)
        scale = np.where(np.isfinite(a), a, 0).std(0) + np.where(np.isfinite(b), b, 0).std(0) + 1e-9
    chosen = np.argsort(-(spread + np.abs(finite) / scale))[:FEATURES]
    best, most = None, 0.0
    for j in chosen.tolist():
        pool = np.unique(np.concatenate([a[:, j], b[:, j]]))
        for least in pool[1:] if len(pool) <= 25 else np.unique(np.quantile(pool[1:], np.linspace(0, 1, 25), method="nearest")):
            p, q = int((a[:, j] >= least).sum()), int((b[:, j] >= least).sum())
            n = len(a)
            for above, often, seldom in ((True, p, q), (False, n - p, n - q)):
                for swapped in (False, True):
                    shown = lower_bound(*((seldom, often) if swapped else (often, seldom)), n)
                    if shown > most:
                        best, most = Event(names[j], float(least), above, swapped), shown
    return best


def measured(event: Event, here: list[Features], there: list[Features], error: float) -> float:
    """The lower bound that an event chosen elsewhere shows on these runs."""

    def seen(runs: list[Features]) -> int:
        return sum((run.get(event.feature, -math.inf) >= event.least) == event.above for run in runs)

    often, seldom = seen(here), seen(there)
    return lower_bound(*((seldom, often) if event.swapped else (often, seldom)), len(here), error)


def empirical(run: Callable[[bool, int], Features], runs: int, error: float = 0.05) -> tuple[float, float, Event | None]:
    """The lower bound on ε from `runs` runs of each neighbour: half to choose an event, half to measure it.

    First the bound that is reported, then one that is wrong so seldom that an alarm can hang on it.
    """
    here = [run(False, seed) for seed in range(runs)]
    there = [run(True, seed + runs) for seed in range(runs)]
    half = runs // 2
    event = best_event(here[:half], there[:half])
    if event is None:
        return 0.0, 0.0, None
    return measured(event, here[half:], there[half:], error), measured(event, here[half:], there[half:], ALARM), event


def observed(subject: Subject, tables: tuple[Any, Any], having: bool, seed: int) -> Features:
    """One run as a stranger sees it, and the likelihood of all the answers it heard: the best bet there is, if the wall
    does what it says; if it does not, the rest of the features are there to notice."""
    s = subject
    session = Recorder()
    with watching(session):
        release = perform(s.mechanism, tables[having], s.unit, s.epsilon, SeededNoise(seed))
    seen = features(release)
    other = replay(session, Heard(), s.mechanism, tables[not having], s.unit, s.epsilon, joins=seed, leaves=_last(tables))
    if math.isfinite(other.loss):
        seen[LIKELIHOOD] = round(-other.loss if having else other.loss, 9)
    return seen


def _last(tables: tuple[Any, Any]) -> int:
    """The position of the unit that only the second table has: it comes last."""
    owners = tables[0].owners
    return len(tables[0]) if owners is None else len(np.unique(owners))


def attack_by_statistics(candidates: list[Subject], attack: Attack, runs: int, thorough: bool = False) -> None:
    """The worst unit comes to a small data set: can it be seen in the answers and in the release?"""
    tries = [(s, base) for s in candidates for base in s.world.bases()[: 2 if thorough else 1]]
    best: tuple[float, float, Event | None, str] = (-1.0, 0.0, None, "")
    for subject, base in tries:
        content = subject.world.worst(subject.unit)[0]
        tables = (subject.world.table(base, subject.unit), subject.world.table([*base, content], subject.unit))
        shown, sure, event = empirical(partial(observed, subject, tables), runs, ERROR / len(tries))
        attack.tried += 2 * runs
        if shown > best[0]:
            best = shown, max(sure, best[1]), event, f"{subject}: {len(base)} units and {content}"
    shown, sure, event, witness = best
    epsilon = candidates[0].epsilon
    attack.shown = shown * GRAINS / epsilon
    attack.summary = (
        f"claimed ε {decimal(epsilon)}, attacked with {attack.tried:,} runs, best event shows ≥ {shown:.2f} (95 %)"
        + (f": {event}" if event is not None else ": no event distinguished the neighbours")
    )
    if sure * GRAINS > epsilon:
        attack.violated(f"releases show ε ≥ {sure:.2f}, beyond reasonable doubt", f"{witness}: {event}")
