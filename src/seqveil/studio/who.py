"""Step 2, who and what: columns, sessions, the unit of privacy and its bounds. And the check, INTERNAL."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seqveil.studio.columns import look
from seqveil.studio.data import FIELDS
from seqveil.studio.drafts import Draft
from seqveil.studio.figures import unit_picture
from seqveil.studio.forms import field_controls
from seqveil.studio.orders import (
    domain_of,
    first_file,
    layout_of,
    problems_of,
    reader_of,
    source_of,
    unit_classes,
    unit_of,
    usual_reader,
)
from seqveil.studio.pages import field_of, form_of, studio_of, to
from seqveil.studio.steps import draft_of, kept, step_page

COLUMNS = ("user", "time", "item", "origin", "destination")


def show(request: Request) -> Response:
    """The step; columns whose names say what they hold are filled in the first time."""
    draft = draft_of(request)
    if draft.get("file") and not draft.get("guessed") and _rows(draft) == usual_reader():  # others have no such columns
        guessed = _seen(request, draft).guesses
        guesses = {f"layout.{role}": name for role, name in guessed.items() if not draft.get(f"layout.{role}")}
        draft = studio_of(request).drafts.change(draft.id, {**guesses, "guessed": "yes"})
    return _shown(request, draft)


def _rows(draft: Draft) -> str:
    """What the table of formats calls the rows of this kind of data."""
    from seqveil.sources.source import readable

    return readable()[reader_of(draft)].formats or reader_of(draft)


def _seen(request: Request, draft: Draft) -> Any:
    given = draft.under("layout.")
    roots = studio_of(request).roots
    file = first_file(roots.inside(draft.get("file")), roots, _rows(draft))
    return look(file, _rows(draft), given.get("format", ""), given.get("delimiter", ""), given.get("header") != "no")


def _shown(request: Request, draft: Draft, problems: list[str] | None = None) -> Response:
    from seqveil.sources.formats import shaped
    from seqveil.sources.layout import Layout
    from seqveil.sources.source import Source, readable

    if not draft.get("file"):
        return to(f"/new/{draft.id}/data")
    controls = field_controls(Layout, draft.under("layout."), "layout.")
    named = {one.name.removeprefix("layout."): one for one in controls}
    classes = unit_classes(draft)
    try:
        chosen = type(unit_of(draft)).name
    except Exception:
        chosen = draft.get("unit", classes[0].name)
    sources = {one.name: one for one in Source.__dataclass_fields__.values()}
    units = [
        {
            "name": one.name,
            "says": (one.__doc__ or "").split("\n")[0].replace("`", "").replace("_", " "),
            "neighbours": one().neighbours,
            "picture": unit_picture(one.name),
            "controls": field_controls(one, draft.under(f"unit.{one.name}."), f"unit.{one.name}."),
            "chosen": one.name == chosen,
        }
        for one in classes
    ]
    seen = _seen(request, draft)
    return step_page(
        request,
        "who",
        draft,
        400 if problems else 200,
        seen=seen,
        has_columns=seen.format not in shaped("lines"),
        columns=[named[name] for name in COLUMNS],
        session=named["session"],
        more=[one for name, one in named.items() if name not in (*COLUMNS, *FIELDS, "session")],
        units=units,
        statements=[
            (name, str(sources[name].metadata["help"]), draft.get(f"stated.{name}") == "yes")
            for name in readable()[reader_of(draft)].unreleased
        ],
        has_labels=bool(draft.get("domain")),
        problems=problems or [],
    )


def save(request: Request) -> Response:
    """Keep what was filled in. What can be checked without labels is checked now, the rest with them."""
    draft = draft_of(request)
    fields = _filled(request, draft)
    draft.fields.update(fields)
    problems = problems_of(lambda: layout_of(draft), lambda: unit_of(draft), lambda: _inspect(request, draft))
    draft, following = kept(request, "who", fields, problems)
    return to(following) if following else _shown(request, draft, problems)


def _filled(request: Request, draft: Draft) -> dict[str, str]:
    """What was filled in on this page."""
    fields = {name: values[-1] for name, values in form_of(request).items() if name.startswith(("layout.", "unit", "stated."))}
    for name in draft.fields:  # a box that is not ticked is not sent
        if name.startswith("stated.") and name not in fields:
            fields[name] = ""
    return fields


def _inspect(request: Request, draft: Draft) -> None:
    """Look at the format of the input. Before labels are declared, some stand-in for them: columns do not depend on labels."""
    from seqveil.sources.source import readable
    from seqveil.tables.domain import Domain

    roots = studio_of(request).roots
    if draft.get("domain"):
        source_of(draft, roots).inspect()
    elif "item" in [one.removeprefix("layout.") for one in draft.fields] and not readable()[reader_of(draft)].becomes:
        source_of(draft, roots, Domain.range(1, 2)).inspect()


def check(request: Request) -> Response:
    """INTERNAL: start the check of the file with what is filled in, which is kept: the check leads away from its page."""
    studio = studio_of(request)
    draft = draft_of(request)
    back = field_of(request, "back", "who")
    because = field_of(request, "public_because").strip()
    filled = _filled(request, draft) if any(name.startswith("layout.") for name in form_of(request)) else {}
    draft = studio.drafts.change(draft.id, filled | ({"public_because": because} if because else {}))
    domain_of(draft)
    given = {"fields": draft.fields, "folders": [str(folder) for folder in studio.roots.folders]}
    task = studio.tasks.start("check", given, f"/new/{draft.id}/{back if back in ('who', 'labels') else 'who'}")
    return to(f"/tasks/{task.id}")
