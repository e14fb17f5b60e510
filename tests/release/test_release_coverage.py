"""Whoever reads numbers reads what they cover: the bounded data, and not all of the data."""

import pytest

import record_models
from sealing import sealed
from seqveil.release.coverage import coverage
from seqveil.tables.units import Record, User

SENTENCE = "Counts cover at most 10 records per user and 4 items per record; more were left out before noise was added."


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        (User(max_sequences=10), SENTENCE),
        (User(), "Counts cover at most 1 record per user and 4 items per record; more were left out before noise was added."),
        (Record(), "Counts cover at most 4 items per record; more were left out before noise was added."),
    ],
)
def test_every_bound_is_named(unit, words):
    assert words == coverage(sealed(record_models.model_of(record_models.RECORDS), unit=unit).manifest)
