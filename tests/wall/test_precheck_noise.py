"""Noise that drowns everything is refused before ε is reserved, not found out in the run."""

from __future__ import annotations

from pathlib import Path

import pytest

import seqveil as sv
from seqveil.errors import CallError


@pytest.mark.parametrize(("epsilon", "most"), [("1.0", 10**18), ("0.000001", 10**6), ("0.000000000001", 10**4)])
def test_a_bound_beyond_all_data_spends_nothing(epsilon: str, most: int, tmp_path: Path) -> None:
    domain = sv.Domain.of(["a", "b"], public_because="made up")
    (tmp_path / "d.csv").write_text("u,i\nx,a\ny,b\n", encoding="utf-8")
    table = sv.read_sequences(tmp_path / "d.csv", user="u", item="i", domain=domain)
    vault = sv.Vault(table, sv.User(max_sequences=most), account="people", home=tmp_path / "home")

    with pytest.raises(CallError, match="would hide any data"):
        vault.release(sv.NGram(l_max=2, n_max=2), epsilon=epsilon)
    assert [] == list(sv.Ledger(tmp_path / "home").accounts())
