"""The server of the studio: uvicorn on one socket, without a log of requests, that waits for no slow client."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""How long a client may take to send the head of a request; then its connection is closed."""

MOST_CONNECTIONS = 256

GRACE = 6.0
"""Seconds that pages have to end when the studio is asked to."""


class Impatient(H11Protocol):
    """HTTP that closes a connection whose request does not begin in time. Uvicorn itself waits without end."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._waiting = self.loop.call_later(HEAD_SECONDS, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._waiting is not None and self.cycle is not None:
            self._waiting.cancel()
            self._waiting = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)


class Ending(uvicorn.Server):
    """A server whose process ends soon after it was asked to, even if a page is still being made.

    A thread cannot be stopped, and an interpreter waits for its threads: one that reads a damaged file for minutes would hold it
    up. Nothing is lost by leaving it: whatever is kept is written whole, and releases have processes of their own.
    """

    at_the_end: Callable[[], None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.at_the_end is not None and not self.should_exit:
            timer = threading.Timer(GRACE, self._leave)
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)

    def _leave(self) -> None:
        assert self.at_the_end is not None
        self.at_the_end()
        os._exit(0)


def server(app: Any) -> Ending:
    """A server for an application. Nothing is logged: an address or a traceback could hold what must not be kept."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [logging.NullHandler()]
        logger.propagate = False
    return Ending(
        uvicorn.Config(
            app,
            http=Impatient,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
            server_header=False,
            date_header=False,
            h11_max_incomplete_event_size=1 << 15,
        )
    )


def serve(app: Any, sock: socket.socket, at_the_end: Callable[[], None]) -> None:
    """Serve until the process is asked to end."""
    running = server(app)
    running.at_the_end = at_the_end
    running.run(sockets=[sock])
