"""Rules of the miners of itemsets under Gaussian noise: stated for Laplace noise, held to what each law says."""

import math

import numpy as np
import pytest

import seqveil as sv
from seqveil.bases.noise import FALSE, Noise, alone, enough, false_bar, noise_alone, noise_on
from seqveil.bases.width import balanced, widths
from seqveil.errors import CallError
from seqveil.mine.pfs2.mining import MOST_NOISE, affordable
from seqveil.tables.units import Record, User
from seqveil.wall import GRAINS, Bins, ClippedSupports
from seqveil.wall.noise import SeededNoise, Sigma
from seqveil.wall.wall import Wall

SHELF = sv.Domain.of(["bread", "butter", "jam", "soap"], public_because="a test")
BASKETS = [["bread", "butter"], ["butter", "bread", "jam"], ["soap"]] * 1500
PATTERNS = np.array([[0], [1], [2], [3]])


@pytest.fixture(params=[Record(), User(3)], ids=["record", "user"])
def wall(request):
    owned = [f"u{i // 3}" for i in range(len(BASKETS))] if isinstance(request.param, User) else None
    return Wall(sv.sets_of(BASKETS, SHELF, owned), request.param, GRAINS, SeededNoise(1), measure="zcdp")


@pytest.mark.parametrize("question", [ClippedSupports(PATTERNS, 2), Bins(((0, 1), (2, 3)))], ids=["clipped", "bins"])
def test_noise_is_that_of_the_wall(wall, question):
    """σ² = S²/(2ρ), and S² is twice what one record alone moves: √2 and not 2 in the width."""
    noise = noise_on(wall, question, GRAINS // 8)

    assert noise == Noise(wall.law(question, GRAINS // 8).value, gaussian=True)
    assert noise.width == pytest.approx(math.sqrt(2) * alone(wall, GRAINS // 8).width, rel=1e-9)
    assert alone(wall, GRAINS // 8).width == pytest.approx(2 * wall.unit.sequences)
    assert alone(wall, GRAINS // 8) == noise_alone("zcdp", wall.unit, GRAINS // 8)


def test_enough_is_the_least_amount_for_a_scale(wall):
    """With one grain less noise would be wider."""
    question = ClippedSupports(PATTERNS, 3)
    amount = enough(wall, question, 40.0)

    assert (
        noise_on(wall, question, amount).scale
        <= 40.0 * (1 + 1e-12)
        < 40.0 * 1.001
        < noise_on(wall, question, int(amount * 0.99)).scale
    )


@pytest.mark.parametrize("candidates", [500, 20_000, 5_000_000])
def test_about_as_many_false_candidates_pass_as_stated(candidates):
    """By the exact law; a bar made for Laplace noise would be far too high."""
    noise = Noise(300.0, gaussian=True)
    bar = round(noise.scale * false_bar(candidates, "zcdp"))

    assert candidates * Sigma(300.0**2).probability(bar) == pytest.approx(FALSE, rel=0.02)
    assert false_bar(candidates, "zcdp") <= 1.2 * false_bar(candidates)


def test_quantiles_are_those_of_the_laws():
    """What noise stays below with probability ζ."""
    law = Sigma(100.0**2)
    below = -math.floor(Noise(100.0, gaussian=True).quantile(0.3))

    assert law.probability(below) == pytest.approx(0.3, abs=0.005)


@pytest.mark.parametrize("owned", [1, 4])
def test_as_many_supports_are_affordable_as_noise_allows(owned):
    """Their noise has the scale of MOST_NOISE of the threshold; one in √n, where Laplace noise has one in n."""
    threshold, amount = 400, GRAINS // 200
    most = affordable(threshold, amount, owned, "zcdp")
    scale = Noise(owned * math.sqrt(most * GRAINS / (2 * amount)), gaussian=True).scale

    assert scale <= MOST_NOISE * threshold < scale * math.sqrt((most + 1) / most) * (1 + 1e-9)


def test_the_balance_clips_less_where_noise_grows_with_the_root():
    """The slope of the noise at B is compared with that of the loss: at B = 4 and ρ = 1/16, it is 1/2."""
    bounds, slots = widths(12), np.array([0, 500, 300, 150, 40, 9, 1, 0, 0, 0, 0])
    occurrences = 500 + 600 + 450 + 160 + 45 + 6
    pure = balanced(slots, bounds, 12, 100, 2 * GRAINS)
    gaussian = balanced(slots, bounds, 12, 100, GRAINS // 16, "zcdp")
    clipped = {b: int(slots[b + 1 :].sum()) for b in range(1, 9)}
    allowed = {b: 0.5 * occurrences / 100 / (4 * math.sqrt(b / 16)) for b in range(1, 9)}

    assert pure == gaussian == min(b for b in clipped if clipped[b] <= allowed[b])
    assert allowed[4] == pytest.approx(0.5 * occurrences / 100 / 2)


@pytest.mark.parametrize("way", [sv.Basis(top=5), sv.FrequentItemsets(top=5)], ids=["basis", "itemsets"])
def test_releases_have_gaussian_error_bars_and_are_read_back(way, tmp_path):
    """σ has a column of its own name; bars of the true supports, and the same ones after loading."""
    baskets = sv.sets_of(BASKETS, SHELF)
    runs = [sv.experiment(baskets, way, "1.0", seed=seed, delta="1e-6") for seed in range(8)]
    covered = [(a := one.count(["bread", "butter"])).low <= 3000 <= a.high for one in runs if one.count(["bread", "butter"]).low]
    runs[0].save(tmp_path / "release")
    again = sv.load(tmp_path / "release")

    assert runs[0].patterns.gaussian
    assert {"sigma"} == set(runs[0].tables()["patterns"].column_names) & {"sigma", "scale"}
    assert sum(covered) >= len(covered) - 2
    assert len(covered) >= 6
    assert runs[0].answers(range(len(again))) == again.answers(range(len(again)))
    assert again.patterns.gaussian


def test_a_run_in_which_nothing_is_frequent_can_be_read_back(tmp_path):
    """An empty table of Gaussian noise is one of Gaussian noise."""
    nothing = sv.experiment(sv.sets_of([["soap"]] * 3, SHELF), sv.Basis(top=2), "0.05", seed=2, delta="1e-6")
    nothing.save(tmp_path / "release")

    assert sv.load(tmp_path / "release").patterns.gaussian


@pytest.mark.parametrize("variant", ["tt", "sampled"])
def test_variants_with_thresholds_for_laplace_noise_are_refused(variant):
    """Before anything is asked."""
    with pytest.raises(CallError, match="delta is for variant=clip only"):
        sv.experiment(sv.sets_of(BASKETS, SHELF), sv.FrequentItemsets(top=5, variant=variant), "1.0", seed=1, delta="1e-6")
