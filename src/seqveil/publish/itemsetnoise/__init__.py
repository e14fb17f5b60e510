"""Sets, published with noise on every possible itemset."""

from seqveil.publish.itemsetnoise.mechanism import ItemsetNoise

__all__ = ["ItemsetNoise"]
