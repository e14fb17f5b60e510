"""What `publish`, `mine` and `link base` share: one run of the lifecycle, on a terminal. Nothing printed depends on rows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.console import banner, command, emit, progress, say, table
from seqveil.errors import AlreadyRun, CallError

if TYPE_CHECKING:
    from seqveil.facts import Holder
    from seqveil.tables.units import Unit
    from seqveil.wall.input import Input
    from seqveil.wall.measures.guarantee import Guarantee
    from seqveil.wall.mechanism import Mechanism


@dataclass(frozen=True)
class Order:
    """A release as it was ordered: everything public, no row read yet."""

    mechanism: Mechanism[Any]
    unit: Unit
    epsilon: int
    input: Input
    out: Path
    account: str
    seed: int | None
    as_json: bool
    holder: Holder
    once: str | None = None
    delta: int = 0

    @property
    def guarantee(self) -> Guarantee:
        """What the release will promise."""
        from seqveil.wall.mechanism import guaranteed

        return guaranteed(self.mechanism, self.epsilon, self.delta)


def account_name(file: Path) -> str:
    """The default account: the file's name without its endings, or for a pattern the name of the folder.

    >>> account_name(Path("data/trips 2026.csv.gz")), account_name(Path("hdfs://nn/taps/*.parquet"))
    ('trips-2026', 'taps')
    """
    name = file.parent.name if "*" in file.name else file.name
    return re.sub(r"[^\w.-]+", "-", name.split(".")[0]) or "data"


def refuse_place(out: Path) -> None:
    """Where no folder can be made nothing is begun: ε would be spent on a release that nobody gets."""
    try:
        if out.exists() or out.is_symlink():
            raise CallError(f"{out} exists already: choose another --out, for example {out}-2.")
        above = next(parent for parent in out.absolute().parents if parent.exists())
    except OSError as error:
        raise CallError(f"{out} cannot be created ({error.strerror}): choose another --out.") from None
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise CallError(f"{out} cannot be created: {above} is not a folder that you may write to; choose another --out.")


def carry_out(order: Order) -> Path:
    """Make the release, private or as an experiment, and say where it is; returns that."""
    with saying_fate(), Terminal(order.mechanism.name, quiet=order.as_json) as terminal:
        release, out = _experiment(order, terminal) if order.seed is not None else _private(order, terminal)
    _summarize(order, release, out)
    return out


def _private(order: Order, terminal: Terminal) -> tuple[Any, Path]:
    from seqveil.wall import lifecycle

    request = lifecycle.Request(
        order.input,
        order.mechanism,
        order.unit,
        order.epsilon,
        order.account,
        order.out,
        holder=order.holder,
        once=order.once,
        delta=order.delta,
    )
    outcome = lifecycle.carry_out(request, terminal)
    return outcome.release, outcome.folder or order.out


def _experiment(order: Order, terminal: Terminal) -> tuple[Any, Path]:
    from seqveil.wall.budget import decimal
    from seqveil.wall.measures.delta import stated
    from seqveil.wall.vault import experiment

    refuse_place(order.out)
    banner("EXPERIMENT")
    release = experiment(
        order.input,
        order.mechanism,
        decimal(order.epsilon),
        seed=order.seed,
        delta=stated(order.delta) if order.delta else None,
        unit=order.unit,
        listener=terminal,
        holder=order.holder,
    )
    return release, release.save(order.out)


class Terminal:
    """The listener of a command: stages move a bar on a terminal, warnings are lines on stderr."""

    def __init__(self, what: str, quiet: bool) -> None:
        self._what, self._quiet = what, quiet
        self._bar = ExitStack()
        self._move: Callable[[str], None] | None = None

    def stage(self, name: str) -> None:
        if self._move is None:
            self._move = self._bar.enter_context(progress(self._what, quiet=self._quiet))
        self._move(name)

    def warn(self, text: str) -> None:
        self._stop()  # a line that is printed while a bar moves would be torn
        say(f"warning: {text}")

    def _stop(self) -> None:
        self._move = None
        with suppress(OSError):  # the terminal has gone: no reason to lose a release
            self._bar.close()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()


@contextmanager
def done_once(as_json: bool) -> Iterator[None]:
    """A run that happens once and is done already: that is what was wanted, so it is no error."""
    try:
        yield
    except AlreadyRun as again:
        if again.release is None:
            raise
        if as_json:
            emit({"release": again.release, "account": again.account, "once": again.once, "already": True})
        say(str(again))


@contextmanager
def saying_fate() -> Iterator[None]:
    """When a run is stopped or fails, its message says what became of its ε."""
    try:
        yield
    except BaseException as error:
        from seqveil.wall.fate import fates

        if not isinstance(error, AlreadyRun):  # which says so itself
            for fate in fates(error):
                say(fate)
        raise


def _summarize(order: Order, release: Any, out: Path) -> None:
    manifest, empty = release.manifest, release.empty
    if order.as_json:
        emit(
            {
                "release": manifest.release,
                "out": str(out),
                "method": manifest.mechanism.name,
                "epsilon": manifest.epsilon,
                **({} if manifest.zcdp is None else {"delta": manifest.zcdp.delta, "rho": manifest.zcdp.rho}),
                "unit": manifest.unit,
                "private": manifest.private,
                "account": order.account if manifest.private else None,
                "empty": empty,
            }
        )
        return
    promise = f"{manifest.promised} for every {order.unit.name} ({manifest.neighbours})"
    say(
        f"{out}: {manifest.mechanism.name}, {promise}."
        if manifest.private
        else f"{out}: an experiment, not differentially private."
    )
    if empty:
        say("warning: the release is empty: no count exceeded the noise. Check the input with seqveil check.")
    say(f"To inspect it: {command('inspect', out)}")


def show_plan(order: Order, size: int | None, length: float | None = None) -> None:
    """`--dry-run`: every stage and its ε, what to expect, without opening the data. `size` counts units of privacy.

    What would be refused is refused here, too. With a size the method is tried on simulated data, which takes a second or two.
    """
    from seqveil.wall.budget import decimal, too_large
    from seqveil.wall.measures.delta import stated, too_crowded, too_likely
    from seqveil.wall.measures.measure import SYMBOL
    from seqveil.wall.mechanism import planned, precheck

    precheck(order.mechanism, order.epsilon, order.input.domain, order.unit, order.mechanism.kind, order.delta)
    records = None if size is None else order.unit.most_records(size)
    plan = planned(order.mechanism, order.guarantee, order.input.domain, order.unit, records)
    simulated, foreseen = ([], []) if size is None else _foreseen(order, size, length)
    predictions = [*plan.predictions, *simulated]
    name, delta = order.unit.name, order.delta
    said = [too_large(order.epsilon, name), too_likely(delta, name), too_crowded(delta, size, name)]
    warnings = [*plan.warnings, *foreseen, *filter(None, said)]
    column = "epsilon" if not order.delta else "rho"
    if order.as_json:
        emit(
            {
                "method": order.mechanism.name,
                "parameters": order.mechanism.parameters(),
                "epsilon": decimal(order.epsilon),
                **({"delta": stated(order.delta), "rho": decimal(order.guarantee.amount)} if order.delta else {}),
                "unit": order.unit.describe(),
                "size": None if size is None else {"of": f"{order.unit.name}s", "number": size, "most_records": records},
                "stages": [{"name": n, column: decimal(e), "buys": why} for n, e, why in plan.stages],
                "predictions": predictions,
                "warnings": warnings,
            }
        )
        return
    table(["stage", column, "buys"], [[n, decimal(e), why] for n, e, why in plan.stages])
    if order.delta:
        say(f"promise: {order.guarantee}, by way of zCDP with {SYMBOL['zcdp']} = {decimal(order.guarantee.amount)}")
    if size is not None:
        of_each = f", at most {records:,} records ({order.unit.sequences:,} per user)" if order.unit.name == "user" else ""
        say(f"size: {size:,} {order.unit.name}s{of_each}")
    for line in predictions:
        say(f"expect: {line}")
    for line in warnings:
        say(f"warning: {line}")
    if order.seed is None:
        say(_account_of(order))
    if size is None:
        say(f"Give a rough public number of {order.unit.name}s (--size 200000) to see how close the release will be.")
    elif simulated:
        say("For errors of counts and records, or the ε that an accuracy needs: seqveil plan --help")
    say("Nothing was read and nothing was spent.")


def _foreseen(order: Order, size: int, length: float | None) -> tuple[list[str], list[str]]:
    """Predictions and warnings from simulated data of this size; none for kinds of data that are not simulated."""
    from seqveil.planning.plan import USUAL_LENGTH, foresee
    from seqveil.planning.scenes import Setting

    kind = getattr(order.input, "reader", order.input.kind)  # a table that is read as sets is simulated as a table
    setting = Setting(
        kind,
        order.input.domain,
        order.unit,
        size,
        length or USUAL_LENGTH,
        alike=getattr(order.input, "journeys", False),
        delta=order.delta,
    )
    return foresee(order.mechanism, setting, order.epsilon)


def _account_of(order: Order) -> str:
    """What the account has left for this run. The ledger is read, and nothing is written to it."""
    from unicodedata import normalize

    from seqveil.wall.budget import decimal
    from seqveil.wall.ledger import Account, Ledger
    from seqveil.wall.ledger.rules import at, check_measure, price
    from seqveil.wall.measures.measure import SYMBOL

    name = normalize("NFC", order.account)
    account = next((one for one in Ledger().accounts() if one.name == name), Account(name))
    try:
        check_measure(account, order.guarantee)
        amount = price(account, order.guarantee)
    except CallError as error:
        return f"warning: this run would be refused: {error}"
    rho = f"{SYMBOL['zcdp']} = " if account.measure == "zcdp" or order.delta else ""
    wanted = f"{rho}{decimal(amount)}"
    if account.unit is None and account.cap is None:
        return f"account {name!r}: new; this run would spend {wanted}"
    if (remaining := account.left_after(order.guarantee.thresholds)) is None:
        return f"account {name!r}: {rho}{decimal(account.total)} spent, no cap; this run would spend {wanted}"
    left = f"{rho}{decimal(remaining)} remaining of a cap of {at(account.cap or 0, account.cap_delta)}"
    if amount > remaining:
        return f"warning: account {name!r} would refuse this run: it needs {wanted}, with {left}"
    return f"account {name!r}: {left}; this run would spend {wanted}"
