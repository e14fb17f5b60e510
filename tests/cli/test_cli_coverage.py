"""The sentence about what counts cover stands wherever numbers are read."""

import record_models
from sealing import sealed
from seqveil.report.page import render
from seqveil.tables.units import User

SENTENCE = "Counts cover at most 10 records per user and 4 items per record; more were left out before noise was added."


def test_the_sentence_stands_wherever_numbers_are_read(seqveil, tmp_path):
    release = sealed(record_models.model_of(record_models.RECORDS), unit=User(max_sequences=10))
    folder = release.save(tmp_path / "bounded")

    assert SENTENCE in (folder / "README.txt").read_text()
    assert SENTENCE in seqveil("inspect", folder).out
    assert SENTENCE in seqveil("query", folder, "home work").err
    assert SENTENCE in seqveil("od", folder).err
    assert SENTENCE in render(release)
