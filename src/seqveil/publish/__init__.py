"""Mechanisms that publish: a release that stands for the whole data, with synthetic records. Names: `__init__.pyi`."""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
