"""What is said where Spark cannot run: one sentence, before anything is read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import seqveil as sv
from seqveil.errors import CallError, InputProblems
from seqveil.extras import need
from seqveil.sources.spark.session import SAFE, refuse_java


def test_without_java_one_sentence_says_what_to_install(monkeypatch, tmp_path):
    """No Java on the path, or none where JAVA_HOME points."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CallError, match="there is none here: install Java 17 or 21"):
        refuse_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(CallError, match="there is none where JAVA_HOME points: correct or unset it, or install Java 17"):
        refuse_java()


def _java(folder: Path, says: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "java").write_text(f"#!{sys.executable}\nimport sys\nprint({says!r}, file=sys.stderr)\n")
    (folder / "bin" / "java").chmod(0o700)


def test_an_old_java_is_refused_and_a_new_one_is_not(monkeypatch, tmp_path):
    """By the version that it prints."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    _java(tmp_path, 'openjdk version "11.0.2" 2019-01-15')
    with pytest.raises(CallError, match="does not run on Java 11"):
        refuse_java()
    _java(tmp_path, 'openjdk version "21.0.1"')
    refuse_java()


def test_without_pyspark_one_sentence_says_what_to_install(monkeypatch):
    """The extra by its name."""
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(CallError, match=r"not installed: pyspark.*pip install 'seqveil\[spark\]'"):
        need("spark")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, r"cannot infer the format from the name: add format=FORMAT, one of (?!.*xes)"),
        ({"format": "excel"}, "is unknown"),
        ({"format": "csv", "user": "card"}, "no item column given"),
        ({"format": "jsonl", "user": "card", "time": "ts", "session": "day"}, "leave it out, or add format=jsonl-events"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_before_a_session_is_started(monkeypatch, options, said):
    """Starting one takes seconds, and on a cluster machines."""
    monkeypatch.setattr("seqveil.sources.spark.source.spark_session", lambda master: pytest.fail("a session was started"))
    with pytest.raises(InputProblems, match=said):
        sv.read_spark("taps", domain=sv.Domain.range(0, 3), **options)


def test_a_session_of_ours_is_started_with_safe_settings(spark):
    """No web page, no event log, and nothing that listens to other machines."""
    conf = dict(spark.sparkContext.getConf().getAll())

    assert {name: conf.get(name) for name in SAFE} == SAFE
    assert "127.0.0.1" == conf["spark.driver.host"] == os.environ["SPARK_LOCAL_IP"]
    assert spark.sparkContext.uiWebUrl is None
