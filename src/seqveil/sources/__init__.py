"""Readers: one small file per format, all streaming, all silent about what stands in a row."""

from seqveil.sources.sequences import inspect_format, read_inspected, read_sequences

__all__ = ["inspect_format", "read_inspected", "read_sequences"]
