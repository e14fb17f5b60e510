"""A record model from a stranger: files that are no such tables are refused, and nothing that loads answers nonsense."""

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import record_models
from seqveil.errors import ReleaseDamaged, SeqveilError
from seqveil.release import RecordRelease, load

TABLES = ("grams", "firsts", "lasts", "trips", "lengths")


@pytest.fixture
def saved(tmp_path):
    return record_models.model().save(tmp_path / "model")


def vouch(folder, name, body):
    """Put bytes in the place of a file and let the manifest vouch for them."""
    (folder / name).write_bytes(body)
    data = json.loads((folder / "manifest.json").read_text())
    data["files"][name] = hashlib.sha256(body).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(data))


def replace(folder, name, column, change):
    """Change the values of a column."""
    table = pq.read_table(folder / f"{name}.parquet")
    at = table.schema.get_field_index(column)
    values = change(table.column(column).to_pylist())
    table = table.set_column(at, column, pa.array(values, table.schema.field(at).type))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    vouch(folder, f"{name}.parquet", sink.getvalue().to_pybytes())


def first(value):
    return lambda values: [value, *values[1:]]


EVERYWHERE = [
    ("count", first(-1.0)),
    ("count", first(float("nan"))),
    ("count", first(float("inf"))),
    ("count", first(2.0**61)),
    ("count", first(None)),
    ("noisy", first(2**62)),
    ("noisy", first(-(2**63))),
    ("noisy", first(None)),
    ("scales", first(None)),
    ("scales", first([])),
    ("scales", first([1.0] * 65)),
    ("scales", first([1.0, None])),
    ("scales", first([float("nan")])),
    ("scales", first([-1.0])),
    ("scales", first([1e300])),
    ("scales", first([2.0, 1e-300])),
]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("column", "change"), EVERYWHERE)
def test_numbers_that_no_wall_answers_are_refused(saved, name, column, change):
    replace(saved, name, column, change)
    with pytest.raises(ReleaseDamaged):
        load(saved)


@pytest.mark.parametrize(
    ("name", "column", "change"),
    [
        ("grams", "gram", first(["nowhere"])),
        ("grams", "gram", first([])),
        ("grams", "gram", first(None)),
        ("grams", "gram", first(["home", None])),
        ("grams", "gram", first(["home"] * 3)),
        ("grams", "gram", lambda values: values[::-1]),
        ("grams", "gram", lambda values: [values[0], *values[:-1]]),
        ("firsts", "label", first("nowhere")),
        ("firsts", "label", first(None)),
        ("lasts", "label", lambda values: values[::-1]),
        ("trips", "first", first("nowhere")),
        ("trips", "last", lambda values: values[::-1]),
        ("lengths", "length", first(7)),
        ("lengths", "length", lambda values: values[::-1]),
    ],
)
def test_rows_that_are_none_are_refused(saved, name, column, change):
    replace(saved, name, column, change)
    with pytest.raises(ReleaseDamaged):
        load(saved)


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_another_kind_are_refused(saved, name):
    table = pq.read_table(saved / f"{name}.parquet")
    for column in set(table.column_names) - {"low", "high"}:
        sink = pa.BufferOutputStream()
        at = table.schema.get_field_index(column)
        pq.write_table(table.set_column(at, column, pa.array([b"x"] * len(table))), sink)
        vouch(saved, f"{name}.parquet", sink.getvalue().to_pybytes())
        with pytest.raises(ReleaseDamaged, match=f"{name}.parquet: the column '{column}' does not hold"):
            load(saved)


@pytest.mark.parametrize("name", TABLES)
def test_a_missing_table_is_named(saved, name):
    (saved / f"{name}.parquet").unlink()
    with pytest.raises(ReleaseDamaged, match=f"{name}.parquet is missing"):
        load(saved)


@pytest.mark.parametrize("facts", [{"l_max": 3}, {"n_max": 1}, {"l_max": 0}, {"n_max": None}, {"x": 1}])
def test_facts_that_do_not_fit_are_refused(saved, facts):
    """Records of four items were counted, and pairs of labels."""
    data = json.loads((saved / "manifest.json").read_text())
    data["facts"].update(facts)
    (saved / "manifest.json").write_text(json.dumps(data))
    with pytest.raises(ReleaseDamaged):
        load(saved)


def test_more_combinations_of_scales_than_any_release_has_are_refused(saved, monkeypatch):
    """Each would cost a convolution."""
    monkeypatch.setattr("seqveil.release.model.columns.MOST_LAWS", 2)
    replace(saved, "lengths", "scales", lambda values: [[1.0 + k] for k in range(len(values))])
    with pytest.raises(ReleaseDamaged, match="different combinations of scales is 4"):
        load(saved)


def test_bounds_of_numbers_do_not_overflow(saved):
    """The largest numbers that load: ends are in order, for sums too."""
    replace(saved, "lengths", "noisy", lambda values: [2**60 - 1] * len(values))
    replace(saved, "lengths", "scales", lambda values: [[1e15] * 64] * len(values))
    release = load(saved, RecordRelease)

    for answer in [*release.lengths().values(), release.size()]:
        assert 0 <= answer.low <= answer.value <= answer.high
    assert release.size().high > 2**62


@given(name=st.sampled_from(TABLES), at=st.floats(0, 1), piece=st.binary(min_size=1, max_size=12))
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_bytes_load_answers_make_sense(saved, name, at, piece):
    """A splice anywhere in a table is refused with an error of ours, or gives answers inside their intervals."""
    path = saved / f"{name}.parquet"
    true = path.read_bytes()
    start = int(at * len(true))
    try:
        vouch(saved, path.name, true[:start] + piece + true[start + len(piece) :])
        try:
            release = load(saved, RecordRelease)
        except SeqveilError:
            return
        shown = [
            release.count(["home"]),
            release.first("home"),
            release.last("work"),
            release.trip("home", "work"),
            release.size(),
        ]
        for answer in [*shown, *release.lengths().values()]:
            assert answer.low is None or answer.low <= answer.value <= answer.high
        release.top(5)
        release.od(5)
    finally:
        vouch(saved, path.name, true)
