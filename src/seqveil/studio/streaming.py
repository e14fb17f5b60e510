"""Large files on their way to a browser: written by a thread into a short queue, sent piece by piece, never held as a whole.

Whoever writes waits until there is room: a browser that reads slowly slows the writing down, and one that goes away ends it.
A file that cannot be finished breaks the connection off, so that the browser says that the download failed.
"""

from __future__ import annotations

import io
import queue
import threading
from collections.abc import AsyncIterator, Callable
from typing import IO, TYPE_CHECKING, Any, cast

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

WRITER = "download"
"""The name of the threads that write."""

PIECE = 1 << 16
"""Bytes that are sent at once."""

WAITING = 32
"""Pieces that may wait to be sent."""

STALLED = 120.0
"""Seconds without room after which the browser counts as gone."""

Fill = Callable[[IO[bytes]], object]
"""Writes a whole file, from its first byte to its last."""


class Gone(OSError):
    """Nobody reads any more."""


class Pipe(io.RawIOBase):
    """What one thread writes, another one reads a few pieces later."""

    def __init__(self) -> None:
        self._pieces: queue.Queue[bytes | BaseException] = queue.Queue(WAITING)
        self._gone = threading.Event()
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, body: Any) -> int:
        """Pass some bytes on, as soon as there is room for them."""
        whole = memoryview(body).cast("B")
        for start in range(0, len(whole), PIECE):
            self._put(bytes(whole[start : start + PIECE]))
        self._written += len(whole)
        return len(whole)

    def tell(self) -> int:
        return self._written

    def _put(self, piece: bytes) -> None:
        if self._gone.is_set():
            raise Gone("nobody reads any more")
        try:
            self._pieces.put(piece, timeout=STALLED)
        except queue.Full:
            raise Gone("nobody has read for a long time") from None

    def fill(self, fill: Fill) -> None:
        """Let something write all of it. What goes wrong is raised where it is read, instead of what was still waiting."""
        try:
            with io.BufferedWriter(self, PIECE) as file:
                fill(cast("IO[bytes]", file))
            self._put(b"")
        except BaseException as error:
            self._forget()
            self._pieces.put(error)

    def read_piece(self) -> bytes:
        """The next piece; nothing at the end."""
        piece = self._pieces.get()
        if isinstance(piece, BaseException):
            raise piece
        return piece

    def leave(self) -> None:
        """Nobody will read on. One who waits for room gets it, and is told with the next piece."""
        self._gone.set()
        self._forget()

    def _forget(self) -> None:
        while True:
            try:
                self._pieces.get_nowait()
            except queue.Empty:
                return


class Streamed(StreamingResponse):
    """A file that is written while it is sent."""

    def __init__(self, fill: Fill, kind: str, headers: dict[str, str]) -> None:
        self._pipe, self._fill = Pipe(), fill
        super().__init__(self._pieces(), headers=headers, media_type=kind)

    async def _pieces(self) -> AsyncIterator[bytes]:
        threading.Thread(target=self._pipe.fill, args=(self._fill,), name=WRITER, daemon=True).start()
        while piece := await run_in_threadpool(self._pipe.read_piece):
            yield piece

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._pipe.leave()
