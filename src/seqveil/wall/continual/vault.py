"""Opening a stream: the ledger is charged for the whole declared stream, once; its state file pays for every restart."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from seqveil.errors import CallError, LedgerError
from seqveil.tables.units import Event
from seqveil.wall.budget import decimal, grains
from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.journal import Journal
from seqveil.wall.continual.promise import Promise, head_bytes, read_promise
from seqveil.wall.continual.stream import Stream, StreamMechanism
from seqveil.wall.continual.witness import Witness
from seqveil.wall.ledger import Ledger, Spend
from seqveil.wall.noise import SecureNoise, SeededNoise

Epsilon = str | int | float | Decimal


def promise_of(state: str | Path) -> Promise | None:
    """What a state file promises; None where there is no file yet."""
    path = Path(state)
    if not path.exists():
        return None
    try:
        with path.open("rb") as file:
            return read_promise(path, head_bytes(file.read))[0]
    except OSError as error:
        raise CallError(f"--state {path}: cannot be opened ({error.strerror}).") from None


def experiment_stream(mechanism: StreamMechanism, epsilon: Epsilon, seed: int) -> Stream:
    """A stream with repeatable noise: NOT private, no ledger knows of it, and it has no state to restart from."""
    amount, noise = grains(epsilon), SeededNoise(seed)
    promise = _promise(mechanism, amount, noise.kind, private=False)
    return Stream(mechanism, Continual(mechanism.question, amount, noise), promise)


def open_stream(
    mechanism: StreamMechanism,
    epsilon: Epsilon,
    *,
    account: str,
    cap: Epsilon | None = None,
    state: str | Path | None = None,
    home: str | Path | None = None,
) -> Stream:
    """A new private stream: reserved, its state file written, then begun and committed before the first event."""
    if mechanism.experimental:
        raise CallError(mechanism.experimental)
    amount, ledger = grains(epsilon), Ledger(home)
    mechanism.question.scale(amount)  # refuses what cannot be noised before anything is charged
    if cap is not None:
        ledger.agree_cap(account, grains(cap))
    name = "stream " + mechanism.question.statistic.name
    with ledger.reserve(account, amount, unit=Event(), mechanism=name) as spend:
        promise = _promise(mechanism, amount, SecureNoise.kind, private=True, spend=spend)
        journal = None if state is None else _fresh_journal(Path(state), promise, _home(ledger))
        spend.begin()
        spend.commit(promise.stream, promise.digest)
    stream = Stream(mechanism, Continual(mechanism.question, amount, SecureNoise(), journal), promise)
    stream.warnings += [text for text in (spend.warning, spend.alarm) if text]
    return stream


def reopen_stream(mechanism: StreamMechanism, state: str | Path, *, home: str | Path | None = None) -> Stream:
    """Go on with a stream from its state file. Charges nothing: the whole stream was paid for when it was opened.

    The caller goes through `again()` or `resume()` before the first event is fed.
    """
    promise, ledger = promise_of(state), Ledger(home)
    if promise is None:
        raise CallError(f"--state {state}: there is no such file.")
    _settle(ledger, promise, Path(state))
    journal = Journal.open(Path(state), _home(ledger))
    amount = grains(promise.epsilon)
    return Stream(mechanism, Continual(mechanism.question, amount, SecureNoise(), journal), promise)


def _fresh_journal(state: Path, promise: Promise, home: Path) -> Journal:
    Journal.create(state, promise)
    try:
        Witness.of(home, promise.stream).create()
        return Journal.open(state, home)
    except BaseException:
        state.unlink()  # its reservation goes back, so nothing could ever go on from it
        raise


def _settle(ledger: Ledger, promise: Promise, state: Path) -> None:
    """The ledger must know the spend. One that was interrupted before its first event is finished here."""
    account, spent = promise.account or "", promise.spend or ""
    known = {charge.spend: charge for each in ledger.accounts() if each.name == account for charge in ledger.charges(account)}
    charge = known.get(spent)
    if charge is None or charge.grains != grains(promise.epsilon):
        raise LedgerError(
            f"{state} was paid from account {account!r} in another ledger than {ledger.place.ledger}. Go on with it where it was "
            "opened (set SEQVEIL_HOME to that ledger's home), or open a new stream with another --state."
        )
    if charge.status in ("returned", "withdrawn"):
        raise LedgerError(f"The stream of {state} was {charge.status}: it cannot go on. Open a new one with another --state.")
    if charge.status != "committed":
        # No event was answered before the commit, so a missing witness is just one that was never made.
        Witness.of(_home(ledger), promise.stream).create()
        spend = Spend(ledger, spent, account, charge.grains, None, None)
        if charge.status == "reserved":
            spend.begin()
        spend.commit(promise.stream, promise.digest)


def _home(ledger: Ledger) -> Path:
    return ledger.place.directory.parent


def _promise(mechanism: StreamMechanism, amount: int, noise: str, *, private: bool, spend: Spend | None = None) -> Promise:
    unit = Event()
    return Promise(
        stream=secrets.token_hex(16),
        parameters=mechanism.parameters(),
        epsilon=decimal(amount),
        unit=unit.describe(),
        neighbours=unit.neighbours,
        scale=mechanism.question.scale(amount).value,
        noise=noise,
        private=private,
        account=spend.account if spend else None,
        spend=spend.id if spend else None,
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    )
