"""Where the studio listens, and the secrets of one start of it.

Loopback only: whoever can reach the address and has its token can read the folders that were given and spend ε. The token stands
in the first address; the browser then gets a cookie instead of it.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field

from seqveil.errors import CallError
from seqveil.surface import parameter

WHY_NOT = (
    "the studio would be reachable from other machines, without encryption: anyone who sees its traffic can read the raw data "
    "that it shows, and spend ε in your name"
)
"""Why the studio listens on this machine only."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The token of the first address, the value of the cookie, and what every form must repeat; new at every start."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def form(self) -> str:
        """What a form repeats: only a page of ours can know it."""
        return hmac.new(self.cookie.encode(), b"form", hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port that is listened to, and the names by which a browser may call it."""

    host: str
    port: int

    @property
    def hosts(self) -> frozenset[str]:
        """What the header `Host` of a request may say. A name that merely resolves to this machine is not among them.

        >>> sorted(Address("127.0.0.1", 8080).hosts)
        ['127.0.0.1:8080', 'localhost:8080']
        """
        own = f"[{self.host}]" if ":" in self.host else self.host
        names = {own, "localhost"} if is_loopback(self.host) else {own}
        return frozenset(f"{name}:{self.port}" for name in names)

    @property
    def url(self) -> str:
        """The address of the first page, without a token."""
        return f"http://[{self.host}]:{self.port}/" if ":" in self.host else f"http://{self.host}:{self.port}/"

    def first(self, secrets: Secrets) -> str:
        """The address to open first."""
        return f"{self.url}?token={secrets.token}"


def is_loopback(host: str) -> bool:
    """Whether an address is reachable from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_remote(host: str, exposed: bool) -> None:
    """Refuse every address but those of this machine, unless that was asked for in so many words.

    >>> refuse_remote("192.168.1.5", exposed=False)
    Traceback (most recent call last):
    seqveil.errors.CallError: host=192.168.1.5: the studio would be reachable from other machines, ...
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise CallError(
            f"{parameter('host', repr(host))} is not an IP address: leave it out, or give 127.0.0.1 or ::1."
        ) from None
    if address.is_unspecified:
        raise CallError(f"{parameter('host', host)}: {WHY_NOT}. Leave it out; every address at once is never allowed.")
    if not address.is_loopback and not exposed:
        advice = f"Leave it out, or use an SSH tunnel; {parameter('exposed')} allows it all the same."
        raise CallError(f"{parameter('host', host)}: {WHY_NOT}. {advice}")


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sends at once only where it is named TCP
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise CallError(
            f"{parameter('port', str(port))}: cannot listen on {host} ({error.strerror}): choose another, or leave it out."
        ) from None
    return sock
