"""The tree of a release as an icicle: its largest n-grams or prefixes, ready for the page's script. Nothing raw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seqveil.notation import to_text

if TYPE_CHECKING:
    from seqveil.release.grams.counted import CountedTree

MOST = 600
"""So many of the largest n-grams are drawn; more would be thinner than a line."""


def icicle(release: CountedTree) -> dict[str, Any]:
    """Nodes as [parent, label, count, low, high]; node 0 is the root, a parent stands before its children.

    `root` says what the count of the root counts, `end` how the end of a record is written.

    >>> from seqveil.release.grams import GramTable, GramRelease
    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> grams = GramTable.of([[0], [1], [0, 1], [1, 2]], count=[900.0, 800.0, 700.0, 60.0], scale=20.0, threshold=50)
    >>> release = GramRelease(Domain.of(["home", "work"]), grams=grams, synthetic=Flat.of([]), l_max=5, n_max=2)
    >>> icicle(release)["nodes"][:3]
    [[-1, '', 1700, None, None], [0, 'home', 900, 840, 960], [0, 'work', 800, 740, 860]]
    """
    from seqveil.release.grams.columns import end_mark

    grams = release.tree
    order = np.argsort(-grams.count, kind="stable")
    kept = np.sort(order[:MOST][grams.count[order[:MOST]] >= 0.5])
    # A consistent count never exceeds its parent's, but a tie may leave a parent behind: such a child is left out.
    number = {-1: 0}
    ends, end = len(release.domain), end_mark(release.domain)
    nodes: list[list[Any]] = [[-1, "", round(float(grams.count[grams.lengths == 1].sum())), None, None]]
    for row, answer in zip(kept.tolist(), release.answers(kept.tolist()), strict=True):
        parent = int(grams.parent[row])
        if parent not in number:
            continue
        code = grams.gram(row)[-1]
        number[row] = len(nodes)
        label = end if code == ends else to_text([release.domain.label(code)])
        nodes.append([number[parent], label, round(answer.value), answer.low, answer.high])
    height = int(grams.lengths.max(initial=0))
    return {"nodes": nodes, "root": release.root, "end": end, "all": len(grams), "height": height, "about": release.about}
