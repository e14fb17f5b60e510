"""Experiments: methods and budgets side by side on simulated or public data. Seeded, never private, never in a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PASSENGERS = 20_000


def tried(given: dict[str, Any]) -> dict[str, Any]:
    """The grids of every method at every ε, and what could not be run."""
    from seqveil.evaluate import compare_runs
    from seqveil.registry import make

    table = _table(given)
    results: list[dict[str, Any]] = []
    for name in given["methods"]:
        for epsilon in given["epsilons"]:
            one: dict[str, Any] = {"method": name, "epsilon": epsilon}
            try:
                mechanism = make(name, {})
                comparison = compare_runs(table, mechanism, epsilon, given["runs"], sources=False)
                one["grids"] = [list(grid) for grid in comparison.grids]
            except Exception as error:  # what one method refuses must not keep the others from being shown
                from seqveil.errors import SeqveilError

                one["problem"] = str(error) if isinstance(error, SeqveilError) else f"internal error ({type(error).__name__})"
            results.append(one)
    return {"results": results, "measures": _side_by_side(results)}


def _table(given: dict[str, Any]) -> Any:
    """The data: a file that is public, or the simulated city."""
    if given.get("file"):
        from seqveil.sources import Source
        from seqveil.studio.roots import Roots
        from seqveil.tables.domain import Domain

        file = Roots.of(given["folders"]).inside(Path(given["file"]))
        return Source(file, Domain.parse(given["domain"]), **given.get("layout", {})).read()
    from seqveil.simulate.city import trips

    return trips(PASSENGERS)


def _side_by_side(results: list[dict[str, Any]]) -> dict[str, Any]:
    """All measures with one column for each method and ε: groups of rows, of which `main` ones are shown at first.

    >>> one = {"method": "m", "epsilon": "1", "grids": [[["error", "4", "8"], [["full", "0.1", "0.2"]], "Less is better."]]}
    >>> seen = _side_by_side([one])
    >>> seen["columns"], [(row["name"], row["cells"], row["main"]) for row in seen["groups"][0]["rows"]]
    (['m, ε = 1'], [('full, 4', ['0.1'], True), ('full, 8', ['0.2'], False)])
    """
    columns = [f"{one['method']}, ε = {one['epsilon']}" for one in results]
    groups: dict[str, dict[str, Any]] = {}
    for at, one in enumerate(results):
        for header, rows, remark in one.get("grids", []):
            group = groups.setdefault(header[0], {"title": header[0], "remark": remark, "rows": {}})
            for row in rows:
                for place, (column, cell) in enumerate(zip(header[1:], row[1:], strict=True)):
                    name = row[0] if len(header) == 2 else f"{row[0]}, {column}"
                    fresh = {"name": name, "cells": ["–"] * len(columns), "main": place == 0}
                    line = group["rows"].setdefault(name, fresh)
                    line["cells"][at] = cell
    return {"columns": columns, "groups": [{**group, "rows": list(group["rows"].values())} for group in groups.values()]}
