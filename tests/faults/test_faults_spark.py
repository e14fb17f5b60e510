"""A driver of Spark that is killed in mid-run: its ε remains charged, nothing is released, and the next run works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqveil as sv
from seqveil.errors import CallError

pytestmark = pytest.mark.slow

DRIVER = """
import sys
import seqveil as sv
folder, home, out = sys.argv[1:]
domain = sv.Domain.range(0, 9, public_because="made up")
taps = sv.read_spark(folder, domain=domain, format="parquet", master="local[1]", user="card", time="ts", item="station")
vault = sv.Vault(taps, unit=sv.User(max_sequences=1), account="taps", cap="5", home=home)
vault.release(sv.NGram(l_max=5, n_max=2), epsilon="1", out=out)
"""


def test_a_driver_that_is_killed_leaves_its_budget_charged(tmp_path: Path) -> None:
    """As soon as the ledger says that the run has begun, so while executors read."""
    pytest.importorskip("pyspark", reason="PySpark is not installed (seqveil[spark])")
    from seqveil.sources.spark.session import refuse_java

    try:
        refuse_java()
    except CallError as missing:
        pytest.skip(str(missing))
    random, n = np.random.default_rng(1), 400_000
    columns = {"card": random.integers(0, 5_000, n), "ts": random.integers(0, 10**6, n), "station": random.integers(0, 10, n)}
    (tmp_path / "taps").mkdir()
    pq.write_table(pa.table(columns), tmp_path / "taps" / "part.parquet")
    home, out = tmp_path / "home", tmp_path / "release"
    call = [sys.executable, "-W", "ignore", "-c", DRIVER, str(tmp_path / "taps"), str(home), str(out)]
    driver = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while driver.poll() is None and [charge.status for charge in _charges(home)] != ["begun"]:
            time.sleep(0.1)
        assert driver.poll() is None, "the run ended before it could be killed"
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()

    assert ["begun"] == [charge.status for charge in _charges(home)]
    account = sv.Ledger(home).account("taps")
    assert account.spent + account.reserved == 10**12
    assert not out.exists()


def _charges(home: Path) -> list[Any]:
    try:
        return list(sv.Ledger(home).charges("taps"))
    except CallError:
        return []
