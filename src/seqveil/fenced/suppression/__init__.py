"""(K, C)_L-privacy of trajectories by local suppression [1]. NOT differentially private: docs/mechanisms/suppression.md.

[1] R. Chen, B. Fung, N. Mohammed, B. Desai, K. Wang, Privacy-preserving trajectory data publishing by local suppression,
    Information Sciences 2013; R. Chen's thesis, chapter 5.
"""

from __future__ import annotations

from seqveil.fenced.suppression.model import KCL
from seqveil.fenced.suppression.suppress import Suppressed, suppress

__all__ = ["KCL", "Suppressed", "suppress"]
