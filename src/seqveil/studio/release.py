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
from seqveil.studio.asked import labels_in
from seqveil.studio.download import downloads
from seqveil.studio.drawing import Drawn, drawing
from seqveil.studio.pages import field_of, page, studio_of, to
from seqveil.studio.shelf import Line
from seqveil.verification import entry_of
from seqveil.verification import verify as verdict_on

MOST_QUERY = 2000
"""Characters of a query."""

SPELLING = "Separate labels by spaces or commas, and put a label that contains spaces in double quotes."
"""How labels are written in a query."""

PATIENCE = 0.4
"""Seconds that a page waits for its pictures; later it comes without them, and looks for them again."""


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
        spelling=SPELLING,
        charge=entry_of(release),
        signature=release.signature,
        **_at_once(release),
        **_pictures(release),
    )


def _at_once(release: Any) -> dict[str, Any]:
    """What the page says in words: from the manifest and the kind of the release, without its records."""
    from seqveil.report import promise

    manifest = release.manifest
    return {"promise": promise.in_words(manifest), "budget": _bill(manifest), "downloads": downloads(release)}


def _bill(manifest: Any) -> list[dict[str, Any]]:
    """What every stage used; what has one name is one line."""
    from seqveil.report import promise
    from seqveil.wall.budget import decimal, grains

    amounts: dict[str, int] = {}
    for one in promise.bill(manifest):
        amounts[one["name"]] = amounts.get(one["name"], 0) + grains(one["epsilon"])
    whole = grains(manifest.charged)
    return [{"name": name, "epsilon": decimal(amount), "share": amount / whole} for name, amount in amounts.items()]


def _pictures(release: Any) -> Drawn:
    """What is drawn, if it is there in time."""
    try:
        return {"drawn": True, **drawing(release).result(PATIENCE)}
    except TimeoutError:
        return {"drawn": False}


def questions(release: Any) -> list[tuple[str, str, str]]:
    """What can be asked: the name of the question, as it is shown, and an example."""
    from seqveil.release.capabilities import Countable, Degrees
    from seqveil.release.ofrecords import QUESTIONS, OfRecords

    some = [to_text([label]) for label in release.domain.labels(range(min(len(release.domain), 2)))]
    asked = []
    if isinstance(release, Degrees) and isinstance(release, Countable):
        asked.append(("count", "edges between two sets of vertices", " | ".join(some)))
    elif isinstance(release, Countable):
        asked.append(("count", "how often this pattern occurs", " ".join(some)))
    if isinstance(release, OfRecords):
        for name, (clause, wanted) in QUESTIONS.items():
            if name in release.asked:
                asked.append((name, f"records that {clause}", " ".join(some[:wanted])))
        if "length" in release.asked:
            asked.append(("length", "records with this number of items", "3"))
        if "hour" in release.asked and release.domain.calendar is not None:
            asked.append(("hour", "records whose first item is in this time bin", release.domain.calendar.names[0]))
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
    from seqveil.release.ofrecords import QUESTIONS, OfRecords

    if how == "degrees" and isinstance(release, Degrees):
        return release.at_least(_number(text))
    if how == "length" and isinstance(release, OfRecords):
        return release.length(_number(text))
    if how == "hour" and isinstance(release, OfRecords):
        return release.hour(text)
    domain = release.domain
    try:
        if how in QUESTIONS and isinstance(release, OfRecords):
            labels, wanted = labels_in(text, domain), QUESTIONS[how][1]
            if wanted is not None and len(labels) != wanted:
                read = ", ".join(f"“{label}”" for label in labels)
                raise CallError(f"This question takes {wanted} label{'s' * (wanted > 1)}, not {len(labels)}: {read}. {SPELLING}")
            return release.ask(how, labels)
        if isinstance(release, Countable):
            return release.count(labels_in(text, domain) if "|" not in text else from_text(text))
    except UnknownLabel as error:
        close = f" Did you mean {to_text(error.close[:1])}?" if error.close else ""
        blank = f" {SPELLING}" if domain.has_blanks else ""
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
