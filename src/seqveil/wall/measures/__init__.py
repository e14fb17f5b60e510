"""Measures of privacy loss: pure ε, and zCDP with δ. What a release promises, and what an account adds up, in whole grains.

See docs/decisions/measures.md.
"""
