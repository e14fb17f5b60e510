"""manifest.sig: the signature of a manifest, beside it. It covers the bytes of manifest.json, which lists every other file.

The public key stands in the manifest too (`signer`), so whoever takes the signature away leaves a manifest that says that it had
one. The file holds no more than a key and a signature; nobody needs Seqveil to check it (docs/verify.md).
"""

from __future__ import annotations

import json
from typing import Any

from seqveil.errors import ReleaseDamaged, RunFailed
from seqveil.release.schema import DIGEST, Choice, Fields, NotJson, Spelled, Whole, parse
from seqveil.signature.ed25519 import Signer, valid

SIGNATURE = "manifest.sig"
"""The file beside manifest.json."""

MOST_SIGNATURE = 1 << 12
_ABOUT: dict[str, Any] = {"format": "seqveil signature", "version": 1, "algorithm": "Ed25519"}
_FIELDS = Fields(
    {
        "format": Choice((_ABOUT["format"],)),
        "version": Whole(1, 1),
        "algorithm": Choice((_ABOUT["algorithm"],)),
        "key": DIGEST,
        "signature": Spelled("[0-9a-f]{128}", "a signature in 128 hexadecimal digits"),
    }
)
_ADVICE = "Copy the release again from where it was published."


def signature_of(text: bytes, public: str | None, signer: Signer | None) -> bytes | None:
    """The text of manifest.sig for the text of a manifest that names this public key; None where it names none."""
    if public is None:
        return None
    if signer is None or signer.public != public:
        raise RunFailed("This release names a key that is not at hand, so it cannot be signed.")
    about = {**_ABOUT, "key": public, "signature": signer.sign(text)}
    return (json.dumps(about, indent=2) + "\n").encode()


def check_signature(text: bytes, public: str, body: bytes) -> None:
    """Refuse a manifest that the holder of its key did not sign as it is."""
    try:
        stated = parse(body.decode())
    except (NotJson, UnicodeDecodeError):
        raise ReleaseDamaged(f"{SIGNATURE} is not JSON. {_ADVICE}") from None
    if problems := _FIELDS.problems(stated, ""):
        raise ReleaseDamaged(f"{SIGNATURE} {problems[0]}. {_ADVICE}")
    if stated["key"] != public:
        raise ReleaseDamaged(f"{SIGNATURE} is by another key than manifest.json names. {_ADVICE}")
    if not valid(public, text, stated["signature"]):
        raise ReleaseDamaged(
            f"manifest.json is not what was signed: it, or {SIGNATURE}, was changed after the release was made. {_ADVICE}"
        )
