"""Streams: the raw side. Events go in, only noisy values come out (docs/mechanisms/streams.md).

What a reviewer reads: `stretches.py` (the one privacy argument), `statistics.py` and `additive.py` (what one event can move),
`continual.py` (where noise is drawn and added), `wall/journal` (why no restart draws it again) and
`wall/process.py` (why no copy and no fork does), `vault.py` (what is charged).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.wall.continual.additive import Count, Sum
    from seqveil.wall.continual.continual import ONE_PROCESS, Continual
    from seqveil.wall.continual.hierarchy import LayerCounts
    from seqveil.wall.continual.mechanism import StreamMechanism
    from seqveil.wall.continual.question import ContinualQuestion
    from seqveil.wall.continual.released import Released
    from seqveil.wall.continual.statistics import Lis, Statistic
    from seqveil.wall.continual.stretches import Checkpoints, PrefixBlocks, Prefixes, Stretches, WindowBlocks, Windows
    from seqveil.wall.continual.vault import experiment_stream, open_stream, promise_of, reopen_stream
    from seqveil.wall.journal.promise import Promise
    from seqveil.wall.journal.standing import Standing, read_standing

_HOME = {
    "LayerCounts": "seqveil.wall.continual.hierarchy",
    "StreamMechanism": "seqveil.wall.continual.mechanism",
    "Promise": "seqveil.wall.journal.promise",
    "ContinualQuestion": "seqveil.wall.continual.question",
    "Released": "seqveil.wall.continual.released",
    "Standing": "seqveil.wall.journal.standing",
    "read_standing": "seqveil.wall.journal.standing",
    **dict.fromkeys(("Count", "Sum"), "seqveil.wall.continual.additive"),
    **dict.fromkeys(("Lis", "Statistic"), "seqveil.wall.continual.statistics"),
    **dict.fromkeys(("ONE_PROCESS", "Continual"), "seqveil.wall.continual.continual"),
    **dict.fromkeys(
        ("Checkpoints", "PrefixBlocks", "Prefixes", "Stretches", "WindowBlocks", "Windows"), "seqveil.wall.continual.stretches"
    ),
    **dict.fromkeys(("experiment_stream", "open_stream", "promise_of", "reopen_stream"), "seqveil.wall.continual.vault"),
}

__all__ = [
    "ONE_PROCESS",
    "Checkpoints",
    "Continual",
    "ContinualQuestion",
    "Count",
    "LayerCounts",
    "Lis",
    "PrefixBlocks",
    "Prefixes",
    "Promise",
    "Released",
    "Standing",
    "Statistic",
    "StreamMechanism",
    "Stretches",
    "Sum",
    "WindowBlocks",
    "Windows",
    "experiment_stream",
    "open_stream",
    "promise_of",
    "read_standing",
    "reopen_stream",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
