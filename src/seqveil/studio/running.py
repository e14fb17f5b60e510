"""A run: how far it is, by stage. The page may be closed and opened again; the run does not notice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from seqveil.studio.drafts import Draft
from seqveil.studio.orders import account_of, epsilon_of, mechanism_of, problems_of
from seqveil.studio.pages import page, studio_of, to
from seqveil.studio.runs import PREPARING, READING, Progress

SAVING = "saving"
SAYS = {
    PREPARING: "everything that needs no data is checked",
    READING: "the budget counts as spent from here on",
    SAVING: "to disk",
}
"""Stages of the lifecycle itself, in words; those of a method say in its plan what they buy."""


def show(request: Request) -> Response:
    """The page of a run."""
    return page(request, "running", **_content(request))


def state(request: Request) -> Response:
    """How far it is, for the page that is open."""
    content = _content(request)
    body = page(request, "progress", **content).body
    return JSONResponse({"html": bytes(body).decode(), "state": content["progress"].state, "release": content["release"]})


def _content(request: Request) -> dict[str, Any]:
    from seqveil.wall.budget import decimal

    studio, id = studio_of(request), request.path_params["id"]
    progress = studio.runs.progress(id)
    draft = studio.runs.draft(id)
    release = ""
    if progress.state == "released":
        release = studio.shelf.expect(Path(progress.end["folder"]), id)
    return {
        "id": id,
        "progress": progress,
        "stages": stages_of(draft, progress),
        "epsilon": decimal(epsilon_of(draft)),
        "account": account_of(draft),
        "file": Path(draft.get("file")).name,
        "release": release,
        "fates": _fates(draft, progress),
    }


def stages_of(draft: Draft, progress: Progress) -> list[dict[str, str]]:
    """Every stage with its state: done, now or next. What is planned is public, and so is which stage it is."""
    bought = _planned(draft)
    planned, says = [PREPARING, READING, *bought, SAVING], {**bought, **SAYS}
    lines: list[dict[str, str]] = []
    heard = list(progress.stages)
    names = heard + [name for name in planned[_after(planned, heard) :] if name not in heard]
    for at, name in enumerate(names):
        state = "next" if at >= len(heard) else "done"
        if progress.state == "running" and at == max(len(heard) - 1, 0):
            state = "now"
        if at == len(heard) - 1 and progress.state in ("failed", "cancelled", "lost"):
            state = "stopped"
        lines.append({"name": name, "says": says.get(name, ""), "state": state})
    return lines


def _planned(draft: Draft) -> dict[str, str]:
    """The stages of the method, and what each of them buys."""
    bought: dict[str, str] = {}

    def plan() -> None:
        from seqveil.studio.orders import domain_of, unit_of

        stages = mechanism_of(draft).plan(epsilon_of(draft), domain_of(draft), unit_of(draft)).stages
        bought.update({name: why for name, _, why in stages})

    problems_of(plan)
    return bought


def _after(planned: list[str], heard: list[str]) -> int:
    """Where in the plan the run is."""
    return max((planned.index(name) + 1 for name in heard if name in planned), default=0)


def _fates(draft: Draft, progress: Progress) -> list[str]:
    """What became of the ε: as the run said, or, where it could say nothing, as the ledger does."""
    if progress.state in ("failed", "cancelled"):
        return [str(line) for line in progress.end.get("fate", [])]
    if progress.state != "lost":
        return []
    from seqveil.wall import fate
    from seqveil.wall.ledger import Ledger
    from seqveil.wall.measures.guarantee import Guarantee

    account, epsilon = account_of(draft), epsilon_of(draft)
    accounts = [one.name for one in Ledger().accounts()]
    charges = Ledger().charges(account) if account in accounts else []
    name = mechanism_of(draft).name
    open_ones = [one for one in charges if one.open and one.epsilon == epsilon and one.mechanism == name]
    if not open_ones:
        return [str(fate.NOTHING)]
    if any(one.status == "begun" for one in open_ones):
        return [str(fate.charged(account, Guarantee(epsilon)))]
    return [str(fate.reserved(account, Guarantee(epsilon)))]


def cancel(request: Request) -> Response:
    """Ask the run to end. What becomes of its ε the run itself says."""
    id = request.path_params["id"]
    studio_of(request).runs.cancel(id)
    return to(f"/runs/{id}")


def start(request: Request) -> Response:
    """Start a run whose process was never started, because the studio ended right then. No run begins twice."""
    id = request.path_params["id"]
    runs = studio_of(request).runs
    if runs.progress(id).state == "waiting":
        runs.start(id)
    return to(f"/runs/{id}")
