"""Experiments: which method, which ε? Side by side on a simulated city or on a public file. Nothing is spent."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seqveil.errors import CallError
from seqveil.numbers import whole
from seqveil.studio.pages import field_of, form_of, page, studio_of, to

MOST_RUNS = 20
SIMULATED = "a simulated city: 68 stations, 20,000 passengers"


def show(request: Request) -> Response:
    """What can be compared: the methods for the kind of the simulated data."""
    return page(request, "experiments", methods=_methods(), simulated=SIMULATED, problems=[])


def _methods() -> list[Any]:
    from seqveil.registry import methods
    from seqveil.tables.sequences import SequenceTable

    fitting = []
    for one in methods().values():
        try:
            if one.verb != "stream" and one.kind == SequenceTable.kind:
                fitting.append(one)
        except Exception:  # somebody else's package must not keep ours from being listed
            continue
    return fitting


def start(request: Request) -> Response:
    """Start the experiments."""
    studio = studio_of(request)
    chosen = form_of(request).get("methods", [])
    epsilons = [text.strip() for text in field_of(request, "epsilons").split(",") if text.strip()]
    try:
        runs = whole(field_of(request, "runs", "3"))
    except ValueError:
        runs = 0
    allowed = [one.name for one in _methods()]
    problems = []
    if not chosen or any(name not in allowed for name in chosen):
        problems.append("choose at least one method.")
    if not epsilons or len(epsilons) > 6:
        problems.append("write one to six budgets, separated by commas, for example 0.5, 1, 2.")
    if not 1 <= runs <= MOST_RUNS:
        problems.append(f"write a number of runs from 1 to {MOST_RUNS}.")
    try:
        from seqveil.wall.budget import grains

        for epsilon in epsilons:
            grains(epsilon)
    except CallError as error:
        problems.append(str(error))
    given: dict[str, Any] = {"methods": chosen, "epsilons": epsilons, "runs": runs}
    if problems:
        return page(request, "experiments", 400, methods=_methods(), simulated=SIMULATED, problems=problems)
    return to(f"/tasks/{studio.tasks.start('experiment', given, '/experiments').id}")
