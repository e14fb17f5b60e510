"""The record model: whole records under differential privacy."""

from seqveil.publish.records.mechanism import RecordModel

__all__ = ["RecordModel"]
