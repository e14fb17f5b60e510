"""What people point at: one description, `Source`, and one small reader per format, silent about what stands in a row."""

from seqveil.sources.read import read_sequences
from seqveil.sources.source import Source

__all__ = ["Source", "read_sequences"]
