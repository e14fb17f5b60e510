"""Opening a stream: the ledger is charged for the whole declared stream, once; resuming it from its state file is free."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from seqveil.errors import CallError, LedgerError
from seqveil.surface import parameter
from seqveil.wall.budget import decimal, grains
from seqveil.wall.charging import Reservation, charge
from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.mechanism import Answering, StreamMechanism
from seqveil.wall.fate import costing_nothing
from seqveil.wall.journal import statefile
from seqveil.wall.journal.journal import Journal
from seqveil.wall.journal.promise import Promise, damaged, head_bytes, read_promise
from seqveil.wall.journal.recovery import Contents
from seqveil.wall.journal.witness import Witness
from seqveil.wall.ledger import Charge, Ledger, Spend
from seqveil.wall.listener import Listener, Warnings
from seqveil.wall.measures.delta import in_parts, stated
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import SecureNoise, SeededNoise
from seqveil.wall.prepare import prepare

Epsilon = str | int | float | Decimal
S = TypeVar("S", bound=Answering)

_REHEARSED = ("1", None, "0", "2")
"""Made-up events for the rehearsal."""


def promise_of(state: str | Path) -> Promise | None:
    """What a state file promises; None where there is no file yet."""
    path = Path(state)
    if not path.exists():
        return None
    try:
        with path.open("rb") as file:
            return read_promise(path, head_bytes(file.read))[0]
    except OSError as error:
        raise CallError(f"{parameter('state', str(path))}: cannot be opened ({error.strerror}).") from None


def experiment_stream(mechanism: StreamMechanism[S], epsilon: Epsilon, seed: int, delta: Epsilon | None = None) -> S:
    """A stream with repeatable noise: NOT private, not recorded in any ledger, and without a state to resume from."""
    guarantee, noise = guarantee_of(epsilon, delta), SeededNoise(seed)
    promise = _promise(mechanism, guarantee, noise.kind, private=False)
    return mechanism.stream(Continual(mechanism.question, guarantee, noise), promise)


def guarantee_of(epsilon: Epsilon, delta: Epsilon | None = None) -> Guarantee:
    """What a stream is asked to guarantee."""
    return Guarantee(grains(epsilon), 0 if delta is None else in_parts(delta))


def open_stream(
    mechanism: StreamMechanism[S],
    epsilon: Epsilon,
    *,
    account: str,
    delta: Epsilon | None = None,
    cap: Epsilon | None = None,
    state: str | Path | None = None,
    home: str | Path | None = None,
    listener: Listener | None = None,
) -> S:
    """A new private stream: prepared, reserved, its state file written, then begun and committed before the first event.

    With δ its noise is discrete Gaussian, and the account adds up ρ of zCDP; a cap then is one of (ε, δ).
    """
    listener, path = listener or Warnings(), None if state is None else Path(state)
    with costing_nothing():
        if mechanism.experimental:
            raise CallError(mechanism.experimental)
        guarantee, ledger, noise = guarantee_of(epsilon, delta), Ledger(home), SecureNoise()
        listener.stage("preparing")
        prepare(lambda: _rehearse(mechanism, guarantee, path, _home(ledger)))
        if cap is not None:
            ledger.agree_cap(account, grains(cap), guarantee.delta)
    wanted = Reservation(account, guarantee, mechanism.question.unit, "stream " + mechanism.question.statistic.name)

    def begun(spend: Spend) -> S:
        promise = _promise(mechanism, guarantee, noise.kind, private=True, account=spend.account, spend=spend.id)
        if path is None:
            return _begun(mechanism, Continual(mechanism.question, guarantee, noise), promise, spend)
        journal = Journal.create(path, promise, _home(ledger))
        try:
            return _begun(mechanism, Continual(mechanism.question, guarantee, noise, journal), promise, spend)
        except BaseException:
            journal.close()
            with suppress(LedgerError):  # it may have begun: then the stream can be resumed from its state file
                spend.give_back()
                path.unlink(missing_ok=True)
            raise

    return charge(ledger, wanted, listener, begun)


def _begun(mechanism: StreamMechanism[S], continual: Continual, promise: Promise, spend: Spend) -> S:
    """The stream, charged: nothing that can fail without an event comes after `begin`."""
    stream = mechanism.stream(continual, promise)
    spend.begin()
    spend.commit(promise.stream, promise.digest)
    return stream


def _rehearse(mechanism: StreamMechanism[Any], guarantee: Guarantee, state: Path | None, home: Path) -> None:
    """Answer some made-up events, and try the places of the state file and of its witness."""
    noise = SecureNoise()
    promise = _promise(mechanism, guarantee, noise.kind, private=True)
    stream = mechanism.stream(Continual(mechanism.question, guarantee, noise), promise)
    stream.feed_many(_REHEARSED[: mechanism.question.length])
    if state is not None:
        statefile.try_place(state)
        Witness.try_place(home)


def reopen_stream(mechanism: StreamMechanism[S], state: str | Path, *, home: str | Path | None = None) -> S:
    """Resume a stream from its state file. Charges nothing: the whole stream was paid for when it was opened.

    Go through what was answered before with `again()` or `resume()`, then feed the first new event.
    """
    path, ledger, noise = Path(state), Ledger(home), SecureNoise()
    if not path.exists():
        raise CallError(f"{parameter('state', str(state))}: does not exist: check the path.")
    charges: list[Charge] = []

    def admit(contents: Contents) -> bool:
        charges.append(_charge(ledger, contents, path))
        check_promise(path, contents, charges[0], _expected(mechanism, contents.promise, _charged(charges[0]), noise.kind))
        return charges[0].status != "committed"

    journal = Journal.open(path, _home(ledger), admit)
    try:
        (earlier,) = charges
        stream = mechanism.stream(Continual(mechanism.question, _charged(earlier), noise, journal), journal.promise)
        if earlier.status != "committed":
            _finish(ledger, earlier, journal.promise)
    except BaseException:
        journal.close()
        raise
    return stream


def check_promise(path: Path, contents: Contents, charge: Charge, expected: Promise) -> None:
    """Refuse a head that is not what was charged: its noise and ε follow from its parameters, and the ledger has its digest.

    A stream whose opening was interrupted has no digest in the ledger yet. It has no answers either: its state may hold no
    event. Whatever question its head asks is then asked for the first time, with the noise that this question needs for
    the ε that was reserved; and from here on the ledger has the digest.
    """
    if contents.promise != expected:
        raise damaged(path, "its head does not match its own parameters and the epsilon that was charged")
    if charge.status == "committed":
        if (charge.release, charge.digest) != (contents.promise.stream, contents.promise.digest):
            raise damaged(path, "its head is not the one that the ledger recorded when the stream was opened")
    elif contents.position:
        raise damaged(path, "it holds events, but the ledger says that its opening was never finished")


def _charge(ledger: Ledger, contents: Contents, state: Path) -> Charge:
    """The ledger's record of a stream's spend; an error when it has none, or the spend was returned."""
    promise = contents.promise
    account, spent = promise.account or "", promise.spend or ""
    charges = ledger.charges(account) if any(each.name == account for each in ledger.accounts()) else []
    earlier = next((charge for charge in charges if charge.spend == spent), None)
    if earlier is None or _charged(earlier) != promise.guarantee:
        raise LedgerError(
            f"{state} was charged to account {account!r} in another ledger than {ledger.place.ledger}. Resume it with the ledger "
            f"that it was opened with (set SEQVEIL_HOME to that ledger's home), or open a new stream with another "
            f"{parameter('state')}."
        )
    if earlier.status in ("returned", "withdrawn"):
        raise LedgerError(
            f"The stream of {state} was {earlier.status}, so it cannot be resumed. "
            f"Open a new one with another {parameter('state')}."
        )
    return earlier


def _charged(charge: Charge) -> Guarantee:
    """What was charged for."""
    return Guarantee(charge.epsilon, charge.delta)


def _expected(mechanism: StreamMechanism[Any], promise: Promise, guarantee: Guarantee, noise: str) -> Promise:
    """The promise that this mechanism makes for this guarantee, under the names, the date and in the words of another."""
    if mechanism.experimental:
        raise CallError(mechanism.experimental)
    expected = _promise(mechanism, guarantee, noise, private=True, account=promise.account, spend=promise.spend)
    return replace(expected, stream=promise.stream, created=promise.created, neighbours=promise.neighbours)


def _finish(ledger: Ledger, charge: Charge, promise: Promise) -> None:
    """Begin and commit a spend whose opening was interrupted before its first event."""
    spend = Spend(ledger, charge.spend, charge.account, _charged(charge), None, None)
    if charge.status == "reserved":
        spend.begin()
    spend.commit(promise.stream, promise.digest)


def _home(ledger: Ledger) -> Path:
    return ledger.place.directory.parent


def _promise(
    mechanism: StreamMechanism[Any],
    guarantee: Guarantee,
    noise: str,
    *,
    private: bool,
    account: str | None = None,
    spend: str | None = None,
) -> Promise:
    unit = mechanism.question.unit
    return Promise(
        stream=secrets.token_hex(16),
        parameters=mechanism.parameters(),
        epsilon=decimal(guarantee.epsilon),
        unit=unit.describe(),
        neighbours=unit.neighbours,
        scale=mechanism.question.law(guarantee).value,
        noise=noise,
        private=private,
        account=account,
        spend=spend,
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        delta=stated(guarantee.delta) if guarantee.delta else None,
    )
