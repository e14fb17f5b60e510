"""What the tables of a histogram of sequences are about, and what their cells are called.

first, last   records by their first or last label
od            records by both; over a timed domain, by the two places, at whatever time
length        records by their number of items: 1, 2, …, and the longest length stands for all beyond it
hour          records by the time bin of their first item; only over a timed domain
label         occurrences of every label, in records cut to the longest length
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

Table = Literal["first", "last", "od", "label", "length", "hour"]
TABLES: tuple[Table, ...] = get_args(Table)

COLUMNS: dict[Table, tuple[str, ...]] = {
    "first": ("label",),
    "last": ("label",),
    "od": ("first", "last"),
    "label": ("label",),
    "length": ("length",),
    "hour": ("hour",),
}
"""The columns that name a cell in files."""


def shape_of(table: Table, domain: Domain, l_max: int) -> tuple[int, ...]:
    """How many cells there are along each axis; all of it is public.

    >>> from seqveil.tables.domain import Domain
    >>> shape_of("od", Domain.range(1, 30), 20), shape_of("length", Domain.range(1, 30), 20)
    ((30, 30), (20,))
    """
    if table == "od":
        return (len(domain.untimed),) * 2
    if table == "length":
        return (l_max,)
    if table == "hour":
        return (0 if domain.calendar is None else len(domain.calendar),)
    return (len(domain),)
