"""Mechanisms that mine: a release of frequent patterns. Names: `__init__.pyi`."""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
