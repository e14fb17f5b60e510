"""Step 3, labels: the public list, from a file, pasted, or typed as a range, and the reason why it is public."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from seqveil.errors import CallError
from seqveil.studio.chooser import chooser
from seqveil.studio.drafts import Draft
from seqveil.studio.orders import domain_of, problems_of, source_of, typed_labels
from seqveil.studio.pages import field_of, studio_of, to
from seqveil.studio.steps import draft_of, kept, step_page
from seqveil.whole import INTERNAL, write_whole

FIRST = 12
"""Labels that are shown, so that one sees whether it is the right list."""


def show(request: Request) -> Response:
    """The step as it is."""
    return _shown(request, draft_of(request))


def _shown(request: Request, draft: Draft, problems: list[str] | None = None) -> Response:
    if not draft.get("file"):
        return to(f"/new/{draft.id}/data")
    studio = studio_of(request)
    declared = None
    if draft.get("domain") and not problems_of(lambda: domain_of(draft)):
        domain = domain_of(draft)
        declared = {"size": len(domain), "first": domain.labels(range(min(len(domain), FIRST)))}
    pasted = studio.drafts.labels_file(draft.id)
    return step_page(
        request,
        "labels",
        draft,
        400 if problems else 200,
        chooser=chooser(studio.roots, draft.get("folder.labels") or str(Path(draft.get("file")).parent)),
        declared=declared,
        way=draft.get("labels", "file"),
        pasted=pasted.read_text("utf-8") if pasted.is_file() else "",
        problems=problems or [],
    )


def browse(request: Request) -> Response:
    """Another folder in the chooser."""
    folder = studio_of(request).roots.inside(field_of(request, "path"))
    studio_of(request).drafts.change(request.path_params["id"], {"folder.labels": str(folder), **_written(request)})
    return to(f"/new/{request.path_params['id']}/labels#chooser")


def _written(request: Request) -> dict[str, str]:
    """The reason, which may have been written before the file was chosen: the list of files belongs to the same form."""
    because = field_of(request, "public_because").strip()
    return {"public_because": because} if because else {}


def choose(request: Request) -> Response:
    """A file with one label per line."""
    studio = studio_of(request)
    draft = draft_of(request)
    file = studio.roots.inside(field_of(request, "path"))
    fields = {"labels": "file", "domain": str(file), "folder.labels": str(file.parent), **_written(request)}
    problems = problems_of(lambda: _refuse_data(draft, file))
    if problems:
        return _shown(request, draft, problems)
    draft.fields.update(fields)
    problems = problems_of(lambda: domain_of(draft))
    if problems:
        return _shown(request, draft, problems)
    studio.drafts.change(draft.id, fields)
    return to(f"/new/{draft.id}/labels#declared")


def save(request: Request) -> Response:
    """Keep the labels and the reason; with the labels the format of the input can be inspected as a whole."""
    studio = studio_of(request)
    draft = draft_of(request)
    fields = {"labels": field_of(request, "labels", "file"), "public_because": field_of(request, "public_because").strip()}
    problems = problems_of(lambda: fields.update(_declared(request, draft, fields["labels"])))
    draft.fields.update(fields)
    if not problems:
        works = [lambda: domain_of(draft), lambda: _refuse_unstated(fields), lambda: source_of(draft, studio.roots).inspect()]
        problems = problems_of(*works)
    draft, following = kept(request, "labels", fields, problems)
    return to(following) if following else _shown(request, draft, problems)


def _declared(request: Request, draft: Draft, way: str) -> dict[str, str]:
    """The labels as `Domain.parse` takes them. A list that was pasted becomes a file, which a command can name."""
    if way == "paste":
        lines = [line.strip() for line in field_of(request, "pasted").splitlines() if line.strip()]
        if not lines:
            raise CallError("no labels are pasted: write one label per line.")
        path = studio_of(request).drafts.labels_file(draft.id)
        write_whole(path, ("\n".join(lines) + "\n").encode("utf-8", "replace"), mode=INTERNAL, overwrite=True)
        return {"domain": str(path)}
    if way == "typed":
        typed = typed_labels(field_of(request, "typed"))
        return {"domain": typed, "typed": typed}
    if not draft.get("domain") or draft.get("labels", "file") != "file":
        raise CallError("no file of labels is chosen: choose one, paste the labels, or type a range.")
    file = studio_of(request).roots.inside(draft.get("domain"))
    _refuse_data(draft, file)
    return {"domain": str(file)}


def _refuse_data(draft: Draft, file: Path) -> None:
    """The data themselves are no public list."""
    if Path(draft.get("file")) in (file, *file.parents):
        raise CallError(f"{file.name} is the data to be protected: choose a list of labels that is public anyway, or paste it.")


def _refuse_unstated(fields: dict[str, str]) -> None:
    if not fields["public_because"]:
        raise CallError(
            "no reason given for treating the labels as public: write where they are published, for example: network map of May "
            "2026, metro.example/map. It will stand in the release, and a false reason voids the guarantee."
        )
