"""A record model survives its files byte for byte; the files show the numbers that are answered; hostile ones are refused."""

import pyarrow.parquet as pq
import pytest

import record_models
from seqveil.release import RecordRelease, load

TABLES = ("grams", "firsts", "lasts", "trips", "lengths")


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
    loaded.top(3)

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
