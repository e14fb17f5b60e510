"""The vault: a table, its unit and a ledger account. The only way to a private release."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import is_dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from seqveil.errors import CallError, LedgerWarning
from seqveil.tables.units import Unit
from seqveil.wall.budget import grains
from seqveil.wall.contents import contents
from seqveil.wall.fit import default_unit, refuse_no_table, refuse_no_users
from seqveil.wall.ledger import Ledger
from seqveil.wall.mechanism import Mechanism, precheck
from seqveil.wall.noise import Noise, SecureNoise, SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.prepare import prepare
from seqveil.wall.run import perform

Epsilon = str | int | float | Decimal


class Vault:
    """Raw data under guard: every release is reserved in the ledger first, and committed before it is handed out.

    `unit` says whom a release protects; without it records are protected, and a table with users needs it. Remarks of the ledger
    (no cap; the same table under another account) are warnings of the category `LedgerWarning`.

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
        table: Any,
        unit: Unit | None = None,
        *,
        account: str,
        cap: Epsilon | None = None,
        home: str | Path | None = None,
    ) -> None:
        refuse_no_table(table)
        self._table = table
        self._unit = unit_for(table, unit)
        self._account = account
        self._ledger = Ledger(home)
        if cap is not None:
            self._ledger.agree_cap(account, grains(cap))

    def __repr__(self) -> str:
        return f"Vault(account={self._account!r}, unit={self._unit!r})"

    def release(self, mechanism: Mechanism, epsilon: Epsilon) -> Any:
        """A private release: prepared, reserved, begun before a record is looked at, committed before it is returned.

        The mechanism is run once on a small made-up table first, so that what can fail without the data fails before ε is spent.
        """
        amount = grains(epsilon)
        precheck(mechanism, amount, self._table.domain, self._unit, self._table.kind)
        refuse_no_users(self._table, self._unit)
        prepare(mechanism, self._table, self._unit)
        seen = self._ledger.fingerprint(contents(self._table)) if is_dataclass(self._table) else None
        with self._ledger.reserve(self._account, amount, unit=self._unit, mechanism=mechanism.name, fingerprint=seen) as spend:
            # Now or never: where warnings are errors, one after `begin` would cost the ε and one after the run the release.
            for remark in filter(None, (spend.warning, spend.alarm)):
                warnings.warn(remark, LedgerWarning, stacklevel=2)
            spend.begin()
            release = perform(mechanism, self._table, self._unit, amount, SecureNoise())
            promise = release.manifest.to_json().encode()
            spend.commit(release.manifest.release, hashlib.sha256(promise).hexdigest())
        return release


def experiment(table: Any, mechanism: Mechanism, epsilon: Epsilon, *, seed: int | None, unit: Unit | None = None) -> Any:
    """A run with repeatable noise, or with none at all (`seed=None`): NOT private, and no ledger knows of it."""
    noise: Noise = NoNoise() if seed is None else SeededNoise(seed)
    refuse_no_table(table)
    unit = unit_for(table, unit)
    precheck(mechanism, grains(epsilon), table.domain, unit, table.kind)
    refuse_no_users(table, unit)
    return perform(mechanism, table, unit, grains(epsilon), noise)


def unit_for(table: Any, given: object) -> Unit:
    """The unit of privacy; it must be given for a table with users, where records and users are different promises.

    >>> import seqveil as sv
    >>> trips = sv.table_of([["a"], ["a"]], sv.Domain.of(["a", "b"]), users=[7, 7])
    >>> unit_for(trips, None)
    Traceback (most recent call last):
    seqveil.errors.CallError: this table has users, so say whom to protect: unit=sv.User(max_sequences=1) for ...
    """
    if isinstance(given, Unit):
        return given
    if given is not None:
        name = given.__name__ if isinstance(given, type) else repr(given)
        raise CallError(f"unit = {name}: give sv.User(max_sequences=1), sv.Record() or, for a graph, sv.Edge(k=1).")
    if getattr(table, "users", None) is not None:
        raise CallError(
            "this table has users, so say whom to protect: unit=sv.User(max_sequences=1) for everything that one user owns "
            "(at most that many sequences of each user are used), or unit=sv.Record() for single records, which is less."
        )
    return default_unit(table.kind)
