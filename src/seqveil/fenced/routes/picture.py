"""A small map of a trip: thin lines for the users' own ways, a broad one for what they share, numbered stops."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.extras import need
from seqveil.whole import write_whole

if TYPE_CHECKING:
    from seqveil.fenced.routes.trip import Trip


def draw(trip: Trip, where: dict[str, tuple[float, float]], path: Path) -> Path:
    """Write the map as SVG."""
    need("plots")
    import altair as alt
    import vl_convert

    ways = [
        {"who": one.name, "x": where[node][0], "y": where[node][1], "at": at}
        for one in trip.travellers
        for at, node in enumerate(one.path)
    ]
    shared = [{"x": where[node][0], "y": where[node][1], "at": at} for at, node in enumerate(trip.itinerary)]
    stops = [
        {"x": where[stop.node][0], "y": where[stop.node][1], "label": f"{number} {', '.join(stop.visits)}"}
        for number, stop in enumerate(trip.stops, 1)
    ]

    def layer(rows: list[dict[str, Any]]) -> Any:
        scale = alt.Scale(zero=False, nice=False, padding=15)
        return alt.Chart(alt.Data(values=rows)).encode(
            x=alt.X("x:Q", title=None, scale=scale), y=alt.Y("y:Q", title=None, scale=scale)
        )

    group = layer(shared).mark_line(strokeWidth=6, color="lightgrey").encode(order="at:Q")
    colour = alt.Color("who:N", title=None, scale=alt.Scale(scheme="tableau10"))
    users = layer(ways).mark_line(strokeWidth=1.5).encode(order="at:Q", color=colour)
    dots = layer(stops).mark_point(filled=True, size=60, color="black")
    names = layer(stops).mark_text(align="left", dx=7, dy=-5).encode(text="label:N")
    chart = (group + users + dots + names).properties(width=420, height=420).configure(background="white")
    return write_whole(path, vl_convert.vegalite_to_svg(chart.to_json()).encode(), overwrite=True)
