"""Matrix products of the command use one thread, unless somebody says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import os, sys
sys.argv = ["seqveil", "--version"]
from seqveil.__main__ import main
early = "numpy" in sys.modules
try:
    main()
except SystemExit:
    sys.stderr.write(f"{early} {os.environ['OPENBLAS_NUM_THREADS']}")
"""


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("3", "3")])
def test_one_thread_before_numpy_is_loaded(before, after):
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment = others if before is None else {**others, "OPENBLAS_NUM_THREADS": before}
    ran = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)

    assert f"False {after}" == ran.stderr
