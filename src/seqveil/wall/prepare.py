"""Before anything is reserved: everything that can fail without the data is made to fail now, while it costs nothing.

Once a run has begun its ε remains charged, whatever happens. So the lifecycle prepares first. In this order it

1. opens the standard streams that are closed: the next file to be opened would take their number, and whatever a library
   prints would be written into it;
2. rehearses on simulated data, through the code of the real run: modules are imported, kernels are compiled or loaded, noise is
   drawn, the release is sealed and written;
3. asks for some memory and returns it, so that a process at its limit stops here.

A rehearsal depends on public facts alone. Its noise is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from seqveil.errors import RunFailed
from seqveil.wall.descriptors import open_standard_streams

HEADROOM = 1 << 26
"""Bytes that must still be free when a run begins. Small data then fits; for large data nobody can say it beforehand."""

T = TypeVar("T")


def prepare(rehearse: Callable[[], T]) -> T:
    """What the rehearsal gives; what is missing for a run is said in words."""
    open_standard_streams()
    try:
        result = rehearse()
        np.empty(HEADROOM, np.uint8)
    except MemoryError:
        raise RunFailed("not enough memory for this run: free some, or raise the process's memory limit.") from None
    except ImportError as error:
        raise RunFailed(f"{error.name or 'a library'} cannot be loaded: install Seqveil again.") from None
    return result
