"""Two-phase mining: a model-based prefix tree proposes patterns, fingerprints of the records refine their counts."""

from seqveil.mine.twophase.mechanism import TwoPhase
from seqveil.mine.twophase.sample import PublicSample

__all__ = ["PublicSample", "TwoPhase"]
