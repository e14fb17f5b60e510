"""Answer: a released number with what is known about its error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

Kind = Literal["count", "total", "estimate", "not released", "cut", "degrees"]


class Ranking(TypedDict):
    """One row of `top`: a pattern and its answer, in JSON's types."""

    pattern: list[str]
    value: float | None
    low: int | None
    high: int | None
    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`low` and `high` cover the true count with probability at least 95 %; an estimate has neither.

    `kind` is "count" for a pattern that the release holds, "total" for a sum of such, "estimate" for what follows from other
    numbers of the release, without an error bound, and "not released" (value NaN) for a pattern about which the release says
    nothing: its count may be small, or it was never asked for. Where the release rules out large counts, `at_most` is the
    smallest bound that holds with probability at least 95 %. `about` says what is counted.

    >>> Answer(18204.3, 17793, 18616, "count")
    Answer(value=18_204, ±=412)
    >>> Answer(304, 152, 372, "count")
    Answer(value=304, low=152, high=372)
    >>> Answer(60, 0, 114, "count")
    Answer(value=60, low=0, high=114)
    >>> Answer(7.2, None, None, "estimate")
    Answer(value=7, estimate without error bar)
    >>> Answer.not_released("records", at_most=120)
    Answer(not released, at most about 120)
    """

    value: float
    low: int | None
    high: int | None
    kind: Kind
    about: str = ""
    at_most: int | None = None

    @classmethod
    def not_released(cls, about: str, at_most: int | None = None) -> Answer:
        """The answer for a pattern that was not released."""
        return Answer(math.nan, None, None, "not released", about, at_most)

    @property
    def bar(self) -> float | None:
        """The larger of the two distances to the ends, so that value ± bar contains the interval."""
        if self.low is None or self.high is None:
            return None
        return max(self.value - self.low, self.high - self.value)

    def __repr__(self) -> str:
        if self.kind == "not released":
            return "Answer(not released" + (f", at most about {self.at_most:_})" if self.at_most is not None else ")")
        value = f"value={round(self.value):_}"
        if self.low is None or self.high is None or self.bar is None:
            return f"Answer({value}, estimate without error bar)"
        lopsided = abs((self.value - self.low) - (self.high - self.value)) > 2  # ends are whole numbers, the value need not be
        if self.low == 0 or lopsided:
            return f"Answer({value}, low={self.low:_}, high={self.high:_})"
        return f"Answer({value}, ±={round(self.bar):_})"

    def to_json(self) -> dict[str, Any]:
        """As one object of `--json`; `at_most` only where there is no value."""
        value = None if math.isnan(self.value) else self.value
        data = {"value": value, "low": self.low, "high": self.high, "kind": self.kind, "about": self.about}
        return {**data, "at_most": self.at_most} if self.kind == "not released" else data

    def ranked(self, pattern: list[str]) -> Ranking:
        """As one row of `top`.

        >>> Answer(900, 840, 960, "count", "records").ranked(["home", "work"])
        {'pattern': ['home', 'work'], 'value': 900, 'low': 840, 'high': 960, 'kind': 'count', 'about': 'records'}
        """
        return Ranking(pattern=pattern, value=self.value, low=self.low, high=self.high, kind=self.kind, about=self.about)


@dataclass(frozen=True, slots=True, repr=False)
class CutAnswer(Answer):
    """A number about a graph. `low` and `high` cover the true one with probability at least 95 %, whatever the graph is.

    `likely` is a narrower interval under the model that edges lie evenly inside each region of the density map; None where
    there is no map. Real graphs are not even, so it is an approximation without a guarantee.

    >>> CutAnswer(120.4, 0, 310, "cut", likely=(90, 151))
    CutAnswer(value=120, low=0, high=310, likely=90..151)
    """

    likely: tuple[int, int] | None = None

    def __repr__(self) -> str:
        likely = "" if self.likely is None else f", likely={self.likely[0]:_}..{self.likely[1]:_}"
        return f"CutAnswer(value={round(self.value):_}, low={self.low:_}, high={self.high:_}{likely})"

    def to_json(self) -> dict[str, Any]:
        likely = None if self.likely is None else list(self.likely)
        return {**Answer.to_json(self), "likely": likely}
