"""The door between raw data and mechanisms. These names are what mechanisms may use.

Names are loaded when they are first used, so that importing one does not compile or load the rest.
"""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
