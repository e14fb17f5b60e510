"""How popular a place is, from a private release of visits; no raw trips are needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from seqveil.errors import CallError
from seqveil.release.capabilities import Summable

if TYPE_CHECKING:
    from seqveil.release import Release


def popularity(release: Release, nodes: Iterable[str] | None = None) -> dict[str, float]:
    """Noisy visits of each label of the release, divided by the largest: a `quality` for `plan`.

    The release is all that is looked at, so this costs no ε. Labels outside `nodes` (the graph's ids) are left out.
    """
    if not isinstance(release, Summable):  # other counts, such as cuts of a graph, are not of labels
        raise CallError(f"a release of {release.description} does not count visits: use one of published sequences.")
    kept = None if nodes is None else set(nodes)
    labels = [release.domain.label(code) for code in range(len(release.domain))]
    visits = {label: max(0.0, float(release.count([label]).value)) for label in labels if kept is None or label in kept}
    most = max(visits.values(), default=0.0)
    if not most:
        raise CallError("the release counts no visits at any node of the graph: its labels must be names of nodes.")
    return {label: count / most for label, count in visits.items()}
