"""The same method without noise: what is left of the error is the model's own ("Baseline" of [Chen 2012, §6.2.1]). INTERNAL."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.flat import Flat
    from seqveil.tables.sequences import SequenceTable
    from seqveil.wall.mechanism import Mechanism


_EVERYTHING = {"theta": 1.0, "allocation": "uniform", "approximate": False}
"""What makes a tree ask for everything that occurs (the adaptive rule may spend a path's budget before it reaches n_max), and
believe what it hears: a count that is missing from exact answers is 0, not something to guess."""


LAVISH = "1000000"
"""The budget of a run without noise: so large that no rule made for noisy counts keeps anything back or refuses to run."""


def exactly(mechanism: Any) -> Any:
    """The mechanism with the parameters under which it keeps everything that occurs, where it has them.

    >>> from seqveil.publish.ngram import NGram
    >>> exact = exactly(NGram(n_max=3))
    >>> exact.n_max, exact.theta, exact.allocation, exact.approximate
    (3, 1.0, 'uniform', False)
    """
    names = {f.name for f in fields(mechanism)}
    return replace(mechanism, **{name: value for name, value in _EVERYTHING.items() if name in names})


def mechanism_of(release: Release) -> Mechanism | None:
    """The mechanism that made a release, rebuilt from its manifest; None where this Seqveil does not know it."""
    from seqveil.errors import CallError
    from seqveil.registry import make, method, parameters

    facts = release.manifest.mechanism
    try:
        allowed = parameters(method(facts.name))
        built: Mechanism = make(facts.name, {k: v for k, v in facts.parameters.items() if k in allowed})
    except CallError:
        return None
    return built


def exact_records(table: SequenceTable, mechanism: Any, release: Release) -> Flat | None:
    """The synthetic records of a run without noise; None where there are none, or where everything that occurs is too much."""
    from seqveil.errors import CallError
    from seqveil.release.capabilities import Synthetic
    from seqveil.wall.vault import experiment

    try:
        ran = experiment(table, exactly(mechanism), LAVISH, seed=None, unit=release.manifest.whom)
    except (CallError, MemoryError):
        return None
    return ran.synthetic if isinstance(ran, Synthetic) else None
