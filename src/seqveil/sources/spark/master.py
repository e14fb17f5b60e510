"""Masters that do not answer: found out here within seconds. Spark itself tries for minutes and says nothing meanwhile."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from seqveil.errors import CallError

ANSWER = 5.0
"""Seconds in which a machine must accept a connection."""

QUIET = 15.0
"""Seconds after which a wait is announced."""


def refuse_unreachable(master: str) -> None:
    """Refuse a standalone master (`spark://HOST:PORT`, several with commas) of which no address accepts a connection."""
    tried = []
    for address in addresses(master):
        try:
            socket.create_connection(address, timeout=ANSWER).close()
            return
        except OSError as error:
            tried.append(f"{address[0]}:{address[1]} {_why(error)}")
    if tried:
        raise CallError(
            f"no Spark master answers at {master} ({'; '.join(tried)}): check the address, and that the master is running. "
            "Nothing was spent."
        )


def addresses(master: str) -> list[tuple[str, int]]:
    """Hosts and ports of a standalone master; none of any other, which Spark looks up by itself.

    >>> addresses("spark://a:7077,b:7078"), addresses("yarn"), addresses("spark://a")
    ([('a', 7077), ('b', 7078)], [], [])
    """
    if not master.startswith("spark://"):
        return []
    pairs = []
    for part in master.removeprefix("spark://").split(","):
        try:
            parts = urlsplit(f"//{part}")
            if parts.hostname and parts.port:
                pairs.append((parts.hostname, parts.port))
        except ValueError:  # Spark says what is wrong with it
            continue
    return pairs


def _why(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "refuses connections"
    if isinstance(error, socket.gaierror):
        return "is an unknown host"
    return f"did not answer within {ANSWER:.0f} s" if isinstance(error, TimeoutError) else "cannot be reached"


@contextmanager
def announced(sentence: str, after: float = QUIET) -> Iterator[None]:
    """Say what is waited for, once, if it takes long."""
    timer = threading.Timer(after, logging.getLogger("seqveil").warning, [sentence])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
