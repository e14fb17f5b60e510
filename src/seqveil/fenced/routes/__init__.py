"""Group routes: a trip that a group can share [Bonomi thesis, ch. 6]. Not about privacy.

from seqveil import routes

town = routes.read_dimacs("rome99.gr", "places.txt")
trip = routes.plan(town, routes.read_users("friends.yaml"), method="exact", order=["dinner", "cinema"])
print(trip.explain())
"""

from __future__ import annotations

from seqveil.fenced.routes.graph import LocationGraph
from seqveil.fenced.routes.plan import plan
from seqveil.fenced.routes.popularity import popularity
from seqveil.fenced.routes.read import from_networkx, read_california, read_categories, read_dimacs, read_graphml
from seqveil.fenced.routes.trip import Stop, Traveller, Trip
from seqveil.fenced.routes.users import User, read_users

__all__ = [
    "LocationGraph",
    "Stop",
    "Traveller",
    "Trip",
    "User",
    "from_networkx",
    "plan",
    "popularity",
    "read_california",
    "read_categories",
    "read_dimacs",
    "read_graphml",
    "read_users",
]
