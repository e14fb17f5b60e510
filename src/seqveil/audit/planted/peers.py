"""P1–P15: what was found wrong in other people's code, planted in ours."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, both, raw, replaced, unchecked
from seqveil.engines.local.engine import LocalEngine
from seqveil.engines.local.grams import GramCounter
from seqveil.errors import BudgetExceeded
from seqveil.publish.ngram.mechanism import NGram
from seqveil.release import rendering
from seqveil.release.grams.release import GramRelease
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.wall import sparse
from seqveil.wall.noise import Scale
from seqveil.wall.noise.secure import SecureNoise
from seqveil.wall.paths import Paths
from seqveil.wall.wall import Wall

_run, _tree, _files, _extras = NGram.run, Wall.tree, rendering._files, GramRelease.extras
_opened = Wall.__init__
_charge, _left = Paths.charge, Paths.left
_root = GramCounter.root.__func__  # type: ignore[attr-defined]


def _domain_from_data(wall: Wall, table: Any, *given: Any) -> None:
    present = sorted(set(table.flat.items.tolist()) | {0})
    items = np.searchsorted(present, table.flat.items).astype(np.int32)
    inferred = SequenceTable(Domain.of(table.domain.labels(present)), Flat(items, table.flat.offsets), table.users)
    _opened(wall, inferred, *given)


def _charge_without_path(paths: Paths, nodes: Any, amount: Any) -> None:
    paths._check(amount)


def _truth_decides(mechanism: NGram, wall: Wall) -> Any:
    return _run(replace(mechanism, approximate=len(raw(wall)) % 2 == 0), wall)


def _exact_counts(mechanism: NGram, wall: Wall) -> Any:
    release = _run(mechanism, wall)
    release.exact = np.bincount(raw(wall).flat.items, minlength=len(wall.domain))  # type: ignore[attr-defined]
    return release


def _extras_with_exact(release: Any) -> dict[str, bytes]:
    return {**_extras(release), "exact.txt": str(release.exact.tolist()).encode()}


def _exact_size(wall: Wall, epsilon: int) -> int:
    return len(raw(wall))


def _seeded(noise: SecureNoise, scale: Scale, size: int) -> Any:
    from seqveil.wall.noise import SeededNoise

    return SeededNoise(0).laplace(scale, size)


def _float_noise(noise: SecureNoise, scale: Scale, size: int) -> Any:
    return np.random.laplace(0, scale.value, size)


def _rounded_float_noise(noise: SecureNoise, scale: Scale, size: int) -> Any:
    return np.rint(np.random.laplace(0, scale.value, size)).astype(np.int64)


def _sensitivity_of_data(wall: Wall, kind: Any, epsilon: int) -> Any:
    longest = int(raw(wall).flat.lengths.max(initial=1))
    return _tree(wall, replace(kind, l_max=max(1, min(kind.l_max, longest))), epsilon)


@contextmanager
def _raw_cache() -> Iterator[None]:
    """The counter that was opened last leaves its input in the folder of the release."""
    seen: list[Any] = []

    def root(cls: Any, flat: Any, *given: Any) -> Any:
        seen.append(flat)
        return _root(cls, flat, *given)

    def files(release: Any, manifest: Any) -> Iterator[tuple[str, Any]]:
        yield from _files(release, manifest)
        yield "cache.npy", seen[-1].items.tobytes()

    with both(replaced(GramCounter, "root", classmethod(root)), replaced(rendering, "_files", files)):
        yield


@contextmanager
def _stage_with_size(wall: Wall, name: str) -> Iterator[None]:
    wall._Wall__on_stage(f"{name} of {len(raw(wall))} records")  # type: ignore[attr-defined]
    yield


def _logged(wall: Wall, kind: Any, epsilon: int) -> Any:
    logging.getLogger("seqveil").warning("%d rows were used", len(raw(wall)))
    return _tree(wall, kind, epsilon)


def _float_charge(paths: Paths, nodes: Any, amount: Any) -> None:
    """Whatever is over by less than a millionth is taken for rounding."""
    try:
        _charge(paths, nodes, amount)
    except BudgetExceeded:
        if np.any(amount > _left(paths, nodes) + 1e-6 * 1e12):
            raise


def _float_left(paths: Paths, nodes: Any) -> Any:
    return np.asarray(np.float64(np.nextafter(np.float32(_left(paths, nodes) / 1e12), np.float32(2))) * 1e12, np.int64)


def _quantile_of_data(mechanism: NGram, wall: Wall) -> int:
    lengths = raw(wall).flat.lengths
    return max(1, int(np.quantile(lengths, 0.85))) if len(lengths) else 1


def _first_above_in_a_hurry(wall: Any, question: Any, epsilon: int, threshold: int) -> int | None:
    step = question.step(wall.unit)
    wall._Wall__charge(question.name, epsilon)
    noise = wall._Wall__noise
    limit = threshold + int(noise.laplace(Scale.of(2 * step, epsilon), 1)[0])
    counts = np.zeros(question.slots(len(wall.domain)), np.int64)
    tally = question.tally(raw(wall), wall.unit)
    counts[tally.index] = tally.count
    for slot, count in enumerate(counts.tolist()):
        if count + int(noise.laplace(Scale.of(2 * step, epsilon), 1)[0]) >= limit:
            return slot
    return None


def _nothing_empty(*_: Any) -> tuple[Any, Any]:
    return np.zeros(0, np.int64), np.zeros(0, np.int64)


PEERS = [
    Planted(
        "P1",
        "Diff-FSPM, pm4py, AdaTrace, PrivTrace",
        "the alphabet is taken from the data",
        "ngram",
        "manifest.domain|questions",
        replaced(Wall, "__init__", _domain_from_data),
    ),
    Planted(
        "P2",
        "pm4py, PRIPEL",
        "every level of the tree gets all of ε",
        "ngram",
        "a path of a tree",
        lambda: both(replaced(Paths, "charge", _charge_without_path)),
    ),
    Planted(
        "P3",
        "Diff-FSPM",
        "the truth decides between two noisy alternatives",
        "ngram",
        "release: grams",
        replaced(NGram, "run", _truth_decides),
    ),
    Planted(
        "P4",
        "DPNE",
        "exact counts lie beside the noisy ones",
        "ngram",
        "exact.txt",
        lambda: both(replaced(NGram, "run", _exact_counts), replaced(GramRelease, "extras", _extras_with_exact)),
    ),
    Planted(
        "P5",
        "dp-sequential-events, Diff-FSPM",
        "noise only where the data is not zero",
        "ngram",
        "noise was drawn for",
        replaced(sparse, "_passing_zeros", _nothing_empty),
    ),
    Planted(
        "P6",
        "AdaTrace, PrivTrace, DiffPart, Opacus",
        "the exact number of records is used for free",
        "pfs2",
        "manifest.facts|questions",
        replaced(Wall, "size", _exact_size),
    ),
    Planted(
        "P7",
        "LDPTrace, DataSynthesizer, reprosyn",
        "release noise from a fixed seed",
        "noise",
        "follows from a seed",
        replaced(SecureNoise, "laplace", _seeded),
    ),
    Planted(
        "P8",
        "diffprivlib and all of the above",
        "floating-point Laplace noise",
        "noise",
        "whole numbers",
        replaced(SecureNoise, "laplace", _float_noise),
    ),
    Planted(
        "P8 rounded",
        "commons-math users",
        "floating-point Laplace noise, rounded",
        "noise",
        "does not follow its law",
        replaced(SecureNoise, "laplace", _rounded_float_noise),
    ),
    Planted(
        "P9",
        "AdaTrace, DPNE, PRIPEL",
        "the sensitivity follows the longest record of the data",
        "ngram",
        "questions",
        replaced(Wall, "tree", _sensitivity_of_data),
    ),
    Planted("P10", "n-gram_sanitizer", "a raw intermediate is cached in the release's folder", "ngram", "cache.npy", _raw_cache),
    Planted(
        "P11", "DiffPart", "progress shows the number of records", "ngram", "stages", replaced(Wall, "stage", _stage_with_size)
    ),
    Planted("P11 log", "DPNE", "a log line contains the number of records", "ngram", "printed", replaced(Wall, "tree", _logged)),
    Planted(
        "P12",
        "smartnoise-sdk #622",
        "records are counted uncut, noise is for cut ones",
        "ngram",
        "times what it",
        lambda: both(unchecked, replaced(LocalEngine, "cut", lambda engine, table, l_max: table)),
    ),
    Planted(
        "P12 users",
        "smartnoise-sdk #622",
        "a user's share is bounded on paper only",
        "ngram",
        "times what it",
        lambda: both(unchecked, replaced(SequenceTable, "bounded", lambda table, m, key: table)),
    ),
    Planted(
        "P13",
        "opendp #2131, openmed #2457",
        "the budget is kept in floats",
        "ngram",
        "a path of a tree",
        lambda: both(replaced(Paths, "charge", _float_charge), replaced(Paths, "left", _float_left)),
    ),
    Planted(
        "P14",
        "most papers, pm4py",
        "l_max is a quantile of the data",
        "ngram",
        "questions",
        replaced(NGram, "_length", _quantile_of_data),
    ),
    Planted(
        "P15",
        "everyone",
        "the search for the longest length stops, and takes time, where the data says",
        "pfs2",
        "noise was drawn for",
        replaced(Wall, "first_above", _first_above_in_a_hurry),
    ),
]
