"""What Spark is pointed at, as a DataFrame whose rows carry their place: files, tables of the catalog, any DataFrame.

Files of text are read as lines and split by our own readers in the executors, so a row means the same on one machine and on many.
Types of columns are those of the files (all of them: their schemas are merged) or of the DataFrame. No type is found out from
values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from seqveil.errors import InputProblems, RunFailed
from seqveil.sources.arrow import schema_problems, with_item
from seqveil.sources.columns import is_list
from seqveil.sources.delimited import Cells, header_problems, names_in
from seqveil.sources.formats import FRAME
from seqveil.sources.layout import BY_LINE, SEPARATED, Layout
from seqveil.sources.spark.direct import Direct, direct, read_groups
from seqveil.sources.spark.session import refuse_connect
from seqveil.tables.spark import Work, failing_quietly, few, most_tasks

TABLES = ("delta", "orc", "table")
"""Formats that only Spark reads: files of Delta Lake and ORC, and tables of its catalog by name."""

UNREAD = ("xes",)
"""Formats of one machine that are not read in a cluster."""

_UNREADABLE = "cannot be read by Spark: check the path and the format, and that all files have the same types in the same columns"

_NO_PACKAGE = {
    "delta": "cannot be read: this Spark has no Delta Lake. Start it with Delta's package for its version of Spark "
    "(io.delta:delta-spark, or delta.configure_spark_with_delta_pip in Python), or give Parquet"
}
_MISSING = "[DATA_SOURCE_NOT_FOUND]"
"""What Spark calls a format that it has no reader for."""

_ABSENT = {
    "[PATH_NOT_FOUND]": "does not exist, as the driver of Spark sees it: check the path",
    "[TABLE_OR_VIEW_NOT_FOUND]": "does not exist in the catalog of this session: check the table's name",
}
"""What is said where there is nothing to read, by what Spark calls it."""

_UNREACHABLE = "lies on a file system that the driver of Spark cannot reach: check the host and the port in the path"
_NO_FILE_SYSTEM = (
    "lies on a file system that this Spark cannot open: start it with the package for such paths (for s3a:// "
    "org.apache.hadoop:hadoop-aws), or correct how the path begins"
)
_DISTANT = {
    "java.net.UnknownHostException": _UNREACHABLE,
    "java.net.ConnectException": _UNREACHABLE,
    "java.net.NoRouteToHostException": _UNREACHABLE,
    "java.net.SocketTimeoutException": _UNREACHABLE,
    "org.apache.hadoop.net.ConnectTimeoutException": _UNREACHABLE,
    "org.apache.hadoop.fs.UnsupportedFileSystemException": _NO_FILE_SYSTEM,
    "java.lang.ClassNotFoundException": _NO_FILE_SYSTEM,
}
"""What is said of file systems, by the class of Java's exception."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """Rows to be read, and what is public about them."""

    frame: Any
    shape: str
    roles: dict[str, str]
    origin: str
    lists: bool = False
    files: dict[int, int] = field(default_factory=dict)
    cells: dict[int, Cells] = field(default_factory=dict)
    schema: Any = None
    direct: Direct | None = None

    @property
    def numbers(self) -> bool:
        """Whether users are whole numbers in a column."""
        return self.shape == "columns" and not self.lists and "user" in self.roles and _is_number(self.schema, self.roles["user"])

    @cached_property
    def parts(self) -> int | None:
        """How many parts the rows have, or None where they are shuffled themselves: counting them would run that shuffle."""
        if self.direct is not None:
            return len(self.direct.tasks)
        with failing_quietly():
            shuffled = "Exchange" in self.frame._jdf.queryExecution().executedPlan().toString()
            return None if shuffled else int(self.frame.rdd.getNumPartitions())

    @property
    def mixed(self) -> bool:
        """Whether a task may read parts that do not follow each other. Rows that are shuffled have no order to keep."""
        return self.direct is None and self.parts is not None and self.parts > most_tasks(self.frame.sparkSession)

    def opened(self) -> tuple[Any, tuple[Work, ...]]:
        """Where rows come from, in a bounded number of tasks, and what an executor does first to have them."""
        if self.direct is None:
            return few(self.frame), ()
        tasks, spark = self.direct.tasks, self.frame.sparkSession
        numbers = spark.range(0, len(tasks), 1, max(1, min(len(tasks), most_tasks(spark))))
        return numbers, (partial(read_groups, tasks=tasks, roles=self.roles),)


def _is_number(schema: Any, name: str) -> bool:
    return bool(pa.types.is_signed_integer(schema.field(name).type))


def load(spark: Any, data: Any, name: str, layout: Layout) -> Loaded:
    """The rows of a path, a table or a DataFrame; raises everything that is wrong with their format."""
    if not isinstance(data, str | tuple):
        refuse_connect(data)
        return _typed(data, name, layout, "place", {}, f"a DataFrame {data.schema.simpleString()}")
    format = str(layout.format)
    if format == "table" and not isinstance(data, str):
        raise InputProblems(name, ["are several names, but one table is read at a time: give one"])
    if format in UNREAD:
        raise InputProblems(name, [f"Spark does not read {format} here: convert it to Parquet, CSV or JSON Lines first"])
    if format in (*SEPARATED, *BY_LINE, "jsonl", "jsonl-events"):
        return _lines(spark, data, name, layout)
    frame = _opened(spark, data, name, format)
    origin = _origin(spark, frame, data)
    loaded = _typed(frame, name, layout, "place", {}, origin)
    if format != "parquet":
        return loaded
    if not loaded.lists:
        parallel = spark.sparkContext.defaultParallelism
        division = direct(frame.inputFiles(), loaded.roles.values(), loaded.schema, parallel)
        if division is not None:
            return replace(loaded, direct=division)
    return _typed(frame, name, layout, "row", _numbered(spark, frame), origin)


def paths_of(data: str | tuple[str, ...]) -> list[str]:
    """The paths of an input that is no DataFrame.

    >>> paths_of("a.csv"), paths_of(("a.csv", "b.csv"))
    (['a.csv'], ['a.csv', 'b.csv'])
    """
    return [data] if isinstance(data, str) else list(data)


def _opened(spark: Any, data: str | tuple[str, ...], name: str, format: str) -> Any:
    """A frame of files or of a table; whatever Spark says against it is told without its words, which may quote a footer."""
    try:
        if format == "table":
            return spark.table(data)
        return spark.read.format(format).option("mergeSchema", "true").load(paths_of(data))
    except Exception as error:
        problem = _NO_PACKAGE.get(format, _UNREADABLE) if _MISSING in str(error) else _refused(error)
        raise InputProblems(name, [problem]) from None


def _refused(error: Exception) -> str:
    """What is said of an input that Spark does not open, by the class of its error alone.

    >>> _refused(RuntimeError("java.net.UnknownHostException: node")) == _UNREACHABLE
    True
    """
    text = str(error)
    classes = re.match(r"(?:An error occurred while calling \S+\n: )?([\w.$]+)(?:: ([\w.$]+))?", text)
    said = [_DISTANT[name] for name in (classes.groups() if classes else ()) if name in _DISTANT]
    said += [sentence for condition, sentence in _ABSENT.items() if text.startswith(condition)]
    return said[0] if said else _UNREADABLE


def _typed(frame: Any, name: str, layout: Layout, place: str, files: dict[int, int], origin: str) -> Loaded:
    from pyspark.sql import functions as f

    try:
        schema = types_of(frame)
    except RunFailed:  # a column of a type that Arrow does not have
        wanted = [c for c in frame.columns if c in {*layout.columns().values(), "item", "items", "sequence"}]
        schema = types_of(frame.select([_column(c) for c in wanted]))
    columns = Layout(**{**vars(layout), "format": FRAME, "delimiter": None, "header": True})
    if problems := schema_problems(columns, schema):
        raise InputProblems(name, problems)
    roles = with_item(columns, schema)
    chosen = [_column(column).alias(role) for role, column in roles.items()]
    if place == "row" and files:
        ordered = [f.col("_metadata.row_index").alias("place"), f.xxhash64("_metadata.file_path").alias("file")]
    else:
        files, ordered = {}, [f.monotonically_increasing_id().alias("place")]
    lists = is_list(schema.field(roles["item"]).type)
    return Loaded(frame.select(*chosen, *ordered), "columns", roles, origin, lists, files, schema=schema)


def types_of(frame: Any) -> Any:
    """The columns of a frame as an executor will get them; no row is read."""
    with failing_quietly():
        return frame.limit(0).toArrow().schema


def _column(name: str) -> Any:
    from pyspark.sql import functions as f

    return f.col("`" + name.replace("`", "``") + "`")


def _lines(spark: Any, data: str | tuple[str, ...], name: str, layout: Layout) -> Loaded:
    from pyspark.sql import functions as f

    try:
        frame = spark.read.option("lineSep", "\n").text(paths_of(data))
    except Exception as error:
        raise InputProblems(name, [_refused(error)]) from None
    files, cells, roles = _numbered(spark, frame), {}, layout.columns()
    if layout.format in SEPARATED:
        shape, cells = "cells", _cells(spark, frame, name, layout)
    elif layout.format in BY_LINE:
        shape = "labels"
    else:
        shape, roles = "json", {**roles, "item": layout.item or ("item" if layout.format == "jsonl-events" else "items")}
    place = f.col("_metadata.file_block_start").alias("place")
    chosen = frame.select("value", place, f.xxhash64("_metadata.file_path").alias("file"))
    return Loaded(chosen, shape, roles, _origin(spark, frame, data), files=files, cells=cells)


def _cells(spark: Any, frame: Any, name: str, layout: Layout) -> dict[int, Cells]:
    """Where columns stand in each file. Headers may differ from file to file, as long as each has the named columns."""
    if not layout.header:
        return {0: Cells.of(layout, None)}
    paths = frame.inputFiles()
    cells: dict[int, Cells] = {}
    for number, path in zip(_hashes(spark, paths), paths, strict=True):
        line = _first_line(spark, path)
        if problems := header_problems(line, layout):
            raise InputProblems(path if len(paths) > 1 else name, problems)
        cells[number] = Cells.of(layout, names_in(line, layout.separator))
    return cells


def _first_line(spark: Any, path: str) -> str:
    """The first line of a file, wherever Spark reads files from, unpacked if its name says so."""
    with failing_quietly():
        jvm, conf = spark.sparkContext._jvm, spark.sparkContext._jsc.hadoopConfiguration()
        place = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(path))
        stream = place.getFileSystem(conf).open(place)
        codec = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(conf).getCodec(place)
        source = stream if codec is None else codec.createInputStream(stream)
        try:
            line = jvm.java.io.BufferedReader(jvm.java.io.InputStreamReader(source, "UTF-8")).readLine()
        finally:
            source.close()
        return str(line or "").removeprefix("\ufeff")


def _numbered(spark: Any, frame: Any) -> dict[int, int]:
    """The input files in the order of their names, by the hash that their rows carry."""
    with failing_quietly():
        paths = sorted(frame.inputFiles())
        return {number: rank for rank, number in enumerate(_hashes(spark, paths))}


def _hashes(spark: Any, paths: list[str]) -> list[int]:
    from pyspark.sql import functions as f

    if not paths:
        return []
    named = spark.createDataFrame(pa.table({"path": [path.replace(":///", ":/", 1) for path in paths]}))
    return [row[0] for row in named.select(f.xxhash64("path")).collect()]


def _origin(spark: Any, frame: Any, data: str | tuple[str, ...]) -> str:
    """What the ledger's fingerprint is made of: names and sizes of the files, as the file system lists them; no row is read."""
    with failing_quietly():
        jvm, conf = spark.sparkContext._jvm, spark.sparkContext._jsc.hadoopConfiguration()
        parts = sorted(paths_of(data))
        for path in sorted(frame.inputFiles()):
            place = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(path))
            parts.append(f"{path} {place.getFileSystem(conf).getFileStatus(place).getLen()}")
        return "\n".join(parts)
