"""Conformance: the exact kernels of streams, whatever the batches in which events arrive."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import brute_force

EVENTS = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, -0.0, np.nan]), min_size=1, max_size=30)
NUMBERS = st.lists(st.integers(-5, 5), min_size=1, max_size=30)
CUTS = st.lists(st.integers(0, 30), max_size=3)
both_orders = pytest.mark.parametrize("strict", [True, False])
few = settings(max_examples=30)


def fed(kernel: Any, events: list[Any], cuts: list[int]) -> list[int]:
    """All values, fed in batches."""
    bounds = sorted({0, len(events), *(c for c in cuts if c < len(events))})
    return [value for a, b in pairwise(bounds) for value in kernel.feed(np.array(events[a:b])).tolist()]


def over(events: list[Any], sizes: Callable[[int], list[int]], value: Callable[[list[Any]], int]) -> list[int]:
    """The value of every stretch of so many events that ends with each event."""
    return [value(events[max(0, i - size) : i]) for i in range(1, len(events) + 1) for size in sizes(i)]


@both_orders
@few
@given(events=EVENTS, cuts=CUTS)
def test_prefix_lis(world, events, cuts, strict):
    """Everything so far."""
    expected = over(events, lambda i: [i], lambda part: brute_force.increasing(part, strict))

    assert expected == fed(world.streams.prefix_lis(strict), events, cuts)


@both_orders
@few
@given(events=EVENTS, cuts=CUTS, width=st.integers(1, 9))
def test_window_lis(world, events, cuts, strict, width):
    """The last few events."""
    expected = over(events, lambda i: [width], lambda part: brute_force.increasing(part, strict))

    assert expected == fed(world.streams.window_lis(width, strict), events, cuts)


@both_orders
@few
@given(events=EVENTS, cuts=CUTS, every=st.booleans())
def test_block_lis(world, events, cuts, strict, every):
    """Dyadic blocks."""
    levels = len(events).bit_length()
    sizes = lambda i: brute_force.blocks_ending(i, levels, every)  # noqa: E731
    expected = over(events, sizes, lambda part: brute_force.increasing(part, strict))

    assert expected == fed(world.streams.block_lis(levels, every, strict), events, cuts)


@few
@given(events=NUMBERS, cuts=CUTS)
def test_prefix_total(world, events, cuts):
    """Everything so far."""
    assert over(events, lambda i: [i], sum) == fed(world.streams.prefix_total(), events, cuts)


@few
@given(events=NUMBERS, cuts=CUTS, width=st.integers(1, 9))
def test_window_total(world, events, cuts, width):
    """The last few events."""
    assert over(events, lambda i: [width], sum) == fed(world.streams.window_total(width), events, cuts)


@few
@given(events=NUMBERS, cuts=CUTS, every=st.booleans())
def test_block_total(world, events, cuts, every):
    """Dyadic blocks."""
    levels = len(events).bit_length()
    expected = over(events, lambda i: brute_force.blocks_ending(i, levels, every), sum)

    assert expected == fed(world.streams.block_total(levels, every), events, cuts)


PATTERNS = st.lists(st.integers(1, 3), min_size=1, max_size=4)
PAIRS = st.lists(st.integers(1, 3), min_size=2, max_size=2)
LENGTHS = st.lists(st.integers(0, 4), min_size=1, max_size=30)


@few
@given(events=EVENTS, cuts=CUTS, pattern=PATTERNS, edits=st.integers(0, 3))
@example(events=[1.0, 2, 0, 3, 1], cuts=[], pattern=[1, 2, 3, 1], edits=1)  # an event too many
@example(events=[1.0, 2, 1, 1], cuts=[], pattern=[1, 2, 3, 1], edits=1)  # one that is missing
@example(events=[1.0, 2, 0, 1], cuts=[2], pattern=[1, 2, 3, 1], edits=1)  # another one
def test_match_lengths(world, events, cuts, pattern, edits):
    """The shortest stretch within so many edits of the pattern, by trying all of them."""
    edits = min(edits, len(pattern) - 1)
    expected = brute_force.shortest_members(events, lambda part: brute_force.edit_distance(part, pattern) <= edits)

    assert expected == fed(world.streams.match_lengths(tuple(pattern), edits), events, cuts)


@few
@given(events=EVENTS, cuts=CUTS, sizes=PAIRS)
def test_burst_lengths(world, events, cuts, sizes):
    """From a 1 to a 1, at least so many of them, in at most so many events."""
    at_least, within = min(sizes), sum(sizes)

    def member(part):
        return part[0] == part[-1] == 1 and part.count(1.0) >= at_least and len(part) <= within

    assert brute_force.shortest_members(events, member) == fed(world.streams.burst_lengths(at_least, within), events, cuts)


def packed(lengths: list[int]) -> int:
    """The most disjoint stretches, of all whose length is the one that stands at their end."""
    return brute_force.most_disjoint(lengths, lambda part: part[-1] == len(part))


@few
@given(lengths=LENGTHS, cuts=CUTS)
def test_prefix_packing(world, lengths, cuts):
    """Everything so far."""
    assert over(lengths, lambda i: [i], packed) == fed(world.streams.prefix_packing(), lengths, cuts)


@few
@given(lengths=LENGTHS, cuts=CUTS, width=st.integers(1, 9))
def test_window_packing(world, lengths, cuts, width):
    """The last few events."""
    assert over(lengths, lambda i: [width], packed) == fed(world.streams.window_packing(width), lengths, cuts)


@few
@given(lengths=LENGTHS, cuts=CUTS, every=st.booleans())
def test_block_packing(world, lengths, cuts, every):
    """Dyadic blocks."""
    levels = len(lengths).bit_length()
    expected = over(lengths, lambda i: brute_force.blocks_ending(i, levels, every), packed)

    assert expected == fed(world.streams.block_packing(levels, every), lengths, cuts)


@both_orders
@few
@given(events=EVENTS, cuts=CUTS, layers=st.integers(1, 4), buckets=st.integers(1, 4))
def test_layers(world, events, cuts, strict, layers, buckets):
    """Every layer after every event."""
    expected = brute_force.layer_weights(events, layers, buckets, strict)

    assert expected == fed(world.streams.layers(layers, buckets, strict), events, cuts)
