"""The N-gram model: variable-length grams under differential privacy."""

from seqveil.publish.ngram.mechanism import NGram

__all__ = ["NGram"]
