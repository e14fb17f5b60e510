"""What was ordered: which tables, and how much of ε each of them gets. Read from public texts before anything is spent."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from typing import Any

from seqveil.numbers import real
from seqveil.parameters import unfit
from seqveil.release.histogram.axes import TABLES, Table
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Measure, Sigma


def tables_in(of: object) -> tuple[Table, ...]:
    """The tables of a list such as "first,od", in its order.

    >>> tables_in("od, first")
    ('od', 'first')
    >>> tables_in("first,od,first")
    Traceback (most recent call last):
    seqveil.errors.CallError: of='first,od,first': give each table once, separated by commas: first, last, od, label, ...
    """
    words = [word.strip() for word in of.split(",")] if isinstance(of, str) else []
    tables = tuple(table for word in words for table in TABLES if table == word)
    if not tables or len(tables) != len(words) or len(set(tables)) < len(tables):
        raise unfit(f"give each table once, separated by commas: {', '.join(TABLES)}.", of=of)
    return tables


def shares_in(shares: object, tables: int) -> tuple[float, ...]:
    """One share for every table, as a list such as "2,1" says; all the same without one.

    >>> shares_in("2, 1", 2), shares_in(None, 3)
    ((2.0, 1.0), (1.0, 1.0, 1.0))
    >>> shares_in("2", 2)
    Traceback (most recent call last):
    seqveil.errors.CallError: shares='2': give one number above 0 for each of the 2 tables, for example '2,1'.
    """
    if shares is None:
        return (1.0,) * tables
    try:
        numbers = tuple(real(word.strip()) for word in shares.split(",")) if isinstance(shares, str) else ()
    except ValueError:
        numbers = ()
    if len(numbers) != tables or not all(0 < number < math.inf for number in numbers):
        example = ",".join(["2", *["1"] * (tables - 1)])
        raise unfit(f"give one number above 0 for each of the {tables} tables, for example {example!r}.", shares=shares)
    return numbers


MOST_SCALE = 10**9
"""Above this the noise of a table hides any data."""


def too_wide(question: Any, unit: Unit, paid: int, measure: Measure) -> bool:
    """Whether its noise hides any data; nothing is bought with nothing."""
    influence: int = question.influence(unit)
    if measure == "pure":
        return influence * GRAINS > MOST_SCALE * paid
    return influence**2 * GRAINS > 2 * MOST_SCALE**2 * paid


def width(question: Any, unit: Unit, paid: int, measure: Measure) -> float:
    """The scale of the noise of a table, or its σ in zCDP: one unit can move a single cell by all of L1, so L2 is no less."""
    influence: int = question.influence(unit)
    return influence * GRAINS / paid if measure == "pure" else Sigma.of(influence**2, paid).value


def divided(epsilon: int, shares: tuple[float, ...]) -> list[int]:
    """ε in whole grains by shares; the parts add up to it exactly.

    >>> divided(10, (1.0, 1.0, 1.0)), divided(10, (2.0, 1.0))
    ([3, 3, 4], [6, 4])
    """
    parts = [number.as_integer_ratio() for number in shares]
    common = math.lcm(*(below for _, below in parts))
    whole = [above * common // below for above, below in parts]
    ends = [epsilon * until // sum(whole) for until in accumulate(whole)]
    return [end - start for start, end in pairwise([0, *ends])]
