"""A release in a notebook: its guarantee, and a small picture of what it holds. From the release alone; everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from seqveil.notation import printable, to_text
from seqveil.release.capabilities import Degrees, Ranked, Synthetic
from seqveil.release.readme import guarantee
from seqveil.release.shaped import Shaped

if TYPE_CHECKING:
    from seqveil.release.release import Release

MOST = 8
_BAR = "background:#1a5fd0;height:.7em;display:inline-block"
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"


def as_html(release: Release) -> str:
    """What a notebook shows."""
    manifest = release.manifest
    promise = (
        f"{guarantee(manifest)}." if manifest.private else "EXPERIMENT: not private. Its noise can be repeated. Do not share."
    )
    dataset = f"{_text(manifest.holder.dataset)}: " if manifest.holder.dataset else ""
    signature = f" {_text(release.signature.sentence)}" if manifest.private else ""
    method = f"{_text(manifest.mechanism.name)}, {_text(manifest.promised)}"
    return (
        f"<div><p><b>{dataset}{_text(release.description)}</b> ({method})</p>"
        f"<p>{_text(promise)}{signature}</p>{_chart(release)}</div>"
    )


def _chart(release: Release) -> str:
    """The largest numbers of a release as bars; the first records where it ranks nothing."""
    if isinstance(release, Ranked):
        best = release.top(MOST, shortest=2) or release.top(MOST)
        rows = [(to_text(row["pattern"]), float(row["value"] or 0.0), _interval(row["low"], row["high"])) for row in best]
        return _size(release) + _bars(rows, best[0]["about"] if best else "")
    if isinstance(release, Degrees):
        busiest = sorted(range(len(release.domain)), key=lambda vertex: -int(release.degrees[vertex]))[:MOST]
        return _bars([(to_text([release.domain.label(v)]), float(release.degrees[v]), "") for v in busiest], "edges")
    if isinstance(release, Synthetic):
        return "".join(f"<code>{_text(to_text(record))}</code><br>" for record in islice(release.synthesize(), MOST))
    return ""


def _size(release: Release) -> str:
    """How many records there are, where that is released."""
    if not isinstance(release, Shaped):
        return ""
    size = release.size()
    return f"<p>Records: {size.value:,.0f} {_text(_interval(size.low, size.high))}, {_text(size.about)}</p>"


def _interval(low: int | None, high: int | None) -> str:
    """
    >>> _interval(840, 1960), _interval(None, None)
    ('(840 to 1,960)', '(estimate)')
    """
    return "(estimate)" if low is None or high is None else f"({low:,} to {high:,})"


def _bars(rows: Iterable[tuple[str, float, str]], about: str) -> str:
    listed = list(rows)
    most = max((value for _, value, _ in listed), default=0.0) or 1.0
    lines = "".join(
        f'<tr><td style="text-align:left"><code>{_text(name)}</code></td><td style="text-align:right">{value:,.0f}</td>'
        f'<td style="text-align:left">{_text(interval)}</td>'
        f'<td style="width:12em;text-align:left"><span style="{_BAR};width:{100 * max(value, 0.0) / most:.1f}%"></span></td></tr>'
        for name, value, interval in listed
    )
    caption = f"<p>Largest counts with 95 % confidence intervals: {_text(about)}</p>" if about != "edges" else ""
    return f'{caption}<table style="{_TABLE}">{lines}</table>' if listed else "<p>It holds no counts above the noise.</p>"


def _text(value: str) -> str:
    return escape(printable(value))
