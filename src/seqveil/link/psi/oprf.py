"""The oblivious pseudorandom function [RFC 9497], suite ristretto255-SHA512 in its base mode.

F(k, x) = H(x, k·P(x)), where P hashes into the group. The starter sends r·P(x) for a fresh random r, the answerer returns
k·r·P(x), and the starter takes r off again: it knows F(k, x), and the answerer has seen a uniformly random group element
whatever x was. All arithmetic in the group and modulo its order is libsodium's.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from seqveil.extras import need

POINT = 32
"""Bytes of an encoded group element."""
WIDE = 64
"""Uniform bytes that become a group element or a scalar without noticeable bias, and the bytes of an output."""

_CONTEXT = b"OPRFV1-\x00-ristretto255-SHA512"
_TO_GROUP = b"HashToGroup-" + _CONTEXT
_BLOCK = bytes(128)
_LENGTH = (64).to_bytes(2, "big") + b"\0"
_SUFFIX = _TO_GROUP + bytes([len(_TO_GROUP)])


class NotAPoint(ValueError):
    """Bytes that encode no group element, or the identity, which would give the same output for every key."""


@cache
def _sodium() -> Any:
    """The binding of libsodium, loaded when the first point is needed."""
    need("private set intersection")
    import rbcl

    # The binding unpacks the library into a temporary file at every start and leaves it there. It is mapped by now.
    unpacked = Path(getattr(getattr(rbcl, "_sodium", None), "_name", "") or "/")
    if unpacked.suffix == ".so" and unpacked.name.startswith("tmp"):
        with suppress(OSError):
            unpacked.unlink()
    return rbcl


def uniform_bytes(message: bytes) -> bytes:
    """expand_message_xmd with SHA-512 and 64 bytes [RFC 9380, §5.3.1], under the tag of this suite."""
    first = hashlib.sha512(_BLOCK + message + _LENGTH + _SUFFIX).digest()
    return hashlib.sha512(first + b"\x01" + _SUFFIX).digest()


def hashed(message: bytes) -> bytes:
    """P(x): the group element of a message; nobody knows its logarithm to any base."""
    return bytes(_sodium().crypto_core_ristretto255_from_hash(uniform_bytes(message)))


def point_of(wide: bytes) -> bytes:
    """A uniformly random group element from 64 uniformly random bytes."""
    return bytes(_sodium().crypto_core_ristretto255_from_hash(wide))


def scalar_of(wide: bytes) -> bytes:
    """A uniformly random scalar from 64 uniformly random bytes."""
    return bytes(_sodium().crypto_core_ristretto255_scalar_reduce(wide))


def random_key() -> bytes:
    """A secret key k, never 0."""
    while not any(key := scalar_of(secrets.token_bytes(WIDE))):
        pass
    return key


def times(scalar: bytes, point: bytes) -> bytes:
    """scalar · point. Refuses what is not a canonical encoding, and the identity.

    >>> times(random_key(), bytes(32))
    Traceback (most recent call last):
    seqveil.link.psi.oprf.NotAPoint: not an element of the group, or its identity
    """
    try:
        return bytes(_sodium().crypto_scalarmult_ristretto255(scalar, point))
    except RuntimeError:
        raise NotAPoint("not an element of the group, or its identity") from None


def inverses(scalars: Sequence[bytes]) -> list[bytes]:
    """1 / r of every scalar, by one inversion and three multiplications each: an inversion takes as long as forty of these.

    >>> r = [scalar_of(bytes([i]) * 64) for i in (1, 2, 3)]
    >>> [_sodium().crypto_core_ristretto255_scalar_mul(a, b)[0] for a, b in zip(r, inverses(r), strict=True)]
    [1, 1, 1]
    """
    if not scalars:
        return []
    multiply = _sodium().crypto_core_ristretto255_scalar_mul
    products = [scalars[0]]
    for scalar in scalars[1:]:
        products.append(multiply(products[-1], scalar))
    # Invariant: `rest` is the inverse of the product of scalars[: i + 1].
    rest = _sodium().crypto_core_ristretto255_scalar_invert(products[-1])
    back = [b""] * len(scalars)
    for i in range(len(scalars) - 1, 0, -1):
        back[i] = multiply(rest, products[i - 1])
        rest = multiply(rest, scalars[i])
    back[0] = rest
    return back


def output(message: bytes, point: bytes) -> bytes:
    """H(x, k·P(x)): what both know of a message that both have, and nobody else can compute."""
    framed = len(message).to_bytes(2, "big") + message + POINT.to_bytes(2, "big") + point + b"Finalize"
    return hashlib.sha512(framed).digest()
