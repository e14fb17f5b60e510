"""The keys of an installation: its own signing key, the public keys it had before, and the keys of others that it trusts.

    $SEQVEIL_HOME/keys/              0700
      signing.key                    0600, the private key (PKCS #8, PEM)
      own.txt                        every public key that this installation ever had
      trusted.txt                    public keys of others

The signing key is made at its first use. Whoever makes or changes a file holds the lock on `lock`, so that of several processes
one makes the key and the others read it. A new public key is on disk in own.txt before its private half is: a crash in between
leaves a public key too many, never a signature by a key that nobody knows.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from seqveil.durable import make_directory, sync_upwards
from seqveil.errors import CallError, RunFailed
from seqveil.home import home as default_home
from seqveil.signature.curve import usable
from seqveil.signature.ed25519 import Signer, fingerprint, signer_from, throwaway
from seqveil.signature.keyfile import KnownKey, Status, read_keys, today, write_keys
from seqveil.surface import parameter
from seqveil.whole import INTERNAL, write_whole

OWN = "Public keys that this installation of Seqveil signs or has signed releases with."
TRUSTED = "Public keys of others whose releases this installation of Seqveil accepts."
_MOST_KEY = 1 << 14


@dataclass(frozen=True, slots=True)
class Keys:
    """The folder of keys under a home; `Keys.at()` is that of this user."""

    folder: Path

    @classmethod
    def at(cls, home: str | os.PathLike[str] | None = None) -> Keys:
        """The keys under a home; None for `$SEQVEIL_HOME` or the user's data directory."""
        return cls((default_home() if home is None else Path(home).absolute()) / "keys")

    @property
    def path(self) -> Path:
        """Where the private key is."""
        return self.folder / "signing.key"

    def signer(self) -> Signer:
        """The signing key, made if there is none. Whatever is wrong with it is raised here, before anything is spent.

        >>> import tempfile
        >>> home = tempfile.mkdtemp()
        >>> Keys.at(home).signer().public == Keys.at(home).signer().public
        True
        """
        with self._alone():
            signer = self._read()
            if signer is None:
                return self._adopt(throwaway())
            if signer.public not in {key.public for key in self.own()}:  # own.txt was lost
                self._add_own(signer.public)
            return signer

    def current(self) -> str | None:
        """The public half of the signing key; None where none was made yet."""
        signer = self._read()
        return None if signer is None else signer.public

    def rotate(self, stolen: bool = False) -> Signer:
        """A new signing key. Releases of the old one still verify, unless it was stolen; its private half is destroyed."""
        with self._alone():
            old = self._read()
            if stolen and old is not None:
                marked = [replace(key, status="stolen") if key.public == old.public else key for key in self.own()]
                write_keys(self.folder / "own.txt", marked, OWN)
            return self._adopt(throwaway())

    def own(self) -> list[KnownKey]:
        """Every public key that this installation had, oldest first."""
        return read_keys(self.folder / "own.txt")

    def trusted(self) -> list[KnownKey]:
        """The public keys of others that are trusted."""
        return read_keys(self.folder / "trusted.txt")

    def trust(self, public: str, name: str) -> KnownKey:
        """Accept the signatures of a key from now on; trusting it again changes its name."""
        if not usable(public):
            raise CallError(
                f"{public} is not a public key that can be trusted: it is no point of the Ed25519 curve, or one of small order, "
                "for which anybody can sign. Check it for typing errors; ask the publisher for the output of `seqveil key show`."
            )
        with self._alone():
            if any(key.public == public for key in self.own()):
                raise CallError(f"the key {fingerprint(public)} is this installation's own: there is nothing to trust.")
            key = KnownKey(public, today(), "trusted", name)
            others = [each for each in self.trusted() if each.public != public]
            write_keys(self.folder / "trusted.txt", [*others, key], TRUSTED)
        return key

    def forget(self, given: str) -> KnownKey:
        """No longer trust a key, given by its fingerprint or its digits."""
        with self._alone():
            keys = self.trusted()
            leaving = next((key for key in keys if given.lower() in (key.public, key.fingerprint)), None)
            if leaving is None:
                listed = ", ".join(key.fingerprint for key in keys) or "none"
                raise CallError(f"{given!r} is not the fingerprint of a trusted key. Trusted keys: {listed}.")
            write_keys(self.folder / "trusted.txt", [key for key in keys if key != leaving], TRUSTED)
        return leaving

    def standing(self, public: str) -> KnownKey | None:
        """What this installation knows about a key; None where it does not know it."""
        return next((key for key in [*self.own(), *self.trusted()] if key.public == public), None)

    def _adopt(self, signer: Signer) -> Signer:
        """Make a key the signing key, durably: its public half first."""
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        self._add_own(signer.public)
        text = signer._private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        write_whole(self.path, text, mode=INTERNAL, overwrite=True)
        sync_upwards(self.folder)
        return signer

    def _add_own(self, public: str, status: Status = "own") -> None:
        write_keys(self.folder / "own.txt", [*self.own(), KnownKey(public, today(), status)], OWN)

    def _read(self) -> Signer | None:
        """The key in the file; refused where others could have read it."""
        from cryptography.exceptions import InternalError, UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RunFailed(f"The signing key {self.path} cannot be opened: {error.strerror}.") from None
        with os.fdopen(handle, "rb") as file:
            mode = os.fstat(handle).st_mode
            if not stat.S_ISREG(mode):
                raise RunFailed(f"The signing key {self.path} is not a regular file: remove it, and a new key is made.")
            if mode & 0o077:
                raise RunFailed(
                    f"The signing key {self.path} can be read by other users of this machine. If nobody did, type: chmod 600 "
                    f"{self.path}. Otherwise replace the key after that: seqveil key rotate {parameter('stolen', 'True')}"
                )
            text = file.read(_MOST_KEY)
        try:
            private = load_pem_private_key(text, None)
        except (ValueError, TypeError, UnsupportedAlgorithm, InternalError):  # the last one is OpenSSL's about a changed byte
            private = None
        if not isinstance(private, Ed25519PrivateKey):
            raise RunFailed(
                f"The signing key {self.path} is damaged. Restore it from your backup, or move it away: the next release then "
                "makes a new key, and releases that were signed with the old one still verify."
            )
        return signer_from(private)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While this holds no other process makes or changes keys here."""
        try:
            make_directory(self.folder, 0o700)
            if self.folder.stat().st_mode & 0o077:
                os.chmod(self.folder, 0o700)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise RunFailed(f"The folder of keys {self.folder} cannot be used: {error.strerror}.") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
