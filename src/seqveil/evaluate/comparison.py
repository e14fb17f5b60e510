"""The result of an evaluation: numbers under stable keys, and tables of them for people. INTERNAL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Metrics = dict[Any, Any]
"""Numbers under the keys that docs/evaluate.md lists; a number may stand for its mean and interval over several runs."""


class Grid(NamedTuple):
    """A table for people; `remark` is a sentence that belongs below it."""

    header: list[str]
    rows: list[list[str]]
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How close a release, or a method, is to the raw data. INTERNAL: computed from raw data without noise; do not share.

    `subject` is {"release": …} for one release and {"experiments": …} for a method.

    >>> grid = Grid(["shape", "value"], [["lengths", "0.1000"]], "0 is best.")
    >>> close = Comparison("sequences", {"release": {"method": "ngram", "epsilon": "1.0"}}, {"shape": {"lengths": 0.1}}, [grid])
    >>> close["shape"], sorted(close.to_dict())
    ({'lengths': 0.1}, ['internal', 'release', 'shape'])
    >>> print(close)
    INTERNAL: computed from raw data without noise; do not share.
    ngram, ε = 1.0
    <BLANKLINE>
    shape    value
    lengths  0.1000
    0 is best.
    """

    kind: str
    subject: dict[str, Any]
    metrics: Metrics
    grids: list[Grid] = field(default_factory=list)

    def __getitem__(self, key: str) -> Any:
        return self.metrics[key]

    def __contains__(self, key: str) -> bool:
        return key in self.metrics

    @property
    def headline(self) -> str:
        """What was evaluated, in one line."""
        facts = next(iter(self.subject.values()))
        runs = f", {facts['runs']} experiments: mean [95 % interval]" if "experiments" in self.subject else ""
        at = f", δ = {facts['delta']}" if "delta" in facts else ""
        return f"{facts['method']}, ε = {facts['epsilon']}{at}{runs}"

    def to_dict(self) -> dict[str, Any]:
        """As one JSON object, under the keys that docs/evaluate.md lists."""
        return {"internal": True, **self.subject, **self.metrics}

    def __str__(self) -> str:
        lines = ["INTERNAL: computed from raw data without noise; do not share.", self.headline]
        for grid in self.grids:
            widths = [max(map(len, column)) for column in zip(grid.header, *grid.rows, strict=True)]
            lines.append("")
            lines += [_aligned(cells, widths) for cells in [grid.header, *grid.rows]]
            lines += [grid.remark] if grid.remark else []
        return "\n".join(lines)


def _aligned(cells: list[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def number(value: Any, digits: int = 4) -> str:
    """A metric as people see it: a number, or its mean and interval over several runs.

    >>> number(0.12345), number({"mean": 0.5, "low": 0.4, "high": 0.6}), number(None)
    ('0.1235', '0.5000 [0.4000, 0.6000]', '-')
    """
    if isinstance(value, dict):
        if value["low"] is None:
            return number(value["mean"], digits)
        return f"{value['mean']:.{digits}f} [{value['low']:.{digits}f}, {value['high']:.{digits}f}]"
    return "-" if value is None else f"{value:.{digits}f}"


def row(name: str, values: Any) -> list[str]:
    """A line of a grid: its name and numbers."""
    return [name, *map(number, values)]
