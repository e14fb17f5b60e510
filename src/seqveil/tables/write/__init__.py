"""Writers: synthetic records in every format that the readers take. They see a public domain and codes, nothing raw."""

from seqveil.tables.write.files import write_sequences

__all__ = ["write_sequences"]
