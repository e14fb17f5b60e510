"""Giving a finished folder its name where nothing has that name yet.

`os.rename` replaces an empty folder without a word, and looking first leaves a moment in which somebody can make one. Linux and
macOS can rename without replacing, but Python does not offer it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)
_AT_FDCWD = -100
_RENAME_NOREPLACE = 1
_RENAME_EXCL = 4

# Found when this module is loaded: nothing may be missing at the end of a run that has spent its ε.
_LIBRARY = ctypes.CDLL(None, use_errno=True)
_LINUX = getattr(_LIBRARY, "renameat2", None)
_MACOS = getattr(_LIBRARY, "renamex_np", None)


def rename_new(work: Path, target: Path) -> None:
    """Rename a folder; FileExistsError where anything, even an empty folder or a dangling link, has the name."""
    sys.audit("os.rename", work, target, -1, -1)
    old, new = os.fsencode(work), os.fsencode(target)
    if _LINUX is not None:
        failed = _LINUX(_AT_FDCWD, old, _AT_FDCWD, new, _RENAME_NOREPLACE)
    elif _MACOS is not None:
        failed = _MACOS(old, new, _RENAME_EXCL)
    else:
        return _looking_first(work, target)
    if failed:
        number = ctypes.get_errno()
        if number in _UNSUPPORTED:  # by this file system
            return _looking_first(work, target)
        raise OSError(number, os.strerror(number), str(work), None, str(target))


def _looking_first(work: Path, target: Path) -> None:
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    os.rename(work, target)
