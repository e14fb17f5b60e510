"""Grams and their counts: what an N-gram mechanism releases."""
