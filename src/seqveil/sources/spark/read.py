"""`read_spark`: a DataFrame, a path or a table of Spark as data for a vault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from seqveil.sources.layout import Options
from seqveil.sources.read import documented

if TYPE_CHECKING:
    from seqveil.sources.spark.source import SparkSource
    from seqveil.tables.domain import Domain


@documented
def read_spark(
    data: Any,
    *,
    domain: Domain,
    kind: str = "sequences",
    master: str | None = None,
    partitions: int | None = None,
    order_is_public: bool = False,
    **options: Unpack[Options],
) -> SparkSource:
    """Data in a Spark cluster, for `Vault` and `experiment`: rows are read, encoded and counted in the executors.

    Nothing is read yet: a vault reads after its ledger has recorded the run. A running session is used as it is.

    Args:
        data: a DataFrame, or a path, glob or table name that Spark reads, or a list of paths.
        domain: the public labels.
        kind: sequences, sets or graph (a DataFrame with the two ends of every edge).
        master: where to start a session if none is running; default: what spark-submit says, else this machine.
        partitions: the number of tasks among which users are divided.
        order_is_public: for a graph: that the order of its vertices says nothing about its edges.

    Raises:
        InputProblems: everything that is wrong with the format; never anything from a row.
    """
    from seqveil.extras import need

    need("spark")
    from seqveil.sources.spark.source import SparkSource

    paths = [data] if hasattr(data, "__fspath__") else data
    data = [str(one) for one in paths] if isinstance(paths, list | tuple) else data
    source = SparkSource(data, domain, kind, order_is_public, master=master, partitions=partitions, **options)
    source.inspect()
    return source
