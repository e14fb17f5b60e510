"""The plots of a bench, drawn by Altair and rendered without a browser or a network: means with 95 % bands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seqveil.evaluate.bench.run import Outcome
from seqveil.evaluate.bench.spec import Bench, Picture
from seqveil.evaluate.experiments import interval
from seqveil.extras import need
from seqveil.whole import write_whole


def points(picture: Picture, bench: Bench, outcome: Outcome) -> list[dict[str, Any]]:
    """One row per point: the line it belongs to, where it stands, mean and band. What has no ε stands beside every ε."""
    swept = {contestant.label: contestant.swept for contestant in bench.contestants}
    rows = []
    for (label, epsilon), runs in outcome.metrics.items():
        for x in picture.x or (None,):
            name = picture.metric.format(x=x)
            if name not in runs[0]:
                continue
            ends = interval([run[name] for run in runs])
            low, high = (ends["mean"] if ends[end] is None else ends[end] for end in ("low", "high"))
            for beside in bench.epsilons if epsilon == "∞" else (epsilon,):
                line, place = _place(picture, label, swept.get(label), beside, x)
                if place is not None:
                    rows.append({"method": line, "ε": beside, "at": place, "mean": ends["mean"], "low": low, "high": high})
    return rows


def _place(picture: Picture, label: str, swept: tuple[str, Any] | None, epsilon: str, x: Any) -> tuple[str, Any]:
    """The line that a run belongs to and where it stands on the axis; None where it has no place there."""
    if picture.against == "epsilon":
        return label, None if swept else float(epsilon)
    if picture.against == "x":
        return label, None if swept else x
    return label.rpartition(",")[0], swept[1] if swept and swept[0] == picture.against else None


def draw(picture: Picture, bench: Bench, outcome: Outcome, folder: Path) -> Path | None:
    """The plot as SVG; None where there is nothing to plot."""
    rows = points(picture, bench, outcome)
    if not rows:
        return None
    need("plots")
    import altair as alt
    import vl_convert

    axis = {"epsilon": "privacy budget ε", "x": "K" if "top_k" in picture.metric else "maximal query size"}
    x = alt.X(
        "at:Q",
        title=axis.get(picture.against, picture.against),
        scale=alt.Scale(type="log" if picture.against == "epsilon" else "linear", zero=False, nice=False),
        axis=alt.Axis(values=sorted({row["at"] for row in rows}), format="~r"),
    )
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=400)
    colour = alt.Color("method:N", title=None, scale=alt.Scale(scheme="tableau10"), legend=legend)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, color=colour)
    band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", title="mean, 95 % band", scale=alt.Scale(zero=False)), y2="high:Q")
    line = base.mark_line(point=True).encode(y="mean:Q")
    chart: Any = (band + line).properties(width=320, height=240)
    if picture.against == "x" and len({row["ε"] for row in rows}) > 1:
        chart = chart.facet(column=alt.Column("ε:N", title="ε"))
    chart = chart.properties(title=picture.title).configure(background="white")
    path = folder / f"{bench.name}-{picture.name}.svg"
    return write_whole(path, vl_convert.vegalite_to_svg(chart.to_json()).encode(), overwrite=True)
