"""Answers of all releases: a released number, the interval that covers the true one, sums of such, and their ranking."""

from __future__ import annotations

from seqveil.release.answers.answer import Answer, CutAnswer, Ranking

__all__ = ["Answer", "CutAnswer", "Ranking"]
