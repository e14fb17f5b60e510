"""Records that realise a consistent prefix tree."""

from __future__ import annotations

from collections import Counter

from hypothesis import given

from seqveil.publish.prefix.generation import generate
from seqveil.trees.isotonic import consistent_counts
from seqveil.trees.table import gram_table
from tree_strategies import trees


@given(trees())
def test_records_keep_every_prefix_within_one_of_its_estimate(noisy):
    """Rounding in post-order loses nothing: neither in all, nor below any node."""
    tree = consistent_counts(noisy)
    records = generate(tree)
    number = Counter(tuple(r[:n].tolist()) for r in records for n in range(1, len(r) + 1))
    table = gram_table(tree)

    assert all(abs(number[table.gram(k)] - table.count[k]) < 1 + 1e-9 for k in range(len(table)))
    assert abs(len(records) - tree.count[tree.level(1)].sum()) <= 0.5 + 1e-9
