"""The digest of a release is that of the manifest that any save writes: known before, the same after, equal in the ledger."""

from __future__ import annotations

import hashlib
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sealing import sealed as seal
from seqveil.errors import RunFailed
from seqveil.release import load
from seqveil.release.graphs import GraphRelease
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.release.prefixes import PrefixRelease
from seqveil.release.sets import SetCounts, SetRelease
from seqveil.tables.domain import Domain

DOMAIN = Domain.of(["a", "b", "c"], public_because="printed")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def one_of_each(paper):
    """A sealed release of every content."""
    ends = np.array([0, 1]), np.array([1, 2])
    patterns = PatternTable.of([[0, 1], [2]], noisy=[900, 60], scale=20.0, threshold=50)
    return [
        seal(paper),
        seal(PrefixRelease(paper.domain, prefixes=paper.grams, synthetic=paper.synthetic, h=5)),
        seal(PatternRelease(DOMAIN, patterns=patterns, kind="substring", about="records")),
        seal(SetRelease(DOMAIN, sets=SetCounts.of([[0, 1], [2]], [9, 4], scale=1.0, threshold=2))),
        seal(GraphRelease(DOMAIN, low=ends[0], high=ends[1])),
    ]


def test_the_digest_is_known_before_the_release_is_saved(paper, tmp_path):
    """Of every content: rendered first and saved later, the manifest on disk has the digest that was stated."""
    for release in one_of_each(paper):
        digest = release.digest
        folder = release.save(tmp_path / release.content)

        assert digest == sha256(folder / "manifest.json") == release.digest == load(folder).digest


def test_rendering_into_memory_and_into_a_folder_gives_the_same_bytes(paper, tmp_path):
    """Whether the digest was wanted before saving or not changes no byte."""
    for release in one_of_each(paper):
        twin = pickle.loads(pickle.dumps(release))
        before = release.digest
        twin.save(tmp_path / f"{release.content}-straight")
        release.save(tmp_path / release.content)

        assert before == twin.digest
        assert files(tmp_path / release.content) == files(tmp_path / f"{release.content}-straight")


def test_saving_twice_writes_the_same_bytes(sealed, tmp_path):
    """Also when the content has changed in memory since: what is saved is what the ledger knows."""
    first = sealed.save(tmp_path / "first")
    sealed.grams.count[:] = 0.0
    second = sealed.save(tmp_path / "second")

    assert files(first) == files(second)


def test_a_saved_release_can_be_saved_again_when_its_folder_is_gone(sealed, tmp_path):
    """It is rendered again, to the same bytes."""
    first = sealed.save(tmp_path / "first")
    kept = files(first)
    shutil.rmtree(first)

    assert kept == files(sealed.save(tmp_path / "second"))


def test_a_release_is_never_saved_under_another_digest(sealed, tmp_path):
    """Neither the folder nor the content is as it was: nothing is written."""
    sealed.save(tmp_path / "first")
    digest = sealed.digest
    (tmp_path / "first" / "README.txt").write_text("trust me")
    sealed.grams.count[:] = 0.0

    with pytest.raises(RunFailed, match="cannot be made again byte for byte"):
        sealed.save(tmp_path / "second")

    assert not (tmp_path / "second").exists()
    assert digest == sealed.digest


def test_a_loaded_release_is_copied(sealed, tmp_path):
    """What was written by another version, with other words in its README, keeps its bytes and its digest."""
    folder = sealed.save(tmp_path / "out")
    readme = folder / "README.txt"
    text = (folder / "manifest.json").read_text().replace(sha256(readme), hashlib.sha256(b"old words").hexdigest())
    readme.write_bytes(b"old words")
    (folder / "manifest.json").write_text(text)
    release = load(folder)
    copy = release.save(tmp_path / "copy")

    assert files(folder) == files(copy)
    assert release.digest == sha256(copy / "manifest.json")


SAVE = """
import pickle, sys
release = pickle.load(open(sys.argv[1], "rb"))
release.save(sys.argv[2])
print(release.digest)
"""


@pytest.mark.slow
@pytest.mark.parametrize("rendered", [True, False])
def test_another_process_saves_the_same_bytes(sealed, tmp_path, rendered):
    """Pickled, before or after it was rendered; and a loaded one, whose records are still on disk."""
    if rendered:
        sealed.digest  # noqa: B018
    (tmp_path / "made.pickle").write_bytes(pickle.dumps(sealed))
    (tmp_path / "loaded.pickle").write_bytes(pickle.dumps(load(sealed.save(tmp_path / "here"))))
    for name in ("made", "loaded"):
        call = [sys.executable, "-c", SAVE, str(tmp_path / f"{name}.pickle"), str(tmp_path / name)]
        printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()

        assert printed == sealed.digest == sha256(tmp_path / name / "manifest.json")


def test_id_and_time_are_fixed_by_the_seal(sealed, tmp_path):
    """What the manifest says before it lists files is what it says afterwards."""
    before = sealed.manifest
    after = load(sealed.save(tmp_path / "out")).manifest

    assert (before.release, before.created) == (after.release, after.created)
    assert {} == before.files
    assert 4 == len(after.files)


def test_an_unsealed_release_has_no_digest(paper):
    """There is nothing to vouch for."""
    with pytest.raises(RunFailed, match="never sealed"):
        paper.digest  # noqa: B018


def test_records_drawn_are_those_of_before():
    """Sets and sequences share one way to draw; a seed gives the records that it has always given."""
    sets = SetRelease(DOMAIN, sets=SetCounts.of([[0, 1], [2], [1]], [3, 0, 2], scale=1.0, threshold=0))

    assert [["a", "b"], ["a", "b"], ["b"], ["a", "b"], ["a", "b"], ["b"], ["b"]] == list(sets.synthesize(7, seed=4))
