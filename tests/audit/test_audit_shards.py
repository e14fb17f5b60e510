"""The audit's replay over the engine of a cluster: it passes the real engine, and finds one that forgets a bound."""

from __future__ import annotations

from seqveil.audit.findings import Attack
from seqveil.audit.shards import attack_on_shards
from seqveil.audit.subjects import subjects
from seqveil.engines.spark.engine import Bounded, Cut


def attacked(method: str) -> Attack:
    attack = Attack("replay on Spark's engine")
    attack_on_shards(subjects(method), attack)
    return attack


def test_the_real_engine_passes():
    """Every unit of privacy is tried, and the exact loss is computed."""
    attack = attacked("ngram-uniform")

    assert attack.tried >= 8
    assert [] == attack.findings
    assert 0 < (attack.shown or 0) <= 1 + 1e-6


def test_an_engine_that_forgets_a_bound_is_found(monkeypatch):
    """Users with more records than the unit allows, or records that are not cut."""
    for step in (Bounded, Cut):
        with monkeypatch.context() as patch:
            patch.setattr(step, "__call__", lambda self, shard: shard)
            assert attacked("ngram-uniform").findings, step.__name__
