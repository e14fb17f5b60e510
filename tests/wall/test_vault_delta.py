"""Runs with δ: charged in ρ, promised as (ε, δ), and refused before anything is reserved where a method does not know it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import seqveil as sv
from gaussian import Gaussian
from seqveil.errors import BudgetRefused, CallError, ReleaseWarning
from seqveil.release.manifest import Manifest
from seqveil.wall.budget import decimal, grains
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.measures.zcdp import epsilon_of, rho_of

RHO = rho_of(grains("1.0"), in_parts("1e-6"))


@pytest.fixture
def vault(tmp_path: Path) -> sv.Vault:
    labels = sv.Domain.of(["a", "b", "c"], public_because="the alphabet")
    table = sv.table_of([["a", "b"], ["b"], ["c", "a"]] * 200, labels)
    return sv.Vault(table, account="metro", cap="3.0", cap_delta="1e-6", home=tmp_path)


def test_a_release_states_rho_delta_and_the_curve(vault: sv.Vault, tmp_path: Path) -> None:
    release = vault.release(Gaussian(), epsilon="1.0", delta="1e-6", out=tmp_path / "release")
    manifest = release.manifest
    account = sv.Ledger(tmp_path).account("metro")

    assert (manifest.schema, manifest.epsilon, manifest.zcdp.delta, manifest.zcdp.rho) == (4, "1.0", "1e-6", decimal(RHO))
    assert {delta: decimal(epsilon_of(RHO, in_parts(delta))) for delta in manifest.zcdp.curve} == manifest.zcdp.curve
    assert list(manifest.zcdp.curve) == ["1e-5", "1e-6", "1e-7", "1e-8", "1e-9"]
    assert ("zcdp", RHO, 0) == (account.measure, account.spent, account.reserved)
    assert manifest == Manifest.from_json(manifest.to_json())
    assert sv.load(tmp_path / "release").manifest == manifest
    assert "ε = 1.0, δ = 1e-6" in repr(release)


def test_the_bill_is_in_rho_and_adds_up(vault: sv.Vault) -> None:
    manifest = vault.release(Gaussian(waste=True), epsilon="1.0", delta="1e-6").manifest

    assert [amount for _, _, amount in manifest.bill] == [decimal(RHO // 2), decimal(RHO - RHO // 2)]
    assert manifest.unused == decimal(RHO - RHO // 2)


def test_the_noise_is_that_of_rho(vault: sv.Vault, tmp_path: Path) -> None:
    """σ² = 1/(2ρ) for one record: 20.5 here, against 2 for Laplace noise at ε = 1."""
    table = sv.table_of([], sv.Domain.range(1, 3000))
    release = sv.experiment(table, Gaussian(), "1.0", seed=1, delta="1e-6")
    variance = float(np.var(release.cells["first"].noisy))

    assert variance == pytest.approx(10**12 / (2 * RHO), rel=0.12)


def test_without_delta_it_is_a_pure_release_of_the_old_schema(vault: sv.Vault, tmp_path: Path) -> None:
    manifest = vault.release(Gaussian(), epsilon="0.5").manifest

    assert (manifest.schema, manifest.epsilon, manifest.zcdp) == (3, "0.5", None)
    assert sv.Ledger(tmp_path).account("metro").spent == grains("0.125")  # ε²/2
    assert sv.verify(vault.release(Gaussian(), epsilon="0.1"), home=tmp_path).established


def test_a_method_that_knows_pure_epsilon_only_refuses_delta_before_anything_is_reserved(vault: sv.Vault, tmp_path: Path) -> None:
    with pytest.raises(CallError, match="delta=1e-6: method 'ffs' knows pure ε only: leave it out") as refused:
        vault.release(sv.FrequentStrings(), epsilon="1.0", delta="1e-6")

    assert refused.value.__notes__ == ["Nothing was reserved or spent."]
    assert sv.Ledger(tmp_path).charges("metro") == []


def test_thresholds_are_taken_from_delta(vault: sv.Vault, tmp_path: Path) -> None:
    manifest = vault.release(Gaussian(threshold="4e-7"), epsilon="1.0", delta="1e-6").manifest
    account = sv.Ledger(tmp_path).account("metro")

    assert manifest.zcdp.rho == decimal(rho_of(grains("1.0"), in_parts("6e-7")))
    assert manifest.zcdp.thresholds == "4e-7"
    assert (account.delta_spent, account.delta_reserved) == (in_parts("4e-7"), 0)
    assert "1e-7" not in manifest.zcdp.curve
    assert sv.verify(vault.release(Gaussian(threshold="4e-7"), epsilon="0.2", delta="1e-6"), home=tmp_path).established


def test_a_threshold_above_delta_is_refused_before_anything_is_reserved(vault: sv.Vault, tmp_path: Path) -> None:
    with pytest.raises(CallError, match="thresholds take δ = 4e-6 of it, so nothing is left for the noise"):
        vault.release(Gaussian(threshold="4e-6"), epsilon="1.0", delta="1e-6")

    assert sv.Ledger(tmp_path).charges("metro") == []


def test_the_largest_epsilon_can_be_read_again(tmp_path: Path) -> None:
    """At a smaller δ its ε is more than a manifest may state, so the curve leaves that out."""
    table = sv.table_of([["a"]] * 9, sv.Domain.of(["a"], public_because="a test"))
    vault = sv.Vault(table, account="metro", cap="1000000", cap_delta="1e-6", home=tmp_path)
    with pytest.warns(ReleaseWarning, match="too large to protect anything"):
        vault.release(Gaussian(), epsilon="1000000", delta="1e-6", out=tmp_path / "release")

    assert list(sv.load(tmp_path / "release").manifest.zcdp.curve) == ["1e-5", "1e-6"]
    assert sv.verify(tmp_path / "release", home=tmp_path).established


def test_the_cap_holds_for_the_sum(vault: sv.Vault) -> None:
    for _ in range(6):  # six times ρ of (1, 1e-6) is below ρ of (3, 1e-6), as six times ε = 1 would not be
        vault.release(Gaussian(), epsilon="1.0", delta="1e-6")
    with pytest.raises(BudgetRefused):
        vault.release(Gaussian(), epsilon="3.0", delta="1e-6")


def test_a_large_delta_is_warned_about(vault: sv.Vault) -> None:
    with pytest.warns(ReleaseWarning, match="delta = 1e-2 is too large"):
        vault.release(Gaussian(), epsilon="0.1", delta="0.01")


def test_an_experiment_states_the_same_promise(vault: sv.Vault) -> None:
    labels = sv.Domain.of(["a", "b"])
    release = sv.experiment(sv.table_of([["a"]] * 9, labels), Gaussian(), "1.0", seed=7, delta="1e-6")

    assert (release.manifest.zcdp.rho, release.manifest.private) == (decimal(RHO), False)


def test_a_cap_with_delta_needs_a_cap(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="cap_delta = 1e-6 without a cap"):
        sv.Vault(sv.table_of([["a"]], sv.Domain.of(["a"])), account="m", cap_delta="1e-6", home=tmp_path)
