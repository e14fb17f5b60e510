"""Granularities: the labels of a domain seen coarsely first, then finely. Public: never made from data.

A prefix tree of hybrid granularity asks for groups of labels before it asks for labels [Chen thesis, §6.3]. Labels may also
carry a time slot (`location@slot`); along a record slots never decrease, so that after a label only labels of its slot or later
can follow.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.surface import parameter
from seqveil.tables.characters import shown

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Granularities:
    """Level 0 is the coarsest; on the last level every group is one label, `label[number]`.

    Groups of a level are numbered so that those inside one coarser group stand together: `member[s][code]` is the number
    of a label's group on level s, and group g of level s consists of the groups inside[s][g]:inside[s][g + 1] of level
    s + 1. Within a coarser group they are sorted by `latest[s]`, the latest slot of their labels (all 0 without times).

    >>> fine = Granularities.grouped(5, fan_out=2)
    >>> fine.levels, fine.member[0].tolist(), fine.inside[0].tolist()
    (2, [0, 0, 1, 1, 2], [0, 2, 4, 5])
    """

    member: tuple[Ints, ...]
    inside: tuple[Ints, ...]
    latest: tuple[Ints, ...]
    label: Ints
    slot: Ints

    @property
    def levels(self) -> int:
        """How many questions lead from one label to the next."""
        return len(self.member)

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return len(self.label)

    @property
    def timed(self) -> bool:
        """Whether labels carry time slots."""
        return bool(self.slot.any())

    @property
    def fan_out(self) -> int:
        """The one public f: labels per group of the finest grouping, on average, rounded; all labels without a grouping."""
        return round(self.labels / len(self.latest[-2])) if self.levels > 1 else self.labels

    @property
    def digest(self) -> str:
        """A fingerprint for the manifest."""
        whole = b"".join(part.tobytes() for part in (*self.member, self.slot))
        return hashlib.sha256(whole).hexdigest()

    def span(self, level: int, group: ArrayLike, slot: ArrayLike) -> tuple[Ints, Ints]:
        """The groups of a level that lie in groups of the level above and can still follow a slot: first and stop number.

        >>> timed = Granularities.of(3, [], slots=[1, 0, 2])
        >>> [x.tolist() for x in timed.span(0, [0, 0], slot=[0, 1])], timed.label.tolist()
        ([[0, 1], [3, 3]], [1, 0, 2])
        """
        above = np.asarray(group, np.int64)
        bounds = self.inside[level - 1] if level else np.array([0, len(self.latest[0])])
        if not self.timed:
            return bounds[above], bounds[above + 1]
        slots = int(self.slot.max()) + 1
        owner = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        first = np.searchsorted(owner * slots + self.latest[level], above * slots + np.asarray(slot, np.int64))
        return np.asarray(np.minimum(first, bounds[above + 1])), bounds[above + 1]

    @classmethod
    def of(cls, labels: int, groups: Sequence[ArrayLike], slots: ArrayLike | None = None) -> Granularities:
        """From the group of every label on each level, coarsest first (any whole numbers), and the slot of every label.

        A finer group that reaches over several coarser ones is cut along them.
        """
        times = np.zeros(labels, np.int64) if slots is None else np.asarray(slots, np.int64)
        slot = np.unique(times, return_inverse=True)[1].reshape(-1)
        keys: list[Ints] = []
        whole = np.zeros(labels, np.int64)
        for level in [*groups, np.arange(labels)]:
            _, whole = np.unique(np.stack([whole, np.asarray(level, np.int64)]), axis=1, return_inverse=True)
            whole = whole.reshape(-1)
            latest = np.zeros(int(whole.max(initial=-1)) + 1, np.int64)
            np.maximum.at(latest, whole, slot)
            keys += [latest[whole], whole]
        order = np.lexsort(keys[::-1])
        member, ends, newest = [], [], []
        for latest_of, group in zip(keys[::2], keys[1::2], strict=True):
            begins = np.concatenate([[True], np.diff(group[order]) != 0])[:labels]
            number = np.empty(labels, np.int64)
            number[order] = np.cumsum(begins) - 1
            member.append(number)
            ends.append(np.concatenate([np.flatnonzero(begins), [labels]]))
            newest.append(latest_of[order][begins])
        inside = tuple(member[s + 1][order][ends[s][:-1]] for s in range(len(member) - 1))
        stops = tuple(np.concatenate([part, [len(newest[s + 1])]]) for s, part in enumerate(inside))
        return cls(tuple(member), stops, tuple(newest), order, slot)

    @classmethod
    def grouped(cls, labels: int, fan_out: int, levels: int = 2, slots: ArrayLike | None = None) -> Granularities:
        """Neighbours in the order of the domain, `fan_out` to a group, groups grouped again up to `levels` levels."""
        if fan_out < 2:
            raise CallError(f"{parameter('fan_out', str(fan_out))}: a group needs at least 2 labels; 10 is usual.")
        if levels < 1:
            raise CallError(
                f"{parameter('levels', str(levels))}: the labels themselves are one level; give at least 1, 2 is usual."
            )
        return cls.of(labels, [np.arange(labels) // fan_out**up for up in range(levels - 1, 0, -1)], slots)

    @classmethod
    def from_file(cls, path: str | Path, domain: Domain, slots: ArrayLike | None = None) -> Granularities:
        """From a text file: a label, a tab, its group, and, tab by tab, ever coarser groups. Every label has one line."""
        rows, problems = _rows(Path(path))
        if rows and all(len(row) == 1 for row in rows):  # the rest would follow from this
            raise InputProblems(f"the taxonomy {path}", ["has no tab in any line: separate a label and its groups by tabs"])
        codes_or_none = [domain.code(row[0]) for row in rows]
        unknown = [row[0] for row, code in zip(rows, codes_or_none, strict=True) if code is None]
        codes = [code for code in codes_or_none if code is not None]
        if domain.other is not None and domain.other not in codes:  # the catch-all label is a group of its own
            rows.append([domain.label(domain.other)] * max((len(row) for row in rows), default=2))
            codes.append(domain.other)
        there = set(codes)
        missing = len(domain) - len(there)
        if unknown:
            problems.append(f"{len(unknown):,} labels are not in the domain, for example {shown(unknown[0])}: remove them")
        if len(there) < len(codes):
            twice = next(a for a, b in pairwise(sorted(codes)) if a == b)
            problems.append(f"{domain.label(twice)!r} has more than one line: keep one")
        if missing:
            absent = next(code for code in range(len(domain)) if code not in there)
            problems.append(f"{missing:,} labels of the domain are missing, for example {domain.label(absent)!r}: add them")
        wide = {len(row) for row in rows}
        if len(wide) > 1 or wide & {0, 1}:
            problems.append("every line needs a label and as many groups as the others: repeat a group to fill a gap")
        if problems:
            raise InputProblems(f"the taxonomy {path}", problems)
        by_code = [row for _, row in sorted(zip(codes, rows, strict=True))]
        columns = [np.unique([row[k] for row in by_code], return_inverse=True)[1] for k in range(len(by_code[0]) - 1, 0, -1)]
        groups = cls.of(len(domain), [column.reshape(-1) for column in columns], slots)
        if groups.fan_out <= 1:
            raise InputProblems(f"the taxonomy {path}", ["its groups have one label each: groups must be coarser than labels"])
        return groups


def _rows(path: Path) -> tuple[list[list[str]], list[str]]:
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputProblems(f"the taxonomy {path}", [f"cannot be read as UTF-8 text: {type(error).__name__}"]) from None
    rows = [[piece.strip() for piece in line.split("\t")] for line in text.splitlines() if line.strip()]
    return rows, [] if rows else ["is empty: write one line per label: label, tab, group"]


def slots_of(domain: Domain, mark: str = "@") -> Ints:
    """The time slot of every label `location@slot`: by number where all slots are whole numbers, else in alphabetical order.

    >>> from seqveil.tables.domain import Domain
    >>> slots_of(Domain.of(["A@9", "A@10", "B@9"])).tolist()
    [9, 10, 9]
    """
    labels = domain.labels(range(len(domain)))
    slots = [label.rpartition(mark)[2] for label in labels if mark in label]
    if len(slots) < len(labels):
        first = next(label for label in labels if mark not in label)
        raise CallError(f"trajectories need labels location{mark}slot: {first!r} has no {mark!r}.")
    try:
        return np.array([int(slot) for slot in slots], np.int64)
    except ValueError:
        return np.asarray(np.unique(slots, return_inverse=True)[1], np.int64).reshape(-1)
