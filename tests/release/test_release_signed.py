"""A signed release: whatever of its manifest is changed afterwards, no load accepts it."""

from __future__ import annotations

import json
import shutil

import pytest

import seqveil as sv
from seqveil.errors import ReleaseDamaged, RunFailed
from seqveil.release.manifest import Manifest
from seqveil.release.signed import SIGNATURE
from seqveil.signature.ed25519 import throwaway
from seqveil.signature.keys import Keys


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def signer():
    return throwaway()


@pytest.fixture
def folder(paper, wall_facts, signer, tmp_path, home):
    """A signed release on disk."""
    paper.seal(wall_facts(signer=signer.public))
    paper.sign_with(signer)
    return paper.save(tmp_path / "release")


def edited(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}, indent=2, ensure_ascii=False) + "\n")


def test_a_signed_release_loads_and_names_its_key(folder, signer):
    release = sv.load(folder)

    assert release.signature.key == signer.public
    assert release.signature.state == "unknown"
    Keys.at().trust(signer.public, "Metro")
    assert (release.signature.state, release.signature.name) == ("trusted", "Metro")


@pytest.mark.parametrize(
    "changes",
    [{"epsilon": "0.9", "unused": "0.26"}, {"created": "2020-01-01T00:00:00+00:00"}, {"noise": "none"}],
    ids=["epsilon", "date", "noise"],
)
def test_an_edited_manifest_is_refused(folder, changes):
    """The schema is kept, and sums add up: the signature alone tells."""
    if "epsilon" in changes:
        stage = {**json.loads((folder / "manifest.json").read_text())["stages"][0], "epsilon": "0.9"}
        changes = {**changes, "stages": [stage]}
    edited(folder, **changes)

    with pytest.raises(ReleaseDamaged, match="is not what was signed"):
        sv.load(folder)


def test_a_signature_by_somebody_else_does_not_fit(folder):
    """Whoever signs again with a key of their own must name it, and is then somebody that nobody trusts."""
    other = throwaway()
    text = (folder / "manifest.json").read_bytes()
    about = json.loads((folder / SIGNATURE).read_text())
    (folder / SIGNATURE).write_text(json.dumps({**about, "key": other.public, "signature": other.sign(text)}))

    with pytest.raises(ReleaseDamaged, match=r"another key than manifest\.json names"):
        sv.load(folder)


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b"[]", b'{"format": "seqveil signature"}'])
def test_a_damaged_signature_is_refused(folder, body):
    (folder / SIGNATURE).write_bytes(body)

    with pytest.raises(ReleaseDamaged, match=SIGNATURE):
        sv.load(folder)


def test_a_signature_with_something_behind_it_is_refused(folder):
    """What follows a signature is no part of it, however far behind it stands."""
    path = folder / SIGNATURE
    path.write_bytes(path.read_bytes() + b" " * (1 << 12) + b"junk")

    with pytest.raises(ReleaseDamaged, match="too large"):
        sv.load(folder)


def test_a_signature_that_was_taken_away_is_missed(folder):
    (folder / SIGNATURE).unlink()

    with pytest.raises(ReleaseDamaged, match=r"manifest\.sig is missing, but the manifest names a key"):
        sv.load(folder)


def test_a_signature_beside_a_manifest_that_names_no_key_does_not_belong_there(sealed, tmp_path, home):
    folder = sealed.save(tmp_path / "unsigned")
    (folder / SIGNATURE).write_text("{}")

    with pytest.raises(ReleaseDamaged, match=r"manifest\.sig is not in the manifest"):
        sv.load(folder)


def test_a_copy_has_the_same_bytes_and_signature(folder, tmp_path):
    again = sv.load(folder).save(tmp_path / "copy")

    assert {p.name: p.read_bytes() for p in again.iterdir()} == {p.name: p.read_bytes() for p in folder.iterdir()}


def test_a_release_whose_folder_has_gone_is_saved_again_with_its_signature(paper, folder, tmp_path):
    bytes_ = (folder / SIGNATURE).read_bytes()
    shutil.rmtree(folder)

    assert (paper.save(tmp_path / "again") / SIGNATURE).read_bytes() == bytes_
    sv.load(tmp_path / "again")


def test_the_private_key_is_not_kept_in_a_release(paper, wall_facts, signer, home):
    paper.seal(wall_facts(signer=signer.public))
    paper.sign_with(signer)
    paper.digest  # noqa: B018 — renders, and signs

    assert paper._signer is None


def test_a_key_that_the_manifest_does_not_name_signs_nothing(paper, wall_facts, signer, home):
    paper.seal(wall_facts(signer=throwaway().public))
    paper.sign_with(signer)

    with pytest.raises(RunFailed, match="names a key that is not at hand"):
        paper.digest  # noqa: B018 — renders, and signs


def test_an_experiment_that_names_a_key_is_damaged(folder):
    """Somebody who makes an experiment of it, or the other way round, cannot keep the signature."""
    data = json.loads((folder / "manifest.json").read_text())

    with pytest.raises(ReleaseDamaged, match="experiments are never signed"):
        Manifest.from_json(json.dumps({**data, "private": False}))
