"""`python -m seqveil` and the command `seqveil`: the process first, then what was typed."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command as this process."""
    from seqveil.cli.interrupts import SIGNALS
    from seqveil.cli.process import process

    try:
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
