"""`seqveil synth` hands out records."""

import json
from collections import Counter

import pytest

import record_models
import sealing


def test_the_published_records_go_to_stdout(seqveil, small_release):
    """Without options the construction is printed, one record per line."""
    ran = seqveil("synth", small_release())

    assert (0, "home work\nwork\n\n") == (ran.code, ran.out)


def test_as_many_as_asked(seqveil, small_release, tmp_path):
    """--records draws, --out writes, the name's ending says the format."""
    ran = seqveil("synth", small_release(), "--records", 30, "--out", tmp_path / "s.txt")
    lines = (tmp_path / "s.txt").read_text().splitlines()

    assert 0 == ran.code
    assert {"home work": 10, "work": 10, "": 10} == {line: lines.count(line) for line in lines}
    assert "30 records written" in ran.err


@pytest.mark.parametrize("name", ["s.csv", "s.parquet", "s.spmf", "s.txt.gz", "s.jsonl"])
def test_formats(seqveil, small_release, tmp_path, name):
    """Every ending of the writers works."""
    assert 0 == seqveil("synth", small_release(), "--out", tmp_path / name).code
    assert (tmp_path / name).stat().st_size > 0


def test_an_unknown_ending_is_a_wrong_call(seqveil, small_release, tmp_path):
    """The endings that work are listed."""
    ran = seqveil("synth", small_release(), "--out", tmp_path / "s.doc")

    assert 2 == ran.code
    assert ".csv" in ran.err


def test_json_tells_what_was_written(seqveil, small_release, tmp_path):
    """One object on stdout; without --out there is no room for it."""
    folder = small_release()
    ran = seqveil("synth", folder, "--out", tmp_path / "s.txt", "--json")

    assert 3 == json.loads(ran.out)["records"]
    assert "" == ran.err
    assert 2 == seqveil("synth", folder, "--json").code


def test_files_are_never_overwritten(seqveil, small_release, tmp_path):
    """An existing file stays as it is."""
    (tmp_path / "s.txt").write_text("mine")
    ran = seqveil("synth", small_release(), "--out", tmp_path / "s.txt")

    assert (2, "mine") == (ran.code, (tmp_path / "s.txt").read_text())


def test_an_experiment_marks_its_files(seqveil, small_release, tmp_path):
    """The written file's name says EXPERIMENT, and so does the banner."""
    ran = seqveil("synth", small_release(private=False), "--out", tmp_path / "s.txt")

    assert (tmp_path / "s.EXPERIMENT.txt").exists()
    assert not (tmp_path / "s.txt").exists()
    assert "EXPERIMENT - NOT PRIVATE" in ran.err


def test_a_negative_number_is_a_wrong_call(seqveil, small_release):
    """Usage errors end with 2."""
    assert 2 == seqveil("synth", small_release(), "--records", "-1").code


def test_more_records_than_were_published_repeat_and_it_is_said(seqveil, tmp_path):
    """Whole records, each as often as any other one: counts scale with the number."""
    folder = record_models.model().save(tmp_path / "model")
    ran, fewer = seqveil("synth", folder, "--records", 15), seqveil("synth", folder, "--records", 5)
    published = Counter(seqveil("synth", folder).out.splitlines())
    drawn = Counter(ran.out.splitlines())

    assert "The release holds 6 records: each is written 2 or 3 times, in random order." in ran.err
    assert all(2 * published[record] <= drawn[record] <= 3 * published[record] for record in published)
    assert 15 == drawn.total()
    assert "" == fewer.err
    assert Counter(fewer.out.splitlines()) <= published


def test_supported_records_and_how_many_were_redrawn(seqveil, tmp_path):
    """--supported says on stderr, and in the JSON object, what it replaced; a release without noise of steps refuses it."""
    rows = [(0, 1)] * 400 + [(1, 0)]
    folder = sealing.sealed(record_models.model_of([*rows, (0, 1, 0), (2,)])).save(tmp_path / "release")
    ran = seqveil("synth", folder, "--supported")
    facts = json.loads(seqveil("synth", folder, "--supported", "--out", tmp_path / "s.txt", "--json").out)

    assert (0, {"home\twork"}) == (ran.code, set(ran.out.splitlines()))
    assert "3 of 403 published records were redrawn, 2 of them with another length" in ran.err
    assert (3, 2, 403) == (facts["redrawn"], facts["redrawn_with_another_length"], facts["records"])


def test_only_releases_with_the_noise_of_steps_have_supported_records(seqveil, small_release):
    """What is wrong, and what to leave out."""
    ran = seqveil("synth", small_release(), "--supported")

    assert 2 == ran.code
    assert "leave --supported out" in ran.err
