"""Trip: the answer to a group's query, in words, as JSON, as GeoJSON and as a picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from seqveil.errors import CallError


@dataclass(frozen=True)
class Stop:
    """A place where the group stops, and what for: category to quality between 0 and 1."""

    node: str
    visits: dict[str, float]
    narrower: dict[str, str] = field(default_factory=dict)
    """Where a wider category was wanted: which one below it the place offers, such as {"food": "food/pizza"}."""


@dataclass(frozen=True)
class Traveller:
    """What a user does: their own way with the group in it, and the shorter way past only those stops that they care for."""

    name: str
    path: list[str]
    cost: float
    """Travel, and waiting as far as it counts."""
    limit: float
    shortest: float
    satisfied: float
    """The share of their own preferences that the trip meets, 0 to 1."""
    refined_path: list[str]
    refined_cost: float
    waits: float | None = None
    """How long they wait for the others at the first stop; None where waiting is not considered."""


@dataclass(frozen=True)
class Trip:
    """A shared route, or why there is none."""

    found: bool
    method: str
    promise: str
    itinerary: list[str]
    stops: list[Stop]
    profit: float
    most: float
    """The profit of all wanted categories together, whether or not anyone can get there."""
    utility: float
    """The profit, or what the curve makes of everybody's degree of coverage."""
    score: float
    """θ·utility/most − (1 − θ)·(what all users pay)/(sum of their limits)."""
    travellers: list[Traveller]
    missed: list[str]
    reached: int
    points: int
    why: str
    coordinates: dict[str, tuple[float, float]] | None = None

    @property
    def covered(self) -> list[str]:
        """The wanted categories that the trip visits."""
        return sorted({category for stop in self.stops for category in stop.visits})

    def explain(self) -> str:
        """The answer in words."""
        if not self.found:
            return self.why
        curved = "" if self.utility == self.profit else f" Utility {self.utility:.4g} of {self.most:g}."
        lines = [f"{self.method}: {self.promise}. Profit {self.profit:g} of {self.most:g}.{curved}"]
        lines += [f"stop {number}: {stop.node} for {_visits(stop)}" for number, stop in enumerate(self.stops, 1)]
        lines += [
            f"{one.name} pays {one.cost:g} of {one.limit:g} (alone {one.shortest:g}, own stops only {one.refined_cost:g}"
            f"{'' if one.waits is None else f', waits {one.waits:g} at the first stop'}) "
            f"and gets {one.satisfied:.0%} of their preferences"
            for one in self.travellers
        ]
        if self.why:
            lines.append(self.why)
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Everything but the coordinates."""
        facts = asdict(self)
        del facts["coordinates"]
        return {**facts, "covered": self.covered}

    def geojson(self) -> dict[str, Any]:
        """A FeatureCollection: the shared route, each user's way, the stops."""
        where = self._places()
        lines = [("itinerary", "shared", self.itinerary), *(("user", one.name, one.path) for one in self.travellers)]
        features: list[dict[str, Any]] = [
            {
                "type": "Feature",
                "geometry": {"type": "LineString", "coordinates": [list(where[node]) for node in path]},
                "properties": {"kind": kind, "name": name},
            }
            for kind, name, path in lines
            if len(path) > 1  # a line has two ends; an itinerary of one stop is that stop's point
        ]
        features += [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": list(where[stop.node])},
                "properties": {"kind": "stop", "node": stop.node, "number": number, "visits": stop.visits},
            }
            for number, stop in enumerate(self.stops, 1)
        ]
        return {"type": "FeatureCollection", "features": features}

    def picture(self, path: str | Path) -> Path:
        """A small map as .svg."""
        from seqveil.fenced.routes.picture import draw

        return draw(self, self._places(), Path(path))

    def _places(self) -> dict[str, tuple[float, float]]:
        if self.coordinates is None:
            raise CallError("this graph has no coordinates, so no map can be drawn: read it with coordinates, or use to_json().")
        return self.coordinates


def _visits(stop: Stop) -> str:
    """What a stop is for, in words."""
    words = []
    for name, worth in stop.visits.items():
        remarks = [stop.narrower[name]] if name in stop.narrower else []
        remarks += [f"quality {worth:.2g}"] if worth != 1 else []
        words.append(f"{name} ({', '.join(remarks)})" if remarks else name)
    return ", ".join(words)
