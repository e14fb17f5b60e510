"""PFS²: what it finds without noise, what it spends, and how it takes bad and empty input."""

import math
import re

import numpy as np
import pytest

import seqveil as sv
from seqveil.engines.local.ranking import rank
from seqveil.errors import CallError
from seqveil.mine.pfs2 import PFS2, mining
from seqveil.mine.pfs2.miner import Shares
from seqveil.mine.pfs2.premining import longest_frequent, queries
from seqveil.tables.units import Record, User
from seqveil.wall.budget import grains
from seqveil.wall.noise import SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.wall import Wall

LETTERS = sv.Domain.of(list("abcdef"))


def shoppers(n=2000, seed=3):
    """Records with a frequent chain a b c d, noise around it, and a few long ones."""
    random = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        row = [x for x in "abcd" if random.random() < 0.8]
        for _ in range(random.integers(0, 4)):
            row.insert(random.integers(0, len(row) + 1), "abcdef"[random.integers(0, 6)])
        rows.append((row or ["f"]) * (8 if i % 100 == 0 else 1))
    return sv.table_of(rows, LETTERS)


def truth(table, least, longest=99):
    ranking = rank(table.flat, len(table.domain), least=least, longest=longest, most=10**6)
    return dict(zip(ranking.patterns(), ranking.support.tolist(), strict=True))


def found_in(release):
    return {release.patterns.pattern(k): int(release.patterns.noisy[k]) for k in range(len(release))}


@pytest.mark.parametrize("how", [{"variant": "pfs2"}, {"variant": "clip", "clip": 500}])
def test_without_noise_it_finds_the_frequent_patterns_and_their_supports(how):
    """Thresholds are relaxed far enough here; supports come from whole records that are not clipped, so they are exact."""
    table = shoppers()
    release = sv.experiment(table, PFS2(support=0.3, zeta=0.001, **how), 1.0, seed=None)
    expected = truth(table, math.ceil(0.3 * len(table)))

    assert len(expected) > 10
    assert expected == found_in(release)


def test_clipped_supports_are_too_small_if_anything_and_the_release_says_so():
    """Without noise: nothing false, nothing too large, and the bound in words; a bound for all patterns goes unmentioned."""
    table = shoppers()
    expected = truth(table, math.ceil(0.3 * len(table)))
    tight = sv.experiment(table, PFS2(support=0.3, clip=6), 1.0, seed=None)
    wide = sv.experiment(table, PFS2(support=0.3, clip=500), 1.0, seed=None)

    assert set(found_in(tight)) <= set(expected)
    assert all(n <= expected[p] for p, n in found_in(tight).items())
    assert sum(found_in(tight).values()) < sum(expected[p] for p in found_in(tight))
    assert re.search(r"a record counts for at most 6 of the \d+ patterns .* so counts may be too small$", tight.about)
    assert "clip" not in wide.about
    assert "so counts" not in wide.about


def test_the_bound_on_patterns_per_record_is_found_privately():
    """It is asked for on every level and for the final count; a public one is not asked for, and both set the noise."""
    table = shoppers()
    asked = sv.experiment(table, PFS2(support=0.15), 1.0, seed=1)
    given = sv.experiment(table, PFS2(support=0.15, clip=15), 1.0, seed=1)
    bound = int(re.search(r"at most (\d+) of the", asked.about)[1])

    assert len([s for s in asked.manifest.stages if s.kind == "patterns per record"]) >= 3
    assert not [s for s in given.manifest.stages if s.kind == "patterns per record"]
    assert re.search(r"\(about [\d,]+ contain more\)", asked.about)
    for release, most in ((asked, bound), (given, 15)):
        count = next(s for s in release.manifest.stages if s.name == "count" and s.kind == "clipped supports")
        assert np.unique(release.patterns.scale) == pytest.approx([most / float(count.epsilon)])


def test_exploring_leaves_what_it_does_not_need_to_the_count():
    """Where noise is small beside the threshold anyway; all of ε is spent."""
    release = sv.experiment(sv.table_of([["a", "b"]] * 200_000, LETTERS), PFS2(support=0.5), 1.0, seed=1)
    spent = {}
    for stage in release.manifest.stages:
        spent[stage.name.split()[0]] = spent.get(stage.name.split()[0], 0) + float(stage.epsilon)

    assert spent["explore"] < 0.1
    assert spent["count"] > 0.8


@pytest.mark.parametrize("search", ["sparse", "binary"])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.999])
def test_both_searches_find_the_longest_frequent_length(search, share):
    """Without noise, for any threshold, 0 included."""
    table = shoppers(300)
    least = math.ceil(share * len(table))
    expected = max(map(len, truth(table, least, longest=7)), default=0)

    assert expected == longest_frequent(Wall(table, Record(), 10**12, NoNoise()), 7, least, 10**12, search)


@pytest.mark.parametrize("l_max", [1, 2, 3, 4, 7, 8, 31, 32, 33])
def test_a_binary_search_never_asks_more_than_it_pays_for(l_max):
    """⌈log2(l_max + 1)⌉ questions, whatever the answers: the printed method put noise on all l_max of them."""
    assert math.ceil(math.log2(l_max + 1)) == queries(l_max)
    for seed in range(6):
        wall = Wall(shoppers(50), Record(), 10**12, SeededNoise(seed))
        longest_frequent(wall, l_max, 20, 10**12, "binary")
        assert len(wall.stages) <= queries(l_max)
        assert sum(spent for *_, spent in wall.stages) <= 10**12


@pytest.mark.parametrize("epsilon", ["0.000001", "1", "7.777777777777"])
def test_the_shares_of_clipped_records_add_up_to_epsilon_exactly(epsilon):
    """No lengths are asked."""
    whole = grains(epsilon)
    for top in (False, True):
        s = Shares.of(whole, top, clip=True)
        assert whole == s.size + s.threshold + s.longest + s.prune + s.count
        assert not s.lengths


@pytest.mark.parametrize("top", [False, True])
@pytest.mark.parametrize("epsilon", ["0.000001", "0.1", "1", "7.777777777777"])
def test_the_shares_add_up_to_epsilon_exactly(epsilon, top):
    """.025 / .025 / .05 / .45 / .45."""
    whole = grains(epsilon)
    s = Shares.of(whole, top)

    assert whole == s.size + s.lengths + s.threshold + s.longest + s.prune + s.count
    assert (0.025, 0.025, 0.05, 0.45) == pytest.approx(
        tuple(x / whole for x in (s.size, s.lengths, s.threshold + s.longest, s.prune)), rel=1e-4
    )
    assert top == (s.threshold > 0)


@pytest.mark.parametrize("parameters", [{"support": 0.3}, {"top": 20}, {"support": 0.3, "search": "binary"}])
@pytest.mark.parametrize("variant", ["clip", "pfs2", "sr", "rr", "pl"])
def test_no_variant_spends_more_than_it_was_given(variant, parameters):
    """The manifest lists every stage; together they stay within ε, for several seeds."""
    for seed in range(3):
        release = sv.experiment(shoppers(400), PFS2(variant=variant, **parameters), "1.0", seed=seed)
        spent = sum(grains(stage.epsilon) for stage in release.manifest.stages)
        assert 0 < spent <= grains("1.0")


def test_a_sample_is_asked_once_and_counts_get_the_full_noise():
    """The scale of a released count is |C'_k|·m·L_f/ε₅ for a user with m records."""
    table = shoppers()
    owners = np.arange(len(table)) // 2
    table = sv.SequenceTable(table.domain, table.flat, owners)
    release = sv.experiment(table, PFS2(support=0.5, variant="pfs2"), "20", seed=1, unit=User(max_sequences=2))
    stages = [s for s in release.manifest.stages if s.kind == "supports"]

    assert len(stages) == len(np.unique(release.patterns.lengths))
    singles = release.patterns.lengths == 1
    n = release.patterns.scale[singles][0] * float(stages[0].epsilon) / 2
    assert n == pytest.approx(round(n))
    assert round(n) >= singles.sum()


@pytest.mark.parametrize("how", [{"variant": "pfs2"}, {"clip": 500}])
def test_top_k_are_the_k_most_frequent_ones(how):
    """The threshold is found privately; without noise the answer is exact."""
    table = shoppers()
    release = sv.experiment(table, PFS2(top=12, zeta=0.001, **how), 1.0, seed=None)
    ranked = sorted(truth(table, 1, longest=8).values(), reverse=True)

    assert ranked[:12] == release.patterns.noisy.tolist()


@pytest.mark.parametrize("how", [{"variant": "pfs2"}, {"clip": 500}])
def test_bars_cover_true_supports(how):
    """Over twelve seeded runs at least 93 % of the 95 % bars hold the true support, where records are not clipped."""
    table = shoppers()
    every = truth(table, 1, longest=8)
    covered = []
    for seed in range(12):
        release = sv.experiment(table, PFS2(support=0.3, **how), 1.0, seed=seed)
        for row, answer in enumerate(release.answers(range(len(release)))):
            covered.append(answer.low <= every[release.patterns.pattern(row)] <= answer.high)
    assert len(covered) > 150
    assert np.mean(covered) >= 0.93


@pytest.mark.parametrize("variant", ["clip", "pfs2", "sr", "rr", "pl"])
@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_an_empty_table_is_ordinary_data(variant, seed):
    """Nothing to find; the release is honest and nearly always empty, and never an error."""
    release = sv.experiment(sv.table_of([], LETTERS), PFS2(support=0.1, variant=variant), 1.0, seed=seed)

    assert 0 == len(release)


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_one_label_and_records_of_one_item(seed):
    """An alphabet of one label mines a, aa, aaa …; with l_max = 1 only single labels."""
    only = sv.Domain.of(["a"])
    long = sv.experiment(sv.table_of([["a"] * 4] * 3000, only), PFS2(support=0.5), 1.0, seed=seed)
    short = sv.experiment(sv.table_of([["a"]] * 3000, only), PFS2(support=0.5), 1.0, seed=seed)
    forced = sv.experiment(sv.table_of([["a"] * 4] * 3000, only), PFS2(support=0.5, l_most=1), 1.0, seed=seed)

    assert {(0,) * k for k in (1, 2, 3, 4)} == set(found_in(long))
    assert {(0,)} == set(found_in(short)) == set(found_in(forced))


def test_no_frequent_length_gives_an_honest_empty_release(tmp_path):
    """L_f = 0: what was spent is listed, nothing is invented, and the release saves and loads."""
    rows = [[x] for x in "abcdef"] * 300
    release = sv.experiment(sv.table_of(rows, LETTERS), PFS2(support=0.9), 1.0, seed=4)
    release.save(tmp_path / "empty")

    assert 0 == len(sv.load(tmp_path / "empty"))
    assert "not released" == sv.load(tmp_path / "empty").count(["a"]).kind


def test_a_release_saves_loads_and_answers(tmp_path):
    """Supports with bars, and a plain word about what was not released."""
    release = sv.experiment(shoppers(), PFS2(support=0.4), 1.0, seed=1)
    release.save(tmp_path / "mined")
    loaded = sv.load(tmp_path / "mined")
    answer = loaded.count(["a", "b"])

    assert answer.kind == "count"
    assert answer.low < answer.value < answer.high
    assert "not released" == loaded.count(["f", "f", "f", "f"]).kind
    assert "subsequence" == loaded.kind
    assert 0.4 < loaded.support(["a"]) <= 1


def test_too_many_patterns_for_the_noise_are_not_asked_about():
    """The number of supports asked at once keeps their noise below half of the threshold."""
    assert 417 == mining.affordable(14_847, 56_250_000_000, 1)
    assert 0 == mining.affordable(1, 10**11, 1)
    assert 208 == mining.affordable(14_847, 56_250_000_000, 2)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"support": 0}, "above 0 and at most 1"),
        ({"support": -0.1}, "above 0 and at most 1"),
        ({"support": 1.01}, "above 0 and at most 1"),
        ({"support": math.nan}, "above 0 and at most 1"),
        ({}, "neither support nor top was given"),
        ({"support": 0.1, "top": 5}, "support and top were both given"),
        ({"top": 0}, "from 1 to 10,000"),
        ({"support": 0.1, "l_most": 0}, "l_most=0"),
        ({"support": 0.1, "eta": 1.0}, "eta=1.0"),
        ({"support": 0.1, "zeta": 0.0}, "zeta=0.0"),
        ({"support": 0.1, "variant": "xx"}, "variant='xx'"),
        ({"support": 0.1, "search": "xx"}, "search='xx'"),
        ({"support": 0.1, "clip": 0}, "1 to 1,000,000 patterns"),
        ({"support": 0.1, "clip": 5, "variant": "pfs2"}, "variant 'clip' only"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_read(wrong, says):
    """What was given, what is allowed."""
    with pytest.raises(CallError, match=says):
        PFS2(**wrong)


def test_a_crumb_of_epsilon_is_refused():
    """Below a millionth some level would be paid with nothing."""
    with pytest.raises(CallError, match=r"0\.000001"):
        sv.experiment(shoppers(20), PFS2(support=0.5), "0.0000001", seed=1)


def test_the_plan_names_every_stage_and_the_noise():
    """Without data; its stages add up to ε."""
    plan = PFS2(support=0.01, variant="pfs2").plan(10**12, LETTERS, Record(), records=500)

    assert 10**12 == sum(amount for _, amount, _ in plan.stages)
    assert 10**12 == sum(amount for _, amount, _ in PFS2(support=0.01).plan(10**12, LETTERS, Record()).stages)
    advised = int(re.search(r"about ([\d,]+) records are needed", plan.predictions[-1])[1].replace(",", ""))
    noise = 3 * 10 * 3 / 0.45  # 95 % of the noise on ten supports on each of three levels, with ε₅ = 0.45
    assert 10 * noise <= 0.01 * advised <= 10 * noise + 1  # at the threshold it is a tenth of a support
    assert "threshold" in [name for name, *_ in PFS2(top=10).plan(10**12, LETTERS, Record()).stages]
