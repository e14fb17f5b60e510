"""Graphs: noisy degrees and triangles; and plain ways, for comparison: noise on every pair, a random graph, noisy degrees."""

from seqveil.publish.graphs.bter import GraphBTER
from seqveil.publish.graphs.degrees import GraphDegrees
from seqveil.publish.graphs.laplace import GraphLaplace
from seqveil.publish.graphs.random import GraphRandom

__all__ = ["GraphBTER", "GraphDegrees", "GraphLaplace", "GraphRandom"]
