"""Answer: a released number with what is known about its error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """`low` and `high` cover the true count with probability at least 95 %; an estimate has neither.

    `kind` is "count" for a gram the release holds, "total" for a sum of such, "estimate" for what follows from shorter
    grams by the Markov assumption, whose error nobody knows, "not released" (value NaN) for a pattern of which a miner told
    nothing. `about` says which counts it speaks of.

    >>> Answer(18204.3, 17800, 18616, "count")
    Answer(value=18_204, ±=412)
    >>> Answer(60, 0, 114, "count")
    Answer(value=60, low=0, high=114)
    >>> Answer(7.2, None, None, "estimate")
    Answer(value=7, estimate without error bar)
    """

    value: float
    low: int | None
    high: int | None
    kind: Literal["count", "total", "estimate", "not released"]
    about: str = ""

    @property
    def bar(self) -> float | None:
        """The larger of the two distances to the ends, so that value ± bar contains the interval."""
        if self.low is None or self.high is None:
            return None
        return max(self.value - self.low, self.high - self.value)

    def __repr__(self) -> str:
        if self.kind == "not released":
            return "Answer(not released)"
        value = f"value={round(self.value):_}"
        if self.low is None or self.high is None or self.bar is None:
            return f"Answer({value}, estimate without error bar)"
        if self.low == 0:
            return f"Answer({value}, low={self.low:_}, high={self.high:_})"
        return f"Answer({value}, ±={round(self.bar):_})"

    def to_json(self) -> dict[str, Any]:
        """As one object of `--json`."""
        value = None if math.isnan(self.value) else self.value
        return {"value": value, "low": self.low, "high": self.high, "kind": self.kind, "about": self.about}
