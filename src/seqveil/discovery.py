"""Domains that are discovered: the way from data without a public list of labels to a domain, which remembers what it cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from seqveil.errors import CallError

if TYPE_CHECKING:
    from seqveil.sources.layout import Options
    from seqveil.tables.discovery import Discovery
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit
    from seqveil.wall.vault import Delta, Epsilon


def discover_domain(
    data: Any,
    *,
    epsilon: Epsilon,
    delta: Delta,
    account: str,
    cap: Epsilon | None = None,
    cap_delta: Delta | None = None,
    unit: Unit | None = None,
    most: int = 30,
    out: str | Path | None = None,
    home: str | Path | None = None,
    dataset_name: str | None = None,
    contact: str | None = None,
    purpose: str | None = None,
    once: str | None = None,
    **options: Unpack[Options],
) -> Domain:
    """The labels that enough users (or records) have, as a domain. It is a release of its own, charged to the account.

    Use the domain with the same account, so that what both releases cost is added up. Labels of few are left out.

    Args:
        data: a path, a list of paths, a data frame, or a `Source`.
        epsilon: what is spent, together with delta, which should be well below 1 divided by the number of users.
        delta: half of it is the most probability with which a label of one user alone may be among the labels.
        account: the ledger account; it adds up ρ of zCDP.
        cap: the most ε that the account may spend, at `cap_delta`; as in a `Vault`.
        unit: the unit of privacy; without it users where the data have users, else records.
        most: to how many of its labels a unit gives weight.
        out: a folder for the release, which `--domain` accepts; without it only the domain is kept.

    >>> import tempfile, polars as pl
    >>> stations = ["Ely", "Ware", "Ely"] * 299 + ["Ely", "Ely", "Oz"]
    >>> taps = pl.DataFrame({"card": [f"c{i}" for i in range(900)], "station": stations})
    >>> with tempfile.TemporaryDirectory() as home:
    ...     account = {"account": "taps", "cap": 3, "cap_delta": "2e-6", "home": home}
    ...     stations = discover_domain(taps, user="card", item="station", epsilon=1, delta="1e-6", **account)
    >>> stations.labels([0, 1]), len(stations), stations.discovered.epsilon
    (['Ely', 'Ware'], 2, '1.0')
    """
    from seqveil.publish.discover import Discover
    from seqveil.sources.unlisted import labels_source
    from seqveil.tables.units import Record, User
    from seqveil.wall.vault import Vault

    source = labels_source(data, **options)
    unit = unit or (Record() if source.user is None else User(max_sequences=1))
    read = source if source.is_file else source.read()
    vault = Vault(
        read, unit, account=account, cap=cap, cap_delta=cap_delta, home=home, dataset_name=dataset_name, contact=contact
    )
    release = vault.release(Discover(most), epsilon, delta=delta, out=out, purpose=purpose, once=once)
    return release.domain


def account_of_discovery(discovery: Discovery) -> str | None:
    """The account of this machine's ledger that was charged for a discovery; None where none was."""
    from seqveil.wall.ledger import Ledger

    ledger = Ledger()
    for account in ledger.accounts():
        if any(charge.release == discovery.release for charge in ledger.charges(account.name)):
            return account.name
    return None


def discovered_in(folder: Path) -> Domain:
    """The domain that a release in a folder discovered. Its files, its signature and the ledger must agree about it."""
    from seqveil.release import load
    from seqveil.verification import verify

    release = load(folder)
    if release.content != "labels":
        raise CallError(
            f"{folder} is a release of {release.content}, not of labels: give a file with the labels, or the folder that "
            "`seqveil domain discover` made."
        )
    if not release.manifest.private:
        raise CallError(f"{folder} is an EXPERIMENT: its labels are not private. Discover them without a seed.")
    verify(release)
    if release.empty:
        raise CallError(f"{folder} discovered no label: discover again with a larger ε, or from more data.")
    return release.domain
