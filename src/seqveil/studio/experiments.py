"""Experiments: which method, which ε? Side by side on a simulated city or on a public file. Nothing is spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seqveil.errors import CallError
from seqveil.numbers import whole
from seqveil.studio.orders import problems_of, typed_labels, usual_reader
from seqveil.studio.pages import field_of, form_of, page, studio_of, to
from seqveil.studio.roots import Entry

MOST_RUNS = 20
SIMULATED = "a simulated city: 68 stations, 20,000 passengers"


def show(request: Request) -> Response:
    """What can be compared: the methods for the kind of the simulated data."""
    return _shown(request, {}, [])


def _shown(request: Request, sent: dict[str, str], problems: list[str]) -> Response:
    status = 400 if problems else 200
    files = [entry.path for root in studio_of(request).roots.folders for entry in _files(request, root)]
    given = {name: sent.get(name, "") for name in ("data", "file", "domain")}
    content = {"methods": _methods(), "simulated": SIMULATED, "files": files[:100], "given": given}
    return page(request, "experiments", status, problems=problems, **content)


def _files(request: Request, folder: Path) -> list[Entry]:
    return [entry for entry in studio_of(request).roots.listing(folder)[0] if not entry.is_folder]


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
    if field_of(request, "data") == "file":
        problems += problems_of(lambda: given.update(_public_file(request)))
    if problems:
        return _shown(request, {name: values[-1] for name, values in form_of(request).items()}, problems)
    return to(f"/tasks/{studio.tasks.start('experiment', given, '/experiments').id}")


def _public_file(request: Request) -> dict[str, Any]:
    """A file of public data, described as its columns are called; whoever uses it must state that it is public."""
    from seqveil.sources import Source
    from seqveil.studio.columns import look
    from seqveil.tables.domain import Domain

    roots = studio_of(request).roots
    if field_of(request, "public") != "yes":
        raise CallError("experiments show exact comparisons: state that the data are public, or use the simulated city.")
    file, typed = roots.inside(field_of(request, "file")), field_of(request, "domain").strip()
    domain = str(roots.inside(typed)) if typed.startswith("/") else typed_labels(typed)
    layout = look(file, usual_reader(), "", "", True).guesses
    Source(file, Domain.parse(domain), **layout).inspect()  # type: ignore[arg-type]
    return {"file": str(file), "domain": domain, "layout": layout, "folders": [str(root) for root in roots.folders]}
