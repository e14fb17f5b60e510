"""(K, C)_L-privacy of trajectories by local suppression [Chen 2013], [Chen thesis, ch. 5].

NOT differentially private: docs/mechanisms/suppression.md.
"""

from __future__ import annotations

from seqveil.fenced.suppression.model import KCL
from seqveil.fenced.suppression.suppress import Suppressed, suppress

__all__ = ["KCL", "Suppressed", "suppress"]
