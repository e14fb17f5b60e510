"""How often an average label occurs, and how many records make its count accurate: what formulas can say about any data."""

from __future__ import annotations

from math import ceil

USUAL_LENGTH = 5
"""Items of a record, where nothing but the number of records is said of the data."""

ACCURATE = 10
"""A count is called accurate from this many times its 95 % noise on."""


def average_label(records: int, labels: int, l_max: int, noise: float) -> list[str]:
    """Two sentences for a plan; `noise` is what the count of a label stays within in 95 of 100 runs.

    >>> print(*average_label(6_000, labels=50, l_max=4, noise=60.0), sep="\\n")
    with 6,000 records of about 4 items, an average label occurs about 480 times
    an average label would be within ±10 % from about 7,500 records on; frequent labels need fewer
    """
    length = min(l_max, USUAL_LENGTH)
    enough = ceil(ACCURATE * noise * labels / length)
    return [
        f"with {records:,} records of about {length} items, an average label occurs about {records * length / labels:,.0f} times",
        f"an average label would be within ±{100 // ACCURATE} % from about {enough:,} records on; frequent labels need fewer",
    ]
