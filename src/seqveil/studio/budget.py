"""Step 5, budget: ε, what it is expected to give, what the account would have left, and what it means in words.

Predictions come from public parameters and from data simulated over the declared domain; the real data are never looked at.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from seqveil.studio import figures
from seqveil.studio.drafts import Draft
from seqveil.studio.foresight import USUAL_SIZE, public_warnings
from seqveil.studio.ledger import after
from seqveil.studio.orders import (
    STATED,
    account_of,
    domain_of,
    epsilon_of,
    held_kind,
    mechanism_of,
    problems_of,
    size_of,
    unit_of,
)
from seqveil.studio.pages import field_of, page, studio_of, to
from seqveil.studio.promised import odds_of
from seqveil.studio.steps import draft_of, kept, step_page
from seqveil.studio.tasks import Task

STOPS = ["0.05", "0.1", "0.2", "0.3", "0.5", "0.7", "1.0", "1.5", "2.0", "3.0", "4.0", "6.0", "8.0", "10.0"]
"""Where the slider stops."""


def show(request: Request) -> Response:
    """The step as it is."""
    return _shown(request, draft_of(request))


def _shown(request: Request, draft: Draft, problems: list[str] | None = None) -> Response:
    if not draft.get("method"):
        return to(f"/new/{draft.id}/method")
    problems = problems or problems_of(lambda: planned(draft))
    epsilon = draft.get("epsilon", "1.0")
    near = min(range(len(STOPS)), key=lambda at: abs(float(STOPS[at]) - _number(epsilon)))
    return step_page(
        request,
        "budget",
        draft,
        400 if problems else 200,
        epsilon=epsilon,
        stops=STOPS,
        near=near,
        account=account_of(draft),
        unit=unit_of(draft).name,
        usual_size=USUAL_SIZE,
        shown=None if problems else forecast_of(request, draft),
        problems=problems or [],
    )


def _number(text: str) -> float:
    from seqveil.numbers import real

    try:
        return real(text)
    except ValueError:
        return 1.0


def planned(draft: Draft) -> Any:
    """The plan of the mechanism, from public parameters alone."""
    unit, size = unit_of(draft), size_of(draft)
    records = None if size is None else unit.most_records(size)
    return mechanism_of(draft).plan(epsilon_of(draft), domain_of(draft), unit, records)


def forecast_of(request: Request, draft: Draft) -> dict[str, Any]:
    """What the page says about one ε."""
    from seqveil.wall.budget import decimal

    plan, mechanism, unit, epsilon = planned(draft), mechanism_of(draft), unit_of(draft), epsilon_of(draft)
    task = prediction(request, draft)
    return {
        "epsilon": decimal(epsilon),
        "predictions": plan.predictions,
        "warnings": public_warnings(draft, plan),
        "promise": odds_of(mechanism, epsilon, unit, domain_of(draft), held_kind(draft)),
        "after": after(account_of(draft), epsilon),
        "task": task,
        **_drawn(task.answer or {}),
    }


def prediction(request: Request, draft: Draft) -> Task:
    """The simulation of this draft: it goes on if it has been started, else it is started."""
    studio = studio_of(request)
    given = {"fields": {name: value for name, value in draft.fields.items() if name not in _UNSEEN}}
    back = f"/new/{draft.id}/budget"
    task = studio.tasks.same("predict", given)
    if task is None:
        studio.tasks.stop_older("predict", back)  # whoever moves the slider waits for the last one only
        task = studio.tasks.start("predict", given, back)
    return task


def _drawn(seen: dict[str, Any]) -> dict[str, Any]:
    """The pictures of a prediction."""
    said = "Predicted error in simulated data, for several ε"
    series = {name: [(p[0], p[1], p[2], p[3]) for p in points] for name, points in seen.get("series", {}).items()}
    ends = [row[key] for row in seen.get("rows", []) for key in ("value", "high", "true") if row[key] is not None]
    return {"chart": figures.lines_chart(series, said), "bar": figures.interval_bar, "axis": max(ends, default=1.0)}


_UNSEEN = (
    "step", "file", "folder.data", "folder.labels", "out", "account", "guessed", "confirmed", "public_because", *STATED
)  # fmt: skip
"""Fields on which no prediction depends."""


def forecast(request: Request) -> Response:
    """The part of the page that follows the slider, for another ε and size than the draft has."""
    draft = draft_of(request)
    draft.fields.update({name: request.query_params[name] for name in ("epsilon", "size") if name in request.query_params})
    problems = problems_of(lambda: epsilon_of(draft), lambda: size_of(draft))
    problems = problems or problems_of(lambda: forecast_of(request, draft))
    if problems:
        return JSONResponse({"problem": " ".join(problems)})
    shown = forecast_of(request, draft)
    body = page(request, "forecast", shown=shown).body
    return JSONResponse({"html": bytes(body).decode(), "running": shown["task"].state == "running"})


def save(request: Request) -> Response:
    """Keep ε, the rough number and the account."""
    fields = {name: field_of(request, name).strip() for name in ("epsilon", "size", "account")}
    draft = draft_of(request)
    draft.fields.update(fields)
    problems = problems_of(lambda: epsilon_of(draft), lambda: size_of(draft), lambda: _check_name(account_of(draft)))
    problems = problems or problems_of(lambda: planned(draft))
    draft, following = kept(request, "budget", fields, problems)
    return to(following) if following else _shown(request, draft, problems)


def _check_name(account: str) -> None:
    from seqveil.wall.ledger import names

    names.check_name(account)
