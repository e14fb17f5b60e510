"""Methods that are NOT differentially private, with a badge of their own. They never touch the wall or a ledger.

`suppression` publishes true points of trajectories under (K, C)_L-privacy; `routes` plans trips of groups (not about privacy).
Names: `__init__.pyi`.
"""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
