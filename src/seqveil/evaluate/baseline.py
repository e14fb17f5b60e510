"""The same method without noise: what is left of the error is the model's own (000 §6.2.1, "Baseline"). INTERNAL."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.flat import Flat
    from seqveil.tables.sequences import SequenceTable
    from seqveil.wall.mechanism import Mechanism


def exactly(mechanism: Any) -> Any:
    """The mechanism with the threshold that keeps everything that occurs, where it has a threshold to set.

    >>> from seqveil.publish.ngram import NGram
    >>> exactly(NGram(n_max=3)).theta
    1.0
    """
    return replace(mechanism, theta=1.0) if any(f.name == "theta" for f in fields(mechanism)) else mechanism


def mechanism_of(release: Release) -> Mechanism | None:
    """The mechanism that made a release, rebuilt from its manifest; None where this Seqveil does not know it."""
    from seqveil.errors import CallError
    from seqveil.registry import make, method, parameters

    made = release.manifest.mechanism
    try:
        allowed = parameters(method(made.name))
        built: Mechanism = make(made.name, {k: v for k, v in made.parameters.items() if k in allowed})
    except CallError:
        return None
    return built


def exact_records(table: SequenceTable, mechanism: Any, release: Release) -> Flat | None:
    """The synthetic records of a run without noise; None where the method publishes no records."""
    from seqveil.wall.vault import experiment

    ran = experiment(table, exactly(mechanism), release.manifest.epsilon, seed=None, unit=release.manifest.whom)
    records: Flat | None = getattr(ran, "synthetic", None)
    return records
