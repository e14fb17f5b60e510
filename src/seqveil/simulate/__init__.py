"""Simulated data for demonstrations and tests: about nobody, reproducible, free to share."""
