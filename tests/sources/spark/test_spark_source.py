"""Files and DataFrames read by a small cluster, from the call to the release: the same as on one machine, or a clear refusal."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqveil as sv
from seqveil.audit.replay import fingerprint
from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.engines.spark.engine import ENGINE as SPARK
from seqveil.errors import CallError, InputProblems, RunFailed
from seqveil.tables.lots import names_of
from seqveil.tables.shards import shards_of

pytestmark = pytest.mark.slow

LABELS = [f"s{i}" for i in range(8)]
OPTIONS: dict[str, Any] = {"user": "card", "time": "ts", "item": "station", "session": "day", "timezone": "Europe/Paris"}
NGRAM = sv.NGram(l_max=5, n_max=2)
UNIT = sv.User(max_sequences=2)


@pytest.fixture(scope="module")
def domain() -> sv.Domain:
    return sv.Domain.of(LABELS, public_because="made up")


@pytest.fixture(scope="module")
def taps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of four Parquet files in random order: nulls, repeats, labels outside, equal times; one file without rows."""
    random, folder = np.random.default_rng(4), tmp_path_factory.mktemp("taps of a year")
    n = 3_000
    start = dt.datetime(2026, 3, 28, tzinfo=dt.UTC)
    columns = {
        "card": pa.array([None if i % 97 == 0 else int(i) for i in random.integers(0, 300, n)], pa.int64()),
        "ts": pa.array(
            [start + dt.timedelta(minutes=int(m) * 10) for m in random.integers(0, 430, n)], pa.timestamp("us", "UTC")
        ),
        "station": pa.array([None if s == 9 else f"s{s}" for s in random.integers(0, 10, n)], pa.string()),
    }
    table = pa.table(columns)
    for number, (a, b) in enumerate([(0, 700), (700, 700), (700, 2_000), (2_000, n)]):
        pq.write_table(table.slice(a, b - a), folder / f"part {number}.parquet")
    pq.write_table(table, folder.parent / "whole.parquet")
    return folder


def records_of(table: Any) -> list[tuple[Any, ...]]:
    """Records, each with its owner's name, in a fixed order."""
    names = [0] * len(table.flat) if table.users is None else names_of(table.users, table.names).tolist()
    return sorted((name, *record.tolist()) for name, record in zip(names, table.flat, strict=True))


def records_there(table: Any) -> list[tuple[Any, ...]]:
    """The same of a table in executors."""
    return sorted(row for shard in shards_of(table.rows.shards().toArrow().to_batches()) for row in records_of(shard))


def test_a_frame_in_another_order_gives_the_same(spark, taps, domain):
    """Of a DataFrame with other partitions, in another order, without equal times, in a session that is left as it was."""
    before = dict(spark.sparkContext.getConf().getAll()), spark.conf.get("spark.sql.shuffle.partitions")
    frame = pq.read_table(taps.parent / "whole.parquet")
    distinct = frame.set_column(1, "ts", pa.array(np.random.default_rng(1).permutation(len(frame)), pa.int64()))
    options = {**OPTIONS, "session": "gap:40s"}
    here = sv.experiment(sv.read_sequences(distinct, domain=domain, **options), NGRAM, "3", seed=1, unit=UNIT)
    shuffled = spark.createDataFrame(distinct).repartition(5)
    there = sv.experiment(sv.read_spark(shuffled, domain=domain, partitions=3, **options), NGRAM, "3", seed=1, unit=UNIT)

    assert fingerprint(here) == fingerprint(there)
    assert before == (dict(spark.sparkContext.getConf().getAll()), spark.conf.get("spark.sql.shuffle.partitions"))


def test_many_parts_are_read_by_few_tasks(spark, domain, monkeypatch):
    """Of input and of users: every record is that of one machine, ties in time included, in the order of the parts."""
    monkeypatch.setattr("seqveil.tables.spark.TASKS", 1)
    options = {"user": "card", "time": "ts", "item": "station"}
    frame = spark.range(0, 400, 1, 20).selectExpr("id % 7 card", "id div 50 ts", "concat('s', id * id % 8) station")
    table = sv.read_spark(frame, domain=domain, partitions=20, **options).read()
    ids = np.arange(400)
    rows = pa.table({"card": ids % 7, "ts": ids // 50, "station": [f"s{i * i % 8}" for i in ids.tolist()]})

    assert 20 == frame.rdd.getNumPartitions() == table.rows.partitions
    assert 4 * spark.sparkContext.defaultParallelism == table.rows.frame.rdd.getNumPartitions() == 8
    assert records_of(sv.read_sequences(rows, domain=domain, **options)) == records_there(table)


def test_text_files_with_headers_of_their_own(spark, tmp_path, domain):
    """Columns stand elsewhere in each file; quotes and broken rows are read as on one machine."""
    (tmp_path / "a.csv").write_text('card,ts,station\nu1,1,s1\nu2,2,"s2"\nu1,3,"s4\nu1,4,s5\n')
    (tmp_path / "b.csv").write_text("station,note,card,ts\ns3,x,u1,2\n,,,\ns6,y,u2,1\n")
    (tmp_path / "whole.csv").write_text('card,ts,station\nu1,1,s1\nu2,2,"s2"\nu1,3,"s4\nu1,4,s5\nu1,2,s3\nu2,1,s6\n')
    options = {"user": "card", "time": "ts", "item": "station"}
    there = sv.read_spark(f"{tmp_path}/[ab].csv", domain=domain, partitions=2, **options).read()
    listed = sv.read_spark([tmp_path / "b.csv", tmp_path / "a.csv"], domain=domain, partitions=2, **options)

    assert records_of(sv.read_sequences(tmp_path / "whole.csv", domain=domain, **options)) == records_there(there)
    assert records_there(there) == records_there(listed.read())
    assert f"{tmp_path}/b.csv, {tmp_path}/a.csv" == listed.name
    with pytest.raises(InputProblems, match="are files of several formats"):
        sv.read_spark([tmp_path / "b.csv", tmp_path / "a.parquet"], domain=domain, **options)
    (tmp_path / "b.csv").write_text("station,note,ts\ns3,x,2\n")
    with pytest.raises(InputProblems, match="card"):
        sv.read_spark(f"{tmp_path}/[ab].csv", domain=domain, **options)


EVENTS = [("u1", 1, "s1"), ("u2", 2, "s2"), ("u1", 0, "s3"), ("u1", 3, "nowhere"), ("u2", 2, "s2")]
BY_USER: dict[str, Any] = {"user": "card", "time": "ts", "item": "station"}
TEXTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a.tsv": ("card\tts\tstation\n" + "".join(f"{u}\t{t}\t{s}\n" for u, t, s in EVENTS), BY_USER),
    "a.csv.gz": ("card,ts,station\n" + "".join(f"{u},{t},{s}\n" for u, t, s in EVENTS), BY_USER),
    "a.jsonl": ("".join(f'{{"card": "{u}", "ts": {t}, "station": "{s}"}}\n' for u, t, s in EVENTS), BY_USER),
    "lists.jsonl": ('{"card": "u1", "trip": ["s1", "s2"]}\n{"card": "u2", "trip": ["s3"]}\n', {"user": "card", "item": "trip"}),
    "a.seq": ("s1 s2\n\ns3 nowhere s4\n", {}),
}


@pytest.mark.wide
@pytest.mark.parametrize("name", TEXTS)
def test_other_formats_of_text(spark, tmp_path, domain, name):
    """Read by executors as on one machine; `test_rows.py` has all the odd values."""
    text, options = TEXTS[name]
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    here = sv.read_sequences(tmp_path / name, domain=domain, **options)
    there = sv.read_spark(str(tmp_path / name), domain=domain, partitions=2, **options).read()

    assert len(here) >= 2
    assert records_of(here) == records_there(there)


def test_a_graph(spark):
    """Edges in two columns, each once; loops and strangers are dropped."""
    edges = [(1, 2), (2, 1), (3, 3), (2, 5), (9, 1), (4, 5), (5, 2)]
    vertices = sv.Domain.range(1, 5)
    frame = spark.createDataFrame(edges, "a long, b long")
    source = sv.read_spark(frame, domain=vertices, kind="graph", order_is_public=True, partitions=2)
    table = sv.graph_of(edges, vertices, order_is_public=True)

    assert LOCAL.degrees(table).count.tolist() == SPARK.degrees(source.read()).count.tolist()


def test_orc_and_tables_of_the_catalog(spark, taps, tmp_path, domain):
    """Formats that only Spark reads give what a local file of the same rows gives; times are without ties.

    ORC is known by its name, also that of a folder.
    """
    frame = pq.read_table(taps.parent / "whole.parquet")
    distinct = frame.set_column(1, "ts", pa.array(np.random.default_rng(1).permutation(len(frame)), pa.int64()))
    options = {**OPTIONS, "session": "gap:40s"}
    here = sv.read_sequences(distinct, domain=domain, **options)
    spark.createDataFrame(distinct).repartition(2).write.orc(str(tmp_path / "taps.orc"))
    spark.sql(f"CREATE TABLE taps_of_a_test USING orc LOCATION '{tmp_path / 'taps.orc'}'")
    try:
        for data, format in ((f"{tmp_path / 'taps.orc'}/", None), ("taps_of_a_test", "table")):
            there = sv.read_spark(data, domain=domain, format=format, partitions=1, **options).read()
            assert records_of(here) == records_there(there)
    finally:
        spark.sql("DROP TABLE taps_of_a_test")
    with pytest.raises(InputProblems, match="does not exist in the catalog"):
        sv.read_spark("taps_of_a_test", domain=domain, format="table", **options)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere.parquet", "does not exist, as the driver"),
        ("nowhere.csv", "does not exist, as the driver"),
        ("nowhere/*.parquet", "does not exist, as the driver"),
        ("hdfs://127.0.0.1:1/taps/*.parquet", "a file system that the driver of Spark cannot reach: check the host and the port"),
        ("hdfs://127.0.0.1:1/taps.csv", "a file system that the driver of Spark cannot reach: check the host and the port"),
        ("s4a://bucket/taps.parquet", "a file system that this Spark cannot open: start it with the package"),
    ],
)
def test_nothing_at_a_path(spark, tmp_path, domain, path, said):
    """Whoever mistyped a path is not sent to look at types."""
    with pytest.raises(InputProblems, match=said):
        sv.read_spark(path if "://" in path else str(tmp_path / path), domain=domain, **OPTIONS)


def test_delta_without_its_package_is_refused_with_what_to_add(spark, tmp_path, domain):
    """One sentence, before anything is read."""
    with pytest.raises(InputProblems, match=r"no Delta Lake\. Start it with Delta's package"):
        sv.read_spark(str(tmp_path), domain=domain, format="delta", **OPTIONS)


def test_the_fingerprint_follows_the_footers(spark, taps, tmp_path, domain):
    """A copy elsewhere is the same input; another value in a file of the same name is another."""
    marks = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for file in taps.glob("*.parquet"):
            (tmp_path / folder / file.name).write_bytes(file.read_bytes())
        marks.append(list(sv.read_spark(f"{tmp_path / folder}/*.parquet", domain=domain, **OPTIONS).chunks()))
    victim = tmp_path / "b" / "part 0.parquet"
    table = pq.read_table(victim)
    pq.write_table(table.set_column(0, "card", pa.array([10**6] * len(table), pa.int64())), victim)
    marks.append(list(sv.read_spark(f"{tmp_path / 'b'}/*.parquet", domain=domain, **OPTIONS).chunks()))

    assert marks[0] == marks[1] != marks[2]


def test_types_that_change_between_files_are_refused_before_anything_is_spent(spark, tmp_path, domain):
    """Another column more is fine; another type of the same column is not."""
    pq.write_table(pa.table({"card": ["a"], "station": ["s1"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"card": ["a"], "station": ["s2"], "more": [1]}), tmp_path / "2.parquet")
    source = sv.read_spark(f"{tmp_path}/*.parquet", domain=domain, user="card", item="station", partitions=1)
    assert [(1, 2)] == [row[1:] for row in records_there(source.read())]
    pq.write_table(pa.table({"card": ["a"], "station": [3]}), tmp_path / "3.parquet")
    with pytest.raises(InputProblems, match="same types"):
        sv.read_spark(f"{tmp_path}/*.parquet", domain=domain, user="card", item="station")


def test_a_damaged_file_in_the_middle(spark, taps, domain, tmp_path):
    """A footer shows before anything is spent. Damaged pages show while reading: the run fails in one sentence and is charged."""
    for file in taps.glob("*.parquet"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    victim = tmp_path / "part 2.parquet"
    body = bytearray(victim.read_bytes())
    body[64:4000] = bytes(len(body[64:4000]))
    victim.write_bytes(bytes(body))
    source = sv.read_spark(f"{tmp_path}/*.parquet", domain=domain, **OPTIONS)
    home = tmp_path / "home"
    with pytest.raises(RunFailed, match="Spark could not finish a job") as failed:
        sv.Vault(source, unit=UNIT, account="taps", cap="5", home=home).release(NGRAM, epsilon="1")
    assert "part 2" not in str(failed.value)
    assert ["begun"] == [charge.status for charge in sv.Ledger(home).charges("taps")]

    victim.write_bytes(victim.read_bytes()[:-40])
    with pytest.raises(InputProblems, match="cannot be read by Spark"):
        sv.read_spark(f"{tmp_path}/*.parquet", domain=domain, **OPTIONS)


def test_another_master_than_that_of_the_running_session_is_refused(spark, taps, domain):
    """A session of somebody else is neither stopped nor moved."""
    with pytest.raises(CallError, match="running already"):
        sv.read_spark(str(taps), domain=domain, format="parquet", master="yarn", **OPTIONS)


def test_the_command(spark, taps, domain, tmp_path, monkeypatch):
    """`publish --engine spark` writes what `publish` writes, file by file; the session that runs is used.

    Several files, users, days in a zone, ties in time, nulls, labels outside, an empty file: the same seed, the same bytes.
    """
    import sys

    from seqveil.cli.app import main

    words = "--user card --time ts --item station --session day --timezone Europe/Paris --epsilon 3 --seed 5 --l-max 5 --n-max 2"
    common = [
        *words.split(),
        "--method",
        "ngram",
        "--domain",
        ",".join(LABELS),
        "--public-because",
        "made up",
        "--max-sequences",
        "2",
    ]
    for data, where, out in (
        (taps.parent / "whole.parquet", [], "here"),
        (f"{taps}/*.parquet", ["--engine", "spark", "--partitions", "2"], "there"),
    ):
        monkeypatch.setattr(sys, "argv", ["seqveil", "publish", str(data), *common, *where, "--out", str(tmp_path / out)])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
    here, there = ({f.name: f.read_bytes() for f in (tmp_path / out).iterdir()} for out in ("here", "there"))

    assert here.keys() == there.keys()
    assert [] == [name for name in here if here[name] != there[name] and name not in ("manifest.json", "README.txt")]
