"""A driver under spark-submit: while it reads it is killed, and its ε remains charged; left alone it publishes."""

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

WORDS = (
    "--format parquet --engine spark --user card --time ts --item station --domain 0..9 --epsilon 1 --method ngram "
    "--l-max 5 --n-max 2 --max-sequences 1 --account taps --partitions 2 --public-because simulated"
)


@pytest.fixture
def submission(tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """A call of spark-submit that publishes to `release`, as docs/cluster.md has it, and its environment."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed (seqveil[spark])")
    from seqveil.sources.spark.session import refuse_java

    try:
        refuse_java()
    except CallError as missing:
        pytest.skip(str(missing))
    random, n = np.random.default_rng(1), 20_000
    columns = {"card": random.integers(0, 5_000, n), "ts": random.integers(0, 10**6, n), "station": random.integers(0, 10, n)}
    (tmp_path / "taps").mkdir()
    pq.write_table(pa.table(columns), tmp_path / "taps" / "part.parquet")
    (tmp_path / "publish.py").write_text("from seqveil.cli.app import main\nmain()\n")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    call = [submit, "--master", "local[1]", tmp_path / "publish.py", "publish", tmp_path / "taps", *WORDS.split()]
    environment = {
        **os.environ,
        "SEQVEIL_HOME": str(tmp_path / "home"),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(sv.__file__).parents[1]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xverify:none",  # a short run: little compiling
    }
    sv.Ledger(tmp_path / "home").set_cap("taps", 5 * 10**12)
    return [*map(str, call), "--out", str(tmp_path / "release")], environment


def test_a_driver_that_is_killed_leaves_its_budget_charged(submission: Any, tmp_path: Path) -> None:
    """As soon as the ledger says that the run has begun, so while executors read."""
    call, environment = submission
    with (tmp_path / "log").open("w") as log:
        driver = subprocess.Popen(call, stdout=log, stderr=log, start_new_session=True, env=environment)
        try:
            while driver.poll() is None and _statuses(tmp_path / "home") != ["begun"]:
                time.sleep(0.1)
            said = (tmp_path / "log").read_text()
            assert driver.poll() is None, f"the driver ended before it could be killed: {said[-2000:]}"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()

    assert ["begun"] == _statuses(tmp_path / "home")
    account = sv.Ledger(tmp_path / "home").account("taps")
    assert account.spent + account.reserved == 10**12
    assert not (tmp_path / "release").exists()


@pytest.mark.wide
def test_a_driver_that_is_left_alone_publishes(submission: Any, tmp_path: Path) -> None:
    """One release, and its ε is spent."""
    call, environment = submission
    subprocess.run(call, check=True, capture_output=True, env=environment)

    assert ["committed"] == _statuses(tmp_path / "home")
    assert (tmp_path / "release" / "manifest.json").exists()


def _statuses(home: Path) -> list[Any]:
    try:
        return [charge.status for charge in sv.Ledger(home).charges("taps")]
    except CallError:
        return []
