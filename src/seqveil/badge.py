"""The badge of everything that is not differentially private: suppression, routes, and linkage after its base."""

BADGE = "NOT DIFFERENTIALLY PRIVATE"
"""Stands first in everything that such a method writes or prints."""
