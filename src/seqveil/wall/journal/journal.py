"""The journal of a stream: every event and its noise is in this file before its answer is anywhere else.

A kill at any moment loses nothing that was answered, because what was written to a file outlives the process. The power is
another matter: a sync for every event would be slow, so the file is synced once a second, and before any answer goes out
a durable mark says how far answers may have got (the horizon). What lies between the last event on the disk and the
horizon after a power loss is closed (recovery.py).

As long as it is open, this process holds the locks of the state file and of the stream's witness, and looks before each
event whether the witness is still the file that its path names: a lock on another file keeps no copy away. An event has one
frame for ever: what is appended must follow on the last frame, so an event that was answered is never journalled with other
noise.
"""

from __future__ import annotations

import io
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import RunFailed
from seqveil.surface import parameter
from seqveil.wall.journal import statefile
from seqveil.wall.journal.frames import encode
from seqveil.wall.journal.marks import Mark, sync, this_boot
from seqveil.wall.journal.promise import Promise, head_bytes, read_promise
from seqveil.wall.journal.recovery import Contents, check_copy, closed_until, examine, frames_of, salt, truncate
from seqveil.wall.journal.witness import Seen, Witness
from seqveil.wall.process import Owned

EVERY = 1.0
"""Seconds between syncs."""

LEAST_LEAD = 64
"""How many events the horizon is ahead of a slow stream: the most that a power loss can close."""

REPLAYED = 1 << 15
"""Events per batch when old frames are gone through again."""


Admit = Callable[[Contents], bool]
"""Whether nothing was answered yet, so that the witness may be made now; raises when the stream must not be resumed."""


class Journal(Owned):
    """An open state file, held by this process alone. `closed_until` is what recovery decided."""

    _what = "journal"

    def __init__(self, path: Path, descriptor: int, contents: Contents, closed: int, witness: Witness) -> None:
        self.path, self.promise = path, contents.promise
        self.closed_until = closed
        self._stop = threading.Event()
        self._contents, self._descriptor, self._witness = contents, descriptor, witness
        self._end, self._chain, self._position = contents.end, contents.chain, contents.position
        self._durable, self._turn, self._horizon = contents.end, contents.mark.turn, contents.position
        self._unsynced, self._failure = 0, ""
        self._lock = threading.Lock()

    @classmethod
    def create(cls, path: Path, promise: Promise, home: Path) -> Journal:
        """The journal of a new stream, in a new state file; leaves nothing behind when it cannot be made."""
        descriptor = statefile.create(path, promise)
        try:
            return cls._open(path, descriptor, home, lambda contents: True)
        except BaseException:
            path.unlink()  # its reservation goes back, so nothing could ever go on from it
            raise

    @classmethod
    def open(cls, path: Path, home: Path, admit: Admit) -> Journal:
        """Take over a state file where it stands; refuses one in use, and one that cannot be trusted or is not admitted."""
        return cls._open(path, statefile.take_over(path), home, admit)

    @classmethod
    def _open(cls, path: Path, descriptor: int, home: Path, admit: Admit) -> Journal:
        """With the locks of both files, so that what is read here stays true. The descriptor is closed if this fails."""
        witness = None
        try:
            file = _View.of(lambda: descriptor)
            promise, _ = read_promise(path, head_bytes(file.read))
            witness = Witness.of(home, promise.stream)
            seen = _seen_under_lock(path, witness)
            contents = examine(path, file, 0 if seen is None else seen.position)
            if admit(contents) and seen is None:
                witness.create(salt(promise))
                seen = _seen_under_lock(path, witness)
            closed = closed_until(path, contents, None if seen is None else seen.position, this_boot())
            check_copy(path, contents, seen)
            os.fchmod(descriptor, 0o600)
            truncate(descriptor, contents)
        except BaseException:
            if witness is not None:
                witness.close()
            os.close(descriptor)
            raise
        return cls(path, descriptor, contents, closed, witness)._begun()

    def _begun(self) -> Journal:
        """Say on the disk where the stream stands, and keep it so."""
        try:
            with self._writing():
                self._rest()
            threading.Thread(target=_keep_synced, args=(weakref.ref(self), self._stop), daemon=True).start()
        except BaseException:
            self._drop()
            raise
        return self

    def frames(self) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.int64]]]:
        """What was in the file when it was opened: (kind, events, noise), small frames joined."""
        file = _View.of(self._opened)
        kind, values, draws, waiting = -1, [], [], 0  # type: ignore[var-annotated]
        for frame in frames_of(file, self.promise, self._contents.marks_at):
            if frame.end > self._contents.end:
                break  # fed since then
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
            self._check_first(first)
            last = first + len(values) - 1
            if last > self._horizon:
                self._mark(self._durable, last + max(LEAST_LEAD, self._unsynced))
            frame, chain = encode(kind, first, values, draws, self._chain)
            self._write(frame)
            self._end, self._chain, self._position = self._end + len(frame), chain, last
            self._unsynced += len(values)
            self._witness.write(last, chain)

    def check_next(self, first: int) -> None:
        """Refuse now what `append` would refuse."""
        with self._writing():
            self._check_first(first)

    def check_usable(self) -> None:
        """Refuse if this journal has ended: it was closed, its disk failed, its witness was replaced."""
        self._opened()
        if self._failure:
            raise RunFailed(self._failure)

    def _check_first(self, first: int) -> None:
        if not self._witness.in_place():
            self._failure = (
                f"{self._witness.path}, where the progress of this stream is recorded, was replaced or removed while the stream "
                "was open, so no further answers are given: a copy of the state could be resumed beside this one. Do not change "
                f"that folder while streams are open. Close this stream and open it again with the same {parameter('state')}: no "
                "answer is lost."
            )
            self.check_usable()
        if first != self._position + 1:
            raise RunFailed(
                f"the first {self._position:,} events of this stream were answered already: go through again(), or call "
                "resume(), before you feed new events."
            )

    def close(self) -> None:
        """Sync, say that nothing is uncertain, and let go."""
        self._check_owner()
        self._stop.set()
        with self._lock:
            if self._descriptor >= 0:
                try:
                    if not self._failure:
                        self._rest()
                finally:
                    self._drop()

    def _opened(self) -> int:
        if self._descriptor < 0:
            raise RunFailed("this stream is closed: open it again from its state file.")
        return self._descriptor

    def _drop(self) -> None:
        """Close both files; with their last descriptor their locks go. What was answered is in them already."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
        self._witness.close()

    def _let_go(self) -> None:
        # The parent's descriptors keep the locks: closing a copy does not free them, LOCK_UN would. The parent's threads may
        # have held these two at the fork, and nobody here will ever release them.
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._drop()

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
        mark.write(self._descriptor, self._contents.marks_at, salt(self.promise))
        sync(self._descriptor)
        self._durable, self._horizon = durable, horizon

    def _sync_if_needed(self) -> None:
        with self._lock:
            if self._descriptor >= 0 and self._unsynced and not self._failure:
                try:
                    self._rest()
                except OSError as error:
                    self._failure = self._unwritten(error)

    def __del__(self) -> None:
        if self._owned_here:
            self._stop.set()
            self._drop()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A failing disk becomes one clear error, now and for every later event: nothing goes out that is not stored."""
        self._check_owner()
        with self._lock:
            self.check_usable()
            try:
                yield
            except OSError as error:
                self._failure = self._unwritten(error)
                self.check_usable()

    def _unwritten(self, error: OSError) -> str:
        return (
            f"{self.path} cannot be written ({error.strerror or 'unknown error'}), so no further answers are given. Make room "
            f"on the disk and open the stream again with the same {parameter('state')}: no answer is lost."
        )


def _keep_synced(reference: weakref.ref[Journal], stop: threading.Event) -> None:
    """Once a second, as long as somebody holds the journal."""
    while not stop.wait(EVERY):
        if (journal := reference()) is None:
            return
        journal._sync_if_needed()
        del journal


def _seen_under_lock(path: Path, witness: Witness) -> Seen | None:
    """What the witness says, and its lock: wherever a copy of the state lies, only one of them goes on."""
    if not witness.hold():
        raise statefile.in_use(path)
    return witness.seen()


class _View(io.RawIOBase):
    """Reads an open file from a place of its own: a duplicate of the descriptor would share its offset and keep its lock."""

    def __init__(self, descriptor: Callable[[], int]) -> None:
        self._descriptor, self._at = descriptor, 0

    @classmethod
    def of(cls, descriptor: Callable[[], int]) -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(cls(descriptor), 1 << 16))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (self._at if whence == os.SEEK_CUR else 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        read = os.pread(self._descriptor(), len(buffer), self._at)
        buffer[: len(read)] = read
        self._at += len(read)
        return len(read)
