"""The one lifecycle of a release: prepare → reserve → begin → read, ask, fit → save → commit.

Every caller goes through here: the command line, `Vault`, `link base`, and streams, which share `charge` (charging.py). What
holds for all of them:

- Whatever can be refused or fail without the data is refused or fails before anything is reserved (`prepare.py`).
- `begin` is durable before the first row is read; `commit` comes after the release is durable, with the digest of its manifest.
- There is no moment between a reservation and who returns it: an interrupt finds either no reservation, or one that is returned,
  or a run that has begun, whose ε remains charged.
- The exception that ends a run says what became of its ε (`fate.py`).
- A listener that breaks costs nothing before `begin`, and loses nothing after it.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from seqveil.facts import NOTHING_STATED, Holder
from seqveil.logs import note
from seqveil.places import Place, place_for
from seqveil.signature.ed25519 import Signer
from seqveil.signature.keys import Keys
from seqveil.tables.units import Unit
from seqveil.wall import fate
from seqveil.wall.charging import Reservation, charge
from seqveil.wall.input import Input
from seqveil.wall.ledger import Ledger, Spend
from seqveil.wall.ledger.ledger import Home
from seqveil.wall.listener import Guarded, Listener
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.mechanism import Mechanism, Sealed, guaranteed, precheck
from seqveil.wall.noise import SecureNoise
from seqveil.wall.noise.digits import load_compiled
from seqveil.wall.prepare import prepare
from seqveil.wall.rehearsal import rehearse
from seqveil.wall.run import perform
from seqveil.wall.stated import check_stated

log = logging.getLogger("seqveil.run")
"""What is logged is public: see `logs`."""

R = TypeVar("R", bound=Sealed)


@dataclass(frozen=True, slots=True)
class Request(Generic[R]):
    """A release that is asked for: everything in it is public, and no row was read. `out` is the folder to save it in.

    `holder` is what the data holder states about it; the account in it is filled in. `once` is a key: the account is charged
    for it at most once. With δ, in parts of 10⁻¹⁸, the run is charged in zCDP.
    """

    input: Input
    mechanism: Mechanism[R]
    unit: Unit
    epsilon: int
    account: str
    out: Path | None = None
    home: Home = None
    holder: Holder = NOTHING_STATED
    once: str | None = None
    delta: int = 0

    @property
    def guarantee(self) -> Guarantee:
        """What the release will promise."""
        return guaranteed(self.mechanism, self.epsilon, self.delta)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """A release that is committed, and the folder that it is saved in, if any."""

    release: R
    folder: Path | None


def carry_out(request: Request[R], listener: Listener) -> Outcome[R]:
    """A release, from its request to its entry in the ledger."""
    with ExitStack() as stack:
        with fate.costing_nothing():
            if request.once is not None:
                Ledger(request.home).refuse_again(request.account, request.once)
            input, unit = request.input, request.unit
            plan = precheck(request.mechanism, request.epsilon, input.domain, unit, input.kind, request.delta)
            for warning in plan.warnings:
                listener.warn(warning)
            place = None if request.out is None else stack.enter_context(place_for(request.out))
            check_stated(request.holder)
            ledger = Ledger(request.home)
            listener.stage("preparing")
            signer = Keys.at(request.home).signer()
            signer.sign(b"rehearsal")  # no manifest: whatever keeps the key from signing is found out now
            fingerprint = prepare(lambda: _rehearse(request, place, ledger))
        wanted = Reservation(request.account, request.guarantee, request.unit, request.mechanism.name, fingerprint, request.once)
        return charge(ledger, wanted, listener, lambda spend: _run(request, place, spend, signer, Guarded(listener)))


def _rehearse(request: Request[Any], place: Place | None, ledger: Ledger) -> str:
    """Everything of the run that needs no row, done once on simulated data; the fingerprint of the input."""
    load_compiled()  # a rehearsal draws too little to need it
    rehearsed = rehearse(request.mechanism, request.input, request.unit, request.delta)
    if rehearsed is not None and place is not None:
        shutil.rmtree(rehearsed.save(place.work / "rehearsal"))
    elif rehearsed is not None:
        rehearsed.digest  # noqa: B018 — renders every file, as the real release will be
    return ledger.fingerprint(request.input.chunks())


def _run(request: Request[R], place: Place | None, spend: Spend, signer: Signer, listener: Guarded) -> Outcome[R]:
    """Before `begin` a failure costs nothing; after it, the whole ε."""
    spend.begin()
    note(log, "begun", account=spend.account)
    listener.stage("reading")
    table = request.input.read()
    release = perform(
        request.mechanism,
        table,
        request.unit,
        request.epsilon,
        SecureNoise(),
        listener.stage,
        replace(request.holder, account=spend.account),
        signer,
        request.delta,
    )
    sealed = cast(Any, release)
    folder = None
    spend.check_process()  # a child that was forked meanwhile has run, too: one ε is for one release
    if place is not None:
        listener.stage("saving")
        # The ε is spent: whatever somebody else has put there meanwhile, the release must not be lost.
        folder = sealed.save_at(place, or_beside=True)
    try:
        spend.commit(sealed.manifest.release, sealed.digest)
    except BaseException as error:
        if folder is not None:
            fate.tell_fate(error, fate.saved(request.account, request.guarantee, folder))
        raise
    note(log, "committed", account=spend.account, release=sealed.manifest.release, digest=sealed.digest)
    if folder != request.out:
        listener.warn(f"{request.out} was created by another program during the run. The release is in {folder} instead.")
    return Outcome(release, folder)
