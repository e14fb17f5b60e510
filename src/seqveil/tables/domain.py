"""Domain: the public list of labels, declared by the data holder and never inferred from data.

>>> stations = Domain.of(["Abbey Road", "West Ham"], public_because="the network map is published")
>>> len(stations), stations.code("West Ham"), stations.code("Atlantis"), stations.label(0)
(2, 1, None, 'Abbey Road')
>>> Domain.range(1, 17).digest == Domain.of(str(i) for i in range(1, 18)).digest
True
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.tables.label_column import labels_of_column, refuse_table, split_column
from seqveil.tables.labels import MOST_LABELS, checked_labels, checked_reason, labels_of_file, labels_of_text
from seqveil.tables.pairs import Pairs

if TYPE_CHECKING:
    from seqveil.tables.calendar import Calendar
    from seqveil.tables.discovery import Discovery

_RANGE = re.compile(r"\s*(-?\d{1,40})\.\.(-?\d{1,40})\s*", re.ASCII)
_DIGEST_STEP = 1 << 18


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """Labels in a fixed order; the code of a label is its position. Public: it may be printed.

    `names` is a Python range (its labels are the integers as Python prints them), an Arrow array of strings, or `Pairs` of places
    and bins of time. `other` is the code of the catch-all label, if there is one. `discovered` says what the labels cost,
    where they were not declared but discovered. `column` is the name of the column of a data frame that they came as.
    """

    names: Any
    public_because: str | None = None
    other: int | None = None
    discovered: Discovery | None = None
    column: str | None = None

    def __post_init__(self) -> None:
        checked_reason(self.public_because)

    @classmethod
    def of(cls, labels: Iterable[str], public_because: str | None = None) -> Domain:
        """From labels in order.

        >>> Domain.of(["a", "b", "a"])
        Traceback (most recent call last):
        seqveil.errors.InputProblems: the domain: label 3 repeats label 1 ('a'): keep one of them
        """
        if isinstance(labels, str | bytes):
            raise CallError(
                f"Domain.of({labels!r:.60}): give a list of labels, or use Domain.parse for a file, a range or a comma list."
            )
        column = getattr(labels, "name", None)
        checked = checked_labels("the domain", "label", list(labels))
        return cls(checked, public_because, column=column if isinstance(column, str) else None)

    @classmethod
    def unknown(cls) -> Domain:
        """The domain where no label is public, or none was discovered: it has no labels, and nothing can be read over it.

        >>> Domain.unknown()
        Domain(0 labels)
        """
        return cls(pa.array([], pa.large_string()))

    @classmethod
    def range(cls, first: int, last: int, public_because: str | None = None) -> Domain:
        """The integers first..last, both included, without a list in memory.

        >>> Domain.range(1, 17).labels([0, 16])
        ['1', '17']
        """
        if last < first:
            raise InputProblems(f"the domain {first}..{last}", [f"is empty: write {last}..{first} instead"])
        if last - first >= MOST_LABELS:
            raise InputProblems(f"the domain {first}..{last}", [f"has more than {MOST_LABELS:,} labels: narrow it"])
        if max(abs(first), abs(last)) >= 10**18:
            raise InputProblems(f"the domain {first}..{last}", ["has integers of more than 18 digits: list them in a file"])
        return cls(range(first, last + 1), public_because)

    @classmethod
    def from_file(cls, path: str | Path, public_because: str | None = None) -> Domain:
        """From a UTF-8 text file with one label per line, plain or .gz. A table with several columns is none."""
        refuse_table(Path(path))
        return cls(labels_of_file(Path(path)), public_because)

    @classmethod
    def from_column(cls, path: str | Path, column: str, public_because: str | None = None) -> Domain:
        """From a column of a UTF-8 table with a header (.csv, .tsv, also .gz), one label per row."""
        return cls(labels_of_column(Path(path), column), public_because)

    @classmethod
    def from_text(cls, source: str, body: bytes, public_because: str | None = None) -> Domain:
        """From the bytes of such a file, unpacked; `source` names it in errors."""
        return cls(labels_of_text(source, body), public_because)

    @classmethod
    def parse(cls, text: str, public_because: str | None = None) -> Domain:
        """From what people type: a file, a column of one (stations.csv:station), an integer range, or a comma list.

        >>> len(Domain.parse("1..17")), Domain.parse("a, b").labels([0, 1])
        (17, ['a', 'b'])
        """
        if not text.strip():
            raise InputProblems(
                "the domain", ["is empty: give a file with one label per line, a range such as 1..17, or a list a,b,c"]
            )
        if integers := _RANGE.fullmatch(text):
            return cls.range(int(integers[1]), int(integers[2]), public_because)
        if "," in text and not _is_file(text) and split_column(text) is None:
            return cls.of([label.strip() for label in text.split(",")], public_because)
        if not _is_file(text) and (table := split_column(text)) is not None:
            return cls.from_column(*table, public_because)
        return cls.from_file(text, public_because)

    def with_other(self, label: str = "other") -> Domain:
        """The domain with a catch-all label for everything outside it; a label that is already there is taken as it.

        >>> wide = Domain.range(1, 3).with_other()
        >>> len(wide), wide.label(wide.other)
        (4, 'other')
        """
        if isinstance(self.names, Pairs):
            return replace(self, names=Pairs(self.untimed.with_other(label), self.names.calendar))
        if (code := self.code(label)) is not None:
            return replace(self, other=code)
        last = checked_labels("the catch-all", "label", [label])
        names = pa.concat_arrays([self.strings(np.arange(len(self))), last])
        return replace(self, names=names, other=len(self))

    def at_times(self, calendar: Calendar) -> Domain:
        """The timed domain: every label at every bin of a calendar, written `label@bin`.

        >>> from seqveil.tables.calendar import Calendar
        >>> timed = Domain.of(["Ely", "Ware"]).at_times(Calendar.parse("60m"))
        >>> len(timed), timed.code("Ware@08"), timed.label(32), timed.untimed.labels([1]), timed.calendar.names[8]
        (48, 32, 'Ware@08', ['Ware'], '08')
        """
        if self.calendar is not None:
            raise CallError("the domain has times already: give the domain of places alone.")
        if (size := len(self) * len(calendar)) > MOST_LABELS:
            problem = f"{len(self):,} labels at {len(calendar):,} time bins are {size:,}: at most {MOST_LABELS:,} are supported"
            raise InputProblems("the domain", [f"{problem}. Use fewer labels or longer bins"])
        return Domain(Pairs(self, calendar), self.public_because, discovered=self.discovered)

    @property
    def untimed(self) -> Domain:
        """The labels without their times, as they stand in an item column: the domain itself where it has no times."""
        return self.names.places if isinstance(self.names, Pairs) else self

    @property
    def calendar(self) -> Calendar | None:
        """The bins of time that labels stand at; None where labels have no times."""
        return self.names.calendar if isinstance(self.names, Pairs) else None

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Domain) and len(self) == len(other) and self.calendar == other.calendar
        return same and isinstance(other, Domain) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Domain({len(self):,} labels)"

    def label(self, code: int) -> str:
        """The label of a code."""
        return self.labels([code])[0]

    def labels(self, codes: Iterable[int] | NDArray[np.integer]) -> list[str]:
        """The labels of many codes."""
        if isinstance(self.names, range):
            return [str(self.names[code]) for code in codes]
        labels: list[str] = self.strings(np.fromiter(codes, np.int64)).to_pylist()
        return labels

    def strings(self, codes: NDArray[np.integer]) -> Any:
        """The labels of many codes as an Arrow array of large strings, for writers."""
        if isinstance(self.names, range):
            return pa.array(np.asarray(codes, np.int64) + self.names.start).cast(pa.large_string())
        return self.names.take(pa.array(codes))

    def code(self, label: str) -> int | None:
        """The code of a label, None when it is outside."""
        if len(self) <= _DIGEST_STEP:
            return self._small.get(label)
        code = int(self.encode([label])[0])
        return None if code < 0 or self.label(code) != label else code

    def encode(self, strings: Any) -> NDArray[np.int32]:
        """Codes of a Polars series, an Arrow array or a list of strings; -1 for what is outside.

        Blanks around a string do not count.

        >>> Domain.of(["a", "b"]).encode(["b", "z", " a", None]).tolist()
        [1, -1, 0, -1]
        """
        from seqveil.tables.spans import Spans  # compiled kernels: only those who encode pay for loading them

        return self.find(Spans.of(strings))

    def find(self, spans: Any) -> NDArray[np.int32]:
        """Codes of byte spans (`tables.spans.Spans`); -1 for what is outside."""
        if not isinstance(self.names, range):
            codes: NDArray[np.int32] = self._lookup.find(spans)
            return codes
        from seqveil.tables.spans import find_integers

        out = np.empty(len(spans.starts), np.int32)
        find_integers(*spans.fixed(), self.names.start, len(self), out)
        return out

    @cached_property
    def has_blanks(self) -> bool:
        """Whether some label contains a blank, so that blanks cannot separate labels on a line."""
        if isinstance(self.names, range):
            return False
        if isinstance(self.names, Pairs):
            return self.untimed.has_blanks or any(" " in name for name in self.names.calendar.names)
        import pyarrow.compute as pc

        return bool(pc.any(pc.match_substring(self.names, " ")).as_py())

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the labels in order, each followed by a line feed."""
        sha = hashlib.sha256()
        for start in range(0, len(self), _DIGEST_STEP):
            step = self.names[start : start + _DIGEST_STEP]
            labels = map(str, step) if isinstance(step, range) else step.to_pylist()
            sha.update(("\n".join(labels) + "\n").encode())
        return sha.hexdigest()

    @cached_property
    def _small(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels(range(len(self))))}

    @cached_property
    def _lookup(self) -> Any:
        from seqveil.tables.spans import Lookup, Spans

        return Lookup(Spans.of(self.names[:]))


def spmf_problem(domain: Domain) -> str | None:
    """Why SPMF cannot carry the labels, if so: it keeps -1, -2 and lines that begin with #, % or @ for itself.

    >>> spmf_problem(Domain.range(-2, 2))
    'SPMF keeps -1, -2 and labels that begin with #, % or @ for itself, but the domain has such a label'
    """
    clash = domain.code("-1") is not None or domain.code("-2") is not None
    domain = domain.untimed  # a label begins as its place does
    if not isinstance(domain.names, range):
        import pyarrow.compute as pc

        clash = clash or bool(pc.any(pc.match_substring_regex(domain.names, "^[#%@]")).as_py())
    kept = "SPMF keeps -1, -2 and labels that begin with #, % or @ for itself"
    return f"{kept}, but the domain has such a label" if clash else None


def _is_file(text: str) -> bool:
    """Whether a text names a file; a list that is too long for a name does not."""
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
