"""The tables of `seqveil bench quality`, as Markdown."""

from __future__ import annotations

from statistics import median

from seqveil.evaluate.bench.quality.bars import Bar, bars
from seqveil.evaluate.bench.quality.order import reversals
from seqveil.evaluate.bench.quality.run import Quality
from seqveil.evaluate.bench.quality.sets import SETS
from seqveil.evaluate.bench.quality.today import Mean, Means, means
from seqveil.evaluate.bench.tables import table
from seqveil.evaluate.count_queries import SIZES

SHAPE = {
    "records": "records", "length": "length", "lengths": "TV len", "first": "first", "last": "last", "trip": "(first, last)",
    "first_table": "first table", "last_table": "last table", "trip_table": "(first, last) table",
    "first_noisy": "first noisy", "last_noisy": "last noisy", "trip_noisy": "(first, last) noisy",
}  # fmt: skip
COUNTS = {
    "uniform.T.4": "T uniform", "uniform.F.4": "F uniform", "drawn.T": "T drawn", "drawn.F": "F drawn",
    "strong.records": "strong, records", "strong.count": "strong, count", "strong.asked": "asked",
    "strong.records_asked": "asked, records", "strong.count_asked": "asked, count", "strong.noisy": "asked, raw noisy",
}  # fmt: skip
TOPS = {
    "top.release.20": "top-20 release", "top.records.20": "records", "top.release.100": "top-100 release",
    "top.records.100": "records", "top_any.release.20": "any length: top-20 release", "top_any.records.20": "records",
    "top_any.release.100": "any length: top-100 release", "top_any.records.100": "records",
}  # fmt: skip
RATIOS = (
    "lengths",
    "first",
    "last",
    "trip",
    "uniform.T.4",
    "uniform.F.4",
    "drawn.T",
    "drawn.F",
    "strong.records",
    "strong.count",
    "strong.noisy",
)


def markdown(quality: Quality, today: Means) -> str:
    """Everything about one method: a section per ε, then the bars and what more ε did."""
    figures = means(quality)
    parts: list[str] = []
    for epsilon in sorted({epsilon for _, epsilon in figures}, key=float):
        here = {name: own for (name, at), own in figures.items() if at == epsilon}
        parts.append(f"### {quality.method}, ε = {epsilon}, {_seeds(here)}")
        parts.append(_grid("Shape: out / in of records and mean length; total variation", here, SHAPE, quality, epsilon))
        parts.append(_grid("Mean relative error of counts; mean absolute error of the strong grams", here, COUNTS))
        parts.append(_grid("Share of the true top K", here, TOPS))
        sizes = {f"uniform.{side}.{size}": f"{side} ≤ {size}" for side in "TF" for size in SIZES[1:]}
        parts.append(_grid("Uniform queries of more items", here, sizes))
        if old := {name: today[name, epsilon] for name in here if (name, epsilon) in today}:
            parts.append(_ratios(here, old))
    parts.append(_bars(quality.method, bars(figures, today, quality.facts)))
    parts.append(_order(quality.method, figures))
    parts += [f"Left out: {name} ({reason})" for name, reason in quality.skipped.items()]
    return "\n\n".join(part for part in parts if part) + "\n"


def about_sets(quality: Quality) -> str:
    """Which sets these are, and where each is cut."""
    rows = [
        [name, SETS[name].about, f"{f.records:,}", f"{f.labels:,}", f.l_max] for name, f in quality.facts.items() if name in SETS
    ]
    return table(["set", "what a record is", "records", "labels", "l_max"], rows)


def _seeds(figures: dict[str, dict[str, Mean]]) -> str:
    runs = sorted({own["records"].runs for own in figures.values()})
    return f"means of {' to '.join(map(str, runs))} seeds" if runs != [1] else "one seed"


def _grid(
    title: str, figures: dict[str, dict[str, Mean]], columns: dict[str, str], quality: Quality | None = None, epsilon: str = ""
) -> str:
    """One table; a column that no set has a figure for is left out. With `quality`, the seconds stand last (median)."""
    shown = {metric: head for metric, head in columns.items() if any(metric in own for own in figures.values())}
    rows = [
        [name, *(number(own[metric].value) if metric in own else "–" for metric in shown)]
        + ([number(median(run["seconds"] for run in quality.runs[name, epsilon]))] if quality else [])
        for name, own in figures.items()
    ]
    return f"{title}\n\n{table(['set', *shown.values(), *(['s'] if quality else [])], rows)}"


def _ratios(figures: dict[str, dict[str, Mean]], today: dict[str, dict[str, Mean]]) -> str:
    heads = SHAPE | COUNTS
    rows = [
        [name, *(_ratio(figures[name].get(metric), old.get(metric)) for metric in RATIOS), *_points(figures[name], old)]
        for name, old in today.items()
    ]
    head = ["set", *(heads[metric] for metric in RATIOS), "top-20 release", "top-100 release"]
    return f"Divided by the kept figure of `ngram` (below 1 is better); top K in points more\n\n{table(head, rows)}"


def _ratio(own: Mean | None, old: Mean | None) -> str:
    if own is None or old is None:
        return "–"
    return f"{own.value / old.value:.2f}" if old.value else ("1.00" if not own.value else "∞")


def _points(own: dict[str, Mean], old: dict[str, Mean]) -> list[str]:
    names = ("top.release.20", "top.release.100")
    return [f"{round(100 * (own[n].value - old[n].value)):+d}" if n in own and n in old else "–" for n in names]


def _bars(method: str, judged: list[Bar]) -> str:
    """One row per set and ε: how many bars are met, and the others by name."""
    if not judged:
        return ""
    rows = []
    for cell in dict.fromkeys((bar.set, bar.epsilon) for bar in judged):
        own = [bar for bar in judged if (bar.set, bar.epsilon) == cell]
        missed, close = ([str(bar) for bar in own if bar.verdict == verdict] for verdict in ("MISSED", "within noise"))
        met = sum(bar.verdict == "met" for bar in own)
        rows.append([*cell, f"{met} of {len(own)}", "; ".join(missed) or "–", "; ".join(close) or "–"])
    total = sum(bar.verdict == "met" for bar in judged)
    heading = f"### {method}, bars: {total} of {len(judged)} met"
    return f"{heading}\n\n{table(['set', 'ε', 'met', 'missed', 'not met, within the noise of the seeds'], rows)}"


def _order(method: str, figures: Means) -> str:
    grown, compared = reversals(figures)
    if not compared:
        return ""
    text = f"### {method}, more ε is never worse: {len(grown)} of {compared} comparisons are beyond the tolerance"
    return "\n".join([text, "", *(f"* {one}" for one in grown)]).rstrip()


def number(value: float) -> str:
    """Three digits that matter, as the tables write them.

    >>> number(0.12345), number(1.0), number(2356.4), number(0.00012), number(0.0), number(14.26)
    ('.123', '1.00', '2,356', '.0001', '0', '14.3')
    """
    if not value:
        return "0"
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    if value >= 1:
        return f"{value:.2f}"
    return f"{value:.3f}".removeprefix("0") if value >= 0.01 else f"{value:.4f}".removeprefix("0")
