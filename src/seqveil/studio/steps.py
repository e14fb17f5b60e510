"""The six steps to a release, in order; each can be gone back to, and nothing is spent before the last button."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from seqveil.studio.drafts import Draft
from seqveil.studio.pages import page, studio_of, to


class Step(NamedTuple):
    """The name of a step in its address, and as it is shown."""

    name: str
    title: str


STEPS = [
    Step("data", "Data"),
    Step("who", "Who and what"),
    Step("labels", "Labels"),
    Step("method", "Method"),
    Step("budget", "Budget"),
    Step("review", "Review"),
]


def draft_of(request: Request) -> Draft:
    """The draft that an address names."""
    return studio_of(request).drafts.load(request.path_params["id"])


def step_page(request: Request, step: str, draft: Draft, status: int = 200, **content: Any) -> Response:
    """A step as a page; one whose draft was published already leads to its run."""
    if studio_of(request).runs.exists(draft.id):
        return to(f"/runs/{draft.id}")
    names = [one.name for one in STEPS]
    at = names.index(step)
    shown = {"draft": draft, "steps": STEPS, "step": step, "number": at + 1, "title": STEPS[at].title}
    before = f"/new/{draft.id}/{names[at - 1]}" if at else "/"
    return page(request, step, status, **shown, before=before, **content)


def kept(request: Request, step: str, fields: dict[str, str], problems: list[str]) -> tuple[Draft, str | None]:
    """Keep what was filled in; with problems the step is shown again, else the next one follows."""
    names = [one.name for one in STEPS]
    following = names[min(names.index(step) + 1, len(names) - 1)]
    draft = studio_of(request).drafts.change(request.path_params["id"], {**fields, "step": step if problems else following})
    return draft, None if problems else f"/new/{draft.id}/{following}"
