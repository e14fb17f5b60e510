"""`seqveil verify`: files, manifest and signature of a release, and whether it is the one that the ledger was charged for."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

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


def test_the_readme_names_whom_to_ask(folder):
    """As its last line, so that no text of the data holder stands before the guarantee."""
    text = (folder / "README.txt").read_text()

    assert "The data holder states: dataset: Taps <b>; contact: x@y; purpose: planning" == text.splitlines()[-1]


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


@pytest.mark.parametrize("verb", ["verify", "inspect"])
def test_an_altered_copy_is_called_altered(seqveil, folder, elsewhere, verb):
    """One edited number leaves sums that do not add up; what is said is that the signature does not match, and what to do."""
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace('"epsilon": "1.0"', '"epsilon": "0.1"', 1))
    elsewhere()
    ran = seqveil(verb, folder)
    said = " ".join(ran.err.split())

    assert (ran.code, ran.out) == (1, "")
    assert "ALTERED: manifest.json is not what was signed. The signature in manifest.sig does not match it" in said
    assert "It now claims epsilon = 0.1, README.txt says 1.0: believe neither. Do not use this copy. Ask the publisher" in said
    assert "add up" not in said


def test_a_manifest_that_is_no_longer_json_was_altered_too(seqveil, folder):
    text = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(text[:-20] + b"\xff")

    assert "ALTERED" in seqveil("verify", folder).err


def test_json_is_one_object_whatever_happened(seqveil, folder, tmp_path):
    """Verified, altered, and no release at all; the exit code is in it, too."""
    fine = seqveil("verify", folder, "--json")
    (folder / "manifest.json").write_bytes((folder / "manifest.json").read_bytes() + b" ")
    altered = seqveil("verify", folder, "--json")
    nothing = seqveil("verify", tmp_path / "nowhere", "--json")
    facts = [json.loads(ran.out) for ran in (fine, altered, nothing)]

    assert [True, False, False] == [each["established"] for each in facts]
    assert [1, 2] == [altered.code, nothing.code] == [each["exit_code"] for each in facts[1:]]
    assert "ALTERED" in facts[1]["error"]
    assert "does not exist" in facts[2]["error"]
    assert "Taps <b>" == facts[0]["holder"]["dataset"]


def test_what_the_publisher_did_not_state_is_to_be_asked_for(seqveil, tmp_path, monkeypatch):
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    table = sv.table_of([["a", "b"]] * 50, sv.Domain.of(["a", "b"], public_because="a published list"))
    vault = sv.Vault(table, sv.Record(), account="metro", cap="3.0")
    vault.release(sv.NGram(l_max=2, n_max=2), epsilon="1.0", out=tmp_path / "release", purpose="planning")
    asked = "The manifest names no dataset and no contact: receivers should ask for them."

    assert asked in " ".join(seqveil("verify", tmp_path / "release").out.split())
    assert asked in " ".join(seqveil("inspect", tmp_path / "release").out.split())


def test_a_machine_that_never_published_has_no_key_to_show(seqveil, tmp_path, monkeypatch):
    """Looking makes none; it says how one is made."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    shown, facts = seqveil("key", "show"), json.loads(seqveil("key", "show", "--json").out)

    assert 0 == shown.code
    assert "no signing key yet" in shown.out
    assert "seqveil key rotate" in shown.out
    assert (None, None) == (facts["key"], facts["fingerprint"])
    assert 2 == seqveil("key", "show", "--out", tmp_path / "key.txt").code
    assert not (tmp_path / "home").exists()
    assert 0 == seqveil("key", "rotate").code
    assert "Fingerprint" in seqveil("key", "show").out


@pytest.mark.parametrize(("name", "advice"), [("release.zip", True), ("release.tar.gz", True), ("manifest.json", False)])
def test_an_archive_is_to_be_unpacked(seqveil, tmp_path, name, advice):
    """What arrives by mail is one file."""
    (tmp_path / name).write_bytes(b"PK")
    ran = seqveil("verify", tmp_path / name)

    assert 2 == ran.code
    assert "give the folder of a release" in ran.err
    assert advice == ("Unpack an archive first." in " ".join(ran.err.split()))


def test_a_verdict_shows_what_it_establishes(folder, elsewhere):
    """In a notebook the last line of a cell is all that many people look at."""
    assert repr(sv.verify(folder)).startswith("Verified: ")
    elsewhere()

    assert repr(sv.verify(folder)).startswith("NOT ESTABLISHED: ")


@pytest.mark.skipif(not (shutil.which("openssl") and shutil.which("perl")), reason="needs openssl and perl")
def test_the_recipe_without_seqveil_checks_signature_and_files(folder):
    """The commands of docs/verify.md, as they stand there: they accept the release, and refuse an altered one."""
    page = (Path(__file__).parents[2] / "docs/verify.md").read_text()
    recipe = page.split("```sh\n")[1].split("```")[0]

    def run():
        return subprocess.run(["sh", "-c", recipe], cwd=folder.parent, capture_output=True, text=True, check=False).stdout

    fine, listed = run(), sv.load(folder).manifest.files
    (folder / "README.txt").write_text("trust me")
    (folder / "manifest.json").write_bytes((folder / "manifest.json").read_bytes() + b" ")
    altered = run()

    assert "Signature Verified Successfully" in fine
    assert len(listed) == fine.count(": OK")
    assert "FAILED" not in fine  # the manifest has other digests too, such as that of the domain
    assert "Signature Verified Successfully" not in altered
    assert "README.txt: FAILED" in altered
