"""The number in the headline of an error is the number of problems, listed or not."""

from __future__ import annotations

import pickle
import re

import pytest

from seqveil.errors import InputProblems


@pytest.mark.parametrize("number", [1, 2, 9, 10, 11, 12, 57, 100_000])
def test_headline_and_list_agree(number):
    """Up to eleven are listed; of more the first ten, and how many more there are."""
    text = str(InputProblems("the domain", [f"line {i} is empty" for i in range(number)]))
    if number == 1:
        assert "the domain: line 0 is empty" == text
        return
    headline, *lines = text.splitlines()
    more = re.fullmatch(r"  - … and ([\d,]+) more", lines[-1])
    listed = len(lines) if more is None else len(lines) - 1 + int(more[1].replace(",", ""))

    assert f"the domain has {number:,} problems:" == headline
    assert number == listed
    assert len(lines) <= 11


def test_an_error_travels_between_processes():
    """With what it did not list."""
    error = InputProblems("a", ["b", "c"], unlisted=5)

    assert str(error) == str(pickle.loads(pickle.dumps(error)))
    assert 7 == error.total


def test_one_bad_file_does_not_hide_what_else_is_wrong(seqveil, tmp_path):
    """57 bad labels are one problem of the call, with a number of their own; the others stand beside it."""
    (tmp_path / "labels.txt").write_text("a\n" * 58)
    (tmp_path / "trips.txt").write_text("a\n")
    call = ("publish", tmp_path / "trips.txt", "--domain", tmp_path / "labels.txt", "--epsilon", "-1", "--out", tmp_path / "r")
    ran = seqveil(*call)

    assert 2 == ran.code
    assert ran.err.startswith("error: 2 problems:")
    assert f"  - the domain {tmp_path / 'labels.txt'} has 57 problems:" in ran.err
    assert "      - … and 47 more" in ran.err
    assert "epsilon" in ran.err
