"""zCDP done wrongly: noise for another norm, caps that nobody keeps, levels that are not added, choices that are too cheap."""

from __future__ import annotations

from math import isqrt
from typing import Any

from seqveil.audit.planted.planting import Plant, Planted, both, replaced, unchecked
from seqveil.engines.local.engine import LocalEngine
from seqveil.wall import calibrate, paths, sparse, tree, wall
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import Scale

_windows, _grams, _add = LocalEngine.windows, LocalEngine.grams, paths.Paths.add


def _of_l1(question: Any, unit: Any) -> int:
    """The L1 sensitivity where its square belongs."""
    return int(question.influence(unit))


def _uncapped_windows(engine: LocalEngine, table: Any, *given: Any, cap: int | None = None, by_owner: bool = False) -> Any:
    """The norm is measured, as it should be."""
    return _windows(engine, table, *given, cap=None if cap is None else 99 * cap, by_owner=by_owner)


def _capped_by_record(engine: LocalEngine, table: Any, *given: Any, cap: int | None = None, by_owner: bool = False) -> Any:
    return _windows(engine, table, *given, cap=cap)


def _uncapped_grams(engine: LocalEngine, table: Any, deepest: int, *, cap: int | None = None, by_owner: bool = False) -> Any:
    return _grams(engine, table, deepest, cap=None if cap is None else 9 * cap, by_owner=by_owner)


def _levels_not_added(self: paths.Paths, parent: Any) -> int:
    """A new level begins with a path that has cost nothing."""
    first = _add(self, parent)
    self._spent[first:] = 0
    return first


def _root_like_others(self: tree.PrivateTree, amount: int, most: int) -> Any:
    return calibrate.noise_for(self._measure, self._influence, self._cap * self._influence, amount)


def _summed_anew(self: paths.Paths, own: Any) -> Any:
    return own.copy()


def _laplace_of_sigma(noise: Any, law: Any, size: int) -> Any:
    return noise.laplace(Scale(law.value), size)


def _bug(name: str, what: str, shows: str, plant: Plant) -> Planted:
    return Planted(name, "docs/mechanisms/tree.md", what, "wall", shows, plant)


_CLIP = "ClipFailed.*(its cap|in squares)|distinguished by (error|stages)"
_LOSS = "times what it|exact loss"

ZCDP = [
    _bug("σ of L1", "σ² is made for the L1 sensitivity, not for its square", _LOSS, replaced(wall, "square_of", _of_l1)),
    _bug(
        "cap forgotten",
        "a record counts as often as it may, and no cap is kept",
        _CLIP,
        replaced(LocalEngine, "windows", _uncapped_windows),
    ),
    _bug(
        "cap forgotten, unchecked",
        "no cap is kept, and nobody looks",
        _LOSS,
        lambda: both(unchecked, replaced(LocalEngine, "windows", _uncapped_windows)),
    ),
    _bug(
        "cap of records, unchecked",
        "each record of a user has a cap of its own, and nobody looks",
        _LOSS,
        lambda: both(unchecked, replaced(LocalEngine, "windows", _capped_by_record)),
    ),
    _bug(
        "cap of a tree forgotten",
        "a node counts a unit as often as it passes",
        _CLIP,
        replaced(LocalEngine, "grams", _uncapped_grams),
    ),
    _bug(
        "cap of a tree forgotten, unchecked",
        "a node counts a unit as often as it passes, and nobody looks",
        _LOSS,
        lambda: both(unchecked, replaced(LocalEngine, "grams", _uncapped_grams)),
    ),
    _bug(
        "root capped",
        "the root's own count has the noise of a capped node",
        _LOSS,
        replaced(tree.PrivateTree, "_law", _root_like_others),
    ),
    _bug(
        "Laplace in zCDP",
        "counts have discrete Laplace noise whose scale is σ",
        "noise of scale .* where Gaussian noise .* was paid for",
        replaced(sparse, "drawn", _laplace_of_sigma),
    ),
    _bug(
        "levels not added",
        "ρ of two levels is not added",
        "a path of a tree that was given",
        lambda: both(replaced(paths.Paths, "add", _levels_not_added), replaced(paths.Paths, "_summed", _summed_anew)),
    ),
    _bug(
        "choice at ε²/32",
        "an exponential mechanism of ε is charged as ε²/32",
        _LOSS,
        replaced(calibrate, "choice_for", lambda rho: isqrt(32 * rho * GRAINS)),
    ),
]
