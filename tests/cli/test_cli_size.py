"""`--size` counts units of privacy: users where users are protected, records where records are; plans count records."""

from __future__ import annotations

import json

import pytest

from seqveil.registry import make
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, User

CALL = ("publish", "trips.csv", "--item", "place", "--domain", "1..50", "--epsilon", "1", "--out", "r", "--dry-run", "--l-max", 4)
BY_USER = ("--user", "card", "--max-sequences", 3)


def test_the_plan_says_what_its_size_counts(seqveil):
    """In words: users, and how many records they have at most; or records."""
    users, records = seqveil(*CALL, *BY_USER, "--size", 2000).err, seqveil(*CALL, "--size", 2000).err

    assert "size: 2,000 users, at most 6,000 records (3 per user)" in users
    assert "with 6,000 records of about 4 items, an average label occurs about 480 times" in users
    assert "size: 2,000 records\n" in records
    assert "with 2,000 records of about 4 items, an average label occurs about 160 times" in records
    assert "rough public number of users (--size 200000)" in seqveil(*CALL, *BY_USER).err
    assert "rough public number of records (--size 200000)" in seqveil(*CALL).err


def test_programs_are_told_too(seqveil):
    """The same as JSON; null where no size was given."""
    plan = json.loads(seqveil(*CALL, *BY_USER, "--size", 2000, "--json").out)

    assert {"of": "users", "number": 2000, "most_records": 6000} == plan["size"]
    assert json.loads(seqveil(*CALL, "--json").out)["size"] is None


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("ngram", {"l_max": 4}),
        ("prefix", {"h": 3}),
        ("diffpart", {}),
        ("itemset-noise", {}),
        ("pfs2", {"support": 0.01}),
        ("itemsets", {"support": 0.01}),
    ],
)
@pytest.mark.parametrize("records", [100, 600, 6_000, 60_000_000])
def test_a_plan_means_records_whatever_the_unit(method, parameters, records):
    """Users with one sequence each are as many records, and get the same plan."""
    mechanism, domain = make(method, parameters), Domain.range(1, 12)
    one = mechanism.plan(10**12, domain, User(max_sequences=1), records)
    two = mechanism.plan(10**12, domain, Record(), records)

    assert [line.replace("user", "record") for line in one.predictions] == two.predictions
    assert [line.replace("user", "record") for line in one.warnings] == two.warnings


def test_more_sequences_per_user_never_multiply_the_records_twice():
    """A plan is given records; only its noise follows from the unit."""
    mechanism, domain = make("ngram", {"l_max": 4}), Domain.range(1, 12)
    predictions = mechanism.plan(10**12, domain, User(max_sequences=3), 6_000).predictions

    assert "with 6,000 records of about 4 items, an average label occurs about 2,000 times" in predictions
