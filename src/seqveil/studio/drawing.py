"""What is drawn of a release, by what it can do: from the release alone, once, and in the background.

Most of it needs the synthetic records, and there may be millions: a page that is asked for earlier comes without the pictures,
and fetches them when they are there.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from seqveil.notation import from_text, to_text
from seqveil.studio import figures
from seqveil.studio.heatmap import Matrix, heat_map

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat

MOST_VERTICES, MOST_EDGES = 40, 1500
"""What is drawn of a graph; more could not be told apart."""

MOST_ENDS = 15
MOST_PAIRS = 3000
MOST_NODES = 600
"""Labels of the matrix of first and last ones, and pairs that it is drawn from; boxes of the tree."""


Drawn = dict[str, Any]
_DRAWN: WeakKeyDictionary[Any, Future[Drawn]] = WeakKeyDictionary()
_LOCK = threading.Lock()


def drawing(release: Any) -> Future[Drawn]:
    """Everything that is drawn of a release, which never changes: it is drawn once, for however many ask, and kept with it."""
    with _LOCK:
        if (started := _DRAWN.get(release)) is not None:
            return started
        future = _DRAWN[release] = Future()
    threading.Thread(target=_draw, args=(release, future), daemon=True).start()
    return future


def _draw(release: Any, future: Future[Drawn]) -> None:
    try:
        future.set_result(content(release))
    except BaseException as error:  # what is wrong with the release is said to whoever opens it
        future.set_exception(error)


def content(release: Any) -> dict[str, Any]:
    """Everything that is drawn, by what the release can do."""
    from seqveil.release.capabilities import Degrees, Pictured, Ranked, Synthetic
    from seqveil.release.grams.counted import CountedTree
    from seqveil.release.ofrecords import OfRecords
    from seqveil.report import lengths, patterns, preview, promise, tree
    from seqveil.report import shape as shapes

    records = release.synthetic if isinstance(release, Synthetic) and release.form != "edges" else None
    ordered = records if isinstance(release, Synthetic) and release.form == "sequences" else None
    explored = tree.icicle(release) if isinstance(release, CountedTree) and len(release.tree) else _tree(release)
    best = patterns.strongest(release) if isinstance(release, Ranked) else None
    shape = None
    if records is not None and len(records):
        shown = lengths.columns(shapes.length_counts(release) if isinstance(release, OfRecords) else lengths.of_records(records))
        names, shares = [one["name"] for one in shown["columns"]], [one["synthetic"] for one in shown["columns"]]
        shape = {"picture": figures.columns(names, shares, "of the records, by length"), "mean": shown["mean"]}
    return {
        "tiles": promise.tiles(release),
        "tree": explored,
        "patterns": best,
        "bar": figures.interval_bar,
        "lengths": shape,
        "follows": None if ordered is None else _map(_follows(ordered, release.domain), FOLLOWS, len(release.domain)),
        "trips": _map(_trips(release), TRIPS, len(release.domain)) if isinstance(release, OfRecords) else None,
        "ends": shapes.shape(release) if isinstance(release, OfRecords) else None,
        "graph": _graph(release) if isinstance(release, Degrees) and isinstance(release, Synthetic) else None,
        "density": isinstance(release, Pictured) and release.drawing() is not None,
        "preview": None if release.empty or (best is not None and best["rows"]) else preview.tables(release),
        "empty": bool(release.empty),
        "doubt": release.doubt if isinstance(release, OfRecords) else "",
    }


def _map(matrix: Matrix | None, said: str, of: int) -> Drawn | None:
    """A matrix as a picture, and as a table for whoever does not see it."""
    if matrix is None or not matrix.labels:
        return None
    return {"picture": heat_map(matrix, said), "matrix": matrix, "shown": len(matrix.labels), "all": of}


FOLLOWS = "Directly-follows map: how often each label of a column comes right after the label of a row"
TRIPS = "Origins and destinations: how often records that begin with the label of a row end with that of a column"


def _follows(records: Flat, domain: Domain) -> Matrix | None:
    """What comes right after the most frequent labels of the synthetic records."""
    from seqveil.report import transitions

    shown = transitions.maps(records, None, domain)
    if shown is None:
        return None
    labels = [from_text(name)[0] for name in shown["labels"]]  # in a picture they stand alone, and need no quotes
    rows = shown["maps"][0]["rows"]
    if len(labels) == len(domain):
        return Matrix(labels, rows, None)
    others = [
        _rest(row) if any(row) or _goes_on(records, domain.code(label)) else 0.0 for label, row in zip(labels, rows, strict=True)
    ]
    return Matrix(labels, rows, others)


def _rest(row: list[float]) -> float:
    """What a row has left for all other labels."""
    return max(0.0, 1.0 - sum(row))


def _goes_on(records: Flat, code: int | None) -> bool:
    """Whether anything ever comes after a label: where it is always the last one, nothing goes to others."""
    import numpy as np

    ends = records.offsets[1:][np.diff(records.offsets) > 0] - 1
    return bool((records.items == code).sum() > (records.items[ends] == code).sum())


def _trips(release: Any) -> Matrix:
    """Pairs of first and last labels, as the release answers them: shares of each row, for the busiest labels at either end."""
    busy: dict[str, float] = {}
    pairs = release.od(MOST_PAIRS)
    for row in pairs:
        for label in row["pattern"]:
            busy[label] = busy.get(label, 0.0) + row["value"]
    chosen = sorted(busy, key=lambda label: -busy[label])[:MOST_ENDS]
    place = {label: at for at, label in enumerate(chosen)}
    leaving = {label: release.first(label).value for label in chosen}
    shares = [[0.0] * len(chosen) for _ in chosen]
    for row in pairs:
        first, last = row["pattern"]
        if first in place and last in place:
            shares[place[first]][place[last]] = min(row["value"] / max(leaving[first], 1.0), 1.0)
    others = [_rest(row) if leaving[label] >= 1.0 else 0.0 for label, row in zip(chosen, shares, strict=True)]
    return Matrix(chosen, shares, None if len(chosen) == len(release.domain) else others)


def _tree(release: Any) -> dict[str, Any] | None:
    """What follows what, for a release of sequences without a tree of its own: the largest counts whose beginnings are there."""
    from seqveil.release.capabilities import Ranked
    from seqveil.release.ofrecords import OfRecords

    if not isinstance(release, Ranked) or not isinstance(release, OfRecords):
        return None
    rows = sorted(release.top(MOST_NODES), key=lambda row: len(row["pattern"]))
    number: dict[tuple[str, ...], int] = {(): 0}
    nodes: list[list[Any]] = [[-1, "", 0, None, None]]
    for row in rows:
        pattern, value = tuple(row["pattern"]), round(row["value"] or 0.0)
        if (parent := number.get(pattern[:-1])) is not None and value > 0:
            number[pattern] = len(nodes)
            nodes.append([parent, to_text([pattern[-1]]), value, row["low"], row["high"]])
    nodes[0][2] = sum(node[2] for node in nodes[1:] if node[0] == 0)
    about = {"root": "all items", "end": "", "all": len(nodes) - 1, "about": release.about}
    return {"nodes": nodes, **about} if len(nodes) > 1 else None


def _graph(release: Any) -> dict[str, Any]:
    """The busiest vertices of a synthetic graph, and the edges between them."""
    import numpy as np

    degrees = np.asarray(release.degrees)
    chosen = np.sort(np.argsort(-degrees, kind="stable")[:MOST_VERTICES])
    chosen = chosen[degrees[chosen] > 0]
    place = {int(code): at for at, code in enumerate(chosen)}
    ends = release.synthetic.items.reshape(-1, 2)
    inside = ends[np.isin(ends[:, 0], chosen) & np.isin(ends[:, 1], chosen)][:MOST_EDGES].tolist()
    names = [release.domain.label(int(code)) for code in chosen]
    edges = [(place[a], place[b]) for a, b in inside]
    picture = figures.graph_picture(names, edges, [int(d) for d in degrees[chosen]])
    return {"picture": picture, "shown": len(names), "all": len(release.domain)}
