"""The keys of an installation: made once by whoever comes first, for their owner alone, and never forgotten."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from seqveil.errors import CallError, InputProblems, RunFailed
from seqveil.signature.ed25519 import PURPOSE, fingerprint, throwaway, valid
from seqveil.signature.keys import Keys


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys.at(tmp_path / "home")


def test_a_signature_is_of_one_text_by_one_key():
    one, other = throwaway(), throwaway()
    signature = one.sign(b"epsilon 1.0")

    assert valid(one.public, b"epsilon 1.0", signature)
    assert not valid(one.public, b"epsilon 0.1", signature)
    assert not valid(other.public, b"epsilon 1.0", signature)
    assert not valid(one.public, b"epsilon 1.0", signature[:-2])
    assert not valid("zz" * 32, b"epsilon 1.0", signature)


def test_what_is_signed_says_that_it_is_a_manifest():
    """A signature of the bare bytes, made for another purpose with the same key, is none of a manifest."""
    signer = throwaway()
    elsewhere = signer._private.sign(b"epsilon 1.0").hex()

    assert not valid(signer.public, b"epsilon 1.0", elsewhere)
    assert valid(signer.public, b"epsilon 1.0", signer._private.sign(PURPOSE + b"epsilon 1.0").hex())


def test_a_private_key_is_not_shown():
    signer = throwaway()

    assert signer.public in repr(signer)
    assert signer._private.private_bytes_raw().hex() not in repr(signer)
    assert "Ed25519PrivateKey" not in repr(signer)


def test_the_key_is_made_once_and_for_its_owner_alone(keys):
    assert keys.current() is None
    public = keys.signer().public

    assert keys.signer().public == keys.current() == public
    assert [key.public for key in keys.own()] == [public]
    assert keys.folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in keys.folder.iterdir()} == {
        "signing.key": 0o600, "own.txt": 0o600, "lock": 0o600,
    }  # fmt: skip


def test_of_many_processes_one_makes_the_key(tmp_path):
    code = "import sys; from seqveil.signature.keys import Keys; print(Keys.at(sys.argv[1]).signer().public)"
    many = [subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, text=True) for _ in range(6)]
    publics = {process.communicate()[0].strip() for process in many}

    assert publics == {Keys.at(tmp_path).current()}
    assert len(Keys.at(tmp_path).own()) == 1


def test_a_key_that_others_may_read_is_refused(keys):
    keys.signer()
    keys.path.chmod(0o640)

    with pytest.raises(RunFailed, match="can be read by other users"):
        keys.signer()


def pem(text: bytes) -> bytes:
    return b"-----BEGIN PRIVATE KEY-----\n" + text + b"\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "body",
    [b"", b"no key", pem(b"AAAA"), pem(b"MC4CAQAwBQYDK2V/BCIEI" + b"A" * 43), pem(b"MC4CAQAwBQYDK2VxBCIEI" + b"A" * 43)],
    ids=["empty", "text", "short", "a number that no algorithm has", "a number of another algorithm"],
)
def test_a_damaged_key_is_refused_and_kept(keys, body):
    keys.signer()
    keys.path.write_bytes(body)

    with pytest.raises(RunFailed, match="is damaged"):
        keys.signer()
    assert keys.path.read_bytes() == body


def test_a_link_is_not_followed(keys, tmp_path):
    keys.signer()
    keys.path.rename(tmp_path / "elsewhere")
    keys.path.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(RunFailed, match="cannot be opened"):
        keys.signer()


def test_after_a_rotation_the_old_key_is_still_our_own(keys):
    old = keys.signer().public
    new = keys.rotate().public

    assert keys.signer().public == new != old
    assert [keys.standing(public).status for public in (old, new)] == ["own", "own"]


def test_a_stolen_key_is_remembered_as_such(keys):
    old = keys.signer().public
    new = keys.rotate(stolen=True).public

    assert [keys.standing(public).status for public in (old, new)] == ["stolen", "own"]


def test_a_lost_list_of_own_keys_is_written_again(keys):
    public = keys.signer().public
    (keys.folder / "own.txt").unlink()
    keys.signer()

    assert [key.public for key in keys.own()] == [public]


def test_others_are_trusted_by_name_and_forgotten_by_fingerprint(keys):
    public = throwaway().public
    assert keys.standing(public) is None
    keys.trust(public, "Metro")
    keys.trust(public, "Metro data office")

    assert [(key.status, key.name) for key in keys.trusted()] == [("trusted", "Metro data office")]
    with pytest.raises(CallError, match="not the fingerprint of a trusted key"):
        keys.forget("0000")
    keys.forget(fingerprint(public))
    assert keys.standing(public) is None


def test_our_own_key_is_not_trusted_once_more(keys):
    with pytest.raises(CallError, match="own"):
        keys.trust(keys.signer().public, "me")


def test_lines_of_a_file_that_are_wrong_are_all_named(keys):
    keys.signer()
    (keys.folder / "trusted.txt").write_text(f"# mine\n\nnonsense\n{'ab' * 32} 2026-11-18 trusted A\n{'cd' * 32} today own B\n")

    with pytest.raises(InputProblems) as error:
        keys.trusted()
    assert error.value.problems == [f"line {n} is not 'PUBLIC-KEY DATE STATUS NAME': correct or remove it" for n in (3, 5)]
