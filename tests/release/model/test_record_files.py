"""A record model survives its files byte for byte; the files show the numbers that are answered; hostile ones are refused."""

import io

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import record_models
from seqveil.release import RecordRelease, load
from seqveil.release.model import Counted
from seqveil.release.model.columns import GAPS, counted, from_lengths, to_lengths
from seqveil.release.parquet import read_columns


@pytest.fixture
def model():
    return record_models.model()


@pytest.fixture
def saved(model, tmp_path):
    return model.save(tmp_path / "model")


def test_save_and_load_give_the_same_release(model, saved):
    loaded = load(saved, RecordRelease)

    assert model.digest == loaded.digest
    assert model.synthetic.items.tolist() == loaded.synthetic.items.tolist()
    assert (model.l_max, model.n_max) == (loaded.l_max, loaded.n_max)
    for name, table in model.tables().items():
        assert table.equals(loaded.tables()[name]), name
    assert model.top(99) == loaded.top(99)


def test_the_same_release_has_the_same_bytes(model):
    """Nothing in the tables or records depends on the time or on the run."""
    again = record_models.model_of(r.tolist() for r in model.synthetic)

    assert {n: t.to_pylist() for n, t in model.tables().items()} == {n: t.to_pylist() for n, t in again.tables().items()}
    assert model.extras() == again.extras()


def test_the_records_are_read_when_they_are_wanted(saved):
    loaded = load(saved, RecordRelease)
    loaded.count([loaded.domain.labels([0])[0]])

    assert callable(loaded._synthetic)
    assert 6 == len(loaded.synthetic)


def test_files_hold_the_numbers_that_are_shown(saved):
    """Whoever sorts grams.parquet by its counts gets what `top` lists, ends included."""
    loaded = load(saved, RecordRelease)
    rows = pq.read_table(saved / "grams.parquet").to_pylist()
    listed = [(row["pattern"], row["value"], row["low"], row["high"]) for row in loaded.top(99)]

    assert listed == [(r["gram"], r["count"], r["low"], r["high"]) for r in sorted(rows, key=lambda row: -row["count"])]
    assert any(low is None for _, _, low, _ in listed)
    assert all(value == loaded.count(gram).value for gram, value, _, _ in listed)


LAWS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]), min_size=1, max_size=4).map(tuple)


@given(st.lists(st.tuples(st.integers(-50, 50), st.none() | LAWS), max_size=30))
@settings(deadline=None)
def test_every_row_keeps_its_own_scales(rows):
    """Also where combinations differ in their order or length only."""
    parts = [Counted.of([abs(y)], None if law is None else [y], law or ()) for y, law in rows]
    body = io.BytesIO()
    pq.write_table(to_lengths(Counted.joined(parts)), body)
    again = from_lengths(read_columns("lengths.parquet", body.getvalue(), {"length": "whole", **counted(gaussian=False)}, GAPS))

    assert [law or () for _, law in rows] == [again.scales(k) for k in range(len(again))]
    assert [0 if law is None else y for y, law in rows] == again.noisy.tolist()
    assert [law is not None for _, law in rows] == again.measured.tolist()
