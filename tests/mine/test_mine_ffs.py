"""Frequent strings: exactly the beginnings of records, of one length or of several, and what is assumed."""

from __future__ import annotations

import seqveil as sv
from strategies import table_of_codes


def test_strings_of_one_length_are_grown_from_prefixes():
    """Only what records begin with is seen: 12 occurs in every record, but begins only two of three."""
    records = [[0, 1, 2]] * 50 + [[0, 1, 0]] * 30 + [[2, 0, 1]] * 20 + [[0]] * 40
    release = sv.experiment(table_of_codes(records, 3), sv.FrequentStrings(longest=2, top=5), "1000", seed=None)

    assert {(0, 1): 80.0, (2, 0): 20.0} == {release.patterns.pattern(k): release.patterns.count[k] for k in range(len(release))}
    assert "prefix" == release.kind


def test_strings_of_several_lengths_are_ranked_together():
    """By the number of records that begin with them: longer ones stand behind the shorter ones that they begin with."""
    records = [[0, 1, 2, 0]] * 50 + [[0, 1, 0]] * 30 + [[2, 0]] * 45 + [[1]] * 40
    release = sv.experiment(table_of_codes(records, 3), sv.FrequentStrings(shortest=1, longest=3, top=6), "1000", seed=None)

    expected = {(0,): 80, (0, 1): 80, (0, 1, 2): 50, (2,): 45, (2, 0): 45, (1,): 40}
    assert expected == {release.patterns.pattern(k): release.patterns.count[k] for k in range(len(release))}


def test_bars_come_with_the_strings():
    """Noisy counts, ε/longest for each level."""
    data = table_of_codes([[0, 1, 2]] * 900 + [[1, 1, 1]] * 500, 3)
    release = sv.experiment(data, sv.FrequentStrings(shortest=3, longest=3, top=2), "1", seed=1)
    answers = [release.count(["I1", "I2", "I3"]), release.count(["I2", "I2", "I2"])]

    assert [True, True] == [a.low <= t <= a.high for a, t in zip(answers, (900, 500), strict=True)]
    assert {3.0} == set(release.patterns.scale.round(9).tolist())
