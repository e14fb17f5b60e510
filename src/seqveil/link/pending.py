"""The key and the vectors are two files in two places, and no system names two files at once.

So the key gets its name first, and until the vectors have theirs, a small journal beside the key says which folder is awaited. A
run that is killed in between leaves a key that no vectors belong to; the next `link embed` to the same key sees from the journal
that the folder never came, and takes the key away. At no moment are there vectors without their key, which nobody could open.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from seqveil.errors import CallError, InputProblems
from seqveil.link.key import Key
from seqveil.link.whole import read_json
from seqveil.release.manifest import MANIFEST
from seqveil.release.regular import sha256
from seqveil.surface import parameter
from seqveil.whole import INTERNAL, write_whole

_MOST = 1 << 16


def _journal(key: Path) -> Path:
    return key.parent / f".{key.name}.pending"


@contextmanager
def awaiting(key: Path, folder: Path, digest: str) -> Iterator[None]:
    """While the block saves the key and then names the folder, the journal says what is going on.

    When the block fails, the key goes with it.
    """
    journal = _journal(key)
    awaited = {"folder": str(folder.absolute()), "vectors": digest}
    write_whole(journal, json.dumps(awaited).encode(), mode=INTERNAL)
    lock = os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    except BaseException:
        _settle(key, awaited)
        raise
    else:
        journal.unlink()
    finally:
        os.close(lock)


def settle(key: Path) -> None:
    """Take away what an embedding to this key has left that was killed before its vectors had their name."""
    journal = _journal(key)
    try:
        lock = os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        awaited = read_json(journal, _MOST)
        if awaited.keys() == {"folder", "vectors"} and all(isinstance(value, str) for value in awaited.values()):
            _settle(key, awaited)
    except BlockingIOError:
        raise CallError(
            f"{key} is being written by another run: wait for it to end, or choose another file with {parameter('key', 'FILE')}."
        ) from None
    except (InputProblems, OSError):
        return  # not a journal of ours: it is left alone, and so is the key
    finally:
        os.close(lock)


def _settle(key: Path, awaited: dict[str, str]) -> None:
    """The folder came: both are there. It did not: neither is."""
    manifest = Path(awaited["folder"]) / MANIFEST
    if not (manifest.is_file() and sha256(manifest) == awaited["vectors"]):
        with suppress(InputProblems, OSError):
            if Key.load(key).vectors == awaited["vectors"]:
                key.unlink()
    _journal(key).unlink(missing_ok=True)
