"""Opening a stream: the ledger is charged for the whole declared stream, once; its state file pays for every restart."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from seqveil.errors import CallError, LedgerError
from seqveil.tables.units import Event
from seqveil.wall.budget import decimal, grains
from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.stream import Stream, StreamMechanism
from seqveil.wall.journal.journal import Journal
from seqveil.wall.journal.promise import Promise, damaged, head_bytes, read_promise
from seqveil.wall.journal.recovery import Found
from seqveil.wall.ledger import Charge, Ledger, Spend
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
    amount, ledger, noise = grains(epsilon), Ledger(home), SecureNoise()
    Continual(mechanism.question, amount, noise)  # loads its kernel and sampler: what can fail without data fails uncharged
    if cap is not None:
        ledger.agree_cap(account, grains(cap))
    name = "stream " + mechanism.question.statistic.name
    with ledger.reserve(account, amount, unit=Event(), mechanism=name) as spend:
        promise = _promise(mechanism, amount, noise.kind, private=True, account=spend.account, spend=spend.id)
        journal = None if state is None else Journal.create(Path(state), promise, _home(ledger))
        try:
            stream = Stream(mechanism, Continual(mechanism.question, amount, noise, journal), promise)
            spend.begin()
            spend.commit(promise.stream, promise.digest)
        except BaseException:
            if journal is not None:
                journal.close()
            raise
    stream.warnings += [text for text in (spend.warning, spend.alarm) if text]
    return stream


def reopen_stream(mechanism: StreamMechanism, state: str | Path, *, home: str | Path | None = None) -> Stream:
    """Go on with a stream from its state file. Charges nothing: the whole stream was paid for when it was opened.

    What was answered before is gone through with `again()` or `resume()` before the first event is fed.
    """
    path, ledger, noise = Path(state), Ledger(home), SecureNoise()
    if not path.exists():
        raise CallError(f"--state {state}: there is no such file.")
    charges: list[Charge] = []

    def admit(found: Found) -> bool:
        charges.append(_charge(ledger, found, path))
        check_promise(path, found, charges[0], _expected(mechanism, found.promise, charges[0].grains, noise.kind))
        return charges[0].status != "committed"

    journal = Journal.open(path, _home(ledger), admit)
    try:
        (charge,) = charges
        stream = Stream(mechanism, Continual(mechanism.question, charge.grains, noise, journal), journal.promise)
        if charge.status != "committed":
            _finish(ledger, charge, journal.promise)
    except BaseException:
        journal.close()
        raise
    return stream


def check_promise(path: Path, found: Found, charge: Charge, expected: Promise) -> None:
    """Refuse a head that is not what was charged: its noise and ε follow from its parameters, and the ledger has its digest.

    A stream whose opening was interrupted has no digest in the ledger yet. It has no answers either: its state may hold no
    event. Whatever question its head asks is then asked for the first time, with the noise that this question needs for
    the ε that was reserved; and from here on the ledger has the digest.
    """
    if found.promise != expected:
        raise damaged(path, "its head promises something else than its own parameters and the epsilon that was charged lead to")
    if charge.status == "committed":
        if (charge.release, charge.digest) != (found.promise.stream, found.promise.digest):
            raise damaged(path, "its head is not the one that the ledger recorded when the stream was opened")
    elif found.position:
        raise damaged(path, "it holds events, but the ledger says that its opening was never finished")


def _charge(ledger: Ledger, found: Found, state: Path) -> Charge:
    """What the ledger knows of a stream's spend; an error when it does not know it, or took it back."""
    promise = found.promise
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
    return charge


def _expected(mechanism: StreamMechanism, promise: Promise, amount: int, noise: str) -> Promise:
    """The promise that this mechanism makes for this ε, under the names, the date and in the words of another."""
    if mechanism.experimental:
        raise CallError(mechanism.experimental)
    made = _promise(mechanism, amount, noise, private=True, account=promise.account, spend=promise.spend)
    return replace(made, stream=promise.stream, created=promise.created, neighbours=promise.neighbours)


def _finish(ledger: Ledger, charge: Charge, promise: Promise) -> None:
    """Begin and commit a spend whose opening was interrupted before its first event."""
    spend = Spend(ledger, charge.spend, charge.account, charge.grains, None, None)
    if charge.status == "reserved":
        spend.begin()
    spend.commit(promise.stream, promise.digest)


def _home(ledger: Ledger) -> Path:
    return ledger.place.directory.parent


def _promise(
    mechanism: StreamMechanism,
    amount: int,
    noise: str,
    *,
    private: bool,
    account: str | None = None,
    spend: str | None = None,
) -> Promise:
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
        account=account,
        spend=spend,
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    )
