"""`seqveil verify`: files, manifest and signature of a release, and whether it is the one that the ledger was charged for."""

from __future__ import annotations

import json
import shutil

import pytest

import seqveil as sv
from seqveil.errors import SeqveilError
from seqveil.release.signed import SIGNATURE
from seqveil.signature.ed25519 import throwaway
from seqveil.signature.keys import Keys


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A home with a key, a ledger, and a release that they vouch for."""
    place = tmp_path_factory.mktemp("original")
    domain = sv.Domain.of(["home", "work"], public_because="a published map")
    table = sv.table_of([["home", "work"]] * 50, domain)
    vault = sv.Vault(table, sv.Record(), account="metro", cap="3.0", home=place / "home", dataset_name="Taps <b>", contact="x@y")
    vault.release(sv.NGram(l_max=2, n_max=2), epsilon="1.0", out=place / "release", purpose="planning")
    return place


@pytest.fixture
def folder(original, tmp_path, monkeypatch):
    """A copy of all of it."""
    shutil.copytree(original, tmp_path / "copy")
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "copy/home"))
    return tmp_path / "copy/release"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """To be called: from then on this is another machine, with keys and a ledger of its own."""
    return lambda: monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "elsewhere"))


def unsigned(folder, **changes):
    """The folder as it was written before manifests were signed: no signature, and nothing that names one."""
    manifest = {**json.loads((folder / "manifest.json").read_text()), "schema": 2, **changes}
    del manifest["holder"], manifest["signer"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / SIGNATURE).unlink()


def test_a_release_is_the_one_of_the_ledger(seqveil, folder):
    ran = seqveil("verify", folder)
    shown = json.loads(seqveil("verify", folder, "--json").out)

    assert ran.code == 0
    assert ran.out.startswith("Verified: ")
    assert "files are what the manifest says. Signed by this installation" in ran.out
    assert "The ledger has the same digest, on account 'metro', ε = 1.0 (committed)." in ran.out
    assert shown["ledger"] == {"account": "metro", "status": "committed", "epsilon": "1.0"}
    assert shown["signature"]["state"] == "own"
    assert shown["digest"] == sv.load(folder).digest


def test_the_manifest_names_what_the_data_holder_states(seqveil, folder):
    holder = sv.load(folder).manifest.holder

    assert (holder.account, holder.dataset, holder.contact, holder.purpose) == ("metro", "Taps <b>", "x@y", "planning")
    assert "Taps <b>" in seqveil("inspect", folder).out


def test_a_changed_file_is_named(seqveil, folder):
    (folder / "README.txt").write_text("trust me")
    ran = seqveil("verify", folder)

    assert (ran.code, ran.out) == (1, "")
    assert "README.txt was changed" in ran.err


def test_an_edited_epsilon_does_not_pass(seqveil, folder, elsewhere):
    """On a machine without the ledger it did, before manifests were signed."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for stage in manifest["stages"]:
        stage.update(epsilon="0.1", used="0.1", rule="question", parts=[])
    manifest["stages"], manifest["epsilon"], manifest["unused"] = manifest["stages"][:1], "0.1", "0.0"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    elsewhere()
    ran = seqveil("verify", folder)

    assert (ran.code, ran.out) == (1, "")
    assert "manifest.json is not what was signed" in ran.err


def test_an_edited_epsilon_without_a_signature_does_not_pass_either(seqveil, folder, elsewhere):
    """Whoever takes the signature away, and makes an old manifest of it, has a release that nobody vouches for."""
    unsigned(folder)
    elsewhere()
    ran = seqveil("verify", folder)

    assert ran.code == 4
    assert ran.out.startswith("NOT ESTABLISHED: ")
    assert "Not signed" in ran.out


def test_an_old_release_opens_and_the_ledger_vouches_for_it(folder):
    """One that was made before: no signature, and a digest in the ledger."""
    release = sv.load(folder)
    unsigned(folder)
    old = sv.load(folder)

    assert old.count(["home"]).value == release.count(["home"]).value
    assert old.manifest.holder.account is None
    with pytest.raises(SeqveilError, match="has another digest"):
        sv.verify(old)  # this ledger was charged for the signed one


def test_somebody_who_signs_a_forged_manifest_is_a_stranger(seqveil, folder, elsewhere):
    other = throwaway()
    manifest = {
        **json.loads((folder / "manifest.json").read_text()),
        "signer": other.public,
        "created": "2020-01-01T00:00:00+00:00",
    }
    text = json.dumps(manifest).encode()
    (folder / "manifest.json").write_bytes(text)
    about = json.loads((folder / SIGNATURE).read_text())
    (folder / SIGNATURE).write_text(json.dumps({**about, "key": other.public, "signature": other.sign(text)}))

    here = seqveil("verify", folder)
    assert (here.code, here.out) == (1, "")
    assert "the ledger (account 'metro') has another digest of it" in here.err
    elsewhere()
    there = seqveil("verify", folder)
    assert there.code == 4
    assert "by a key that you do not trust yet" in there.out


def test_on_another_machine_the_key_is_trusted_first(seqveil, folder, elsewhere, tmp_path):
    key = tmp_path / "key.txt"
    shown = seqveil("key", "show", "--out", key).out
    elsewhere()
    before = seqveil("verify", folder)
    trusted = seqveil("key", "trust", key, "Metro")
    after = seqveil("verify", folder)
    fingerprint = json.loads(seqveil("key", "show", "--json").out)["trusted"][0]["fingerprint"]

    assert (before.code, trusted.code, after.code) == (4, 0, 0)
    assert f"(key {fingerprint})" in before.out
    assert "seqveil key trust" in before.out
    assert fingerprint in shown
    assert "Signed by 'Metro', which you trust" in after.out
    assert "no entry about this release" in after.out
    assert seqveil("key", "forget", fingerprint).code == 0
    assert seqveil("verify", folder).code == 4


def test_a_release_of_a_rotated_key_still_verifies(seqveil, folder):
    seqveil("key", "rotate")
    ran = seqveil("verify", folder)

    assert ran.code == 0
    assert "Signed by this installation" in ran.out


def test_a_release_that_we_signed_and_never_charged_is_suspicious(seqveil, folder):
    shutil.rmtree(folder.parent / "home/ledger")
    ran = seqveil("verify", folder)

    assert ran.code == 4
    assert "somebody else has the signing key" in ran.out


def test_a_stolen_key_leaves_the_ledger_to_vouch(seqveil, folder, elsewhere):
    seqveil("key", "rotate", "--stolen")
    ran = seqveil("verify", folder)

    assert ran.code == 0
    assert "reported stolen" in ran.out
    shutil.rmtree(folder.parent / "home/ledger")
    assert seqveil("verify", folder).code == 4


def test_an_experiment_is_never_signed(seqveil, tmp_path, monkeypatch):
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    table = sv.table_of([["a", "b"]] * 50, sv.Domain.of(["a", "b"]))
    out = sv.experiment(table, sv.NGram(l_max=2, n_max=2), epsilon="8.0", seed=1).save(tmp_path / "e")
    ran = seqveil("verify", out)

    assert ran.code == 4
    assert "EXPERIMENT" in ran.out
    assert not (out / SIGNATURE).exists()
    assert sv.load(out).manifest.signer is None
    assert not (tmp_path / "home/keys").exists()


def test_a_key_that_cannot_sign_costs_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path))
    keys = Keys.at()
    keys.signer()
    keys.path.write_text("damaged")
    vault = sv.Vault(sv.table_of([["a", "b"]] * 50, sv.Domain.of(["a", "b"])), sv.Record(), account="metro", cap="3.0")

    with pytest.raises(SeqveilError, match="is damaged") as error:
        vault.release(sv.NGram(l_max=2, n_max=2), epsilon="1.0")
    assert "Nothing was reserved or spent" in " ".join(error.value.__notes__)
    assert sv.Ledger().charges("metro") == []


def test_texts_of_the_data_holder_are_refused_before_anything_is_spent(tmp_path):
    table = sv.table_of([["a", "b"]] * 50, sv.Domain.of(["a", "b"]))

    with pytest.raises(SeqveilError, match="dataset_name"):
        sv.Vault(table, sv.Record(), account="metro", home=tmp_path, dataset_name="\x1b]0;")
    vault = sv.Vault(table, sv.Record(), account="metro", cap="3.0", home=tmp_path)
    with pytest.raises(SeqveilError, match="purpose"):
        vault.release(sv.NGram(l_max=2, n_max=2), epsilon="1.0", purpose="x" * 1001)
    assert sv.Ledger(tmp_path).charges("metro") == []
