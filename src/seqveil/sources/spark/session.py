"""The Spark session: one that exists is used as it is; otherwise one is started, with safe defaults."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import warnings
from contextlib import nullcontext
from typing import Any

from seqveil.errors import CallError
from seqveil.extras import need
from seqveil.sources.spark.master import announced, refuse_unreachable

SAFE = {
    "spark.ui.enabled": "false",
    "spark.eventLog.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
}
"""What a session of ours is started with, unless spark-submit or spark-defaults.conf say otherwise."""

DRIVER = "-XX:TieredStopAtLevel=1"
"""For a driver that runs no tasks: it plans a few jobs, and compiling itself to the utmost took half of its processor time."""

JAVA = (17, 21)
"""Versions of Java that Spark 4 is made for."""


def spark_session(master: str | None = None) -> Any:
    """The active session, untouched, or a new one on a master (default: what spark-submit says, else all cores here)."""
    need("spark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about versions of libraries that are pinned
        from pyspark.sql import SparkSession

        active = SparkSession.getActiveSession()
    if active is not None:
        if master is not None and active.sparkContext.master != master:
            raise CallError(
                f"a Spark session on {active.sparkContext.master} is running already: leave out the master, or stop it."
            )
        return active
    refuse_java()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return _started(master)


def _started(master: str | None) -> Any:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    conf = SparkConf()  # with what spark-submit and spark-defaults.conf have set
    for name, value in SAFE.items():
        conf.setIfMissing(name, value)
    if master is not None:
        conf.setMaster(master)
    conf.setIfMissing("spark.master", "local[*]")
    conf.setIfMissing("spark.app.name", "seqveil")
    where = conf.get("spark.master") or ""
    if where.startswith("local"):  # driver and executors are this machine: no port is opened to others, and one Python is used
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf.setIfMissing("spark.driver.host", "127.0.0.1")
        conf.setIfMissing("spark.driver.bindAddress", "127.0.0.1")
    if not re.fullmatch(r"local(\[.*\])?", where):
        conf.setIfMissing("spark.driver.extraJavaOptions", DRIVER)
    refuse_unreachable(where)
    try:
        waiting = f"waiting for Spark on {where}: a master that does not answer is given up after about a minute."
        with nullcontext() if where.startswith("local") else announced(waiting):
            session = SparkSession.builder.config(conf=conf).getOrCreate()
    except Exception:
        raise CallError(
            f"no Spark session could be started on {where}: check the master's address and Spark's own log."
        ) from None
    session.sparkContext.setLogLevel("OFF")  # what Spark logs of a failed task may quote values
    atexit.register(session.stop)
    return session


def refuse_java() -> None:
    """Refuse to start Spark where there is no Java that it runs on."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    advice = "install Java 17 or 21 (Debian: apt install openjdk-17-jre-headless), and set JAVA_HOME if there are several."
    if not java or not os.access(java, os.X_OK):
        where = "where JAVA_HOME points: correct or unset it, or" if home else "here:"
        raise CallError(f"Spark needs Java, and there is none {where} {advice}")
    version = java_version(subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr)
    if version is not None and version < JAVA[0]:
        raise CallError(f"Spark 4 does not run on Java {version}: {advice}")


def java_version(text: str) -> int | None:
    """The main version that `java -version` prints.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_431"'), java_version("?")
    (17, 8, None)
    """
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return None if match is None else int(match[1])


def refuse_connect(frame: Any) -> None:
    """Refuse a DataFrame of Spark Connect, whose rows cannot be kept and counted in the executors from here."""
    if not hasattr(frame, "sparkSession") or "connect" in type(frame).__module__:
        raise CallError(
            "this DataFrame belongs to Spark Connect: use a classic session (on Databricks: a cluster with dedicated access)."
        )
