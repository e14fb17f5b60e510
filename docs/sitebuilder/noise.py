"""Plots about noise, computed from the law itself: P(x) ∝ e^(−ε|x|/Δ) on whole numbers."""

from __future__ import annotations

import math
from typing import Any

SIZE = {"width": 560, "height": 190}


def law(x: int, epsilon: float, sensitivity: float = 1.0) -> float:
    """The probability of noise x.

    >>> round(sum(law(x, 0.5) for x in range(-200, 201)), 12)
    1.0
    """
    step = math.exp(-epsilon / sensitivity)
    return (1 - step) / (1 + step) * step ** abs(x)


def laplace() -> Any:
    """The same count with noise at three ε."""
    import altair as alt

    values = [
        {"released": 100 + x, "probability": law(x, epsilon), "ε": str(epsilon)}
        for epsilon in (0.1, 0.5, 1.0)
        for x in range(-25, 26)
    ]
    return (
        alt.Chart(alt.Data(values=values), title="What may be released for a true count of 100 (sensitivity 1)")
        .mark_line(interpolate="step")
        .encode(
            x=alt.X("released:Q", title="released count", scale=alt.Scale(domain=[75, 125])),
            y=alt.Y("probability:Q", axis=alt.Axis(format="%")),
            color=alt.Color("ε:N"),
        )
        .properties(**SIZE)
    )


def two_worlds() -> Any:
    """The same question to two neighbouring datasets: no answer rules one of them out."""
    import altair as alt

    values = [
        {"released": true + x, "probability": law(x, 1.0), "dataset": name}
        for true, name in ((100, "with the record (true count 100)"), (99, "without it (true count 99)"))
        for x in range(-9, 10)
        if 92 <= true + x <= 107
    ]
    return (
        alt.Chart(
            alt.Data(values=values), title="ε = 1: every answer is at most 2.72 times as likely in one dataset as in the other"
        )
        .mark_bar()
        .encode(
            x=alt.X("released:O", title="released count", axis=alt.Axis(labelAngle=0)),
            xOffset="dataset:N",
            y=alt.Y("probability:Q", axis=alt.Axis(format="%")),
            color=alt.Color("dataset:N", legend=alt.Legend(orient="top", title=None, labelLimit=300)),
        )
        .properties(**SIZE)
    )
