"""A specimen for Spark: a few simulated rows of the same types, to be read by the executors before anything is spent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from seqveil.sources.spark.frames import Loaded
from seqveil.sources.specimen import column_of
from seqveil.tables.domain import Domain
from seqveil.tables.spark import failing_quietly


def specimen_rows(spark: Any, loaded: Loaded, domain: Domain) -> Loaded:
    """Rows that look like the loaded ones; the types are theirs, and the values are made up."""
    domain = domain.untimed if "time" in loaded.roles else domain
    labels = [domain.label(0), domain.label(len(domain) - 1), domain.label(0)]
    if loaded.shape == "columns":
        texts = {
            **dict.fromkeys(("item", "origin", "destination"), labels),
            "time": ["2000-01-01T00:00:02", "2", "2000-01-01T00:00:01"],
        }
        columns = {
            role: column_of(loaded.schema.field(name).type, texts.get(role, list("vuv"))) for role, name in loaded.roles.items()
        }
        table = pa.table({**columns, "place": pa.array(range(3), pa.int64())})
    else:
        table = pa.table({"value": labels, "place": pa.array([0] * 3, pa.int64())})
    with failing_quietly():
        made_up = spark.createDataFrame(table)
        return replace(loaded, frame=made_up, files={}, direct=None, cells=dict(enumerate([*loaded.cells.values()][:1])))
