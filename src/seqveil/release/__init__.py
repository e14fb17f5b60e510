"""What may be shown to the world: releases, their manifests, answers with error bars, and artificial records."""

from __future__ import annotations

from seqveil.release.files import load
from seqveil.release.release import Release

__all__ = ["Release", "load"]
