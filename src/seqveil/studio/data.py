"""Step 1, data: choose a file; its format is recognised. Rows are shown only on request, and are INTERNAL."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from seqveil.errors import CallError
from seqveil.studio.chooser import chooser
from seqveil.studio.columns import first_rows, look
from seqveil.studio.drafts import Draft
from seqveil.studio.forms import field_controls
from seqveil.studio.orders import first_file, problems_of, reader_of, readers_over_domains, usual_reader
from seqveil.studio.pages import field_of, studio_of, to
from seqveil.studio.steps import draft_of, kept, step_page

FIELDS = ("format", "delimiter", "header")
"""What of the layout is asked for here; columns and times follow in the next step."""


def show(request: Request) -> Response:
    """The step as it is."""
    return _shown(request, draft_of(request))


def _shown(request: Request, draft: Draft, problems: list[str] | None = None, rows: list[list[str]] | None = None) -> Response:
    from seqveil.sources.formats import formats
    from seqveil.sources.layout import Layout
    from seqveil.sources.source import readable

    roots = studio_of(request).roots
    reader = reader_of(draft)
    given = draft.under("layout.")
    seen = None
    if draft.get("file"):
        kind = readable()[reader].formats or reader
        file = first_file(roots.inside(draft.get("file")), roots, kind)
        seen = look(file, kind, given.get("format", ""), given.get("delimiter", ""), given.get("header") != "no")
    folder = draft.get("folder.data") or (str(Path(draft.get("file")).parent) if draft.get("file") else None)
    return step_page(
        request,
        "data",
        draft,
        400 if problems else 200,
        chooser=chooser(roots, folder),
        seen=seen,
        readers=readers_over_domains(),
        reader=reader,
        formats=formats(readable()[reader].formats or reader),
        controls={one.name.removeprefix("layout."): one for one in field_controls(Layout, given, "layout.")},
        rows=rows,
        problems=problems or [],
    )


def browse(request: Request) -> Response:
    """Another folder in the chooser. It stands in the draft, in no address."""
    folder = studio_of(request).roots.inside(field_of(request, "path"))
    studio_of(request).drafts.change(request.path_params["id"], {"folder.data": str(folder)})
    return to(f"/new/{request.path_params['id']}/data#chooser")


def choose(request: Request) -> Response:
    """A file, or a folder of files of one format. What was said about another one is forgotten: its columns are others."""
    from seqveil.sources.folder import members
    from seqveil.sources.source import readable

    studio = studio_of(request)
    draft = draft_of(request)
    file = studio.roots.inside(field_of(request, "path"))
    if file.is_dir():
        kind = readable()[reader_of(draft)].formats or reader_of(draft)
        problems = problems_of(lambda: [studio.roots.inside(one) for one in members(file, kind)])
        if studio.roots.above(file) is None:  # the release would be put beside it
            problems.append("this is the folder that the studio was started with: choose one below it.")
        if problems:
            draft.fields["folder.data"] = str(file)
            return _shown(request, draft, problems)
    elif not file.is_file():
        raise CallError(f"{file.name!r} is not a file: choose one.")
    fields = {"file": str(file), "folder.data": str(file if file.is_dir() else file.parent)}
    if str(file) != draft.get("file"):
        fields |= {name: "" for name in draft.fields if name.startswith("layout.")} | {"out": "", "account": "", "guessed": ""}
    studio.drafts.change(draft.id, fields)
    return to(f"/new/{draft.id}/data#chosen")


def save(request: Request) -> Response:
    """Keep the format, and go on where it is a format."""
    fields = {name: field_of(request, name) for name in ["reader", *(f"layout.{one}" for one in FIELDS)]}
    draft = draft_of(request)
    if (fields["reader"] or usual_reader()) != draft.get("reader", usual_reader()):  # another kind of data has other columns
        columns = [name for name in draft.fields if name.startswith("layout.") and name not in fields]
        fields |= {name: "" for name in [*columns, "guessed", "unit", "method"]}
    draft.fields.update(fields)
    problems = problems_of(lambda: _refuse(request, draft))
    draft, following = kept(request, "data", fields, problems)
    return to(following) if following else _shown(request, draft, problems)


def _refuse(request: Request, draft: Draft) -> None:
    from seqveil.sources.formats import formats, infer
    from seqveil.sources.source import readable

    if not draft.get("file"):
        raise CallError("no file is chosen: choose one from the list.")
    kind = readable()[reader_of(draft)].formats or reader_of(draft)
    file = first_file(studio_of(request).roots.inside(draft.get("file")), studio_of(request).roots, kind)
    if not (draft.get("layout.format") or infer(file, kind)):
        raise CallError(f"cannot infer the format from the name {file.name!r}: choose one of {', '.join(formats(kind))}.")


def rows(request: Request) -> Response:
    """INTERNAL: the first rows (of the first file). The answer to a POST: neither an address nor the history leads to it."""
    from seqveil.sources.source import readable

    draft = draft_of(request)
    roots, kind = studio_of(request).roots, readable()[reader_of(draft)].formats or reader_of(draft)
    try:
        shown = first_rows(first_file(roots.inside(draft.get("file")), roots, kind))
    except Exception:  # the message could quote a row
        return _shown(request, draft, ["the first rows cannot be shown: the file is damaged, or of another format."])
    return _shown(request, draft, rows=shown)
