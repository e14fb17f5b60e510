"""Signing and checking bytes with Ed25519 (RFC 8032), by the `cryptography` package.

A public key is written as 64 hexadecimal digits, a signature as 128. What is signed begins with a line that says what it is, so
that a signature of one sort of text can never be passed off as one of another sort.

>>> signer = throwaway()
>>> signature = signer.sign(b"epsilon 1.0")
>>> valid(signer.public, b"epsilon 1.0", signature), valid(signer.public, b"epsilon 0.1", signature)
(True, False)
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from seqveil.signature.curve import usable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PURPOSE = b"seqveil release manifest, signature 1\n"
"""What every signed text begins with; it is followed by the bytes of manifest.json."""


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key in memory. Its `repr` shows the public half alone."""

    public: str
    _private: Ed25519PrivateKey = field(repr=False)

    def sign(self, text: bytes) -> str:
        """The signature of a manifest's bytes."""
        return self._private.sign(PURPOSE + text).hex()


def signer_from(private: Ed25519PrivateKey) -> Signer:
    """A private key and its public half."""
    return Signer(private.public_key().public_bytes_raw().hex(), private)


def throwaway() -> Signer:
    """A new key, kept nowhere so far: for a first use, and for rehearsals, which nobody may take for real."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return signer_from(Ed25519PrivateKey.generate())


def valid(public: str, text: bytes, signature: str) -> bool:
    """Whether the holder of a key signed exactly these bytes; never where anybody could have, as with keys of small order."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), PURPOSE + text)
        return usable(public)
    except (InvalidSignature, ValueError):
        return False


def fingerprint(public: str) -> str:
    """A public key, short enough to be read out on the telephone: the first 128 bits of its SHA-256.

    >>> fingerprint("00" * 32)
    '6668-7aad-f862-bd77-6c8f-c18b-8e9f-8e20'
    """
    digits = hashlib.sha256(bytes.fromhex(public)).hexdigest()[:32]
    return "-".join(digits[i : i + 4] for i in range(0, 32, 4))
