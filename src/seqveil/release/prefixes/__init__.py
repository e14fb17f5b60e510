"""Prefixes and their counts: what a prefix tree releases."""

from __future__ import annotations

from seqveil.release.prefixes.release import PrefixRelease

__all__ = ["PrefixRelease"]
