"""DiffPart and its baseline as mechanisms: exact without noise, silent about data, refusing before they spend."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError
from seqveil.publish.diffpart import mechanism as module
from seqveil.publish.diffpart.predict import false_subpartitions, last_cut, worst_cut
from seqveil.surface import command_line, speaking
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Record, User
from seqveil.wall.budget import GRAINS


def table(sets: list[list[int]], labels: int, users: list[int] | None = None) -> SetTable:
    owners = None if users is None else np.array(users, np.int64)
    return SetTable(sv.Domain.range(0, labels - 1), Flat.of(sets), owners)


def released(release: Any) -> dict[tuple[int, ...], int]:
    return {tuple(codes.tolist()): int(n) for codes, n in zip(release.sets.flat, release.sets.copies, strict=True) if n}


@settings(max_examples=60)
@given(st.integers(1, 14), st.sampled_from([2, 3, 5, 10]), st.data())
def test_without_noise_and_thresholds_the_data_comes_back(labels: int, fan_out: int, data: Any) -> None:
    """At an ε at which every threshold is below 1, DiffPart publishes each set as often as it occurs, whatever the taxonomy."""
    one = st.sets(st.integers(0, labels - 1), min_size=1).map(sorted)
    sets = data.draw(st.lists(one, max_size=12))
    release = sv.experiment(table(sets, labels), sv.DiffPart(fan_out=fan_out, c1=5, c2=5), "100000", seed=None)

    assert dict(Counter(map(tuple, sets))) == released(release)
    assert len(sets) == release.size.noisy


def test_a_single_label_is_counted() -> None:
    """|I| = 1: one partition, one itemset."""
    release = sv.experiment(table([[0]] * 500, 1), sv.DiffPart(), "1.0", seed=1)

    assert [(0,)] == list(released(release))
    assert abs(released(release)[(0,)] - 500) < 40


@pytest.mark.parametrize("records", [0, 3])
def test_too_little_data_gives_an_honest_empty_release(records: int, tmp_path: Path) -> None:
    """Nothing passes: no sets, no synthetic records, bars that say so; it saves and loads."""
    release = sv.experiment(table([[0, 5]] * records, 40), sv.DiffPart(), "1.0", seed=3)
    loaded: Any = sv.load(release.save(tmp_path / "out"))

    assert {} == released(loaded)
    answer = loaded.count(["5"])
    assert (0, 0.0) == (answer.low, answer.value)
    assert answer.high >= records
    with pytest.raises(sv.SeqveilError, match="no synthetic records to draw from"):
        loaded.synthesize(5)


def test_what_lies_outside_the_domain_changes_nothing() -> None:
    """Labels outside and records that are left empty by them vanish: the release is the same."""
    domain = sv.Domain.of(["a", "b"])
    with_strangers = sv.sets_of([["a", "zzz"], ["b"], ["zzz"], []] * 200, domain)
    without = sv.sets_of([["a"], ["b"]] * 200, domain)
    one, other = (sv.experiment(t, sv.DiffPart(), "1.0", seed=9) for t in (with_strangers, without))

    assert released(one) == released(other)


def test_the_taxonomy_never_depends_on_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the records, the tree is opened with the same taxonomy, made from |I| and f alone."""
    seen: list[Taxonomy] = []
    real = module.Partitions
    monkeypatch.setattr(module, "Partitions", lambda taxonomy: seen.append(taxonomy) or real(taxonomy))  # type: ignore[func-returns-value]
    for sets in ([], [[0]] * 50, [[3, 28], [4]] * 90):
        sv.experiment(table(sets, 29), sv.DiffPart(fan_out=4), "1.0", seed=0)

    first = seen[0]
    for other in seen:
        for field in ("low", "high", "start", "child", "bit"):
            assert getattr(first, field).tolist() == getattr(other, field).tolist()


def test_users_pay_for_all_their_sets() -> None:
    """With m sets per user the noise and every threshold are m times as wide."""
    sets, users = [[k % 2] for k in range(4000)], [k // 4 for k in range(4000)]
    one = sv.experiment(table(sets, 2, users), sv.DiffPart(size_share=0), "1.0", seed=1, unit=User(max_sequences=1))
    four = sv.experiment(table(sets, 2, users), sv.DiffPart(size_share=0), "1.0", seed=1, unit=User(max_sequences=4))

    assert {1.0} == set(one.sets.scale.tolist())
    assert {4.0} == set(four.sets.scale.tolist())
    assert 4 * 4 - 1 <= int(four.sets.threshold[0]) <= 4 * int(one.sets.threshold[0])
    assert abs(sum(released(one).values()) - 1000) < 60


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"fan_out": 1}, "from 2 to 60"),
        ({"fan_out": 61}, "from 2 to 60"),
        ({"c1": -1.0}, "standard deviations"),
        ({"c2": float("nan")}, "standard deviations"),
        ({"size_share": 0.9}, "size_share"),
    ],
)
def test_wrong_parameters_say_what_is_allowed(wrong: dict[str, Any], said: str) -> None:
    """Bad values fail when the mechanism is made."""
    with pytest.raises(CallError, match=said):
        sv.DiffPart(**wrong)


def test_a_flood_of_false_sub_partitions_is_refused_before_spending(tmp_path: Path) -> None:
    """f = 25 would make about 2^25·e^(−√2·5)/2 false ones per cut: refused with that number, and the ledger has nothing."""
    vault = sv.Vault(table([[0, 99]] * 100, 100), account="swamp", home=tmp_path)
    with pytest.raises(CallError, match=r"about 17,\d{3}\.\d empty ones would pass") as refused:
        vault.release(sv.DiffPart(fan_out=25), "1.0")

    assert "fan_out=" in str(refused.value)
    assert "swamp" not in str(sv.Ledger(tmp_path).accounts())
    with pytest.raises(CallError, match="false itemsets"):
        vault.release(sv.DiffPart(fan_out=25, c1=1.0, c2=20.0), "1.0")


def test_what_the_refusal_advises_works() -> None:
    """The fan-out and the c2 that a refusal names are not refused."""
    domain = sv.Domain.range(1, 500)
    with speaking(command_line), pytest.raises(CallError) as refused:
        sv.DiffPart(fan_out=20).precheck(GRAINS, domain, Record())
    advice = re.search(r"Use --fan-out (\d+) or --c2 ([\d.]+)\.$", str(refused.value))

    assert advice is not None
    sv.DiffPart(fan_out=int(advice[1])).precheck(GRAINS, domain, Record())
    sv.DiffPart(fan_out=20, c1=5.0, c2=float(advice[2])).precheck(GRAINS, domain, Record())


def test_an_epsilon_too_small_for_any_cut_is_refused() -> None:
    """Fewer grains than cuts: a clear error, before spending."""
    with pytest.raises(CallError, match="too small to be divided over the 11 cuts"):
        sv.DiffPart().precheck(10, sv.Domain.range(1, 100), Record())


@pytest.mark.slow
def test_false_sub_partitions_come_as_predicted() -> None:
    """On no data at all, what passes is what was predicted, within 5 standard deviations over 400 runs."""
    taxonomy = Taxonomy.balanced(10, 10)
    expected, _ = last_cut(taxonomy, 2.75, GRAINS, 1)
    numbers = [len(sv.experiment(table([], 10), sv.DiffPart(size_share=0), "1.0", seed=s).sets) for s in range(400)]

    # ⌈θ⌉ of 3.89 is 4: the prediction with a real θ is an upper bound that is at most e^(⌈θ⌉ − θ) too large.
    assert np.mean(numbers) <= expected + 5 * np.sqrt(expected / 400)
    assert np.mean(numbers) >= expected * np.exp(-1) - 5 * np.sqrt(expected / 400)


def test_predictions_are_the_closed_form() -> None:
    """1,023 empty sub-partitions, each e^(−√2·5)/(1+e^(−α)): 0.43 for small α; none where there is only one cut."""
    assert pytest.approx(1023 * np.exp(-np.sqrt(2) * 5) / 2) == false_subpartitions(10, 5.0, 1, 0.0)
    assert (0.0, 0, 0) == worst_cut(Taxonomy.balanced(10, 10), 5.0, GRAINS, 1)


def test_the_plan_names_every_stage_and_warns() -> None:
    """ε is divided exactly; a rough size that cannot pass the first cut is warned about."""
    plan = sv.DiffPart().plan(GRAINS, sv.Domain.range(1, 1000), Record(), records=2000)

    assert ["size", "partitioning", "leaf counts"] == [name for name, _, _ in plan.stages]
    assert sum(grains for _, grains, _ in plan.stages) == GRAINS
    assert 1 == len(plan.warnings)


@pytest.mark.parametrize("mechanism", [sv.DiffPart(), sv.ItemsetNoise()])
def test_sequences_are_refused_and_the_sets_they_hold_are_counted(mechanism: Any) -> None:
    """Repeats would make other sets of them: three times the bit of a is {a, b}, and twice that of c is no set at all."""
    sequences = sv.table_of([["a", "a", "a"]] * 50 + [["b", "a"]] * 50 + [["c", "c"]] * 50, sv.Domain.of(["a", "b", "c"]))
    release = sv.experiment(sv.SetTable.of(sequences), mechanism, "10000", seed=None)

    with pytest.raises(CallError, match="works on sets, but the data holds sequences"):
        sv.experiment(sequences, mechanism, "10000", seed=None)
    assert [100, 50, 50, 50] == [release.count(labels).value for labels in (["a"], ["b"], ["a", "b"], ["c"])]
