"""Step 4, method: cards for the kind of data at hand, made from the registry; and the parameters of the chosen one."""

from __future__ import annotations

import os

from starlette.requests import Request
from starlette.responses import Response

from seqveil.registry import Method
from seqveil.studio.drafts import Draft
from seqveil.studio.forms import method_controls
from seqveil.studio.orders import (
    domain_of,
    epsilon_of,
    fitting_methods,
    held_kind,
    mechanism_of,
    method_of,
    problems_of,
    unit_of,
    usual_parameters,
)
from seqveil.studio.pages import field_of, form_of, studio_of, to
from seqveil.studio.steps import draft_of, kept, step_page

CARDS = 3
"""Methods that are shown at once; the others are one click away."""

GIVES = {"publish": "Synthetic data, and counts with error bars.", "mine": "A list of frequent patterns with error bars."}
"""What a release of a verb is good for."""


def shown_first(fitting: list[Method]) -> list[Method]:
    """The methods of the first cards: those to look at first, the first of each verb before others of the same verb."""
    best = sorted(fitting, key=lambda one: not one.good_for)
    verbs = [one.verb for one in best]
    of_verb = [one for place, one in enumerate(best) if one.verb not in verbs[:place]]
    return [*of_verb, *(one for one in best if one not in of_verb)][:CARDS]


def show(request: Request) -> Response:
    """The step as it is."""
    return _shown(request, draft_of(request))


def _shown(request: Request, draft: Draft, problems: list[str] | None = None) -> Response:
    if not draft.get("domain"):
        return to(f"/new/{draft.id}/labels")
    chosen = method_of(draft)
    fitting = fitting_methods(draft)
    first = shown_first(fitting)
    first = first if chosen in first else [*first[: CARDS - 1], chosen]
    cards = [
        {
            "name": one.name,
            "summary": one.summary,
            "good_for": one.good_for,
            "gives": GIVES.get(one.verb, ""),
            "paper": str(getattr(one.load(), "paper", "")),
            "controls": method_controls(one, usual_parameters(draft, one) | (draft.under("p.") if one == chosen else {}))[0],
            "others": method_controls(one, {})[1],
            "chosen": one == chosen,
            "first": one in first,
        }
        for one in sorted(fitting, key=lambda one: one not in first)
    ]
    return step_page(request, "method", draft, 400 if problems else 200, cards=cards, problems=problems or [])


def save(request: Request) -> Response:
    """Keep the method and its parameters; parameters of another method are forgotten."""
    draft = draft_of(request)
    name = field_of(request, "method")
    mine = f"{name}:p."
    form = form_of(request)
    fields = {"method": name} | {one: "" for one in draft.fields if one.startswith("p.")}
    fields |= {one.removeprefix(f"{name}:"): values[-1].strip() for one, values in form.items() if one.startswith(mine)}
    draft.fields.update(fields)
    problems = problems_of(lambda: method_of(draft))
    if problems:
        fields["method"] = draft.fields["method"] = ""
    problems = problems or problems_of(lambda: _refuse_foreign(request, draft)) or problems_of(lambda: _precheck(draft))
    draft, following = kept(request, "method", fields, problems)
    return to(following) if following else _shown(request, draft, problems)


def _refuse_foreign(request: Request, draft: Draft) -> None:
    """A parameter that names a file must name one below the allowed folders."""
    for value in draft.under("p.").values():
        if os.path.lexists(value):
            studio_of(request).roots.inside(value)


def _precheck(draft: Draft) -> None:
    """Let the mechanism refuse, by what is public, what cannot go well."""
    from seqveil.wall.mechanism import precheck

    precheck(mechanism_of(draft), epsilon_of(draft), domain_of(draft), unit_of(draft), held_kind(draft))
