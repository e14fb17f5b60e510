"""Planted bugs: one for every defect that was found in other people's code, and for every false statement in the papers.

A bug that no audit notices is a hole in the audit, not a reason to take the bug away.
"""

from __future__ import annotations
