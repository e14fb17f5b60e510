"""`python -m seqveil` and the command `seqveil`: the process first, then what was typed."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Run the command as this process."""
    # Matrices here are small: on a busy machine, threads that share one wait for each other most of the time. To be set before
    # NumPy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from seqveil.cli.arrow import ArrowAlone
        from seqveil.cli.interrupts import SIGNALS
        from seqveil.cli.process import process

        sys.meta_path.insert(0, ArrowAlone())
        with process():
            try:
                from seqveil.cli.app import main as command

                command()
            finally:
                for number in SIGNALS:
                    signal.signal(number, signal.SIG_IGN)  # what there was to do is done: leaving must not fail
    except KeyboardInterrupt:  # before there was a command
        sys.stderr.write("error: interrupted.\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
