"""Releases of sets: answers from sums, bars that cover the truth, files that come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError, ReleaseDamaged
from seqveil.release.sets import SetCounts, SetRelease, Size
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable

DOMAIN = sv.Domain.of(["bread", "milk", "tea"], public_because="the shop's shelf")


def baskets(**options: Any) -> SetRelease:
    sets = SetCounts.of([[1, 0], [1], [0, 2]], [900, 400, 12], scale=2.0, threshold=10)
    return SetRelease(DOMAIN, sets=sets, **options)


def sealed(release: SetRelease, wall_facts: Any) -> SetRelease:
    release.seal(wall_facts(mechanism="diffpart", domain=DOMAIN, parameters={}))
    return release


def test_a_count_is_the_sum_over_sets_that_contain_the_labels() -> None:
    """Order and repeats in a query do not matter; a total counts each record once."""
    release = baskets()

    assert [1300, 912, 900, 12] == [release.count(q).value for q in (["milk"], ["bread"], ["milk", "bread"], ["tea"])]
    assert release.count(["bread", "milk", "bread"]).value == release.count(["milk", "bread"]).value
    assert 1312 == release.total([["milk"], ["bread"]]).value


def test_records_of_unpublished_sets_are_allowed_for() -> None:
    """2,000 records of which 1,312 are in published sets: up to about 700 more may contain anything."""
    narrow, wide = baskets(), baskets(size=Size(2000, 1.0))

    assert narrow.count(["tea"]).high < 30  # type: ignore[operator]
    assert 680 < wide.count(["tea"]).high < 760  # type: ignore[operator]
    assert narrow.count(["tea"]).low == wide.count(["tea"]).low == 0
    assert wide.count(["milk", "tea"]).value == 0
    assert "published" in narrow.about
    assert "published" not in wide.about


def test_labels_outside_the_domain_get_advice() -> None:
    """A query that cannot be asked names the label and what may have been meant."""
    with pytest.raises(CallError, match="did you mean 'milk'"):
        baskets().count(["milc"])
    with pytest.raises(CallError, match="at least one label"):
        baskets().count([])


def test_rules_and_tops_follow_from_the_counts() -> None:
    """milk has bread with 900/1300; bread has milk with 900/912, tea has bread always but too rarely."""
    release = baskets()

    assert [["bread", "milk"], ["bread", "tea"]] == [line["pattern"] for line in release.top(5, shortest=2)]
    strongest = release.rules(5)
    assert {"given": ["bread"], "then": "milk", "support": 900, "confidence": 0.9868, "lift": 0.9959} not in strongest
    assert [("bread", 12)] == [(r["then"], r["support"]) for r in release.rules(5, least=1) if r["given"] == ["tea"]]


@pytest.mark.parametrize("options", [{}, {"size": Size(1400, 50.0)}, {"complete": True}])
def test_a_release_of_sets_survives_its_files(options: dict[str, Any], tmp_path: Path, wall_facts: Any) -> None:
    """Saved, checked, loaded: the same answers, and synthetic.txt.gz holds the records that its table implies."""
    release = sealed(baskets(**options), wall_facts)
    loaded: Any = sv.load(release.save(tmp_path / "out"))

    assert [release.count(["milk"])] == [loaded.count(["milk"])]
    assert sorted(release.synthesize()) == sorted(loaded.synthesize())
    lines = sv.read_sequences(tmp_path / "out" / "synthetic.txt.gz", domain=DOMAIN)
    assert [s.tolist() for s in loaded.synthetic] == [s.tolist() for s in lines.flat]


def test_a_manifest_without_the_facts_is_damage(tmp_path: Path, wall_facts: Any) -> None:
    """A forged manifest is refused."""
    folder = sealed(baskets(), wall_facts).save(tmp_path / "out")
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"complete": false', '"complete": 0'))
    with pytest.raises(ReleaseDamaged):
        sv.load(folder)


def test_synthetic_sets_scale_and_repeat() -> None:
    """n sets with the same make-up; the same seed draws the same."""
    release = baskets()
    drawn = list(release.synthesize(2624, seed=4))

    assert (2624, 1800) == (len(drawn), sum(s == ["bread", "milk"] for s in drawn))
    assert drawn == list(release.synthesize(2624, seed=4))
    with pytest.raises(CallError, match="at least 0"):
        release.synthesize(-1)


def test_tables_that_hold_no_sets_are_refused() -> None:
    """Repeated or foreign codes and empty sets are no sets over the domain."""
    for wrong in ([[0, 0]], [[]], [[3]], [[-1]]):
        with pytest.raises(CallError, match="not a table of sets"):
            SetRelease(DOMAIN, sets=SetCounts.of(wrong, [1], 1.0, 0))


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [sv.DiffPart(fan_out=4), sv.ItemsetNoise()], ids=["diffpart", "itemset-noise"])
def test_bars_cover_the_true_counts(mechanism: Any) -> None:
    """Over 60 runs, true counts over *all* records lie in their bars at least 95 % of the time, up to 4 standard errors."""
    random = np.random.default_rng(5)
    codes = [np.flatnonzero(random.random(8) < p).tolist() for p in random.choice([0.1, 0.25, 0.5], 3000)]
    table = SetTable(sv.Domain.range(0, 7), Flat.of([c for c in codes if c]))
    queries = [["0"], ["3"], ["0", "1"], ["2", "5"], ["1", "2", "3"], ["0", "2", "4", "6"]]
    truth = [sum(set(map(int, q)) <= set(s.tolist()) for s in table.flat) for q in queries]
    hits = []
    for seed in range(60):
        release = sv.experiment(table, mechanism, "1.0", seed=seed)
        answers = [release.count(q) for q in queries]
        hits.append([a.low <= t <= a.high for a, t in zip(answers, truth, strict=True)])

    rate = np.mean(hits, axis=0)
    assert (rate >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 60)).all(), rate
