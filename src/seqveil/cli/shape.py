"""What the records of a release look like, for a terminal: how many, how long, where they begin and end."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from seqveil.notation import to_text
from seqveil.release.timed import Timed

if TYPE_CHECKING:
    from seqveil.release.answers import Answer, Ranking
    from seqveil.release.ofrecords import OfRecords

_LENGTHS, _LABELS, _PAIRS, _BLOCKS, _BINS = 20, 5, 5, 30, 48


def shape_of(release: OfRecords, top: int) -> dict[str, Any]:
    """As JSON: every length, and the most frequent first labels, last labels and pairs of both."""
    return {
        "size": release.size().to_json(),
        "doubt": release.doubt or None,
        "lengths": [{"length": n, **answer.to_json()} for n, answer in release.lengths().items()],
        "first": release.first_labels(top),
        "last": release.last_labels(top),
        "od": release.od(top),
        **_times(release),
    }


def _times(release: OfRecords) -> dict[str, Any]:
    if release.domain.calendar is None:
        return {}
    hours = {"hours": [{"bin": name, **answer.to_json()} for name, answer in release.hours().items()]}
    visits = release.by_time() if isinstance(release, Timed) else {}
    return {**hours, **({"times": [{"bin": n, **answer.to_json()} for n, answer in visits.items()]} if visits else {})}


def lines_of(release: OfRecords, width: int) -> list[str]:
    """As text: the number of records, a bar for every length, and the largest of each list with its interval."""
    shown = [f"Shape ({release.whole_records}; 95 % intervals, ~ is an estimate):", f"  records  {_number(release.size())}"]
    shown += wrap(release.doubt, width=width, initial_indent="  ", subsequent_indent="  ") if release.doubt else []
    shown += _histogram(release.lengths())
    if isinstance(release, Timed):
        shown += _by_time("visits by time", release.busiest(_BINS))
    else:
        shown += _by_time("records by the time of their first item", release.busiest_hours(_BINS))
    for name, rows in (
        ("first", release.first_labels(_LABELS)),
        ("last", release.last_labels(_LABELS)),
        ("from, to", release.od(_PAIRS)),
    ):
        words = "; ".join(f"{to_text(row['pattern'])}  {_ends(row['value'], row['low'], row['high'])}" for row in rows)
        shown += wrap(f"  {name:<9}{words}", width=width, subsequent_indent=" " * 11) if rows else []
    return shown


def _histogram(lengths: dict[int, Answer]) -> list[str]:
    """A bar per length; the longest records share the last line."""
    rest = sum(answer.value for n, answer in lengths.items() if n > _LENGTHS)
    rows = [(f"{n}", answer.value, _number(answer)) for n, answer in lengths.items() if n <= _LENGTHS]
    rows += [(f"{_LENGTHS + 1}+", rest, f"~{round(rest):,}")] if rest > 0 else []
    most = max((value for _, value, _ in rows), default=0.0) or 1.0
    bars = [f"  {name:>6}   {'█' * round(value / most * _BLOCKS)}{' ' if value > 0 else ''}{text}" for name, value, text in rows]
    return ["  length", *bars] if bars else []


def _by_time(what: str, rows: list[Ranking]) -> list[str]:
    """A bar per bin of time."""
    most = max((row["value"] or 0.0 for row in rows), default=0.0) or 1.0
    texts = [_ends(row["value"], row["low"], row["high"]) for row in rows]
    names = [(row["pattern"][0], "█" * round((row["value"] or 0.0) / most * _BLOCKS)) for row in rows]
    bars = [f"  {name:>6}   {bar}{' ' if bar else ''}{text}" for (name, bar), text in zip(names, texts, strict=True)]
    return [f"  {what}{' (the largest)' * (len(rows) == _BINS)}", *bars] if bars else []


def _number(answer: Answer) -> str:
    return _ends(answer.value, answer.low, answer.high)


def _ends(value: float | None, low: int | None, high: int | None) -> str:
    """
    >>> _ends(700.4, 650, 770), _ends(12.0, None, None)
    ('700 (650 to 770)', '~12')
    """
    return f"~{round(value or 0):,}" if low is None else f"{round(value or 0):,} ({low:,} to {high:,})"
