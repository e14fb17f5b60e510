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


def _side_by_side(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One table per measure that all of them have: rows are methods with their ε."""
    tables: dict[tuple[str, ...], dict[str, Any]] = {}
    for one in results:
        for header, rows, remark in one.get("grids", []):
            for row in rows:
                table = tables.setdefault(
                    (*header, row[0]), {"title": f"{header[0]}: {row[0]}", "header": header[1:], "rows": [], "remark": remark}
                )
                table["rows"].append([one["method"], one["epsilon"], *row[1:]])
    return list(tables.values())
