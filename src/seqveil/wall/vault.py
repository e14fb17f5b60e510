"""The vault: an input, its unit of privacy and a ledger account. The way to a private release from Python."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from seqveil.errors import CallError
from seqveil.facts import Holder
from seqveil.notebooks import stages
from seqveil.tables.units import Unit
from seqveil.wall.budget import grains
from seqveil.wall.fate import costing_nothing
from seqveil.wall.fit import default_unit, refuse_no_users
from seqveil.wall.input import Input, as_input
from seqveil.wall.ledger import Ledger
from seqveil.wall.lifecycle import Request, carry_out
from seqveil.wall.listener import Guarded, Listener, Silent, Warnings
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.mechanism import Mechanism, Sealed, precheck
from seqveil.wall.noise import Noise, SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.run import perform
from seqveil.wall.stated import check_stated

Epsilon = str | int | float | Decimal
Delta = str | float | Decimal
R = TypeVar("R", bound=Sealed)


class Vault:
    """Raw data behind the wall: every release is reserved in the ledger first, and committed before it is returned.

    `data` is a table, or a source that is read only after the ledger has recorded the run. `unit` is the unit of privacy; without
    it records are protected, and data with users needs it. Warnings (no cap; the same data under another account) are of the
    category `ReleaseWarning`. Manifests name the account, and state `dataset_name` and `contact` as they are given here.

    >>> import tempfile, seqveil as sv
    >>> home = tempfile.TemporaryDirectory()
    >>> clicks = sv.Domain.of(["home", "search", "buy"], public_because="the site map is published")
    >>> table = sv.table_of([["home", "search"], ["home", "buy"]] * 500, clicks)
    >>> vault = Vault(table, unit=sv.Record(), account="shop", cap="1.5", home=home.name)
    >>> release = vault.release(sv.NGram(l_max=2, n_max=2), epsilon="1.0")
    >>> release.manifest.epsilon, release.manifest.private
    ('1.0', True)
    >>> vault.release(sv.NGram(l_max=2, n_max=2), epsilon="1.0")
    Traceback (most recent call last):
    seqveil.errors.BudgetRefused: ...
    >>> home.cleanup()
    """

    def __init__(
        self,
        data: Any,
        unit: Unit | None = None,
        *,
        account: str,
        cap: Epsilon | None = None,
        cap_delta: Delta | None = None,
        home: str | Path | None = None,
        dataset_name: str | None = None,
        contact: str | None = None,
    ) -> None:
        self._input = as_input(data)
        self._unit = unit_for(self._input, unit)
        self._account, self._home = account, home
        self._holder = Holder(dataset=dataset_name, contact=contact)
        check_stated(self._holder)
        self._ledger = Ledger(home)
        if cap is not None:
            self._ledger.agree_cap(account, grains(cap), delta_of(cap_delta))
        elif cap_delta is not None:
            raise CallError(f"cap_delta = {cap_delta} without a cap: state both, for example cap=3.0, cap_delta='1e-6'.")

    def __repr__(self) -> str:
        return f"Vault(account={self._account!r}, unit={self._unit!r})"

    def release(
        self,
        mechanism: Mechanism[R],
        epsilon: Epsilon,
        *,
        delta: Delta | None = None,
        out: str | Path | None = None,
        purpose: str | None = None,
        once: str | None = None,
        listener: Listener | None = None,
    ) -> R:
        """A private release, committed in the ledger with the digest of the manifest that it is, or will be, saved with.

        Everything that can fail without the data is tried on a small simulated table first, so that it costs nothing. With `out`
        the release is saved in that folder before it is committed. Its manifest is signed with the key of this installation, and
        states the `purpose` if one is given. With `delta`, such as "1e-6", the promise is (ε, δ), and the account adds up ρ of
        zCDP: it keeps its measure for life. With `once`, a key such as "2026-W47", the account is charged for that key at most
        once: a second run raises `AlreadyRun`, whatever became of the first. An exception carries a note that says what became
        of the ε.
        """
        with costing_nothing():
            request = self._request(mechanism, epsilon, out, purpose, once, delta)
        with stages("release") as stage:
            return carry_out(request, listener or Warnings(stage)).release

    def _request(
        self,
        mechanism: Mechanism[R],
        epsilon: Epsilon,
        out: str | Path | None,
        purpose: str | None = None,
        once: str | None = None,
        delta: Delta | None = None,
    ) -> Request[R]:
        folder, holder, amount = None if out is None else Path(out), replace(self._holder, purpose=purpose), grains(epsilon)
        parts = delta_of(delta)
        return Request(self._input, mechanism, self._unit, amount, self._account, folder, self._home, holder, once, parts)


def experiment(
    data: Any,
    mechanism: Mechanism[R],
    epsilon: Epsilon,
    *,
    seed: int | None,
    delta: Delta | None = None,
    unit: Unit | None = None,
    listener: Listener | None = None,
    holder: Holder | None = None,
) -> R:
    """A run with repeatable noise, or with none at all (`seed=None`): NOT private, and not recorded in any ledger."""
    noise: Noise = NoNoise() if seed is None else SeededNoise(seed)
    input = as_input(data)
    unit = unit_for(input, unit)
    with stages("experiment") as stage:
        heard = Guarded(listener or Silent(stage))
        for warning in precheck(mechanism, grains(epsilon), input.domain, unit, input.kind, delta_of(delta)).warnings:
            heard.warn(warning)
        refuse_no_users(input.specimen(), unit)
        heard.stage("reading")
        return perform(mechanism, input.read(), unit, grains(epsilon), noise, heard.stage, holder, delta=delta_of(delta))


def delta_of(delta: Delta | None) -> int:
    """A stated δ in parts; 0 where none is stated, which is a pure run."""
    return 0 if delta is None else in_parts(delta)


def unit_for(input: Input, unit: object) -> Unit:
    """The unit of privacy; it must be given for data with users, where records and users are different promises.

    >>> import seqveil as sv
    >>> trips = sv.table_of([["a"], ["a"]], sv.Domain.of(["a", "b"]), users=[7, 7])
    >>> unit_for(as_input(trips), None)
    Traceback (most recent call last):
    seqveil.errors.CallError: the data has users, so state the unit of privacy: unit=sv.User(max_sequences=1) protects ...
    """
    if isinstance(unit, Unit):
        return unit
    if unit is not None:
        name = unit.__name__ if isinstance(unit, type) else repr(unit)
        raise CallError(f"unit = {name}: give sv.User(max_sequences=1), sv.Record() or, for a graph, sv.Edge(k=1).")
    if getattr(input.specimen(), "users", None) is not None:
        raise CallError(
            "the data has users, so state the unit of privacy: unit=sv.User(max_sequences=1) protects everything that one user "
            "owns (at most that many sequences of each user are used); unit=sv.Record() protects single records, which is less."
        )
    return default_unit(input.kind)
