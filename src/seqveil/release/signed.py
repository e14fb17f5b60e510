"""manifest.sig: the signature of a manifest, beside it. It covers the bytes of manifest.json, which lists every other file.

The public key stands in the manifest too (`signer`), so whoever takes the signature away leaves a manifest that says that it had
one. The file holds no more than a key and a signature; nobody needs Seqveil to check it (docs/verify.md).
"""

from __future__ import annotations

import json
import re
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
_NUMBER = r"\d{1,12}(?:\.\d{1,12})?"
_SAID = re.compile(rf"differential privacy with epsilon = ({_NUMBER})", re.ASCII)
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
        raise ReleaseDamaged(_altered(text, ""))


def refuse_altered(text: bytes, body: bytes, readme: str) -> None:
    """Refuse a manifest that its signature does not fit, before anything else is said about it.

    Whoever edits a number leaves sums that do not add up and files that do not match. None of that is as clear as this. What is
    wrong with the signature itself, or with its key, `check_signature` says once the manifest was read.
    """
    try:
        stated = parse(body.decode())
    except (NotJson, UnicodeDecodeError):
        return
    if not _FIELDS.problems(stated, "") and not valid(stated["key"], text, stated["signature"]):
        raise ReleaseDamaged(_altered(text, readme))


def _altered(text: bytes, readme: str) -> str:
    """What was altered, what it claims now, and what to do.

    >>> print(_altered(b'{"epsilon": "0.1"}', "(differential privacy with epsilon = 0.5)"))  # doctest: +NORMALIZE_WHITESPACE
    ALTERED: manifest.json is not what was signed. The signature in manifest.sig does not match it: one of the two was changed
    after the release was made. It now claims epsilon = 0.1, README.txt says 0.5: believe neither. Do not use this copy. Ask the
    publisher for the release, on another channel than the one it came by, and find out where this copy comes from.
    """
    claimed, said = _claimed(text), _SAID.search(readme)
    beside = f", README.txt says {said[1]}: believe neither" if said and said[1] != claimed else ""
    claim = f"It now claims epsilon = {claimed}{beside}. " if claimed else ""
    return (
        f"ALTERED: manifest.json is not what was signed. The signature in {SIGNATURE} does not match it: one of the two was "
        f"changed after the release was made. {claim}Do not use this copy. Ask the publisher for the release, on another channel "
        "than the one it came by, and find out where this copy comes from."
    )


def _claimed(text: bytes) -> str | None:
    """The ε of a manifest that nobody vouches for, if it is a number."""
    try:
        claimed = parse(text.decode())["epsilon"]
    except (NotJson, UnicodeDecodeError, KeyError, TypeError, IndexError):
        return None
    return claimed if isinstance(claimed, str) and re.fullmatch(_NUMBER, claimed, re.ASCII) else None
