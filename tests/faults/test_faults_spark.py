"""A driver under spark-submit: one release by the command, then a run in which it is killed: its ε remains charged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
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
from seqveil.cli.app import main
folder, out = sys.argv[1:]
words = "--format parquet --engine spark --user card --time ts --item station --domain 0..9 --epsilon 1 --method ngram"
words += " --l-max 5 --n-max 2 --max-sequences 1 --account taps --partitions 2"
runs = [["publish", folder, *words.split(), "--public-because", "made up", "--out", f"{out}/{n}"] for n in ("first", "second")]
for run in [["ledger", "cap", "taps", "5"], *runs]:
    sys.argv = ["seqveil", *run]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""


def test_a_driver_that_is_killed_leaves_its_budget_charged(tmp_path: Path) -> None:
    """As soon as the ledger says that the second run has begun, so while executors read."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed (seqveil[spark])")
    from seqveil.sources.spark.session import refuse_java

    try:
        refuse_java()
    except CallError as missing:
        pytest.skip(str(missing))
    random, n = np.random.default_rng(1), 400_000
    columns = {"card": random.integers(0, 5_000, n), "ts": random.integers(0, 10**6, n), "station": random.integers(0, 10, n)}
    (tmp_path / "taps").mkdir()
    pq.write_table(pa.table(columns), tmp_path / "taps" / "part.parquet")
    (tmp_path / "driver.py").write_text(DRIVER)
    home, out = tmp_path / "home", tmp_path / "releases"
    out.mkdir()
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    call = [str(submit), "--master", "local[1]", str(tmp_path / "driver.py"), str(tmp_path / "taps"), str(out)]
    environment = {
        **os.environ,
        "SEQVEIL_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(sv.__file__).parents[1]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a short run: little compiling
    }
    log = (tmp_path / "log").open("w")
    driver = subprocess.Popen(call, stdout=log, stderr=log, start_new_session=True, env=environment)
    try:
        while driver.poll() is None and _statuses(home) != ["committed", "begun"]:
            time.sleep(0.02)
        said = (tmp_path / "log").read_text()
        assert driver.poll() is None, f"the driver ended before it could be killed: {said[-2000:]}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        log.close()

    assert ["committed", "begun"] == _statuses(home)
    account = sv.Ledger(home).account("taps")
    assert account.spent + account.reserved == 2 * 10**12
    assert (out / "first" / "manifest.json").exists()
    assert not (out / "second").exists()


def _statuses(home: Path) -> list[Any]:
    try:
        return [charge.status for charge in sv.Ledger(home).charges("taps")]
    except CallError:
        return []
