"""`sv.discover_domain`: a domain that remembers what it cost."""

from __future__ import annotations

import polars as pl
import pytest

import seqveil as sv
from seqveil.errors import BudgetRefused, CallError

TAPS = pl.DataFrame({"card": [f"c{k % 400}" for k in range(1200)], "station": ["Ely", "Ware", "Ely", "Oz"] * 300})


def discover(home, **given):
    account = {"account": "taps", "cap": 3, "cap_delta": "2e-6", "home": home}
    given = {"user": "card", "item": "station", "epsilon": 1, "delta": "1e-6", **account, **given}
    return sv.discover_domain(given.pop("data", TAPS), **given)


def test_a_frame_becomes_a_domain_that_remembers(tmp_path):
    """Its release can be opened, and gives the same domain; other releases name it, also over timed and wider domains."""
    domain = discover(tmp_path / "home", out=tmp_path / "stations")
    loaded = sv.load(tmp_path / "stations", sv.release.LabelRelease)
    wide = domain.with_other().at_times(sv.Calendar.parse("12h"))

    assert ["Ely", "Oz", "Ware"] == domain.labels(range(3))
    assert domain == loaded.domain
    assert loaded.manifest.release == domain.discovered.release == loaded.domain.discovered.release == wide.discovered.release
    assert ("1.0", "1e-6", "taps") == (domain.discovered.epsilon, domain.discovered.delta, domain.discovered.account)
    table = sv.read_sequences(TAPS, domain=domain, user="card", item="station")
    trial = sv.experiment(table, sv.Histogram(), 1, seed=1, unit=sv.User(1))
    assert domain.discovered.release == trial.manifest.domain.discovered
    declared = sv.experiment(sv.table_of([["a"]], sv.Domain.of(["a"])), sv.Histogram(), 1, seed=1)
    assert '"discovered"' not in declared.manifest.to_json()


def test_two_discoveries_add_up_both_rho_and_delta(tmp_path):
    """Each spends its own δ on a threshold: a cap whose δ holds one of them refuses the second."""
    discover(tmp_path, cap=9, cap_delta="8e-7")
    (account,) = sv.Ledger(tmp_path).accounts()
    assert 5 * 10**11 == account.delta_spent

    with pytest.raises(BudgetRefused):
        discover(tmp_path, cap=9, cap_delta="8e-7")


def test_a_source_over_another_domain_is_read_for_its_labels(tmp_path):
    path = tmp_path / "taps.csv"
    TAPS.write_csv(path)
    source = sv.Source(path, sv.Domain.of(["Ely"]), user="card", item="station", outside="other")
    domain = discover(tmp_path / "home", data=source, user=None, item="station")

    assert 3 == len(domain)


def test_pure_epsilon_is_refused_before_anything(tmp_path):
    from seqveil.sources.unlisted import read_labels

    vault = sv.Vault(read_labels(TAPS, item="station"), account="taps", home=tmp_path)
    with pytest.raises(CallError, match="cannot be discovered with pure ε"):
        vault.release(sv.Discover(), 1)
    with pytest.raises(CallError, match="works on sequences"):
        vault.release(sv.NGram(), 1, delta="1e-6")
    assert [] == sv.Ledger(tmp_path).accounts()


def test_records_of_users_are_not_protected_one_by_one(tmp_path):
    """A record less would replace what its user gives: with one label each that is √2 times what is stated."""
    with pytest.raises(CallError, match="the unit record cannot be protected"):
        discover(tmp_path, unit=sv.Record())
    assert [] == sv.Ledger(tmp_path).charges("taps")


def test_the_column_of_the_data_is_no_public_list():
    """Where it can be seen: the labels come from a column of the name that the data have."""
    with pytest.warns(UserWarning, match="taken from a column named 'station'"):
        sv.read_sequences(TAPS, domain=sv.Domain.of(TAPS["station"].unique(maintain_order=True)), item="station")
    sv.read_sequences(TAPS, domain=sv.Domain.of(pl.Series("names", ["Ely"])), item="station")
