"""The journal of a stream: every event and its noise is in this file before its answer is anywhere else.

A kill at any moment loses nothing that was answered, because what was written to a file outlives the process. The power is
another matter: a sync for every event would be slow, so the file is synced once a second, and before any answer goes out
a durable mark says how far answers may have got (the horizon). What lies between the last event on the disk and the
horizon after a power loss is closed (recovery.py).
"""

from __future__ import annotations

import fcntl
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, RunFailed
from seqveil.wall.continual.frames import encode
from seqveil.wall.continual.marks import AREA, Mark, sync, this_boot
from seqveil.wall.continual.promise import Promise
from seqveil.wall.continual.recovery import Found, closed_until, examine, frames_of, salt, truncate
from seqveil.wall.continual.witness import Witness, sync_directory

EVERY = 1.0
"""Seconds between syncs."""

LEAST_LEAD = 64
"""How many events the horizon is ahead of a slow stream: the most that a power loss can close."""

REPLAYED = 1 << 15
"""Events per batch when old frames are gone through again."""


class Journal:
    """An open state file, held by this process alone. `closed_until` is what recovery decided."""

    def __init__(self, path: Path, descriptor: int, found: Found, closed: int, witness: Witness) -> None:
        self.path, self.promise = path, found.promise
        self.closed_until = closed
        self._stop = threading.Event()
        self._found, self._descriptor, self._witness = found, descriptor, witness
        self._end, self._chain, self._position = found.end, found.chain, found.position
        self._durable, self._turn, self._horizon = found.end, found.mark.turn, found.position
        self._unsynced, self._failure = 0, ""
        self._lock = threading.Lock()
        self._rest()
        threading.Thread(target=_keep_synced, args=(weakref.ref(self), self._stop), daemon=True).start()

    @classmethod
    def create(cls, path: Path, promise: Promise) -> None:
        """Write the head of a new state file, durably; it appears whole or not at all."""
        if path.exists():
            raise CallError(f"--state {path} exists already: choose another name for a new stream.")
        fresh = path.with_name(path.name + ".new")
        try:
            descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600)
        except OSError as error:
            raise CallError(f"--state {path}: cannot be written ({error.strerror}); choose another place.") from None
        try:
            head = promise.head()
            os.pwrite(descriptor, head + bytes(AREA), 0)
            Mark(0, len(head) + AREA, 0, 0, this_boot()).write(descriptor, len(head), salt(promise))
            sync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(fresh, path)
        sync_directory(path.parent)

    @classmethod
    def open(cls, path: Path, home: Path) -> Journal:
        """Take over a state file where it stands; refuses one in use, and one that cannot be trusted."""
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError as error:
            raise CallError(f"--state {path}: cannot be opened ({error.strerror}).") from None
        try:
            alone(path, descriptor)
            os.fchmod(descriptor, 0o600)
            with os.fdopen(os.dup(descriptor), "rb") as file:
                found = examine(path, file)
            witness = Witness.of(home, found.promise.stream)
            closed = closed_until(path, found, witness.position(), this_boot())
            truncate(descriptor, found)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, found, closed, witness)

    def frames(self) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.int64]]]:
        """What was in the file when it was opened: (kind, events, noise), small frames joined."""
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            kind, values, draws, waiting = -1, [], [], 0  # type: ignore[var-annotated]
            for frame in frames_of(file, self.promise, self._found.marks_at):
                if values and (frame.kind != kind or waiting >= REPLAYED):
                    yield kind, np.concatenate(values), np.concatenate(draws)
                    values, draws, waiting = [], [], 0
                kind = frame.kind
                values.append(frame.values)
                draws.append(frame.draws)
                waiting += len(frame.values)
            if values:
                yield kind, np.concatenate(values), np.concatenate(draws)

    def append(self, kind: int, first: int, values: NDArray[np.float64], draws: NDArray[np.int64]) -> None:
        """Store events and their noise. When it returns, a kill cannot lose them and their answers may be shown."""
        with self._writing():
            last = first + len(values) - 1
            if last > self._horizon:
                self._mark(self._durable, last + max(LEAST_LEAD, self._unsynced))
            frame, chain = encode(kind, first, values, draws, self._chain)
            self._write(frame)
            self._end, self._chain, self._position = self._end + len(frame), chain, last
            self._unsynced += len(values)
            self._witness.write(last)

    def close(self) -> None:
        """Sync, say that nothing is uncertain, and let go."""
        self._stop.set()
        with self._lock:
            if self._descriptor >= 0:
                try:
                    if not self._failure:
                        self._rest()
                finally:
                    os.close(self._descriptor)
                    self._witness.close()
                    self._descriptor = -1

    def _write(self, frame: bytes) -> None:
        written = 0
        while written < len(frame):
            written += os.pwrite(self._descriptor, frame[written:], self._end + written)

    def _rest(self) -> None:
        """Everything on the disk, the horizon right here."""
        sync(self._descriptor)
        self._witness.sync()
        self._unsynced = 0
        self._mark(self._end, self._position)

    def _mark(self, durable: int, horizon: int) -> None:
        self._turn += 1
        mark = Mark(self._turn, durable, horizon, self.closed_until, this_boot())
        mark.write(self._descriptor, self._found.marks_at, salt(self.promise))
        sync(self._descriptor)
        self._durable, self._horizon = durable, horizon

    def _sync_if_needed(self) -> None:
        with self._lock:
            if self._descriptor >= 0 and self._unsynced and not self._failure:
                try:
                    self._rest()
                except OSError as error:
                    self._failure = error.strerror or "unknown error"

    def __del__(self) -> None:
        self._stop.set()
        if self._descriptor >= 0:
            os.close(self._descriptor)  # lets go of the lock; what was answered is in the file already

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A failing disk becomes one clear error, now and for every later event: nothing goes out that is not stored."""
        with self._lock:
            if self._descriptor < 0:
                raise RunFailed("this stream is closed: open it again from its state file.")
            try:
                if not self._failure:
                    yield
            except OSError as error:
                self._failure = error.strerror or "unknown error"
            if self._failure:
                raise RunFailed(
                    f"{self.path} cannot be written ({self._failure}), so no further answers are given. Make room on the disk "
                    "and start again with the same --state: nothing that was answered is lost."
                )


def _keep_synced(held: weakref.ref[Journal], stop: threading.Event) -> None:
    """Once a second, as long as somebody holds the journal."""
    while not stop.wait(EVERY):
        if (journal := held()) is None:
            return
        journal._sync_if_needed()
        del journal


def alone(path: Path, descriptor: int) -> None:
    """Two processes must never answer one stream."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise CallError(f"--state {path} is in use by another process: let it end first, or choose another --state.") from None
