"""The tables of a bench as Markdown, with the paper's own printed numbers in the next column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seqveil.evaluate.bench.run import Outcome
from seqveil.evaluate.bench.spec import Bench, Sheet
from seqveil.evaluate.experiments import interval


def markdown(bench: Bench, outcome: Outcome) -> str:
    """Every table of a bench."""
    parts = [f"## {bench.title}"]
    if bench.about:
        parts.append(bench.about)
    parts += [_sheet(sheet, outcome) for sheet in bench.sheets]
    parts += [f"Left out: {label} ({reason})" for label, reason in outcome.skipped.items()]
    return "\n\n".join(parts) + "\n"


def _sheet(sheet: Sheet, outcome: Outcome) -> str:
    """One table; a column of printed numbers stands beside each of ours where the paper printed any."""
    printed = bool(sheet.paper)
    header = ["method", "ε"]
    for x in sheet.x:
        header += [f"{sheet.x_name} {x}", "paper"] if printed else [f"{sheet.x_name} {x}"]
    rows = []
    for (label, epsilon), runs in outcome.metrics.items():
        names = [sheet.metric.format(x=x) for x in sheet.x]
        if not all(name in runs[0] for name in names):
            continue
        row = [label, epsilon]
        paper = sheet.paper.get((label, epsilon))
        for i, name in enumerate(names):
            row.append(cell([run[name] for run in runs], sheet.percent))
            if printed:
                row.append("–" if paper is None else _plain(paper[i], sheet.percent))
        rows.append(row)
    for (label, epsilon), values in sheet.paper.items():
        if (label, epsilon) not in outcome.metrics:
            rows.append([label, epsilon, *(word for v in values for word in ("–", _plain(v, sheet.percent)))])
    text = f"### {sheet.title}\n\n{table(header, rows)}"
    return f"{text}\n\n{sheet.note}" if sheet.note else text


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table.

    >>> print(table(["a", "b"], [["x", 1]]))
    | a | b |
    |---|---|
    | x | 1 |
    """
    lines = [f"| {' | '.join(map(str, row))} |" for row in [header, *rows]]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:]])


def cell(values: list[float], percent: bool = False) -> str:
    """Mean and half-width of the 95 % interval.

    >>> cell([0.1, 0.1, 0.1]), cell([0.9, 1.0], percent=True), cell([0.5])
    ('.1000 ±.0000', '95 ±63.5', '.5000')
    """
    ends = interval(values)
    mean, high = ends["mean"], ends["high"]
    assert mean is not None
    if high is None:
        return _plain(mean, percent)
    return f"{_plain(mean, percent)} ±{_plain(high - mean, percent)}"


def _plain(value: float, percent: bool) -> str:
    """A number as the tables write it.

    >>> _plain(0.1234567, False), _plain(1.5, False), _plain(0.825, True)
    ('.1235', '1.5000', '82.5')
    """
    if percent:
        text = f"{value * 100:.1f}"
        return text.removesuffix(".0")
    return f"{value:.4f}".removeprefix("0") if value >= 0 else f"{value:.4f}"
