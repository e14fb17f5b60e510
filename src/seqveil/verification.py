"""Whether a release can be believed: its files, its signature, and what the ledger of this machine says about it.

A release that contradicts itself or the ledger is refused with an error. For the others a verdict says what is established.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seqveil.errors import SeqveilError
from seqveil.facts import NOTHING_STATED, Holder
from seqveil.release import Release, load
from seqveil.release.manifest import Manifest
from seqveil.release.schema import grains
from seqveil.release.standing import Standing, standing

Home = str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What the ledger of this machine says about a release: account, status and ε of its charge, and its digest."""

    account: str
    status: str
    epsilon: str
    digest: str
    delta: str | None = None

    @property
    def charged(self) -> str:
        """ε, with its δ where there is one."""
        return f"ε = {self.epsilon}" + (f", δ = {self.delta}" if self.delta else "")


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """A release whose files and signature are what its manifest says. It shows itself as the sentence that sums it up.

    `entry` is None where the ledger of this machine has no entry about it; otherwise the ledger has this very manifest.
    """

    release: str
    digest: str
    private: bool
    files: int
    signature: Standing
    entry: Entry | None
    holder: Holder = NOTHING_STATED

    @property
    def unrecorded(self) -> bool:
        """Signed with a key of this installation, whose ledger should therefore know it, and does not."""
        return self.signature.state == "own" and self.entry is None

    @property
    def established(self) -> bool:
        """Whether it is known who vouches for the manifest: a key that is trusted, or the ledger of this machine itself."""
        return self.private and (self.entry is not None or (self.signature.established and not self.unrecorded))

    @property
    def sentences(self) -> list[str]:
        """For people, one fact each."""
        said = [f"{self.files:,} files are what the manifest says."]
        if not self.private:
            return [*said, "This is an EXPERIMENT: not private, never signed, and in no ledger."]
        said.append(self.signature.sentence)
        if self.signature.state == "unknown":
            said.append(
                "Ask the publisher, on another channel than the one the release came by, whether this is the fingerprint of "
                f"their key. If it is, type: seqveil key trust {self.signature.key} PUBLISHER"
            )
        if self.entry is not None:
            entry = self.entry
            said.append(f"The ledger has the same digest, on account {entry.account!r}, {entry.charged} ({entry.status}).")
        elif self.unrecorded:
            said.append(
                "The ledger of this machine has no entry about it: the run was interrupted before it was committed, the ledger "
                "is another one, or somebody else has the signing key. Compare: seqveil ledger show"
            )
        else:
            said.append("The ledger of this machine has no entry about this release.")
        return [*said, self.holder.remark] if self.holder.remark else said

    @property
    def sentence(self) -> str:
        """All of it, after a word that sums it up."""
        return f"{'Verified' if self.established else 'NOT ESTABLISHED'}: {' '.join(self.sentences)}"

    def __repr__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """As one JSON object."""
        entry = self.entry
        return {
            "release": self.release,
            "digest": self.digest,
            "private": self.private,
            "files": self.files,
            "established": self.established,
            "signature": self.signature.to_dict(),
            "ledger": None
            if entry is None
            else {
                "account": entry.account,
                "status": entry.status,
                "epsilon": entry.epsilon,
                **({} if entry.delta is None else {"delta": entry.delta}),
            },
            "holder": asdict(self.holder),
        }


def entry_of(release: Release, home: Home = None) -> Entry | None:
    """What the ledger of this machine says about a release."""
    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.measures.delta import stated

    ledger = Ledger(home)
    for account in ledger.accounts():
        for charge in ledger.charges(account.name):
            if charge.release == release.manifest.release:
                delta = stated(charge.delta) if charge.delta else None
                return Entry(account.name, charge.status, decimal(charge.epsilon), charge.digest, delta)
    return None


def verify(release: Release | str | Path, home: Home = None) -> Verdict:
    """The verdict on a release: given as its folder, which is read and checked, or as a release that was loaded.

    Raises where something contradicts: a changed file, a signature that does not fit, or another digest or ε in the ledger.
    """
    opened = release if isinstance(release, Release) else load(release)
    manifest, entry = opened.manifest, entry_of(opened, home)
    refuse_false_curve(manifest)
    if entry is not None:
        _agree(opened, entry)
    signature = standing(manifest.signer, home)
    return Verdict(manifest.release, opened.digest, manifest.private, len(manifest.files), signature, entry, manifest.holder)


def _agree(release: Release, entry: Entry) -> None:
    """Refuse a release that is not the one that the ledger was charged for."""
    manifest, here = release.manifest, f"the ledger (account {entry.account!r})"
    if entry.digest != release.digest:
        raise SeqveilError(
            f"The files match their manifest, but {here} has another digest of it: "
            "this is not the folder that was committed. Copy the release again from where it was published."
        )
    delta = None if manifest.zcdp is None else manifest.zcdp.delta
    if (entry.epsilon, entry.delta) != (manifest.epsilon, delta) or manifest.holder.account not in (None, entry.account):
        stated = f"{manifest.promised} on account {manifest.holder.account!r}"
        raise SeqveilError(f"The manifest states {stated}, but {here} was charged {entry.charged} for this release.")


def refuse_false_curve(manifest: Manifest) -> None:
    """Refuse a manifest that promises more than its ρ implies: ε at its δ, and the curve, are computed again from ρ."""
    from seqveil.wall.budget import decimal
    from seqveil.wall.measures.delta import PARTS, in_parts
    from seqveil.wall.measures.zcdp import epsilon_of

    if manifest.zcdp is None:
        return
    zcdp = manifest.zcdp
    rho, thresholds = grains(zcdp.rho), 0 if zcdp.thresholds is None else in_parts(zcdp.thresholds)
    for delta, epsilon in [(zcdp.delta, manifest.epsilon), *zcdp.curve.items()]:
        left = in_parts(delta) - thresholds
        true = epsilon_of(rho, left) if 0 < left < PARTS else None
        if true is None or grains(epsilon) < true:
            follows = "no ε follows" if true is None else f"only ε = {decimal(true)} follows"
            raise SeqveilError(
                f"The manifest states ε = {epsilon} at δ = {delta}, but from its ρ = {zcdp.rho} {follows}: it promises more than "
                "it keeps. Do not rely on this release; ask its publisher."
            )
