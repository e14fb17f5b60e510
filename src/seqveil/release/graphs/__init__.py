"""Releases of graphs."""

from seqveil.release.graphs.degrees import DegreeTable
from seqveil.release.graphs.edges import EdgeList
from seqveil.release.graphs.regions import RegionTable
from seqveil.release.graphs.release import GraphRelease

__all__ = ["DegreeTable", "EdgeList", "GraphRelease", "RegionTable"]
