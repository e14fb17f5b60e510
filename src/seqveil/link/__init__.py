"""Record linkage by vectors of frequent n-grams [Bonomi 2012]: which people do two data holders share, typing errors included?

NOT differentially private, except for the base: the n-grams that `seqveil link base` mines through the wall. Vectors and pairs
are computed without noise; docs/mechanisms/linkage.md says who learns what. Names: `__init__.pyi`.
"""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
