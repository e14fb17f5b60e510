"""The bars of `seqveil bench quality`, one by one, and "more ε is never worse" with reversals that are planted."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.evaluate.bench.quality.bars import bars, tolerance, verdict
from seqveil.evaluate.bench.quality.order import reversals, worse
from seqveil.evaluate.bench.quality.run import Facts
from seqveil.evaluate.bench.quality.today import Mean


def exactly(**figures: float) -> dict[str, Mean]:
    """Figures without seed noise; `uniform_T_4` stands for uniform.T.4."""
    return {name.replace("__", "."): Mean(value, 0.0, 5) for name, value in figures.items()}


GOOD = exactly(
    records=1.01, length=0.97, lengths=0.04, first=0.03, last=0.03, trip=0.2, uniform__T__4=0.010, uniform__F__4=0.040,
    drawn__T=0.03, drawn__F=0.1, strong__count_asked=50.0, strong__records_asked=60.0, strong__noisy=60.0, top__release__100=0.99,
    seconds=3.0,
)  # fmt: skip
OLD = exactly(trip=0.4, uniform__T__4=0.010, uniform__F__4=0.040, drawn__T=0.03, drawn__F=0.1, top__release__100=0.99)
LARGE = Facts(100_000, 17, 20, "x")


def missed(own=None, old=None, facts=LARGE, name="web", epsilon="1"):
    """What is not met, by its words."""
    judged = bars({(name, epsilon): GOOD | (own or {})}, {(name, epsilon): OLD | (old or {})}, {name: facts})
    return [bar.what for bar in judged if bar.verdict != "met"]


def test_what_is_good_meets_every_bar():
    judged = bars({("msnbc", "1"): GOOD}, {("msnbc", "1"): OLD}, {"msnbc": LARGE})

    assert {"met"} == {bar.verdict for bar in judged}
    assert 6 + 5 + 2 + 4 == len(judged)


@pytest.mark.parametrize(
    ("own", "what"),
    [
        (exactly(records=1.021), "records off by"),
        (exactly(records=0.979), "records off by"),
        (exactly(length=1.051), "mean length off by"),
        (exactly(length=0.949), "mean length off by"),
        (exactly(lengths=0.051), "TV of lengths"),
        (exactly(first=0.051), "TV of first labels"),
        (exactly(last=0.051), "TV of last labels"),
        (exactly(trip=0.201), "TV of (first, last)"),
        (exactly(drawn__T=0.031), "T of data-drawn queries"),
        (exactly(drawn__F=0.101), "F of data-drawn queries"),
        (exactly(uniform__T__4=0.0101), "T of uniform queries"),
        (exactly(uniform__F__4=0.0401), "F of uniform queries"),
        (exactly(top__release__100=0.985), "top-100 of the release"),
        (exactly(strong__count_asked=61.0), "strong grams, counts"),
        (exactly(strong__records_asked=61.0), "strong grams, records"),
    ],
)
def test_each_bar_is_missed_alone(own, what):
    """On a set other than MSNBC, just beyond the limit."""
    assert [what] == missed(own)


def test_msnbc_has_bars_of_its_own():
    """By ε; the time on it counts, too."""
    old = exactly(uniform__T__4=0.5, uniform__F__4=0.5, top__release__100=0.1)
    assert ["T"] == missed(exactly(uniform__T__4=0.013), old, name="msnbc")
    assert [] == missed(exactly(uniform__T__4=0.013), old, name="msnbc", epsilon="0.5")
    assert ["T", "F"] == missed(exactly(uniform__T__4=0.061, uniform__F__4=0.11), old, name="msnbc", epsilon="0.1")
    assert ["98 % of the top 100 of the release"] == missed(exactly(top__release__100=0.97), old, name="msnbc")
    assert ["seconds"] == missed(exactly(seconds=5.1), name="msnbc")


def test_small_sets_and_large_domains_have_other_bars():
    """Shape from 20,000 records on; 1.3 × for uniform queries below 50,000; with many labels, what was measured decides."""
    small, middle, wide = Facts(5_000, 17, 20, "x"), Facts(30_000, 17, 20, "x"), Facts(100_000, 3_000, 20, "x")
    fragments = exactly(records=8.8, length=0.1, lengths=0.99, first=0.6, last=0.6, trip=0.9)
    assert [] == missed(fragments, facts=small)
    assert 6 == len(missed(fragments, facts=middle))
    assert [] == missed(exactly(uniform__T__4=0.0129), facts=middle)
    assert ["T of uniform queries"] == missed(exactly(uniform__T__4=0.0131), facts=middle)
    assert ["T of data-drawn queries"] == missed(exactly(drawn__T=0.031), facts=small)
    assert [] == missed(exactly(first=0.3, trip=0.9), facts=wide)  # no table to compare with
    assert [] == missed(exactly(first=0.3, first_table=0.281), facts=wide)
    assert ["TV of first labels"] == missed(exactly(first=0.3, first_table=0.279), facts=wide)
    assert ["TV of first labels"] == missed(exactly(first=0.3, first_table=0.29, first_noisy=0.27), facts=wide)


def test_not_asking_about_the_strong_grams_is_no_way_around_their_bar():
    """Without raw answers of its own, a method is compared with those of ngram, if that asked about nearly all of them."""
    own = {name: mean for name, mean in GOOD.items() if not name.startswith("strong")}
    own |= exactly(strong__count=61.0, strong__records=59.0, strong__asked=0.0)
    for asked, expected in ((24.0, ["strong grams, counts"]), (23.0, [])):
        old = OLD | exactly(strong__noisy=60.0, strong__asked=asked)
        judged = bars({("web", "1"): own}, {("web", "1"): old}, {"web": LARGE})
        assert expected == [bar.what for bar in judged if bar.verdict != "met"]


def test_shape_is_barred_at_epsilon_1_only():
    assert [] == missed(exactly(records=8.8), epsilon="0.1")


def test_a_miss_that_seeds_explain_is_said_to_be_one():
    """Neither met nor missed; with equal means it is met."""
    noisy = {"drawn.T": Mean(0.0305, 0.001**2, 5)}
    judged = bars({("web", "1"): GOOD | noisy}, {("web", "1"): OLD}, {"web": LARGE})
    assert ["within noise"] == [bar.verdict for bar in judged if bar.verdict != "met"]
    assert "met" == verdict(Mean(1, 1, 5), Mean(1, 0, 1))
    assert "met" == verdict(Mean(0.1234567, 0, 5), Mean(0.123456, 0, 5))  # as it is kept


def test_the_tolerance_has_its_level():
    """Of two means of 5 equal normal runs, 5 % differ by more than the 95 % tolerance; half the tolerance would let 17 % pass."""
    random = np.random.default_rng(1)
    one, other = random.normal(size=(2, 4_000, 5))
    beyond, half = 0, 0
    for a, b in zip(one, other, strict=True):
        difference = a.mean() - b.mean()
        allowed = tolerance(Mean.of(a.tolist()), Mean.of(b.tolist()), 0.95)
        beyond += difference > allowed
        half += difference > allowed / 2

    assert 0.035 < beyond / 4_000 < 0.065
    assert half / 4_000 > 0.12


def at(**epsilons: dict[str, Mean]):
    return {("web", epsilon.removeprefix("e").replace("_", ".")): figures for epsilon, figures in epsilons.items()}


@pytest.mark.parametrize(
    ("metric", "less", "more"),
    [
        ("drawn__T", 0.1, 0.11),
        ("lengths", 0.01, 0.02),
        ("top__release__100", 0.9, 0.85),
        ("records", 1.0, 1.1),
        ("length", 1.0, 0.9),
    ],
)
def test_a_reversal_is_seen(metric, less, more):
    """Whichever way is worse for the metric; the other way round nothing is seen."""
    figures = at(e0_5=exactly(**{metric: less}), e1=exactly(**{metric: more}))
    grown, compared = reversals(figures)

    assert 1 == compared
    assert [(metric.replace("__", "."), "0.5", "1")] == [(one.metric, one.less, one.more) for one in grown]
    assert ([], 1) == reversals(at(e0_5=exactly(**{metric: more}), e1=exactly(**{metric: less})))


def test_budgets_are_compared_in_their_order():
    """10 comes after 1, not after 0.1 as text would have it."""
    figures = at(e0_1=exactly(drawn__T=0.3), e10=exactly(drawn__T=0.01), e1=exactly(drawn__T=0.1))

    assert ([], 2) == reversals(figures)


def test_a_reversal_within_the_tolerance_is_none():
    """What seeds explain, and what nobody would notice."""
    assert not worse(Mean(0.1, 1e-4, 5), Mean(0.12, 1e-4, 5))
    assert worse(Mean(0.1, 1e-8, 5), Mean(0.12, 1e-8, 5))
    assert not worse(Mean(0.0, 0.0, 5), Mean(0.0019, 0.0, 5))
    assert not worse(Mean(1.0, 0.0, 5), Mean(1.021, 0.0, 5))
