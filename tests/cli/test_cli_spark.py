"""Options about Spark that would be ignored, or are unknown, are refused before anything is read."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest

CALL = ("--domain", "a,b", "--epsilon", "1", "--public-because", "made up")


def test_a_master_without_spark_is_refused(seqveil, tmp_path):
    """Whoever names one means another run than the one that would be made."""
    (tmp_path / "a.seq").write_text("a b\n")
    ran = seqveil("publish", tmp_path / "a.seq", *CALL, "--out", tmp_path / "r", "--master", "yarn")

    assert 2 == ran.code
    assert "--master and --partitions only apply to --engine spark" in ran.err


def test_an_unknown_engine_is_refused(seqveil, tmp_path):
    """With those that there are."""
    (tmp_path / "a.seq").write_text("a b\n")
    ran = seqveil("publish", tmp_path / "a.seq", *CALL, "--out", tmp_path / "r", "--engine", "flink")

    assert 2 == ran.code
    assert "--engine 'flink' is unknown: use local or spark" in ran.err


def test_a_kind_that_spark_does_not_read_is_refused(seqveil, tmp_path):
    """Before a session is started."""
    words = (
        "--domain",
        "a=1,a=2",
        "--epsilon",
        "1",
        "--public-because",
        "made up",
        "--method",
        "diffpart",
        "--kind",
        "relational",
    )
    ran = seqveil("publish", tmp_path / "a.csv", *words, "--out", tmp_path / "r", "--engine", "spark")

    assert 2 == ran.code
    assert "kind 'relational' cannot be read with Spark: use sequences, sets, graph" in ran.err


@pytest.fixture
def a_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Java that says its version and starts nothing: where Spark is started all the same, the test sees another sentence."""
    pytest.importorskip("pyspark", reason="PySpark is not installed (seqveil[spark])")
    (tmp_path / "java" / "bin").mkdir(parents=True)
    java = tmp_path / "java" / "bin" / "java"
    java.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('openjdk version \"17.0.1\"')\n")
    java.chmod(0o700)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))


@pytest.mark.usefixtures("a_java")
def test_a_master_that_refuses_connections_is_named_before_anything_is_reserved(seqveil, tmp_path, monkeypatch):
    """On a port of this machine where nobody listens: the call ends in one sentence, and the account has no entry."""
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    (tmp_path / "a.csv").write_text("u,i\n1,a\n")
    words = ("--user", "u", "--item", "i", "--account", "taps", "--engine", "spark", "--master", f"spark://{address}")
    assert 0 == seqveil("ledger", "cap", "taps", "5").code
    ran = seqveil("publish", tmp_path / "a.csv", *CALL, *words, "--out", tmp_path / "r")

    assert 2 == ran.code
    assert f"no Spark master answers at spark://{address} ({address} refuses connections)" in ran.err.replace("\n", " ")
    assert not (tmp_path / "r").exists()
    assert ["cap"] == [entry["kind"] for entry in json.loads(seqveil("ledger", "history", "taps", "--json").out)["entries"]]
