"""Options about Spark that would be ignored, or are unknown, are refused before anything is read."""

from __future__ import annotations

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
