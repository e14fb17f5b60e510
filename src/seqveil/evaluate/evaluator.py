"""Comparing a release, or a method, with the raw data, whatever kind they are of. INTERNAL: reads raw data.

What differs between kinds is an `Evaluator`, which the kind names: it holds the true answers of one raw table, found once, and
measures any number of releases against them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from seqveil.errors import CallError
from seqveil.evaluate.comparison import Comparison, Grid, Metrics
from seqveil.evaluate.experiments import average
from seqveil.evaluate.summary import summary
from seqveil.kinds import KINDS, kinds_with
from seqveil.kinds.kind import load
from seqveil.notebooks import shows
from seqveil.surface import parameter

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.units import Unit
    from seqveil.wall.mechanism import Mechanism
    from seqveil.wall.vault import Epsilon

OnStep = Callable[[str], None]


class Evaluator(Protocol):
    """The true answers of one raw table; `runs` is how many releases will be measured against them."""

    def __init__(self, table: Any, runs: int = 1) -> None: ...

    def measure(self, release: Release, sources: bool, on_step: OnStep) -> Metrics:
        """All metrics of a release; `sources` also splits the error into truncation, model and noise, where the kind can."""
        ...

    def grids(self, metrics: Metrics) -> list[Grid]:
        """The metrics as tables for people; they may be means over several runs."""
        ...


def evaluator_of(table: Any, runs: int = 1) -> Evaluator:
    """The evaluator for a table's kind."""
    for kind in kinds_with(held_as=getattr(table, "kind", "")):
        if kind.evaluator is not None:
            evaluator: Evaluator = load(kind.evaluator)(table, runs)
            return evaluator
    evaluated = [kind.name for kind in KINDS.values() if kind.evaluator is not None]
    raise CallError(f"{type(table).__name__} cannot be evaluated: give a table of one of these kinds: {', '.join(evaluated)}.")


@shows("comparing")
def compare(table: Any, release: Release, *, sources: bool = True, on_step: OnStep = lambda step: None) -> Comparison:
    """How close a release is to the raw table it was made from. INTERNAL: do not share the result.

    The table must be read over the release's own domain. `sources` also runs the method without noise, to split the error
    into truncation, model and noise.

    >>> import seqveil as sv
    >>> table = sv.table_of([["a", "b", "a"]] * 900 + [["b"]] * 300, sv.Domain.of(["a", "b"]))
    >>> release = sv.experiment(table, sv.NGram(l_max=3, n_max=2), epsilon="2.0", seed=1)
    >>> compare(table, release)["intervals"]["grams"] > 0
    True
    """
    evaluator = evaluator_of(table)
    _refuse_other(table, release)
    metrics = evaluator.measure(release, sources, on_step)
    return Comparison(table.kind, {"release": summary(release)}, metrics, evaluator.grids(metrics))


@shows("evaluating")
def compare_runs(
    table: Any,
    mechanism: Mechanism[Any],
    epsilon: Epsilon,
    runs: int = 5,
    *,
    unit: Unit | None = None,
    first_seed: int = 1,
    sources: bool = True,
    on_step: OnStep = lambda step: None,
) -> Comparison:
    """How close a method comes to the raw table: mean and 95 % interval of every metric over seeded experiments. INTERNAL.

    Experiments are not differentially private and not recorded in any ledger.
    """
    from seqveil.wall.vault import experiment

    if runs < 1:
        raise CallError(f"{parameter('runs', str(runs))}: give at least 1; 5 runs give a usable interval.")
    evaluator = evaluator_of(table, runs)
    measured: list[Metrics] = []
    for seed in range(first_seed, first_seed + runs):
        on_step(f"run {len(measured) + 1} of {runs}")
        release: Any = experiment(table, mechanism, epsilon, seed=seed, unit=unit)
        measured.append(evaluator.measure(release, sources, lambda step: None))
    facts = {"method": mechanism.name, "parameters": mechanism.parameters(), "epsilon": str(epsilon), "runs": runs}
    facts |= {"first_seed": first_seed, "private": False}
    metrics = average(measured)
    return Comparison(table.kind, {"experiments": facts}, metrics, evaluator.grids(metrics))


def _refuse_other(table: Any, release: Release) -> None:
    """Refuse a release that was made from another kind of data, or over other labels."""
    if not any(release.content in kind.contents for kind in kinds_with(held_as=table.kind)):
        raise CallError(
            f"the release holds {release.description}, not made from {table.kind}: give the data that it was made from."
        )
    if table.domain != release.domain:
        raise CallError("the data was read over another domain than the release's: read it with release.domain.")
