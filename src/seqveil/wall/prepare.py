"""Before anything is reserved: everything that can fail without the data is made to fail now, while it costs nothing.

Once a run has begun its ε is spent, whatever happens. So whoever starts one calls `prepare` first. In this order it

1. opens the standard streams that are closed: the next file to be opened would take their number, and whatever a library
   prints would be written into it;
2. runs the mechanism on a small made-up table of the same kind, through the code of the real run: modules are imported, kernels
   are compiled or loaded, noise is drawn, the release is sealed and its manifest is written as text;
3. asks for some memory and returns it, so that a process at its limit stops here.

The made-up table depends on public facts alone: the kind of the table, its domain, and whether it has users. Its noise is thrown
away. What a caller needs besides (the output folder and its lock, the reader of its file) is prepared by the caller, with the
release that `prepare` returns: saving it tries the writer too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from seqveil.errors import RunFailed, SeqveilError
from seqveil.kinds import KINDS
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS
from seqveil.wall.descriptors import open_standard_streams
from seqveil.wall.mechanism import Mechanism, precheck
from seqveil.wall.noise import SecureNoise
from seqveil.wall.run import perform

HEADROOM = 1 << 26
"""Bytes that must still be free when a run begins. Small data then fits; for large data nobody can say it beforehand."""

_LABELS = 8
_EPSILON = 1000 * GRAINS
"""Little noise, so that the small table is not lost in it and every step of a mechanism has something to do."""


def prepare(mechanism: Mechanism, table: Any, unit: Unit) -> Any:
    """Do everything of a run that needs no data; the release of the small made-up table, or None where none could be made.

    `table` says which kind of table it is; no record of it is looked at.
    """
    open_standard_streams()
    with failing_early():
        release = _rehearse(mechanism, table, unit)
        np.empty(HEADROOM, np.uint8)
    return release


@contextmanager
def failing_early() -> Iterator[None]:
    """What is missing for a run, in words; for the steps of a caller that belong to its preparation too."""
    try:
        yield
    except MemoryError:
        raise RunFailed("there is not enough memory for this run: free some, or raise its limit. Nothing was spent.") from None
    except ImportError as error:
        raise RunFailed(f"{error.name or 'a library'} cannot be loaded: install Seqveil again. Nothing was spent.") from None


def small_world(table: Any, labels: Domain) -> Any:
    """A made-up table of the same kind over these labels, or None for a kind that is not known here.

    >>> from seqveil.tables.sequences import table_of
    >>> domain = Domain.of(["a", "b"])
    >>> world = small_world(table_of([["a"]], domain), domain)
    >>> world, len(world)
    (SequenceTable(domain=2 labels), 120)
    """
    if table.kind not in KINDS:
        return None
    return KINDS[table.kind].small_world().rehearsal(labels, users=getattr(table, "users", None) is not None)


def _rehearse(mechanism: Mechanism, table: Any, unit: Unit) -> Any:
    """The release of a small world: over a few labels, or over all where the mechanism's parameters speak of them."""
    few = _first_labels(table.domain)
    for labels in [few] if few is table.domain else [few, table.domain]:
        world = small_world(table, labels)
        if world is None:
            return None
        try:
            # A parameter about other labels is refused here, never by `run`.
            precheck(mechanism, _EPSILON, labels, unit, table.kind)
            release = perform(mechanism, world, unit, _EPSILON, SecureNoise())
            release.manifest.to_json()
        except SeqveilError:
            continue  # it refuses so small a world, which says nothing about the real one
        return release
    return None


def _first_labels(domain: Domain) -> Domain:
    if len(domain) <= _LABELS:
        return domain
    if isinstance(domain.names, range):
        return Domain.range(domain.names.start, domain.names.start + _LABELS - 1)
    return Domain.of(domain.labels(range(_LABELS)))
