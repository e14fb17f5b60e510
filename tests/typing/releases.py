"""What a type checker knows of every mechanism's release. Checked by mypy (tests/typing/test_types.py), never run."""

from typing import assert_type

import seqveil as sv
from seqveil.release import (
    Answer,
    AnyRelease,
    Countable,
    Drawable,
    GramRelease,
    GraphRelease,
    HistogramRelease,
    OfRecords,
    PatternRelease,
    PrefixRelease,
    Ranked,
    RecordRelease,
    SetModelRelease,
    SetRelease,
    Shaped,
    Synthetic,
)


def experiments(table: sv.SequenceTable, sets: sv.SetTable, graph: sv.GraphTable, sample: sv.PublicSample) -> None:
    assert_type(sv.experiment(table, sv.NGram(), "1.0", seed=1), GramRelease)
    assert_type(sv.experiment(table, sv.RecordModel(), "1.0", seed=1), RecordRelease)
    assert_type(sv.experiment(table, sv.GridTrips(), "1.0", seed=1), RecordRelease)
    assert_type(sv.experiment(table, sv.Histogram(), "1.0", seed=1), HistogramRelease)
    assert_type(sv.experiment(table, sv.PrefixPublication(), "1.0", seed=1), PrefixRelease)
    assert_type(sv.experiment(table, sv.FrequentStrings(longest=2), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(table, sv.PrefixMiner(), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(table, sv.Substrings(), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(table, sv.TwoPhase(sample=sample), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(table, sv.PFS2(), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(sets, sv.FrequentItemsets(), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(sets, sv.Basis(), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(sets, sv.BasisSets(), "1.0", seed=1), SetModelRelease)
    assert_type(sv.experiment(sets, sv.DiffPart(), "1.0", seed=1), SetRelease)
    assert_type(sv.experiment(sets, sv.DiffPartRows(), "1.0", seed=1), SetRelease)
    assert_type(sv.experiment(sets, sv.SetHistogram(), "1.0", seed=1), PatternRelease)
    assert_type(sv.experiment(sets, sv.ItemsetNoise(), "1.0", seed=1), SetRelease)
    assert_type(sv.experiment(graph, sv.DER(), "1.0", seed=1), GraphRelease)
    assert_type(sv.experiment(graph, sv.GraphBTER(), "1.0", seed=1), GraphRelease)
    assert_type(sv.experiment(graph, sv.GraphDegrees(), "1.0", seed=1), GraphRelease)
    assert_type(sv.experiment(graph, sv.GraphLaplace(), "1.0", seed=1), GraphRelease)
    assert_type(sv.experiment(graph, sv.GraphRandom(), "1.0", seed=1), GraphRelease)


def vaults(vault: sv.Vault, sample: sv.PublicSample) -> None:
    assert_type(vault.release(sv.NGram(), "1.0"), GramRelease)
    assert_type(vault.release(sv.RecordModel(), "1.0"), RecordRelease)
    assert_type(vault.release(sv.GridTrips(), "1.0"), RecordRelease)
    assert_type(vault.release(sv.Histogram(), "1.0"), HistogramRelease)
    assert_type(vault.release(sv.PrefixPublication(), "1.0"), PrefixRelease)
    assert_type(vault.release(sv.FrequentStrings(longest=2), "1.0"), PatternRelease)
    assert_type(vault.release(sv.PrefixMiner(), "1.0"), PatternRelease)
    assert_type(vault.release(sv.Substrings(), "1.0"), PatternRelease)
    assert_type(vault.release(sv.TwoPhase(sample=sample), "1.0"), PatternRelease)
    assert_type(vault.release(sv.PFS2(), "1.0"), PatternRelease)
    assert_type(vault.release(sv.FrequentItemsets(), "1.0"), PatternRelease)
    assert_type(vault.release(sv.Basis(), "1.0"), PatternRelease)
    assert_type(vault.release(sv.BasisSets(), "1.0"), SetModelRelease)
    assert_type(vault.release(sv.DiffPart(), "1.0"), SetRelease)
    assert_type(vault.release(sv.DiffPartRows(), "1.0"), SetRelease)
    assert_type(vault.release(sv.SetHistogram(), "1.0"), PatternRelease)
    assert_type(vault.release(sv.ItemsetNoise(), "1.0"), SetRelease)
    assert_type(vault.release(sv.DER(), "1.0"), GraphRelease)
    assert_type(vault.release(sv.GraphBTER(), "1.0"), GraphRelease)
    assert_type(vault.release(sv.GraphDegrees(), "1.0"), GraphRelease)
    assert_type(vault.release(sv.GraphLaplace(), "1.0"), GraphRelease)
    assert_type(vault.release(sv.GraphRandom(), "1.0"), GraphRelease)


def loaded() -> None:
    release = sv.load("release")
    assert_type(release, AnyRelease)
    assert_type(release.digest, str)
    assert_type(sv.load("release", as_=sv.release.GramRelease), GramRelease)


def capabilities() -> None:
    """A capability narrows to the releases that have it, so their methods are known."""
    release = sv.load("release")
    if isinstance(release, Drawable):
        assert_type(release, RecordRelease | GramRelease | PrefixRelease | SetRelease | SetModelRelease)
        release.draw(10)
    if isinstance(release, Shaped):
        assert_type(release, RecordRelease | GramRelease | PrefixRelease)
        assert_type(release.visits(["a", "b"]), Answer)
        assert_type(release.lengths(), dict[int, Answer])
    if isinstance(release, OfRecords):
        assert_type(release, RecordRelease | GramRelease | PrefixRelease | HistogramRelease)
        assert_type(release.first("a"), Answer)
    if isinstance(release, Ranked):
        assert_type(release.top(3)[0]["pattern"], list[str])
    if isinstance(release, Synthetic) and not isinstance(release, Drawable):
        assert_type(release, GraphRelease)


def countable(release: Countable) -> None:
    release.count(["A", "B"])


def every_release_counts() -> None:
    countable(sv.load("release"))
