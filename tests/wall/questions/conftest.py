"""Supports by enumeration."""

from supports import all_records, dense, every_support, table

__all__ = ["all_records", "dense", "every_support", "table"]
