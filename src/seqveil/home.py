"""Where Seqveil keeps what must outlive a run: `$SEQVEIL_HOME`, or else the user's data directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def home(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The directory that ledgers live under; it is not created here.

    >>> str(home({"SEQVEIL_HOME": "/srv/seqveil"}))
    '/srv/seqveil'
    >>> str(home({"XDG_DATA_HOME": "/data/mia"}, "linux"))
    '/data/mia/seqveil'
    """
    if chosen := environment.get("SEQVEIL_HOME"):
        return Path(chosen).expanduser().absolute()
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "seqveil"
    shared = environment.get("XDG_DATA_HOME", "")
    # The XDG rules say that a relative path there is to be ignored.
    return (Path(shared) if os.path.isabs(shared) else Path.home() / ".local" / "share") / "seqveil"
