"""What a bench is: a TOML file that names the data, the methods, the budgets, and the tables and plots to make of it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqveil.errors import CallError

PARTS = ("count_error", "other_queries", "top_k", "top_k_short", "top_k_released", "shape", "error_sources")
"""What a run can measure, by the first word of the metrics' names."""

_METHOD_WORDS = ("label", "method", "noise", "sweep", "values", "epsilons")


@dataclass(frozen=True, slots=True)
class Contestant:
    """One line of a table: a method with its parameters, maybe with budgets of its own; without noise it is the Baseline."""

    label: str
    method: str
    parameters: dict[str, Any]
    noise: bool = True
    swept: tuple[str, Any] | None = None
    epsilons: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: one column per x, which fills the {x} of the metric's name; `paper` holds printed rows by (label, ε)."""

    title: str
    metric: str
    x: tuple[Any, ...]
    x_name: str
    percent: bool = False
    note: str = ""
    paper: dict[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot of one metric against ε, against the {x} of the metric's name, or against a swept parameter."""

    name: str
    title: str
    metric: str
    against: str
    x: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Bench:
    """A whole experiment."""

    name: str
    title: str
    data: str
    domain: str
    get: str
    epsilons: tuple[str, ...]
    runs: int
    measure: tuple[str, ...]
    truncate: int
    contestants: tuple[Contestant, ...]
    sheets: tuple[Sheet, ...]
    pictures: tuple[Picture, ...]
    about: str = ""


def read_bench(path: Path) -> Bench:
    """The bench of a file."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CallError(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CallError(f"{path} is not valid TOML: {error}.") from None
    return bench_of(path.stem, table)


def bench_of(name: str, table: dict[str, Any]) -> Bench:
    """The bench of a parsed file.

    >>> words = {"title": "t", "data": "d.seq", "domain": "1..3", "epsilons": ["1.0"], "measure": ["shape"]}
    >>> words["methods"] = [{"label": "n-gram", "method": "ngram", "sweep": "n_max", "values": [2, 3]}]
    >>> [(c.label, c.parameters) for c in bench_of("small", words).contestants]
    [('n-gram, n_max = 2', {'n_max': 2}), ('n-gram, n_max = 3', {'n_max': 3})]
    >>> bench_of("small", {"title": "t"})
    Traceback (most recent call last):
    seqveil.errors.CallError: bench small: missing data, domain, epsilons, measure, methods.
    """
    missing = [key for key in ("title", "data", "domain", "epsilons", "measure", "methods") if key not in table]
    if missing:
        raise CallError(f"bench {name}: missing {', '.join(missing)}.")
    unknown = [part for part in table["measure"] if part not in PARTS]
    if unknown:
        raise CallError(f"bench {name}: cannot measure {', '.join(unknown)}: choose among {', '.join(PARTS)}.")
    return Bench(
        name=name,
        title=table["title"],
        about=table.get("about", "").strip(),
        data=table["data"],
        domain=table["domain"],
        get=table.get("get", ""),
        epsilons=tuple(map(str, table["epsilons"])),
        runs=int(table.get("runs", 5)),
        measure=tuple(table["measure"]),
        truncate=int(table.get("truncate", 20)),
        contestants=tuple(c for entry in table["methods"] for c in _contestants(entry)),
        sheets=tuple(_sheet(entry) for entry in table.get("tables", [])),
        pictures=tuple(Picture(**{**e, "x": tuple(e.get("x", ()))}) for e in table.get("plots", [])),
    )


def _contestants(entry: dict[str, Any]) -> list[Contestant]:
    """One contestant, or one for each value of a swept parameter."""
    fixed = {key: value for key, value in entry.items() if key not in _METHOD_WORDS}
    label, method, noise = entry["label"], entry["method"], entry.get("noise", True)
    own = tuple(map(str, entry["epsilons"])) if "epsilons" in entry else None
    if "sweep" not in entry:
        return [Contestant(label, method, fixed, noise, epsilons=own)]
    swept = entry["sweep"]
    return [
        Contestant(f"{label}, {swept} = {value}", method, {**fixed, swept: value}, noise, (swept, value), own)
        for value in entry["values"]
    ]


def _sheet(entry: dict[str, Any]) -> Sheet:
    paper = {(row["label"], str(row["epsilon"])): tuple(map(float, row["values"])) for row in entry.get("paper", [])}
    return Sheet(**{**entry, "x": tuple(entry["x"]), "paper": paper})
