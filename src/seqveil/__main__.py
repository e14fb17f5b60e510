"""`python -m seqveil` is the command `seqveil`."""

from seqveil.cli.app import main

main()
