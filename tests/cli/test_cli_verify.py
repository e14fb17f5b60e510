"""`seqveil verify` reads every file of a release again, and asks the ledger whether this is the release that was committed."""

from __future__ import annotations

import json

import pytest

import seqveil as sv


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A release of an account of its own ledger."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    domain = sv.Domain.of(["home", "work"], public_because="a published map")
    vault = sv.Vault(sv.table_of([["home", "work"]] * 50, domain), sv.Record(), account="metro", cap="3.0")
    return vault.release(sv.NGram(l_max=2, n_max=2), epsilon="1.0").save(tmp_path / "release")


def test_a_release_is_the_one_of_the_ledger(seqveil, folder):
    ran = seqveil("verify", folder)
    shown = json.loads(seqveil("verify", folder, "--json").out)

    assert ran.code == 0
    assert "files are what the manifest says. The ledger has the same digest, on account 'metro' (committed)." in ran.out
    assert shown["ledger"] == {"account": "metro", "status": "committed"}
    assert shown["digest"] == sv.load(folder).digest


def test_a_changed_file_is_named(seqveil, folder):
    (folder / "README.txt").write_text("trust me")
    ran = seqveil("verify", folder)

    assert (ran.code, ran.out) == (1, "")
    assert "README.txt was changed" in ran.err


def test_a_manifest_that_was_forged_with_its_files_is_refused_by_the_ledger(seqveil, folder):
    """The folder agrees with itself, with another date."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["created"] = "2020-01-01T00:00:00+00:00"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    ran = seqveil("verify", folder)

    assert (ran.code, ran.out) == (1, "")
    assert "the ledger (account 'metro') has another digest of it" in ran.err


def test_a_release_of_another_machine_is_said_to_be_unknown(seqveil, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "elsewhere"))
    ran = seqveil("verify", folder)

    assert ran.code == 0
    assert "The ledger of this machine has no entry about this release." in ran.out


def test_an_experiment_is_in_no_ledger(seqveil, tmp_path):
    table = sv.table_of([["a", "b"]] * 50, sv.Domain.of(["a", "b"]))
    ran = seqveil("verify", sv.experiment(table, sv.NGram(l_max=2, n_max=2), epsilon="8.0", seed=1).save(tmp_path / "e"))

    assert ran.code == 0
    assert "EXPERIMENT" in ran.out
