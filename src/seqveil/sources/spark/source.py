"""SparkSource: a source whose rows Spark reads, in its executors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

from seqveil.errors import CallError, InputProblems, RunFailed
from seqveil.sources.cap import check_cap
from seqveil.sources.folder import named
from seqveil.sources.formats import FRAME, formats, infer_log
from seqveil.sources.layout import Layout
from seqveil.sources.problems import call_problems, reader_problems, session_problems, zone_problems
from seqveil.sources.source import Reading, Source
from seqveil.sources.spark.edges import load_edges, read_edges
from seqveil.sources.spark.frames import TABLES, UNREAD, Loaded, load, paths_of
from seqveil.sources.spark.grouping import PIECES, alone, gathered, scattered
from seqveil.sources.spark.master import announced
from seqveil.sources.spark.rows import Plan
from seqveil.sources.spark.session import refuse_connect, spark_session
from seqveil.sources.spark.specimen import specimen_rows
from seqveil.surface import parameter
from seqveil.tables import spark as tables
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import ask_for_order

_WAITING = (
    "waiting for Spark to run a first task on simulated rows: without a worker that has enough free cores and memory it waits "
    "until there is one. Nothing was spent."
)


@dataclass(frozen=True, eq=False, repr=False)
class SparkSource(Source):
    """An input that lies where Spark reads it: a path or glob of any file system, a table of the catalog, or a DataFrame.

    `partitions` is the number of tasks among which users are divided; without it, four times that of the input's own.
    """

    master: str | None = field(default=None, metadata={"help": "Master of the Spark session to start, such as yarn or local[4]."})
    partitions: int | None = field(default=None, metadata={"help": "Number of tasks among which users are divided.", "min": 1})

    @property
    def name(self) -> str:
        return named(self.data) if self.is_file else "the DataFrame"

    @property
    def is_file(self) -> bool:
        return isinstance(self.data, str | tuple)

    @property
    def decided_format(self) -> str | None:
        if not self.is_file:
            return FRAME
        if self.format is not None:
            return self.format
        inferred = {
            "orc" if path.endswith(".orc") else infer_log(path, columns=self.has_columns, events=self.has_events)
            for path in (one.rstrip("/*") for one in paths_of(self.data))
        }
        if len(inferred) > 1:
            raise InputProblems(self.name, ["are files of several formats: give those of one format"])
        return inferred.pop()

    @cached_property
    def session_of_spark(self) -> Any:
        """The session: of the DataFrame, or the active one, or one that is started now."""
        if self.is_file:
            return spark_session(self.master)
        refuse_connect(self.data)
        return self.data.sparkSession

    @cached_property
    def reading(self) -> Reading:
        tables.refuse_kind(self.reader)
        if self.kind == "graph":
            ask_for_order(self.order_is_public)
            layout = self._decided()
            edges = load_edges(self.session_of_spark, self.data, self.name, layout)
            return Reading("graph in Spark", lambda: read_edges(edges, self.domain, self._buckets(edges)))
        loaded = self._loaded
        return Reading(f"{'DataFrame' if not self.is_file else self._decided().format} in Spark", lambda: self._read(loaded))

    def specimen(self) -> Any:
        """A few simulated rows of the same types, read by the executors: they must be able to, before anything is spent."""
        return self._specimen

    @cached_property
    def _specimen(self) -> Any:
        self.inspect()
        if self.kind == "graph":
            return tables.SparkGraph(self.domain, tables.Rows([], "a specimen"))
        try:
            table = self._read(specimen_rows(self.session_of_spark, self._loaded, self.domain), partitions=1)
            with tables.failing_quietly(), announced(_WAITING):
                table.rows.shards().count()
        except RunFailed:
            raise CallError(
                f"the executors of Spark cannot run Seqveil: install seqveil[spark] {version('seqveil')} there, too, with the "
                "same Python and packages as here. Nothing was spent."
            ) from None
        return table

    def chunks(self) -> Iterator[bytes]:
        """Footers of the files, or names and sizes, or the plan of the DataFrame: rows are not read for it."""
        yield b"spark\n"
        if self.is_file and self.kind != "graph":
            footers = self._loaded.direct
            yield (self._loaded.origin if footers is None else footers.digest).encode()
        elif self.is_file:
            yield self.name.encode()
        else:
            yield f"{self.data.schema.simpleString()} {self.data.semanticHash()}".encode()

    def stating(self, public_because: str | None) -> SparkSource:
        stated = replace(self, domain=replace(self.domain, public_because=public_because))
        for part in ("session_of_spark", "_loaded"):
            if part in self.__dict__:
                stated.__dict__[part] = self.__dict__[part]
        return stated

    def _decided(self) -> Layout:
        """The layout with its format, or everything that is wrong with the call."""
        check_cap(self.max_events)
        format = self.decided_format
        allowed = [*formats(self.rows), *TABLES]
        if format is None or (format != FRAME and format not in allowed):
            given = (
                "cannot infer the format from the name" if format is None else f"{parameter('format', repr(format))} is unknown"
            )
            raise InputProblems(self.name, [f"{given}: add {parameter('format', 'FORMAT')}, one of {_listed(allowed)}"])
        problems = [*session_problems(self.session), *zone_problems(self)]
        layout = self.layout(FRAME if format in TABLES or format == "parquet" else format)
        if self.kind != "graph":
            problems += reader_problems(self)
            problems += [] if problems else call_problems(layout, self.reader)
            if self.time_format == "text":
                problems.append(f"{parameter('time_format', 'text')} is not read by Spark: use times, or numbers in a column")
        if problems:
            raise InputProblems(self.name, problems)
        return replace(layout, format=format)

    @cached_property
    def _loaded(self) -> Loaded:
        layout = self._decided()  # what is wrong with the call is said before a session is started
        return load(self.session_of_spark, self.data, self.name, layout)

    def _buckets(self, loaded: Loaded) -> int:
        """The number of parts into which users are divided."""
        if self.partitions is not None:
            return self.partitions
        with tables.failing_quietly():
            session = loaded.frame.sparkSession
            parts = int(session.conf.get("spark.sql.shuffle.partitions")) if loaded.parts is None else 4 * loaded.parts
            return max(int(session.sparkContext.defaultParallelism), parts)

    def _read(self, loaded: Loaded, partitions: int | None = None) -> Any:
        with tables.failing_quietly():
            buckets = partitions or self._buckets(loaded)
            plan = Plan(
                self.kind,
                Domain(self.domain.names, None, self.domain.other),
                self._decided(),
                loaded.shape,
                loaded.roles,
                lists=loaded.lists,
                files=loaded.files,
                cells=loaded.cells,
                buckets=buckets,
                version=version("seqveil"),
                numbers=loaded.numbers,
                mixed=loaded.mixed,
            )
            frame, works = loaded.opened()
            if plan.rows_alone:
                works = (*works, partial(alone, plan=plan))
            else:
                pieces = tables.worked(frame, (*works, partial(scattered, plan=plan)), PIECES)
                frame, works = tables.few(pieces.repartitionById(buckets, "bucket")), (partial(gathered, plan=plan),)
            return tables.TABLES[self.kind](self.domain, tables.Rows(frame, loaded.origin, buckets, works), plan.users)


def _listed(formats: list[str]) -> str:
    return ", ".join(format for format in formats if format not in UNREAD)
