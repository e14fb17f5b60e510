"""The page of a release: promise, budget, shape, explorer, patterns, queries. All of it from the release alone.

What a release can do decides what is shown; no method is asked for by its name. The comparison with raw data stands behind a
confirmation, and is INTERNAL.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from seqveil.errors import CallError, SeqveilError
from seqveil.notation import from_text, to_text
from seqveil.studio import figures
from seqveil.studio.download import downloads
from seqveil.studio.pages import field_of, page, studio_of, to
from seqveil.studio.shelf import Line

MOST_VERTICES, MOST_EDGES = 40, 1500
"""What is drawn of a graph; more could not be told apart."""

MOST_QUERY = 2000
"""Characters of a query."""


def _line(request: Request) -> Line:
    return studio_of(request).shelf.line(request.path_params["key"])


def show(request: Request) -> Response:
    """The page."""
    line = _line(request)
    return _shown(request, line, studio_of(request).shelf.load(line))


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
        charge=_charge(release),
        **content(release),
    )


def content(release: Any) -> dict[str, Any]:
    """Everything that is drawn, by what the release can do."""
    from seqveil.release.capabilities import Countable, Degrees, Pictured, Ranked, Synthetic
    from seqveil.release.grams.counted import CountedTree
    from seqveil.report import lengths, patterns, preview, promise, transitions, tree

    records = release.synthetic if isinstance(release, Synthetic) and release.form != "edges" else None
    ordered = records if isinstance(release, Synthetic) and release.form == "sequences" else None
    best = patterns.strongest(release) if isinstance(release, Ranked) else None
    shape = None
    if records is not None and len(records):
        shown = lengths.columns(records)
        names, shares = [one["name"] for one in shown["columns"]], [one["synthetic"] for one in shown["columns"]]
        shape = {"picture": figures.columns(names, shares, "of the records, by length"), "mean": shown["mean"]}
    return {
        "promise": promise.in_words(release.manifest),
        "budget": promise.bill(release.manifest),
        "tiles": promise.tiles(release),
        "tree": tree.icicle(release) if isinstance(release, CountedTree) and len(release.tree) else None,
        "patterns": best,
        "bar": figures.interval_bar,
        "lengths": shape,
        "follows": None if ordered is None else _map(transitions.maps(ordered, None, release.domain), "follows"),
        "trips": None if ordered is None else _map(_trips(ordered, release.domain), "trips"),
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


def _trips(records: Any, domain: Any) -> dict[str, Any] | None:
    """First and last labels of the synthetic records: shares of each row, for the most frequent labels at either end."""
    import numpy as np

    filled = records.lengths > 0
    if not filled.any():
        return None
    firsts = records.items[records.offsets[:-1][filled]].astype(np.int64)
    lasts = records.items[records.offsets[1:][filled] - 1].astype(np.int64)
    codes, busy = np.unique(np.concatenate([firsts, lasts]), return_counts=True)
    chosen = codes[np.argsort(-busy, kind="stable")][:15]
    place = np.full(len(domain) + 1, len(chosen), np.int64)
    place[chosen] = np.arange(len(chosen))
    counts = np.zeros((len(chosen) + 1, len(chosen) + 1))
    np.add.at(counts, (place[firsts], place[lasts]), 1)
    shares = counts[:-1, :-1] / np.maximum(counts[:-1].sum(1), 1)[:, None]
    names = [to_text([domain.label(code)]) for code in chosen.tolist()]
    return {"labels": names, "maps": [{"rows": shares.tolist()}], "all": len(domain)}


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

    some = release.domain.labels(range(min(len(release.domain), 2)))
    asked = []
    if isinstance(release, Countable):
        between = " | " if isinstance(release, Degrees) else " "
        example = between.join(to_text([label]) for label in some)
        asked.append(("count", "edges between sets of vertices" if isinstance(release, Degrees) else "occurs", example))
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
    for text in [line.strip() for line in asked.splitlines() if line.strip()][:20]:
        try:
            answer = _answer(release, text, how)
        except SeqveilError as error:
            problems.append(str(error))
            continue
        value = None if math.isnan(answer.value) else float(answer.value)
        rows.append({"query": text, "value": value, "answer": answer})
    ends = [end for row in rows for end in (row["value"], row["answer"].high, row["answer"].at_most) if end is not None]
    return {"rows": rows, "problems": problems, "axis": float(max(ends, default=1)) or 1.0}


def _answer(release: Any, text: str, how: str) -> Any:
    from seqveil.numbers import whole
    from seqveil.release.capabilities import Countable, Degrees
    from seqveil.release.labels import UnknownLabel

    domain = release.domain
    if how == "degrees" and isinstance(release, Degrees):
        try:
            return release.at_least(whole(text))
        except ValueError:
            raise CallError(f"{text!r} is not a whole number: write one, for example 10.") from None
    if not isinstance(release, Countable):
        raise CallError(f"this release holds {release.description}, which answers no counts.")
    try:
        return release.count(from_text(text))
    except UnknownLabel as error:
        close = f" Did you mean {to_text(error.close[:1])}?" if error.close else ""
        blank = ' Labels with blanks stand in double quotes: "West Ham".' if domain.has_blanks else ""
        raise CallError(f"{to_text([error.label])} is not a label of this release.{close}{blank}") from None


def _charge(release: Any) -> dict[str, str] | None:
    """What the ledger of this machine says about the release."""
    from seqveil.wall.ledger import Ledger

    ledger = Ledger()
    for account in ledger.accounts():
        for charge in ledger.charges(account.name):
            if charge.release == release.manifest.release:
                same = charge.digest == release.digest
                return {"account": account.name, "status": charge.status, "same": "yes" if same else "no"}
    return None


def verify(request: Request) -> Response:
    """Read every file again, compare it with the manifest, and the manifest with the ledger."""
    line = _line(request)
    release = studio_of(request).shelf.verify(line)
    charge = _charge(release)
    said = f"Verified: {len(release.manifest.files)} files are what the manifest says."
    if charge is None:
        said += " The ledger of this machine has no entry about this release."
    elif charge["same"] == "yes":
        said += f" The ledger has the same digest, on account {charge['account']!r} ({charge['status']})."
    else:
        raise SeqveilError(
            f"The files match their manifest, but the ledger (account {charge['account']!r}) has another digest of it: "
            "this is not the folder that was committed."
        )
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
