"""Mechanisms that publish: a release that represents the whole dataset, with synthetic records. Names: `__init__.pyi`."""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
