"""Grouping: events in file order become sequences, user by user, each sorted by time, ties in file order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numba
import numpy as np
from numpy.typing import NDArray

from seqveil.sources.cap import Cap
from seqveil.sources.session import Session
from seqveil.sources.tally import Tally
from seqveil.sources.zone import zone
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.lots import digests
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Numbering, Spans


@numba.njit(cache=True)
def _counting_order(keys, places, order):  # type: ignore[no-untyped-def]
    """The stable order of keys in 0 .. len(places) - 2, in linear time: 10⁸ events take seconds, not a minute."""
    for key in keys:
        places[key + 1] += 1
    for k in range(1, len(places)):
        places[k] += places[k - 1]
    for i in range(len(keys)):
        order[places[keys[i]]] = i
        places[keys[i]] += 1


@numba.njit(cache=True)
def _sort_within(seconds, codes, starts):  # type: ignore[no-untyped-def]
    """Sorts every group by time in place, stably; a group that is in order already costs one look."""
    for g in range(len(starts) - 1):
        start, stop = starts[g], starts[g + 1]
        for i in range(start + 1, stop):
            if seconds[i] < seconds[i - 1]:
                order = np.argsort(seconds[start:stop], kind="mergesort")
                seconds[start:stop] = seconds[start:stop][order]
                codes[start:stop] = codes[start:stop][order]
                break


def stable_order(keys: NDArray[np.integer], n: int) -> NDArray[np.int32] | NDArray[np.int64]:
    """The order that sorts keys in 0..n-1, ties in place.

    >>> stable_order(np.array([1, 0, 1, 0]), 2).tolist()
    [1, 3, 0, 2]
    """
    order: NDArray = np.empty(len(keys), np.int32 if len(keys) < 2**31 else np.int64)
    _counting_order(keys, np.zeros(n + 1, np.int64), order)
    return order


_TYPES: dict[str, type] = {
    "codes": np.int32,
    "users": np.int32,
    "numbers": np.int64,
    "runs": np.int64,
    "seconds": np.float64,
    "places": np.int64,
}
"""What a column is made of, where it has no events."""


class Gathering:
    """Collects events batch by batch, keeping a few bytes of each, and groups them at the end.

    An event belongs to a user and to a *run* (a session column's value, a trace, a list): both are optional, and events
    without either stand for themselves. Of each user at most `max_events` events are kept, the first of the file. Over a timed
    domain, an event with a time is its own place at the bin of its own time; without a time column, labels say both themselves.
    """

    def __init__(
        self,
        domain: Domain,
        tally: Tally,
        *,
        users: bool,
        runs: bool,
        times: bool,
        timezone: str = "UTC",
        max_events: int | None = None,
        places: bool = False,
        numbers: bool = False,
    ) -> None:
        self._domain = domain
        self._calendar = domain.calendar if times else None
        self._labels = domain.untimed if times else domain
        self._timezone = timezone
        self._tally = tally
        self._journeys = 0
        self._people = Numbering() if users else None
        self._cap = Cap(max_events) if users and max_events is not None else None
        self._columns: dict[str, list[NDArray]] = {"codes": []}
        wanted = (("users", users), ("runs", runs), ("seconds", times), ("places", places), ("numbers", numbers))
        self._columns |= {name: [] for name, on in wanted if on}

    def find(self, items: Spans) -> NDArray[np.int32]:
        """The codes of what stands in an item column, as `add` takes them; -1 outside of the domain."""
        return self._labels.find(items)

    def add(
        self,
        items: Spans,
        codes: NDArray[np.int32],
        users: Spans | None = None,
        runs: NDArray[np.integer] | None = None,
        seconds: NDArray[np.float64] | None = None,
        places: NDArray[np.int64] | None = None,
        numbers: NDArray[np.int64] | None = None,
    ) -> None:
        """One batch of events; `runs` is -1 and `seconds` is NaN where a value is missing. Counts each event's first defect.

        `places` say where events stand in the input, `numbers` are users that are whole numbers, for whoever groups elsewhere.
        """
        self._add((items,), [codes], users, runs, seconds, places, numbers)

    def add_journeys(
        self,
        ends: tuple[Spans, Spans],
        users: Spans | None = None,
        seconds: NDArray[np.float64] | None = None,
        places: NDArray[np.int64] | None = None,
        numbers: NDArray[np.int64] | None = None,
    ) -> None:
        """One batch of journeys: where each begins and where it ends, which are the two items of one run.

        A journey is used whole or not at all: one of which an end is missing, or is outside the domain where that has no label
        `other`, is left out. Half of it would be a journey that nobody made.
        """
        first, self._journeys = self._journeys, self._journeys + len(ends[0].starts)
        runs = np.arange(first, self._journeys) if places is None else places + 1
        self._add(ends, [self.find(end) for end in ends], users, runs, seconds, places, numbers)

    def _add(
        self,
        items: Sequence[Spans],
        codes: list[NDArray[np.int32]],
        users: Spans | None,
        runs: NDArray[np.integer] | None,
        seconds: NDArray[np.float64] | None,
        places: NDArray[np.int64] | None,
        numbers: NDArray[np.int64] | None,
    ) -> None:
        """Rows with the same number of items each, given item by item. A row is used whole or not at all."""
        tally = self._tally
        present = [one.present() for one in items]
        tally.items += sum(int(one.sum()) for one in present)
        keep = np.ones(len(codes[0]), np.bool_)
        batch: dict[str, NDArray] = {}
        if self._people is not None and users is not None:
            batch["users"] = self._people.number(users)
            tally.no_user += _drop(keep, batch["users"] < 0)
        if "runs" in self._columns and runs is not None:
            batch["runs"] = runs
            tally.no_session += _drop(keep, runs < 0)
        if "seconds" in self._columns and seconds is not None:
            batch["seconds"] = seconds
            tally.bad_time += _drop(keep, ~np.isfinite(seconds))
        tally.no_item += _drop(keep, ~reduce(np.logical_and, present))
        outside = [keep & (one < 0) for one in codes]
        for one, where in zip(items, outside, strict=True):
            tally.note_outside(one, where)
        if (other := self._labels.other) is not None:
            codes = [np.where(where, np.int32(other), one) for one, where in zip(codes, outside, strict=True)]
        else:
            dropped = _drop(keep, reduce(np.logical_or, outside))
            tally.cut_off += dropped if len(items) > 1 else 0
        if self._calendar is not None and seconds is not None:
            bins = self._calendar.bins(_local(seconds, self._timezone))
            tally.outside_calendar += _drop(keep, bins < 0)
            codes = [one * np.int32(len(self._calendar)) + bins for one in codes]
        if self._cap is not None:
            tally.beyond_cap += self._cap.apply(batch["users"], keep)
        carried = (("places", places), ("numbers", numbers))
        batch |= {name: values for name, values in carried if name in self._columns and values is not None}
        every = bool(keep.all())
        own = codes[0] if len(codes) == 1 else np.stack(codes, axis=1)
        self._columns["codes"].append((own if every else own[keep]).ravel())
        for name, values in batch.items():
            kept = values if every else values[keep]
            self._columns[name].append(kept if len(codes) == 1 else np.repeat(kept, len(codes)))

    def table(
        self,
        session: Session,
        timezone: str,
        settle: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
    ) -> SequenceTable:
        """The sequences of everything gathered; `settle` turns provisional times into final ones."""
        if self._people is not None:
            self._tally.users = len(self._people)
        codes = self._column("codes")
        users = self._column("users") if "users" in self._columns else None
        runs = self._column("runs") if "runs" in self._columns else None
        seconds = self._column("seconds") if "seconds" in self._columns else None
        if users is None and runs is None:
            return SequenceTable(self._domain, Flat(codes, np.arange(len(codes) + 1)))
        if settle is not None and seconds is not None:
            seconds = settle(seconds)
        columns = {"codes": codes, "users": users, "runs": runs, "seconds": seconds}
        del codes, users, runs, seconds  # the only references now are in `columns`, so sorting frees as it goes
        return grouped(self._domain, self._people, columns, session, timezone)

    def drained(self) -> tuple[dict[str, NDArray], Spans | None]:
        """The events gathered so far, as columns, to be grouped elsewhere, and the names that their users are numbers of."""
        columns = {name: self._column(name) for name in list(self._columns)}
        return columns, None if self._people is None else self._people.spans()

    def _column(self, name: str) -> NDArray:
        parts = self._columns.pop(name)
        return np.concatenate(parts) if parts else np.empty(0, _TYPES[name])


def grouped(
    domain: Domain, people: Numbering | None, columns: dict[str, NDArray | None], session: Session, timezone: str
) -> SequenceTable:
    """The sequences of events in file order: `codes`, with or without `users`, `runs` and `seconds`; `people` numbers users."""
    for name in ("runs", "users"):  # the last key sorted by is the first that counts
        keys = columns[name]
        if keys is not None and np.any(keys[1:] < keys[:-1]):
            order = stable_order(keys, int(keys.max()) + 1)
            del keys
            for other, values in columns.items():
                columns[other] = None if values is None else values[order]
    codes, users, runs, seconds = (columns.pop(name) for name in ("codes", "users", "runs", "seconds"))
    assert codes is not None
    cut = np.zeros(len(codes) + 1, np.bool_)
    cut[[0, -1]] = True
    for keys in (users, runs):
        if keys is not None:
            cut[1:-1] |= keys[1:] != keys[:-1]
    del runs, keys
    if seconds is not None:
        _sort_within(seconds, codes, np.flatnonzero(cut))
        _cut_by_time(cut, seconds, session, timezone, 0 if domain.calendar is None else domain.calendar.begins)
    offsets = np.flatnonzero(cut) if len(codes) else np.zeros(1, np.int64)
    if users is None or people is None:
        return SequenceTable(domain, Flat(codes, offsets))
    owners = users[offsets[:-1]]
    return SequenceTable(domain, Flat(codes, offsets), _dense(owners), digests(people.spans())[owners])


def _drop(keep: NDArray[np.bool_], bad: NDArray[np.bool_]) -> int:
    """Takes the bad rows out and says how many of them were still in."""
    dropped = int(np.count_nonzero(keep & bad))
    keep &= ~bad
    return dropped


def _local(seconds: NDArray[np.float64], timezone: str) -> NDArray[np.float64]:
    """Seconds of the wall clock."""
    return seconds if timezone == "UTC" else zone(timezone).to_local(seconds)


def _cut_by_time(cut: NDArray[np.bool_], seconds: NDArray[np.float64], session: Session, timezone: str, begins: int = 0) -> None:
    """Marks where a day ends, `begins` seconds after midnight, or a pause is too long. Invariant: seconds are sorted between two
    cuts."""
    if session.kind == "gap":
        with np.errstate(over="ignore"):  # a warning about somebody's absurd time would tell of it
            cut[1:-1] |= np.diff(seconds) > session.gap
    elif session.kind == "day":
        days = np.floor((_local(seconds, timezone) - begins) / 86400.0)
        cut[1:-1] |= days[1:] != days[:-1]


def _dense(users: NDArray[np.int32]) -> NDArray[np.int64]:
    """Users numbered 0, 1, 2, … without holes, given in ascending order."""
    return np.cumsum(np.diff(users, prepend=users[:1]) != 0)
