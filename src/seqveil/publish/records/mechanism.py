"""RecordModel: publish sequences as a model of whole records, and records drawn from it (docs/mechanisms/record-model.md).

Raw data is touched by `wall.ask` and, for l_max="auto", `wall.quantile` only; everything else is post-processing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from seqveil.models.records.draw import drawn, mixed
from seqveil.models.records.moments import dealt, possible
from seqveil.models.records.resolve import resolved
from seqveil.parameters import described, unfit
from seqveil.publish.records.caps import Caps
from seqveil.publish.records.labels import ask_labels, choose_labels, fit_labels, fit_sizes
from seqveil.publish.records.measuring import Measured, Pool, measure_stratum
from seqveil.publish.records.plan import planned
from seqveil.publish.records.room import share_drawn
from seqveil.publish.records.shares import Shares, bounds
from seqveil.publish.records.sizes import measure_sizes
from seqveil.publish.records.tables import end_table, gram_table, length_table, trip_table
from seqveil.release.model import RecordRelease
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.pairs import in_time
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import Cut, LengthQuantile, Measure, Plan, Wall

AUTO_SHARE = 20
"""With l_max="auto" one part in this many of ε pays for choosing l_max."""

MOST_LENGTH, MOST_GRAM, MOST_CAP = 1_000, 7, 10**6


@dataclass(frozen=True, slots=True)
class RecordModel:
    """Whole records: lengths, ends and n-grams of records are measured, one model is fitted to all of it and records drawn.

    >>> RecordModel(l_max=20).name
    'record-model'
    >>> RecordModel(n_max=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: n_max=0: n-grams have from 1 to 7 labels; 5 is usual.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = ""

    l_max: int | Literal["auto"] = described(
        20, "Records are cut to this many items; 'auto' chooses the length that covers 85 % of the records, with 1/20 of ε."
    )
    n_max: int = described(5, "Longest n-gram that is measured, in labels.")
    l_most: int = described(100, "Longest length that l_max = 'auto' may choose.")
    cut: Cut = described(
        "first",
        "Which part of a longer record is kept: its first items, a window at a random place, or a sample (one of its blocks, "
        "each item equally likely).",
    )
    cap: int | None = described(
        None,
        "With δ: how often one unit of privacy counts at most for the same n-gram, in each range of lengths; single labels twice "
        "as often. By default 1; with at most 64 labels 2, more for large data; times the square root of the records of a user.",
    )

    def __post_init__(self) -> None:
        if self.l_max != "auto" and not _whole(self.l_max, MOST_LENGTH):
            raise unfit(f"give a whole number from 1 to {MOST_LENGTH:,}, or 'auto'.", l_max=self.l_max)
        if not _whole(self.n_max, MOST_GRAM):
            raise unfit(f"n-grams have from 1 to {MOST_GRAM} labels; 5 is usual.", n_max=self.n_max)
        if not _whole(self.l_most, MOST_LENGTH):
            raise unfit(f"the longest length that 'auto' may choose is from 1 to {MOST_LENGTH:,}.", l_most=self.l_most)
        if self.cut not in get_args(Cut):
            raise unfit("choose 'first', 'window' or 'sample'.", cut=self.cut)
        if self.cap is not None and not _whole(self.cap, MOST_CAP):
            raise unfit(f"a unit counts from 1 to {MOST_CAP:,} times; leave it out to choose by the domain.", cap=self.cap)

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "record-model"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        stated = asdict(self)
        if self.cap is None:  # as in releases from before there were caps
            del stated["cap"]
        return stated

    def precheck(self, epsilon: int, domain: Domain, unit: Unit, measure: Measure = "pure") -> None:
        """Refuse a cap that would cost counts and gain nothing."""
        if measure == "pure" and self.cap is not None:
            raise unfit("with pure ε noise does not depend on it: leave it out, or state delta as well.", cap=self.cap)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None, measure: Measure = "pure") -> Plan:
        """The stages and their amounts, and what noise will do to counts."""
        choosing = epsilon // AUTO_SHARE if self.l_max == "auto" else 0
        l_max = self.l_most if self.l_max == "auto" else int(self.l_max)
        return planned(epsilon, choosing, l_max, self.l_most, self.n_max, len(domain), unit, records, measure, self.cap)

    def run(self, wall: Wall) -> RecordRelease:
        """Measure, fit, draw."""
        l_max = self._length(wall)
        wall.cut(l_max, self.cut)
        sizes = measure_sizes(wall, l_max)
        with wall.stage("strata"):
            tops = bounds(l_max, sizes.signal)
            walls = wall.strata(tops, wall.remaining)
        labels = len(wall.domain)
        caps = Caps.of(self.cap, wall.measure, labels, wall.unit, sizes.signal)
        with wall.stage("single labels"):
            parts = []
            for below, high, inside in zip([0, *tops], tops, walls, strict=False):
                shares = Shares.of(sizes.signal, labels, high, self.n_max - 1)
                if wall.measure == "zcdp":
                    shares = shares.in_rho(high, caps, wall.unit)
                parts.append(ask_labels(inside, below + 1, high, shares, caps))
            fit_sizes(parts, sizes)
            fit_labels(parts, labels)
            strong = choose_labels(parts, labels)
        with wall.stage("trips and n-grams"):
            pool = Pool.empty(strong.size)
            strata = []
            for done, stratum in enumerate(parts):
                strata.append(measure_stratum(stratum, strong, pool))
                if stratum.high == 2:
                    fit_labels(parts, labels, settled=done + 1)
        with wall.stage("synthesis"):
            share = share_drawn([stratum.model.cells for stratum in strata], wall.domain)
            records = mixed([_records(stratum, strong, share, wall.domain) for stratum in strata])
            synthetic = _forward(records, strong, wall.domain)
        return RecordRelease(
            wall.domain,
            grams=gram_table(strata, strong, self.n_max),
            firsts=end_table([(part.fitted_first, part.first) for part in parts]),
            lasts=end_table([(part.fitted_last, part.last) for part in parts]),
            trips=trip_table(strata, strong),
            lengths=length_table(sizes, np.concatenate([part.lengths for part in parts])),
            synthetic=synthetic,
            l_max=l_max,
            n_max=self.n_max,
            cap=caps.windows,
            cap_of_labels=caps.labels,
        )

    def _length(self, wall: Wall) -> int:
        if self.l_max != "auto":
            return int(self.l_max)
        with wall.stage("choose l_max"):
            return wall.quantile(LengthQuantile(self.l_most, Fraction(85, 100)), wall.epsilon // AUTO_SHARE)


def _records(stratum: Measured, strong: Any, share: float, domain: Domain) -> Flat:
    part, model = stratum.part, stratum.model
    cells = model.cells if domain.calendar is None else possible(model.cells, strong.codes % len(domain.calendar))
    inner = np.maximum(part.fitted_label - part.fitted_first - part.fitted_last, 0.0)
    symbols = drawn(model.states, model.weights, cells * np.float32(share), strong.other)
    return resolved(symbols, strong, part.fitted_first, part.fitted_last, inner, stratum.closed_other * share)


def _forward(records: Flat, strong: Any, domain: Domain) -> Flat:
    """Over a timed domain, weak labels where their time fits, and every record in the order of time."""
    if domain.calendar is None:
        return records
    weak = np.ones(len(domain), np.bool_)
    weak[strong.codes] = False
    return in_time(domain, dealt(records, len(domain.calendar), weak))


def _whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
