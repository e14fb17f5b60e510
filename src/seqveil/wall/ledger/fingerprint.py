"""A keyed fingerprint of an input: tells that the same bytes were seen before, and nothing without the key."""

from __future__ import annotations

import hmac
import os
import shlex
from collections.abc import Iterable, Iterator

from seqveil.errors import CallError

Source = str | os.PathLike[str] | bytes | Iterable[bytes]

_CHUNK = 1 << 20


def fingerprint(key: bytes, source: Source) -> str:
    """HMAC-SHA256 of a file's bytes, or of chunks of bytes however they are cut.

    >>> fingerprint(b"k", [b"ab", b"c"]) == fingerprint(b"k", [b"abc"]) != fingerprint(b"j", [b"abc"])
    True
    """
    digest = hmac.new(key, digestmod="sha256")
    for chunk in _chunks(source):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(source: Source) -> Iterator[bytes]:
    if not isinstance(source, str | os.PathLike):
        yield from [source] if isinstance(source, bytes) else source
        return
    try:
        with open(source, "rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        name = os.fspath(source)
        raise CallError(f"{name} cannot be read: {error.strerror}. Give the path of a file you may read.") from None


def alarm(account: str, others: list[str]) -> str | None:
    """What the holder hears when the same input was used under other accounts.

    >>> print(alarm("metro-b", ["metro-a"]))
    This very input was already used under account 'metro-a'. The epsilons of two accounts add up for \
the people in it, and no cap watches the sum. Unless you mean that, use --account metro-a
    >>> print(alarm("metro-a", ["metro-a", "metro-b"]))
    This very input was already used under account 'metro-b'. The epsilons of two accounts add up for \
the people in it, and no cap watches the sum. Charge everything about the same people to one account.
    >>> alarm("metro-a", ["metro-a"])
    """
    elsewhere = sorted(set(others) - {account})
    if not elsewhere:
        return None
    names = ", ".join(map(repr, elsewhere))
    first = others[0]  # the account that saw it first is the one to keep
    advice = "Charge everything about the same people to one account."
    if first != account:
        advice = f"Unless you mean that, use --account {shlex.quote(first)}"
    return (
        f"This very input was already used under account {names}. The epsilons of two accounts add up for "
        f"the people in it, and no cap watches the sum. {advice}"
    )
