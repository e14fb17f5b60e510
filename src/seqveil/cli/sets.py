"""What the verbs do differently when a file or a release holds sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.console import progress, say, table
from seqveil.cli.sources import unit_of
from seqveil.sources import Source

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


def evaluate_sets(raw: Path, held: Any, given: dict[str, Any]) -> dict[str, Any]:
    """A release of sets against the raw data it was made from."""
    from seqveil.evaluate.evaluation import summary
    from seqveil.evaluate.sets import Weighted, Workload, measure

    with progress("evaluating", steps=2, quiet=given["as_json"]) as step:
        step("reading")
        sets = _raw(raw, held.domain, given)
        step("measuring")
        return {"release": summary(held), "sets": measure(held, Workload(Weighted.raw(sets.flat), len(held.domain)))}


def evaluate_sets_method(mechanism: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Seeded experiments with a method, each measured; means over the runs."""
    from seqveil.evaluate.sets import Weighted, Workload, mean_of, measure
    from seqveil.tables.domain import Domain
    from seqveil.wall.vault import experiment

    unit = unit_of(given["unit"], given["user"], given["max_sequences"])
    with progress("evaluating", steps=given["runs"] + 1, quiet=given["as_json"]) as step:
        step("reading")
        sets = _raw(given["raw"], Domain.parse(given["domain"]), given)
        workload = Workload(Weighted.raw(sets.flat), len(sets.domain))
        found = []
        for seed in range(given["seed"], given["seed"] + given["runs"]):
            step(f"experiment {seed}")
            found.append(measure(experiment(sets, mechanism, given["epsilon"], seed=seed, unit=unit), workload))
    made = {"method": mechanism.name, "epsilon": given["epsilon"], "runs": given["runs"]}
    return {"experiments": made, "sets": mean_of(found)}


def show_evaluation(found: dict[str, Any]) -> None:
    """The numbers as tables for people."""
    made = found.get("release") or found["experiments"]
    say(f"{made['method']}, ε = {made['epsilon']}" + (f", mean of {made['runs']} experiments" if "runs" in made else ""))
    sets = found["sets"]
    errors, utility = sets["count_error"], sets["top_k_utility"]
    header = ["mean relative error, itemsets of up to", *(f"{share} % of the longest" for share in errors)]
    table(header, [["records that contain the itemset", *(f"{error:.4f}" for error in errors.values())]])
    say()
    table(["utility of the top K itemsets, K =", *map(str, utility)], [["1 is perfect", *(f"{u:.4f}" for u in utility.values())]])
    say()
    rows = [
        ["synthetic records per raw record", f"{sets['records_kept']:.4f}"],
        ["counts whose 95 % interval covers the truth", f"{sets['intervals_covered']:.4f}"],
    ]
    table(["sets", "value"], rows)


def _raw(file: Path, domain: Domain, given: dict[str, Any]) -> Any:
    from seqveil.cli.reading import described

    source = Source(file, domain, given["kind"] or "sets", **described(given))
    if not given.get("as_json"):
        say(f"reading {file} as {source.description}")
    return source.read()
