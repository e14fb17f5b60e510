"""Step 6, review: the promise, the plan, the same as a command and as Python code, and the one button that spends."""

from __future__ import annotations

import hashlib
import json
import os

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from seqveil.errors import CallError
from seqveil.facts import MOST_STATED
from seqveil.studio.budget import prediction
from seqveil.studio.drafts import Draft
from seqveil.studio.equivalent import command, python
from seqveil.studio.foresight import public_warnings
from seqveil.studio.ledger import after, refuse_unit
from seqveil.studio.orders import STATED, account_of, held_kind, out_of, problems_of, request_of
from seqveil.studio.pages import field_of, page, studio_of, to
from seqveil.studio.promised import promise_of
from seqveil.studio.steps import draft_of, step_page

FIELDS = ("out", "account", *STATED)
"""What can be changed here."""


def show(request: Request) -> Response:
    """The step as it is; the folder gets a name the first time, so that what is shown is what will be done."""
    draft = draft_of(request)
    if not draft.get("epsilon"):
        return to(f"/new/{draft.id}/budget")
    if not draft.get("out"):
        studio = studio_of(request)
        draft = studio.drafts.change(draft.id, {"out": str(out_of(draft, studio.roots)), "account": account_of(draft)})
    return _shown(request, draft)


def _shown(request: Request, draft: Draft, problems: list[str] | None = None) -> Response:
    from seqveil.wall.budget import decimal
    from seqveil.wall.mechanism import precheck

    roots = studio_of(request).roots
    wrong = problems or problems_of(lambda: _refuse(request, draft))
    shown = None
    if not problems_of(lambda: request_of(draft, roots)):
        wanted = request_of(draft, roots)
        mechanism, epsilon, unit, domain = wanted.mechanism, wanted.epsilon, wanted.unit, wanted.input.domain
        plan = precheck(mechanism, epsilon, domain, unit, held_kind(draft))
        shown = {
            "epsilon": decimal(epsilon),
            "promise": promise_of(mechanism, epsilon, unit, domain, held_kind(draft)),
            "stages": [(name, decimal(amount), amount / epsilon, why) for name, amount, why in plan.stages],
            "warnings": public_warnings(draft, plan),
            "task": prediction(request, draft),
            "after": after(wanted.account, epsilon),
            "command": command(draft, wanted),
            "python": python(draft, wanted),
            "account": wanted.account,
            "unit": unit.name,
        }
    status = 400 if problems else 200
    return step_page(request, "review", draft, status, shown=shown, problems=wrong, reviewed=reviewed(draft), most=MOST_STATED)


def foretold(request: Request) -> Response:
    """What the simulation warns of, for a review that was opened before it had ended."""
    task = prediction(request, draft_of(request))
    body = page(request, "foretold", task=task).body
    return JSONResponse({"html": bytes(body).decode(), "state": task.state})


def reviewed(draft: Draft) -> str:
    """What the button is pressed for: a draft that was changed meanwhile is another one."""
    fields = {name: value for name, value in draft.fields.items() if value and name not in ("step", "guessed")}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


def _refuse(request: Request, draft: Draft) -> None:
    """Everything that can be refused without a row, as the command refuses it."""
    from seqveil.wall.mechanism import precheck

    wanted = request_of(draft, studio_of(request).roots)
    if wanted.out is None or wanted.out.exists() or wanted.out.is_symlink():
        raise CallError(f"{wanted.out} exists already: choose another folder.")
    if not os.access(wanted.out.parent, os.W_OK | os.X_OK):
        raise CallError(f"{wanted.out} cannot be created: you may not write to its folder; choose another.")
    precheck(wanted.mechanism, wanted.epsilon, wanted.input.domain, wanted.unit, held_kind(draft))
    refuse_unit(wanted.account, wanted.unit)
    wanted.input.inspect()  # type: ignore[attr-defined]


def save(request: Request) -> Response:
    """Keep what stands in the fields, and show the review again."""
    studio = studio_of(request)
    fields = {name: field_of(request, name).strip() for name in FIELDS}
    return _shown(request, studio.drafts.change(request.path_params["id"], fields))


def publish(request: Request) -> Response:
    """The one button. The run has the id of the draft: whoever presses twice, or in two tabs, gets one run and one spend."""
    studio = studio_of(request)
    draft = draft_of(request)
    if studio.runs.exists(draft.id):
        return to(f"/runs/{draft.id}")
    if field_of(request, "reviewed") != reviewed(draft):
        raise CallError("this draft was changed in another tab: look at its review again before you spend anything.")
    fields = {name: field_of(request, name, draft.get(name)).strip() for name in FIELDS}
    if any(draft.get(name) != value for name, value in fields.items()):
        changed = ["Fields of this page were changed: look at the review of them, then publish."]
        return _shown(request, studio.drafts.change(draft.id, fields), changed)
    problems = problems_of(lambda: _refuse(request, draft))
    if problems:
        return _shown(request, draft, problems)
    studio.runs.order(draft, studio.roots.folders)
    return to(f"/runs/{draft.id}")
