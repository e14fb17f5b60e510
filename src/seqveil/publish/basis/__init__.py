"""Synthetic sets by bases."""

from __future__ import annotations

from seqveil.publish.basis.mechanism import BasisSets

__all__ = ["BasisSets"]
