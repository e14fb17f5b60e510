"""Every parameter of every registered mechanism says what it means."""

from __future__ import annotations

import pytest

from seqveil import registry
from seqveil.parameters import help_of

CLASSES = {method.where: method for method in registry.OURS}


@pytest.mark.parametrize("where", CLASSES)
def test_every_parameter_has_a_sentence_of_help(where):
    """A sentence: it begins with a capital letter and ends with a full stop, on one line of a terminal or two."""
    sentences = help_of(CLASSES[where].load())

    assert [] == [
        name for name, text in sentences.items() if not (text[:1].isupper() and text.endswith(".") and len(text) <= 160)
    ]
