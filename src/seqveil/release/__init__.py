"""What may be shown to the world: releases, what they can do, and their answers with error bars. Names: `__init__.pyi`."""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
