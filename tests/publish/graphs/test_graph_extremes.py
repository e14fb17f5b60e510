"""Budgets of every size: a run either ends in a release or is refused for public reasons, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.tables.triangle import cells, root
from seqveil.wall.ledger import Ledger

METHODS = [
    sv.DER(),
    sv.DER(height=3),
    sv.DER(splitting=0.0),
    sv.GraphDegrees(),
    sv.GraphDegrees(isotonic=True),
    sv.GraphLaplace(),
    sv.GraphRandom(),
]


@pytest.mark.parametrize("epsilon", ["0.000000000001", "0.000001", "0.01", "1000000"])
@pytest.mark.parametrize("mechanism", METHODS, ids=str)
def test_every_budget_runs_or_is_refused(epsilon: str, mechanism: object) -> None:
    """From one grain to a million, on a graph of thirty vertices; huge budgets give the graph back where the method can."""
    table = sv.graph_of([(i, (i * 7 + 1) % 30) for i in range(30)], sv.Domain.range(0, 29), order_is_public=True)
    try:
        release = sv.experiment(table, mechanism, epsilon, seed=1, unit=sv.Edge())  # type: ignore[arg-type]
    except CallError:
        assert epsilon in ("0.000000000001", "0.000001")  # nothing else may be refused, and in no other way
        return
    assert len(release.low) <= int(cells(root(30)))
    if epsilon == "1000000" and isinstance(mechanism, sv.DER | sv.GraphLaplace):
        assert (table.low.tolist(), table.high.tolist()) == (release.low.tolist(), release.high.tolist())


@pytest.mark.parametrize("mechanism", [sv.DER(), sv.GraphDegrees(), sv.GraphRandom(), sv.GraphLaplace(threshold=1)], ids=str)
def test_a_graph_of_noise_too_large_to_hold_is_refused(mechanism: object) -> None:
    """A million vertices at a tiny ε: the error speaks of public numbers only."""
    table = sv.graph_of([], sv.Domain.range(0, 999_999), order_is_public=True)
    with pytest.raises(CallError, match="noise"):
        sv.experiment(table, mechanism, "0.0000001", seed=1, unit=sv.Edge())  # type: ignore[arg-type]


@pytest.mark.parametrize("mechanism", [sv.DER(), sv.GraphDegrees(), sv.GraphRandom(), sv.GraphLaplace(threshold=1)], ids=str)
def test_such_a_refusal_costs_nothing(mechanism: object, tmp_path: Path) -> None:
    """It follows from public numbers, so it comes before the ledger hears of the run."""
    table = sv.graph_of([], sv.Domain.range(0, 999_999), order_is_public=True)
    vault = sv.Vault(table, unit=sv.Edge(), account="friends", cap="1", home=tmp_path)
    with pytest.raises(CallError, match="noise"):
        vault.release(mechanism, "0.0000001")  # type: ignore[arg-type]

    assert 0 == Ledger(tmp_path).account("friends").reserved
