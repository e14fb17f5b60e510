"""A channel between two machines for the messages: TLS 1.3 in which each side proves that it has the same secret key file.

From the key both derive two certificates, the starter's and the answerer's. Each presents its own and accepts nothing but the
other one, so the key is all there is to exchange beforehand, and who does not have it can neither connect, listen nor read.
"""

from __future__ import annotations

import json
import secrets
import socket
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from seqveil.errors import InputProblems, RunFailed
from seqveil.link.psi.edits import Side
from seqveil.link.psi.messages import VERSION
from seqveil.link.psi.terms import Terms
from seqveil.release.regular import opened
from seqveil.whole import INTERNAL, write_whole

HANDSHAKE = 20.0
"""Seconds for a stranger to show the key, or for the other side to answer a greeting."""

_KEY = 32
_BLOCK = 1 << 16
_MOST_GREETING = 1 << 10
_LOST = "the connection was lost: run the same command again, on both sides; what was computed is kept."
OTHER: dict[Side, Side] = {"starter": "answerer", "answerer": "starter"}


def write_key(path: Path) -> Path:
    """A new key for two holders, to be carried to the other one in a safe way."""
    return write_whole(path, secrets.token_hex(_KEY).encode() + b"\n", mode=INTERNAL)


def read_key(path: Path) -> bytes:
    """The key that `write_key` wrote."""
    try:
        with opened(path, follow=True) as file:
            key = bytes.fromhex(file.read(2 * _KEY + 2).decode("ascii").strip())
    except OSError as error:
        raise InputProblems(str(path), [f"cannot be read: {error.strerror or 'the disk failed'}"]) from None
    except ValueError:
        key = b""
    if len(key) != _KEY:
        raise InputProblems(str(path), ["is not a key: give the file that `seqveil link psi key` wrote"])
    return key


def certificate(key: bytes, side: Side) -> tuple[x509.Certificate, Ed25519PrivateKey]:
    """The certificate of a side, the same for whoever has the key."""
    seed = HKDF(SHA256(), _KEY, None, b"seqveil linkage channel " + side.encode()).derive(key)
    private = Ed25519PrivateKey.from_private_bytes(seed)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"seqveil {side}")])
    unsigned = x509.CertificateBuilder(name, name, private.public_key(), 1)
    unsigned = unsigned.not_valid_before(datetime(2020, 1, 1, tzinfo=UTC)).not_valid_after(datetime(2120, 1, 1, tzinfo=UTC))
    return unsigned.sign(private, None), private


def _context(key: bytes, side: Side) -> ssl.SSLContext:
    own, private = certificate(key, side)
    other, _ = certificate(key, OTHER[side])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if side == "starter" else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # names say nothing here: the certificate itself is compared
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=other.public_bytes(serialization.Encoding.PEM).decode())
    with tempfile.TemporaryDirectory() as folder:  # mode 0700; OpenSSL reads certificates from files only
        path = Path(folder) / "own.pem"
        pem = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        write_whole(path, pem + own.public_bytes(serialization.Encoding.PEM), mode=INTERNAL)
        context.load_cert_chain(path)
    return context


class Channel:
    """An open connection to whoever has the same key, in the other role."""

    def __init__(self, wire: ssl.SSLSocket) -> None:
        self._wire = wire

    def greet(self, terms: Terms) -> None:
        """Both must have the same terms and version."""
        mine = {"version": VERSION, "terms": terms.id}
        body = json.dumps(mine).encode()
        self._send(len(body).to_bytes(8, "big") + body)
        size = int.from_bytes(self._exactly(8), "big")
        try:
            theirs = json.loads(self._exactly(size)) if size <= _MOST_GREETING else None
        except ValueError:
            theirs = None
        if theirs != mine:
            raise RunFailed(
                "the other side has other terms, or another version of Seqveil: compare the ids of both files of terms."
            )

    def send(self, path: Path) -> None:
        """A message."""
        with opened(path) as file:
            body = file.seek(0, 2)
            file.seek(0)
            self._send(body.to_bytes(8, "big"))
            while block := file.read(_BLOCK):
                self._send(block)

    def receive(self, path: Path, most: int) -> None:
        """A message of at most so many bytes; it is there whole, or not at all."""
        size = int.from_bytes(self._exactly(8), "big")
        if size > most:
            raise RunFailed(f"the other side announces {size:,} bytes, but by the terms there are at most {most:,}.")

        def fill(work: Path) -> None:
            with work.open("wb") as file:
                for at in range(0, size, _BLOCK):
                    file.write(self._exactly(min(_BLOCK, size - at)))

        write_whole(path, fill, mode=INTERNAL, overwrite=True)

    def _send(self, body: bytes) -> None:
        try:
            self._wire.sendall(body)
        except OSError:
            raise RunFailed(_LOST) from None

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            try:
                block = self._wire.recv(min(size, _BLOCK))
            except OSError:
                block = b""
            if not block:
                raise RunFailed(_LOST)
            parts.append(block)
            size -= len(block)
        return b"".join(parts)


@contextmanager
def served(host: str, port: int, key: bytes, terms: Terms) -> Iterator[Channel]:
    """Listen, and wait for the answerer; strangers are turned away, and the wait goes on."""
    context = _context(key, "starter")
    try:
        listening = socket.create_server((host, port))
    except OSError as error:
        raise RunFailed(f"cannot listen on {host}:{port} ({error.strerror}): choose another address.") from None
    with listening:
        while True:
            plain, _ = listening.accept()
            plain.settimeout(HANDSHAKE)
            try:
                wire = context.wrap_socket(plain, server_side=True)
            except OSError:  # also what TLS refuses
                plain.close()
                continue
            break
    with _checked(wire, key, "starter", terms) as channel:
        yield channel


@contextmanager
def joined(host: str, port: int, key: bytes, terms: Terms) -> Iterator[Channel]:
    """Connect to the starter."""
    context = _context(key, "answerer")
    try:
        plain = socket.create_connection((host, port), HANDSHAKE)
    except OSError as error:
        why = error.strerror or "no answer"
        raise RunFailed(f"cannot connect to {host}:{port} ({why}): is `seqveil link psi serve` running there?") from None
    try:
        wire = context.wrap_socket(plain)
    except OSError:
        plain.close()
        raise RunFailed(
            f"{host}:{port} does not have your key: check that both sides use the same file, and the address."
        ) from None
    with _checked(wire, key, "answerer", terms) as channel:
        yield channel


@contextmanager
def _checked(wire: ssl.SSLSocket, key: bytes, side: Side, terms: Terms) -> Iterator[Channel]:
    with wire:
        other, _ = certificate(key, OTHER[side])
        if wire.getpeercert(binary_form=True) != other.public_bytes(serialization.Encoding.DER):
            raise RunFailed("the other side does not have your key: check that both sides use the same file.")
        channel = Channel(wire)
        channel.greet(terms)
        wire.settimeout(None)  # the other side computes for minutes
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        yield channel
