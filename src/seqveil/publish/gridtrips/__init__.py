"""Trips over a grid of cells under differential privacy."""

from seqveil.publish.gridtrips.mechanism import GridTrips

__all__ = ["GridTrips"]
