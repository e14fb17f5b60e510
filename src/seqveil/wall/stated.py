"""What a data holder may state about a release: checked before anything is reserved, since the manifest will carry it."""

from __future__ import annotations

from seqveil.errors import InputProblems
from seqveil.facts import MOST_STATED, Holder
from seqveil.surface import parameter
from seqveil.tables.characters import refused_in_label, shown

_OPTION = {"dataset": "dataset_name"}


def check_stated(holder: Holder) -> None:
    """Refuse texts that are empty, too long, or would control a terminal or hide something; all of them at once.

    >>> check_stated(Holder(dataset="Taps of October", contact="privacy@metro.example"))
    >>> check_stated(Holder(dataset="a\\x1bb", purpose=""))
    Traceback (most recent call last):
    seqveil.errors.InputProblems: 2 problems:
      - dataset_name='a\\x1bb': give 1 to 200 characters on one line, without invisible or control characters
      - purpose='': give 1 to 1,000 characters on one line, without invisible or control characters
    """
    problems = []
    for name, most in MOST_STATED.items():
        text = getattr(holder, name)
        if text is not None and not (isinstance(text, str) and 0 < len(text) <= most and refused_in_label(text) is None):
            given = f"{parameter(_OPTION.get(name, name), shown(str(text)))}"
            problems.append(f"{given}: give 1 to {most:,} characters on one line, without invisible or control characters")
    if problems:
        raise InputProblems("", problems)
