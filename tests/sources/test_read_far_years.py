"""Times beyond the year 9999, where Python's own dates end: they are read or dropped one by one, and nobody else's change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqveil as sv

FAR = 317_378_563_200
"""Seconds to the year 12027."""


def _sequences(source: Any, **how: str) -> list[list[str]]:
    domain = sv.Domain.of(["a", "b"])
    table = sv.read_sequences(source, user="u", time="t", item="i", domain=domain, **how)
    return [domain.labels(row) for row in table.flat]


@pytest.fixture(params=["timestamp s", "timestamp ms in a zone", "date", "polars", "parquet", "csv", "csv of numbers", "jsonl"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Ann in 2026 and Bob in the year 12027, two events each, an hour apart."""
    near = 1_790_000_000
    seconds = [near, near + 3600, FAR, FAR + 3600]
    rest = {"u": ["ann", "ann", "bob", "bob"], "i": ["a", "b", "a", "b"]}
    plain = pa.table({**rest, "t": pa.array(seconds, pa.timestamp("s"))})
    match request.param:
        case "timestamp s":
            return plain
        case "timestamp ms in a zone":
            return pa.table({**rest, "t": pa.array([s * 1000 for s in seconds], pa.timestamp("ms", "Europe/Paris"))})
        case "date":
            return pa.table({**rest, "t": pa.array([s // 86400 for s in seconds], pa.date32())})
        case "polars":
            return pl.DataFrame({**rest, "t": pl.Series([s * 1000 for s in seconds]).cast(pl.Datetime("ms"))})
        case "parquet":
            pq.write_table(plain, tmp_path / "f.parquet")
            return tmp_path / "f.parquet"
        case "csv":
            times = ["2026-09-21T14:13:20", "2026-09-21T15:13:20", "12027-03-01T00:00:00", "12027-03-01T01:00:00"]
            rows = "".join(f"{u},{t},{i}\n" for u, t, i in zip(rest["u"], times, rest["i"], strict=True))
            (tmp_path / "f.csv").write_text(f"u,t,i\n{rows}", encoding="utf-8")
            return tmp_path / "f.csv"
        case "csv of numbers":
            rows = "".join(f"{u},{t},{i}\n" for u, t, i in zip(rest["u"], seconds, rest["i"], strict=True))
            (tmp_path / "f.csv").write_text(f"u,t,i\n{rows}", encoding="utf-8")
            return tmp_path / "f.csv"
    rows = "".join(f'{{"u": "{u}", "t": {t}, "i": "{i}"}}\n' for u, t, i in zip(rest["u"], seconds, rest["i"], strict=True))
    (tmp_path / "f.jsonl").write_text(rows, encoding="utf-8")
    return tmp_path / "f.jsonl"


@pytest.mark.parametrize("session", ["none", "day", "gap:90m"])
@pytest.mark.parametrize("timezone", ["UTC", "Europe/Paris"])
def test_far_years_are_somebodys_own_affair(source: Any, session: str, timezone: str) -> None:
    """Ann's sequence is there in any case; Bob's is, or is not, and nothing is raised."""
    sequences = _sequences(source, session=session, timezone=timezone)

    assert ["a", "b"] == sequences[0]
    assert sequences in ([["a", "b"]], [["a", "b"]] * 2)
