"""Home: budgets, releases, what is running, and where to begin. And the chooser of release folders."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seqveil.errors import CallError
from seqveil.studio.chooser import chooser
from seqveil.studio.ledger import account_rows
from seqveil.studio.pages import field_of, page, studio_of, to


def home(request: Request) -> Response:
    """The first page."""
    from seqveil.wall.ledger import Ledger

    studio = studio_of(request)
    running = []
    for id in studio.runs.recent(10):
        with suppress(CallError):  # a folder that was damaged keeps nobody from the others
            progress = studio.runs.progress(id)
            if progress.state != "released":
                running.append({"id": id, "state": progress.state, "name": _name(studio.runs.draft(id).fields)})
    drafts = [
        {"id": draft.id, "name": _name(draft.fields), "step": draft.get("step", "data")}
        for draft in studio.drafts.recent(5, studio.runs.exists)
    ]
    releases = studio.shelf.lines()
    if releases:
        studio.shelf.expect_soon(releases[0])
    return page(
        request,
        "home",
        accounts=account_rows(Ledger().accounts()),
        releases=releases,
        running=running[:5],
        drafts=drafts,
        folders=[str(folder) for folder in studio.roots.folders],
    )


def _name(fields: dict[str, str]) -> str:
    return Path(fields.get("file", "")).name or "a release"


def new(request: Request) -> Response:
    """A new draft: empty, or with the fields of an earlier run, but a place and a run of its own."""
    studio = studio_of(request)
    fields: dict[str, str] = {}
    if like := field_of(request, "like"):
        fields = {name: value for name, value in studio.runs.draft(like).fields.items() if name not in ("out", "confirmed")}
    return to(f"/new/{studio.drafts.new(fields).id}/data")


def remove(request: Request) -> Response:
    """Forget a draft. Nothing was spent on it."""
    studio = studio_of(request)
    id = request.path_params["id"]
    if studio.runs.exists(id):
        raise CallError("this draft has been published: it cannot be removed.")
    studio.drafts.remove(id)
    return to("/")


def open_folder(request: Request) -> Response:
    """Choose the folder of a release."""
    return _chooser(request, None)


def opened(request: Request) -> Response:
    """Go to another folder, or open a release."""
    path = field_of(request, "path")
    if field_of(request, "what") == "open":
        return to(f"/releases/{studio_of(request).shelf.add(Path(path))}")
    return _chooser(request, path)


def _chooser(request: Request, folder: str | None) -> Response:
    content: dict[str, Any] = chooser(studio_of(request).roots, folder)
    return page(request, "open", **content)
