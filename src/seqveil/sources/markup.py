"""Feeding an XML parser piece by piece, with an end to what one tag may hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seqveil.sources.blocks import byte_blocks

PIECE = 1 << 18
MOST_TAG = 1 << 24
"""Bytes between `<` and `>`. The parser looks at an unfinished tag again with every piece: a tag without an end, in a small
archive, would keep it busy for hours and fill the memory."""


class TagTooLong(ValueError):
    """A tag does not end."""


def parsed(parser: Any, path: Path) -> Iterator[None]:
    """Gives the file to the parser; comes back after every piece."""
    fed = 0
    for block in byte_blocks(path):
        for at in range(0, len(block), PIECE):
            piece = block[at : at + PIECE]
            parser.Parse(piece, False)
            fed += len(piece)
            if fed - max(parser.CurrentByteIndex, 0) > MOST_TAG:
                raise TagTooLong
            yield
    parser.Parse(b"", True)
    yield
