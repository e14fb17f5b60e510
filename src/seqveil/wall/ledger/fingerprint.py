"""A keyed fingerprint of an input: recognises the same bytes when they come again, and reveals nothing without the key."""

from __future__ import annotations

import hmac
import os
import shlex
from collections.abc import Iterable, Iterator

from seqveil.errors import CallError
from seqveil.surface import parameter

Bytes = str | os.PathLike[str] | bytes | Iterable[bytes]

_CHUNK = 1 << 20


def fingerprint(key: bytes, source: Bytes) -> str:
    """HMAC-SHA256 of a file's bytes, or of chunks of bytes however they are cut.

    >>> fingerprint(b"k", [b"ab", b"c"]) == fingerprint(b"k", [b"abc"]) != fingerprint(b"j", [b"abc"])
    True
    """
    digest = hmac.new(key, digestmod="sha256")
    for chunk in _chunks(source):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(source: Bytes) -> Iterator[bytes]:
    if not isinstance(source, str | os.PathLike):
        yield from [source] if isinstance(source, bytes) else source
        return
    try:
        with open(source, "rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        name = os.fspath(source)
        raise CallError(f"{name} cannot be read: {error.strerror}. Give the path of a readable file.") from None


def same_input(account: str, others: list[str]) -> str | None:
    """The warning that the same input was used under other accounts.

    >>> print(same_input("metro-b", ["metro-a"]))
    The same data was already used under account 'metro-a'. The epsilons of all accounts add up for \
the people in it, and no cap limits the sum. To charge one account, use account=metro-a
    >>> print(same_input("metro-a", ["metro-a", "metro-b"]))
    The same data was already used under account 'metro-b'. The epsilons of all accounts add up for \
the people in it, and no cap limits the sum. Charge everything about the same people to one account.
    >>> same_input("metro-a", ["metro-a"])
    """
    elsewhere = sorted(set(others) - {account})
    if not elsewhere:
        return None
    names = ", ".join(map(repr, elsewhere))
    noun = "account" if len(elsewhere) == 1 else "accounts"
    first = others[0]  # the account that saw it first is the one to keep
    advice = "Charge everything about the same people to one account."
    if first != account:
        advice = f"To charge one account, use {parameter('account', shlex.quote(first))}"
    return (
        f"The same data was already used under {noun} {names}. The epsilons of all accounts add up for "
        f"the people in it, and no cap limits the sum. {advice}"
    )
