"""How a run that crashes ends: it leaves no memory behind."""

from __future__ import annotations

import resource


def leave_no_core() -> None:
    """From here on a crash of this process writes no core file: it would hold the raw data."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    # One byte, not none: Linux ignores a limit of 0 where cores are piped to a collector, and writes to neither at 1.
    resource.setrlimit(resource.RLIMIT_CORE, (1 if most == resource.RLIM_INFINITY else min(1, most), most))
