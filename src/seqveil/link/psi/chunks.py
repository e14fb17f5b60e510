"""Long computations in pieces that survive a kill: each is a file that is whole or not there, and is never computed twice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from seqveil.whole import INTERNAL, write_whole

PIECE = 1 << 13
"""Tokens of a piece: below a second of arithmetic, so that little is lost and Ctrl-C is heard soon."""

Work = Callable[[int, int], bytes]
"""What the records from one place up to another are."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """`total` records as files of a secret folder."""

    folder: Path
    name: str
    total: int

    def _ranges(self) -> Iterator[tuple[Path, int, int]]:
        for start in range(0, self.total, PIECE):
            yield self.folder / f"{self.name}-{start // PIECE:06d}", start, min(start + PIECE, self.total)

    def compute(self, work: Work, tell: Callable[[int], None]) -> None:
        """Compute what is missing, on all cores; `tell` hears how many records are there.

        Threads suffice: the arithmetic happens in libsodium, which leaves the interpreter free meanwhile.
        """
        missing = [(path, start, stop) for path, start, stop in self._ranges() if not path.exists()]
        done = self.total - sum(stop - start for _, start, stop in missing)
        tell(done)

        def one(piece: tuple[Path, int, int]) -> int:
            path, start, stop = piece
            write_whole(path, work(start, stop), mode=INTERNAL)
            return stop - start

        with ThreadPoolExecutor(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) as pool:
            for many in pool.map(one, missing):
                done += many
                tell(done)

    def blocks(self) -> Iterator[bytes]:
        """All records, piece by piece."""
        for path, _, _ in self._ranges():
            yield path.read_bytes()
