"""Where benchmark data is looked for: $SEQVEIL_DATA, then ../shared/data beside the project. Nothing of it is committed."""

from __future__ import annotations

import os
from pathlib import Path


def find(name: str) -> Path | None:
    """The file, or None after saying what is missing and how to get it."""
    places = [Path(os.environ["SEQVEIL_DATA"])] if "SEQVEIL_DATA" in os.environ else []
    places.append(Path(__file__).resolve().parents[2] / "shared" / "data")
    for place in places:
        if (place / name).exists():
            return place / name
    print(f"missing: {name}. Put it into a folder and point $SEQVEIL_DATA there; benchmarks/README.md says where it comes from.")
    return None
