"""What `publish` and `mine` share: prepare, reserve, begin, run, save, commit, in this order. Nothing printed depends on rows."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.console import banner, command, emit, progress, say, table
from seqveil.errors import BudgetRefused, CallError, LedgerError

if TYPE_CHECKING:
    from seqveil.places import Place
    from seqveil.sources.spool import Spool
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit
    from seqveil.wall.ledger import Ledger, Spend
    from seqveil.wall.mechanism import Mechanism


@dataclass(frozen=True)
class Order:
    """A release as it was ordered: everything public, no row read yet.

    `read` gives the table of the file, `rehearse` the table of a made-up file in the same format.
    """

    mechanism: Mechanism
    unit: Unit
    domain: Domain
    epsilon: int
    file: Spool
    read: Callable[[], Any]
    rehearse: Callable[[], Any]
    out: Path
    account: str
    seed: int | None
    as_json: bool


def account_name(file: Path) -> str:
    """The default account: the file's name without its endings.

    >>> account_name(Path("data/trips 2026.csv.gz"))
    'trips-2026'
    """
    return re.sub(r"[^\w.-]+", "-", file.name.split(".")[0]) or "data"


def refuse_place(out: Path) -> None:
    """Where no folder can be made nothing is begun: ε would be spent on a release that nobody gets."""
    try:
        if out.exists() or out.is_symlink():
            raise CallError(f"{out} exists already: choose another --out, for example {out}-2.")
        above = next(parent for parent in out.absolute().parents if parent.exists())
    except OSError as error:
        raise CallError(f"{out} cannot be made ({error.strerror}): choose another --out.") from None
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise CallError(f"{out} cannot be made: {above} is no folder that you may write to; choose another --out.")


def carry_out(order: Order) -> Path:
    """Make the release, private or as an experiment, and say where it is; returns that."""
    from seqveil.wall.mechanism import precheck

    refuse_place(order.out)
    for line in precheck(order.mechanism, order.epsilon, order.domain, order.unit).warnings:
        say(f"warning: {line}")
    release, out = _experiment(order) if order.seed is not None else _private(order)
    _tell(order, release, out)
    return out


def _private(order: Order) -> tuple[Any, Path]:
    """Prepare, reserve, begin, read and run, save, commit. Before `begin` a failure costs nothing; after it, the whole ε."""
    from seqveil.places import place_for
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.noise import SecureNoise

    name = order.mechanism.name
    with place_for(order.out) as place:
        ledger = Ledger()
        seen = _prepare(order, ledger, place)
        with _giving_back(order) as held:
            # Appended in the same step: an interrupt cannot come between a reservation and who gives it back.
            held.append(ledger.reserve(order.account, order.epsilon, unit=order.unit, mechanism=name, fingerprint=seen))
            (spend,) = held
            for remark in filter(None, (spend.warning, spend.alarm)):
                say(f"warning: {remark}")
            spend.begin()
            release = _run(order, SecureNoise())
            # The ε is spent: whatever somebody else has put there meanwhile, the release must not be lost.
            out = release.save_at(place, or_beside=True)
            spend.commit(release.manifest.release, release.digest)
    if out != order.out:
        say(f"warning: {order.out} was made by somebody else during the run, and is left alone: the release is in {out}.")
    return release, out


def _prepare(order: Order, ledger: Ledger, place: Place) -> str:
    """Everything of the run that needs no row, done once on made-up data; the fingerprint of the input."""
    from seqveil.wall.prepare import failing_early, prepare

    try:
        # The bar belongs to what is tried here: on a terminal it loads modules of its own.
        with failing_early(), progress(order.mechanism.name, quiet=order.as_json) as stage:
            stage("preparing")
            rehearsed = prepare(order.mechanism, order.rehearse(), order.unit)
            if rehearsed is not None:
                shutil.rmtree(rehearsed.save(place.work / "rehearsal"))
            return ledger.fingerprint(order.file.chunks())
    except (Exception, KeyboardInterrupt):
        say("Nothing was reserved or spent.")
        raise


@contextmanager
def _giving_back(order: Order) -> Iterator[list[Spend]]:
    """Give ε back where no row was read. Whoever stops a run, or sees it fail, is told what became of its ε.

    The block puts its spend into the list. Without one, `reserve` did not return, and has given back what it set aside.
    """
    from seqveil.wall.budget import decimal

    held: list[Spend] = []
    try:
        yield held
    except BaseException as error:
        fate = _fate(held, error)
        if held or not isinstance(error, BudgetRefused | CallError):  # these say themselves that nothing was set aside
            say(f"ε = {decimal(order.epsilon)} on account {order.account!r} {fate}")
        raise


def _fate(held: list[Spend], error: BaseException) -> str:
    """What becomes of the ε of a run that ends with an error."""
    if not held:
        return "stays reserved: the ledger could not be changed." if hasattr(error, "__notes__") else "was not charged."
    try:
        held[0].give_back()
    except LedgerError:
        return "stays spent: a run that may have read a row gives nothing back."
    return "is given back: no row was read."


def _experiment(order: Order) -> tuple[Any, Path]:
    from seqveil.wall.noise import SeededNoise

    assert order.seed is not None
    banner("EXPERIMENT")
    release = _run(order, SeededNoise(order.seed))
    return release, release.save(order.out)


def _run(order: Order, noise: Any) -> Any:
    from seqveil.wall.run import perform

    made = []
    try:
        with progress(order.mechanism.name, quiet=order.as_json) as stage:
            stage("reading")
            made.append(perform(order.mechanism, order.read(), order.unit, order.epsilon, noise, stage))
    except OSError:
        if not made:
            raise  # otherwise only the bar is broken, since its terminal has gone: no reason to lose the release
    return made[0]


def _tell(order: Order, release: Any, out: Path) -> None:
    manifest, empty = release.manifest, _is_empty(release)
    if order.as_json:
        emit(
            {
                "release": manifest.release,
                "out": str(out),
                "method": manifest.mechanism.name,
                "epsilon": manifest.epsilon,
                "unit": manifest.unit,
                "private": manifest.private,
                "account": order.account if manifest.private else None,
                "empty": empty,
            }
        )
        return
    promise = f"ε = {manifest.epsilon} for every {order.unit.name} ({manifest.neighbours})"
    say(f"{out}: {manifest.mechanism.name}, {promise}." if manifest.private else f"{out}: an experiment, not private.")
    if empty:
        say("warning: the release is empty: no count rose above the noise. Look at the input with seqveil check.")
    say(f"Look at it: {command('inspect', out)}")


def _is_empty(release: Any) -> bool:
    """Whether a release holds no synthetic record, or, where it has none to hold, no row. Told from the release alone."""
    records = getattr(release, "synthetic", None)
    held = [len(records)] if records is not None else [table.num_rows for table in release.tables().values()]
    return bool(held) and not any(held)


def show_plan(order: Order, size: int | None) -> None:
    """`--dry-run`: every stage and its ε, what to expect, without opening the data. `size` counts units of privacy."""
    from seqveil.wall.budget import decimal

    records = None if size is None else order.unit.most_records(size)
    plan = order.mechanism.plan(order.epsilon, order.domain, order.unit, records)
    if order.as_json:
        emit(
            {
                "method": order.mechanism.name,
                "parameters": order.mechanism.parameters(),
                "epsilon": decimal(order.epsilon),
                "unit": order.unit.describe(),
                "size": None if size is None else {"of": f"{order.unit.name}s", "number": size, "most_records": records},
                "stages": [{"name": n, "epsilon": decimal(e), "buys": why} for n, e, why in plan.stages],
                "predictions": plan.predictions,
                "warnings": plan.warnings,
            }
        )
        return
    table(["stage", "epsilon", "buys"], [[n, decimal(e), why] for n, e, why in plan.stages])
    if size is not None:
        of_each = f", at most {records:,} records ({order.unit.sequences:,} per user)" if order.unit.name == "user" else ""
        say(f"size: {size:,} {order.unit.name}s{of_each}")
    for line in plan.predictions:
        say(f"expect: {line}")
    for line in plan.warnings:
        say(f"warning: {line}")
    if size is None:
        say(f"Give a rough public number of {order.unit.name}s (--size 200000) to see whether noise will swamp the data.")
    say("Nothing was read and nothing was spent.")
