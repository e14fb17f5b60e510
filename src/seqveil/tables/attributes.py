"""Attributes: the columns of a relational table, as a domain of `attribute=value` labels declares them. Public."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


def split_label(label: str) -> tuple[str, str] | None:
    """The attribute and the value that a label names; None where it is not written attribute=value.

    >>> split_label("sex = f"), split_label("bread"), split_label("=f")
    (('sex', 'f'), None, None)
    """
    name, equals, value = (part.strip() for part in label.partition("="))
    return (name, value) if equals and name and value else None


def attribute_numbers(domain: Domain) -> NDArray[np.int64]:
    """The number of every label's attribute, in the order of their first labels.

    A label that is not written attribute=value is an attribute by itself: a record has it or not.

    >>> from seqveil.tables.domain import Domain
    >>> attribute_numbers(Domain.of(["sex=f", "sex=m", "smoker", "age=old", "sex=?"])).tolist()
    [0, 0, 1, 2, 0]
    """
    numbers: dict[tuple[str, ...], int] = {}
    pairs = [split_label(label) for label in domain.labels(range(len(domain)))]
    names = [pair[:1] if pair else (str(code), "alone") for code, pair in enumerate(pairs)]
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)


def values_of(domain: Domain) -> dict[str, list[int]]:
    """The codes of the values of every attribute, in the order of the domain; labels of no attribute are left out.

    >>> from seqveil.tables.domain import Domain
    >>> values_of(Domain.of(["sex=f", "smoker", "age=old", "sex=m"]))
    {'sex': [0, 3], 'age': [2]}
    """
    values: dict[str, list[int]] = {}
    for code, label in enumerate(domain.labels(range(len(domain)))):
        if pair := split_label(label):
            values.setdefault(pair[0], []).append(code)
    return values
