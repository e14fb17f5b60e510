"""Standard streams that are closed, opened again."""

from __future__ import annotations

import os
import sys


def open_standard_streams() -> None:
    """Where stdin, stdout or stderr is closed, let it lead nowhere.

    The next file to be opened would take its number, and whatever a library prints there would be written into that file.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if getattr(sys, name) is None:  # as Python leaves it where it was closed from the start
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
