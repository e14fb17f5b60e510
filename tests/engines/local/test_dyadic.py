"""What the kernel of dyadic blocks costs: memory and time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from seqveil.engines.local.dyadic import LisBlocks
from seqveil.engines.local.patience import PrefixLis


def longest_fast(values):
    return int(PrefixLis(strict=False).feed(values)[-1])


def test_memory_is_a_level_times_the_longest_subsequence():
    """Tops kept stay below levels × LIS on noise, and below the stream's own length when it only rises."""
    levels = 14
    noise = np.random.default_rng(1).random(2**13)
    blocks, rising = LisBlocks(levels, every=False, strict=False), LisBlocks(levels, every=False, strict=False)
    blocks.feed(noise)
    rising.feed(np.arange(2.0**13 - 1))

    assert blocks.tops <= levels * longest_fast(noise)
    assert len(blocks._tops) <= 3 * levels * (longest_fast(noise) + 4096)
    assert rising.tops <= 2 * 2**13


@pytest.mark.slow
def test_a_million_events():
    """Well within the 20 seconds that a million may take, with no more tops than levels × LIS."""
    events = np.random.default_rng(2).random(1_000_000)
    blocks = LisBlocks(20, every=False, strict=False)
    start = time.process_time()
    lengths = blocks.feed(events)

    assert time.process_time() - start < 10
    assert 1_000_000 == len(lengths)
    assert blocks.tops <= 20 * longest_fast(events)
