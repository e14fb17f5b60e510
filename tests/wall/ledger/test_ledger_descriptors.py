"""Too many open files: said as such, whoever ran out of them, and nothing is lost."""

import subprocess
import sys
import textwrap

import pytest

from seqveil.wall.ledger import Ledger

pytestmark = pytest.mark.slow

CODE = """
import os, resource, sys
from seqveil.errors import LedgerError
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger

ledger = Ledger(sys.argv[1])
ledger.reserve("metro", 1, unit=Record(), mechanism="m")
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
held = []
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass
for free in range(12):
    try:
        ledger.reserve("metro", 1, unit=Record(), mechanism="m")
        print("reserved")
    except LedgerError as error:
        print("too many" if "too many open files" in str(error) and "ulimit -n" in str(error) else str(error).replace(" ", "_"))
    os.close(held.pop())
"""


def test_a_process_that_is_out_of_descriptors_is_told_so(tmp_path):
    """With 0 to 11 descriptors to spare: refused in these words, or done; never 'read-only', never 'damaged'."""
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(CODE), tmp_path], check=True, capture_output=True, text=True)
    words = run.stdout.split()

    assert {"too many", "reserved"} == set(run.stdout.splitlines())
    assert run.stdout.startswith("too many")
    assert 1 + words.count("reserved") == Ledger(tmp_path).account("metro").reserved
    assert 0 == Ledger(tmp_path).verify().copies_damaged
