"""Files of public keys: one key per line, with the day since when, its status, and a name. People may read, edit and copy them.

# comment
3b6a27bc…29 2026-11-18 trusted Metro data office
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from seqveil.errors import CallError, InputProblems
from seqveil.signature.ed25519 import fingerprint
from seqveil.whole import INTERNAL, write_whole

Status = Literal["own", "trusted", "stolen"]
"""Why a key is in a file: it is or was ours, somebody trusts it, or it was ours and was reported stolen."""

MOST_NAME = 200
_MOST_BYTES = 1 << 20
_LINE = re.compile(rf"([0-9a-f]{{64}})\s+(\d{{4}}-\d\d-\d\d)\s+({'|'.join(get_args(Status))})(?:\s+(\S.*))?")
_HEX = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A public key that this installation knows."""

    public: str
    since: str
    status: Status
    name: str = ""

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public)

    @property
    def line(self) -> str:
        """As it stands in a file.

        >>> KnownKey("ab" * 32, "2026-11-18", "trusted", "Metro").line
        'abababababababababababababababababababababababababababababababab 2026-11-18 trusted Metro'
        """
        return f"{self.public} {self.since} {self.status} {self.name}".rstrip()


def today() -> str:
    """The date, in UTC."""
    return datetime.now(UTC).date().isoformat()


def read_keys(path: Path) -> list[KnownKey]:
    """The keys in a file; none where there is no file. All lines that are wrong are named at once."""
    try:
        with path.open("rb") as file:
            body = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CallError(f"{path} cannot be read ({error.strerror}): check the path.") from None
    if len(body) > _MOST_BYTES:
        raise CallError(f"{path} is larger than {_MOST_BYTES:,} bytes: it is not a file of public keys.")
    lines = body.decode("utf-8", "replace").splitlines()
    entries = {n: _LINE.fullmatch(text.strip()) for n, text in enumerate(lines, 1) if text.strip() and not text.startswith("#")}
    wrong = [
        f"line {n} is not 'PUBLIC-KEY DATE STATUS NAME': correct or remove it" for n, match in entries.items() if match is None
    ]
    if wrong:
        raise InputProblems(str(path), wrong)
    return [_key_of(match) for match in entries.values() if match is not None]


def _key_of(match: re.Match[str]) -> KnownKey:
    status: Status = next(each for each in get_args(Status) if each == match[3])
    return KnownKey(match[1], match[2], status, match[4] or "")


def write_keys(path: Path, keys: Iterable[KnownKey], heading: str) -> None:
    """All keys of a file anew; the old file stays until the new one is on disk."""
    lines = [f"# {heading}", "# One per line: public key, date, status, name.", *(key.line for key in keys)]
    write_whole(path, ("\n".join(lines) + "\n").encode(), mode=INTERNAL, overwrite=True)


def public_key(given: str) -> str:
    """A public key as somebody gives it: its 64 digits, or a file that holds one.

    >>> public_key("AB" * 32) == "ab" * 32
    True
    >>> public_key("nothing")
    Traceback (most recent call last):
    seqveil.errors.CallError: 'nothing' is neither a public key of 64 hexadecimal digits nor a file that holds one: ...
    """
    if _HEX.fullmatch(given):
        return given.lower()
    try:
        with Path(given).open("rb") as file:
            keys = set(_HEX.findall(file.read(_MOST_BYTES).decode("utf-8", "replace")))
    except (OSError, ValueError):
        keys = set()
    if len(keys) != 1:
        raise CallError(
            f"{given!r} is neither a public key of 64 hexadecimal digits nor a file that holds one: "
            "ask the publisher for the output of `seqveil key show`."
        )
    return str(keys.pop()).lower()
