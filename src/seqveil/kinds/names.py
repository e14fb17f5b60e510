"""Names of people, as sequences of characters: matched between two data holders, never published."""

from __future__ import annotations

from seqveil.kinds.kind import Kind

KIND = Kind(
    name="names",
    noun="names",
    table="seqveil.tables.sequences:SequenceTable",
    readers={"read": "seqveil.sources.names:read_names"},
    fenced=(
        "names are matched one by one with `seqveil link`, which is not differentially private; only the base of n-grams that "
        "`seqveil link base` mines is, and that reads the names as sequences of characters"
    ),
    becomes="sequences",
)
