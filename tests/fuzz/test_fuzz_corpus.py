"""Any bytes at every door: a correct table, a correct answer, or one of the library's own errors."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.audit.corpus import PIECES, SEEDS, corpus
from seqveil.audit.fuzzing import TARGETS

CHEAP = [name for name in TARGETS if name not in ("run command", "load release", "forge release", "parse words")]


def test_every_door_has_seeds() -> None:
    """A new door cannot be forgotten in the corpus."""
    assert TARGETS.keys() == SEEDS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_gets_through_no_door(name: str) -> None:
    """The fixed inputs, and each of them with a few bytes changed."""
    luck = random.Random(7)
    for body in corpus(name):
        TARGETS[name](body)
        changed = bytearray(body)
        at = luck.randrange(len(changed) + 1)
        changed[at : at + luck.randrange(4)] = luck.choice(PIECES)
        TARGETS[name](bytes(changed))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEAP)
@settings(max_examples=60)
@given(body=st.one_of(st.binary(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join)))
def test_any_bytes_get_through_no_door(name: str, body: bytes) -> None:
    """What hypothesis can think of."""
    TARGETS[name](body)
