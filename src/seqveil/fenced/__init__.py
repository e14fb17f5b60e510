"""Methods that are NOT differentially private, behind a door and a badge of their own. They never touch the wall or a ledger."""

from __future__ import annotations

BADGE = "NOT DIFFERENTIALLY PRIVATE"
"""Stands first in everything that a fenced method writes or prints."""
