"""The page of a release: promise, budget, shape, explorer, patterns, queries. All of it from the release alone.

What a release can do decides what is shown; no method is asked for by its name. The comparison with raw data stands behind a
confirmation, and is INTERNAL.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from seqveil.cli.verify import entry_of, verdict_on
from seqveil.errors import CallError, SeqveilError
from seqveil.notation import from_text, to_text
from seqveil.studio import figures
from seqveil.studio.asked import labels_in
from seqveil.studio.download import downloads
from seqveil.studio.pages import field_of, page, studio_of, to
from seqveil.studio.shelf import Line

MOST_VERTICES, MOST_EDGES = 40, 1500
"""What is drawn of a graph; more could not be told apart."""

MOST_ENDS = 15
MOST_PAIRS = 3000
MOST_NODES = 600
"""Labels of the matrix of first and last ones, and pairs that it is drawn from; boxes of the tree."""

MOST_QUERY = 2000
"""Characters of a query."""


def _line(request: Request) -> Line:
    return studio_of(request).shelf.line(request.path_params["key"])


def show(request: Request) -> Response:
    """The page."""
    line = _line(request)
    return _shown(request, line, studio_of(request).shelf.load(line))


def drawn(release: Any) -> dict[str, Any]:
    """Everything that is drawn of a release, which never changes: drawn once, and kept with it."""
    kept: dict[str, Any] | None = _DRAWN.get(release)
    if kept is None:
        kept = _DRAWN[release] = content(release)
    return kept


_DRAWN: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def _shown(request: Request, line: Line, release: Any, said: str = "") -> Response:
    asked = request.query_params.get("q", "")[:MOST_QUERY] if request.method == "GET" else ""
    answers = _answered(release, asked, request.query_params.get("how", "")) if asked else None
    return page(
        request,
        "release",
        line=line,
        manifest=release.manifest,
        said=said,
        asked=asked,
        how=request.query_params.get("how", ""),
        answers=answers,
        questions=questions(release),
        charge=entry_of(release),
        **drawn(release),
    )


def content(release: Any) -> dict[str, Any]:
    """Everything that is drawn, by what the release can do."""
    from seqveil.release.capabilities import Countable, Degrees, Pictured, Ranked, Synthetic
    from seqveil.release.grams.counted import CountedTree
    from seqveil.release.shaped import Shaped
    from seqveil.report import lengths, patterns, preview, promise, transitions, tree
    from seqveil.report import shape as shapes

    records = release.synthetic if isinstance(release, Synthetic) and release.form != "edges" else None
    ordered = records if isinstance(release, Synthetic) and release.form == "sequences" else None
    best = patterns.strongest(release) if isinstance(release, Ranked) else None
    shape = None
    if records is not None and len(records):
        shown = lengths.columns(shapes.length_counts(release) if isinstance(release, Shaped) else lengths.of_records(records))
        names, shares = [one["name"] for one in shown["columns"]], [one["synthetic"] for one in shown["columns"]]
        shape = {"picture": figures.columns(names, shares, "of the records, by length"), "mean": shown["mean"]}
    return {
        "promise": promise.in_words(release.manifest),
        "budget": promise.bill(release.manifest),
        "tiles": promise.tiles(release),
        "tree": tree.icicle(release) if isinstance(release, CountedTree) and len(release.tree) else _tree(release, best),
        "patterns": best,
        "bar": figures.interval_bar,
        "lengths": shape,
        "follows": None if ordered is None else _map(_unquoted(transitions.maps(ordered, None, release.domain)), "follows"),
        "trips": _map(_trips(release), "trips") if isinstance(release, Shaped) else None,
        "ends": shapes.shape(release) if isinstance(release, Shaped) else None,
        "graph": _graph(release) if isinstance(release, Degrees) and isinstance(release, Synthetic) else None,
        "density": isinstance(release, Pictured) and release.drawing() is not None,
        "preview": None if best is not None and best["rows"] else preview.tables(release),
        "countable": isinstance(release, Countable),
        "empty": bool(release.empty),
        "downloads": downloads(release),
        "form": getattr(release, "form", ""),
    }


def _map(shown: dict[str, Any] | None, what: str) -> dict[str, Any] | None:
    if not shown or not shown["labels"]:
        return None
    said = {
        "follows": "Directly-follows map: how often each label of a column comes right after the label of a row",
        "trips": "Origins and destinations: how often records that begin with the label of a row end with that of a column",
    }[what]
    picture = figures.heat_map(shown["labels"], shown["maps"][0]["rows"], said)
    return {"picture": picture, "shown": len(shown["labels"]), "all": shown["all"]}


def _unquoted(shown: dict[str, Any] | None) -> dict[str, Any] | None:
    """Labels in a picture stand alone: they need no quotes."""
    return shown and {**shown, "labels": [from_text(name)[0] for name in shown["labels"]]}


def _trips(release: Any) -> dict[str, Any] | None:
    """Pairs of first and last labels, as the release answers them: shares of each row, for the busiest labels at either end."""
    busy: dict[str, float] = {}
    pairs = release.od(MOST_PAIRS)
    for row in pairs:
        for label in row["pattern"]:
            busy[label] = busy.get(label, 0.0) + row["value"]
    chosen = sorted(busy, key=lambda label: -busy[label])[:MOST_ENDS]
    place = {label: at for at, label in enumerate(chosen)}
    leaving = {label: max(release.first(label).value, 1.0) for label in chosen}
    shares = [[0.0] * len(chosen) for _ in chosen]
    for row in pairs:
        first, last = row["pattern"]
        if first in place and last in place:
            shares[place[first]][place[last]] = min(row["value"] / leaving[first], 1.0)
    return {"labels": chosen, "maps": [{"rows": shares}], "all": len(release.domain)}


def _tree(release: Any, best: dict[str, Any] | None) -> dict[str, Any] | None:
    """What follows what, for a release of sequences without a tree of its own: the largest counts whose beginnings are there."""
    from seqveil.release.shaped import Shaped

    if best is None or not isinstance(release, Shaped):
        return None
    rows = sorted(release.top(MOST_NODES), key=lambda row: len(row["pattern"]))  # type: ignore[attr-defined]
    number: dict[tuple[str, ...], int] = {(): 0}
    nodes: list[list[Any]] = [[-1, "", 0, None, None]]
    for row in rows:
        pattern = tuple(row["pattern"])
        if (parent := number.get(pattern[:-1])) is not None and round(row["value"]) > 0:
            number[pattern] = len(nodes)
            nodes.append([parent, to_text([pattern[-1]]), round(row["value"]), row["low"], row["high"]])
    nodes[0][2] = sum(node[2] for node in nodes[1:] if node[0] == 0)
    about = {"root": "all items", "end": "", "all": len(nodes) - 1, "about": best["about"]}
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


def questions(release: Any) -> list[tuple[str, str, str]]:
    """What can be asked: the name of the question, as it is shown, and an example."""
    from seqveil.release.capabilities import Countable, Degrees
    from seqveil.release.shaped import QUESTIONS, Shaped

    some = [to_text([label]) for label in release.domain.labels(range(min(len(release.domain), 2)))]
    asked = []
    if isinstance(release, Degrees) and isinstance(release, Countable):
        asked.append(("count", "edges between two sets of vertices", " | ".join(some)))
    elif isinstance(release, Countable):
        asked.append(("count", "how often this pattern occurs", " ".join(some)))
    if isinstance(release, Shaped):
        for name, (clause, wanted) in QUESTIONS.items():
            asked.append((name, f"records that {clause}", " ".join(some[:wanted])))
        asked.append(("length", "records with this number of items", "3"))
    if isinstance(release, Degrees):
        asked.append(("degrees", "vertices with at least this many edges", "10"))
    return asked


def query(request: Request) -> Response:
    """Answers while somebody types: from the release in memory, in milliseconds."""
    release = studio_of(request).shelf.load(_line(request))
    asked = request.query_params.get("q", "")[:MOST_QUERY]
    answered = _answered(release, asked, request.query_params.get("how", ""))
    body = page(request, "answers", answers=answered, bar=figures.interval_bar).body
    return JSONResponse({"html": bytes(body).decode()})


def _answered(release: Any, asked: str, how: str) -> dict[str, Any]:
    """Every line is a query; answers with their error bars, or what is wrong in words."""
    rows, problems = [], []
    lines = [line.strip() for line in asked.splitlines() if line.strip()][:20]
    for text in lines:
        try:
            answer = _answer(release, text, how)
        except SeqveilError as error:
            problems.append(f"{text[:80]}: {error}" if len(lines) > 1 else str(error))
            continue
        value = None if math.isnan(answer.value) else float(answer.value)
        rows.append({"query": text, "value": value, "answer": answer})
    ends = [end for row in rows for end in (row["value"], row["answer"].high, row["answer"].at_most) if end is not None]
    return {"rows": rows, "problems": problems, "axis": float(max(ends, default=1)) or 1.0}


def _answer(release: Any, text: str, how: str) -> Any:
    from seqveil.release.capabilities import Countable, Degrees
    from seqveil.release.labels import UnknownLabel
    from seqveil.release.shaped import QUESTIONS, Shaped

    if how == "degrees" and isinstance(release, Degrees):
        return release.at_least(_number(text))
    if how == "length" and isinstance(release, Shaped):
        return release.length(_number(text))
    domain = release.domain
    try:
        if how in QUESTIONS and isinstance(release, Shaped):
            return release.ask(how, labels_in(text, domain))
        if isinstance(release, Countable):
            return release.count(labels_in(text, domain) if "|" not in text else from_text(text))
    except UnknownLabel as error:
        close = f" Did you mean {to_text(error.close[:1])}?" if error.close else ""
        blank = ' Labels with blanks stand in double quotes: "West Ham".' if domain.has_blanks else ""
        raise CallError(f"{to_text([error.label])} is not a label of this release.{close}{blank}") from None
    raise CallError(f"this release holds {release.description}, which does not answer this question.")


def _number(text: str) -> int:
    from seqveil.numbers import whole

    try:
        return whole(text)
    except ValueError:
        raise CallError(f"{text!r} is not a whole number: write one, for example 10.") from None


def verify(request: Request) -> Response:
    """Read every file again, compare it with the manifest, and the manifest with the ledger."""
    line = _line(request)
    release = studio_of(request).shelf.verify(line)
    said = verdict_on(release).sentence
    return _shown(request, line, release, said)


def confirm(request: Request) -> Response:
    """Before raw data are compared: what that means."""
    line = _line(request)
    draft = studio_of(request).runs.draft(line.run) if line.run else None
    return page(request, "compare", line=line, draft=draft, file=Path(draft.get("file")).name if draft else "")


def compare(request: Request) -> Response:
    """INTERNAL: start the comparison with the data that the release was made from."""
    studio, line = studio_of(request), _line(request)
    if field_of(request, "sure") != "yes":
        return to(f"/releases/{line.key}/compare")
    if not line.run:
        raise CallError("only releases that this studio made can be compared here: for others use seqveil evaluate.")
    fields = studio.runs.draft(line.run).fields
    given = {"fields": fields, "folders": [str(root) for root in studio.roots.folders], "release": str(line.folder)}
    return to(f"/tasks/{studio.tasks.start('compare', given, f'/releases/{line.key}').id}")
