"""Records: synthetic records that may be shown, as labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.extras import need
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


class Records:
    """Synthetic records over a domain.

    >>> from seqveil.tables.domain import Domain
    >>> records = Records(Domain.of(["home", "work"]), Flat.of([[0, 1], [1]]))
    >>> len(records), list(records), records
    (2, [['home', 'work'], ['work']], Records(2 records))
    """

    def __init__(self, domain: Domain, flat: Flat) -> None:
        self.domain = domain
        self.flat = flat

    def __len__(self) -> int:
        return len(self.flat)

    def __iter__(self) -> Iterator[list[str]]:
        for codes in self.flat:
            yield self.domain.labels(codes)

    def __repr__(self) -> str:
        return f"Records({len(self):,} records)"

    def to_arrow(self) -> Any:
        """A pyarrow Table with one column, `sequence`, of lists of labels; with times also a column `time`."""
        import pyarrow as pa

        from seqveil.tables.write.lines import divided

        items, times = divided(self.domain, self.flat)
        columns = {"sequence": items} if times is None else {"sequence": items, "time": times}
        offsets = pa.array(self.flat.offsets)
        lists = {name: pa.LargeListArray.from_arrays(offsets, labels.strings(f.items)) for name, (labels, f) in columns.items()}
        return pa.table(lists)

    def to_polars(self) -> Any:
        """A Polars DataFrame with one column, `sequence`."""
        need("Polars frames")
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """A pandas DataFrame with one column, `sequence`."""
        need("pandas frames")
        return self.to_arrow().to_pandas()

    def write(self, path: str | Path, overwrite: bool = True, raw_cells: bool = False) -> Path:
        """Write them in the format that the ending of the name says: .txt, .csv, .parquet, .spmf, … each also with .gz.

        In .csv and .tsv a label that a spreadsheet would run as a formula gets an apostrophe in front, unless `raw_cells`.
        """
        from seqveil.tables.write import write_sequences

        return write_sequences(Path(path), self.domain, self.flat, overwrite, raw_cells)
