"""Which label follows which: heat maps of the most frequent labels, of the synthetic and, with raw data, the original records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.notation import to_text

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat

MOST = 15


def maps(synthetic: Flat, truth: Flat | None, domain: Domain) -> dict[str, Any] | None:
    """Rows are shares: how often each of the most frequent labels comes next.

    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> shown = maps(Flat.of([[0, 1, 0, 1, 1]]), None, Domain.of(["a", "b"]))
    >>> shown["labels"], shown["maps"][0]["rows"]
    (['b', 'a'], [[0.5, 0.5], [1.0, 0.0]])
    """
    labels = len(domain)
    if not len(synthetic.items):
        return None
    # The synthetic records alone choose which labels are shown, so that with and without raw data the page agrees.
    codes, busy = np.unique(synthetic.items, return_counts=True)
    chosen = codes[np.argsort(-busy, kind="stable")][:MOST].astype(np.int64)
    sources = [{"name": "synthetic records", "rows": _rows(synthetic, chosen, labels)}]
    if truth is not None:
        sources.insert(0, {"name": "original records", "rows": _rows(truth, chosen, labels)})
    names = [to_text([domain.label(code)]) for code in chosen.tolist()]
    return {"labels": names, "maps": sources, "all": labels}


def _rows(flat: Flat, chosen: NDArray[np.int64], labels: int) -> list[list[float]]:
    from seqveil.evaluate.histogram import Histogram

    steps = Histogram.of(flat.steps(labels))
    # Keys rise, so the steps out of one label stand next to each other.
    begin, stop = np.searchsorted(steps.keys, chosen * labels), np.searchsorted(steps.keys, (chosen + 1) * labels)
    summed = np.concatenate([[0], np.cumsum(steps.counts)])
    leaving = summed[stop] - summed[begin]
    wanted = (chosen[:, None] * labels + chosen[None, :]).ravel()
    shares = steps.at(wanted).reshape(len(chosen), len(chosen)) / np.maximum(leaving, 1)[:, None]
    return [[float(share) for share in row] for row in shares]
