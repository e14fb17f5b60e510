"""The speed of exact discrete Gaussian noise, as on docs/mechanisms/noise.md: `python benchmarks/gaussian.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from statistics import median
from time import process_time

from seqveil.wall.noise import SecureNoise, SeededNoise, Sigma, theta
from seqveil.wall.noise.digits import load_compiled

DRAWS = 96_000
WIDTHS = (0.3, 1.0, 3.0, 40.0, 1e3, 1e6, 1e15)
PASSING = (
    (3.0, 4, 10**6),
    (40.0, 4, 10**6),
    (40.0, 10, 2**70),
    (1e3, 4, 10**6),
    (1e7, 5, 10**7),
    (1e7, 3, 10**9),
    (40.0, 2.5, 10**8),
)


def seconds(work: Callable[[], object], times: int) -> float:
    """CPU time, median of several runs."""
    taken = []
    for _ in range(times):
        begun = process_time()
        work()
        taken.append(process_time() - begun)
    return median(taken)


def main() -> None:
    load_compiled()
    print("million draws a second: noise, beyond 0, beyond 5σ")
    for noise in (SecureNoise(), SeededNoise(1)):
        for width in WIDTHS:
            sigma, far = Sigma(width**2), round(5 * width)
            works = (
                partial(noise.gaussian, sigma, DRAWS),
                partial(noise.beyond, sigma, 0, DRAWS),
                partial(noise.beyond, sigma, far, DRAWS),
            )
            print(f"{noise.kind:7} σ = {width:g}:", *(f"{DRAWS / seconds(work, 7) / 1e6:.1f}" for work in works))
    secure = SecureNoise()
    print(f"a single draw: {seconds(lambda: secure.gaussian(Sigma(1600.0), 1), 1001) * 1e6:.0f} µs")
    for width, far, slots in PASSING:
        sigma, threshold = Sigma(width**2), round(far * width)
        later = count(threshold)
        new = seconds(lambda sigma=sigma, later=later: theta.odds_beyond(sigma.exact, next(later), 30), 15)
        draw = seconds(lambda sigma=sigma, t=threshold, n=slots: secure.passing(sigma, t, n), 15)
        mean = slots * sigma.probability(threshold)
        print(f"passing σ = {width:g}, θ = {far:g}σ, {mean:.3g} expected:", end=" ")
        print(f"{new * 1e6:.0f} µs a new threshold, {draw * 1e6:.0f} µs a draw")


if __name__ == "__main__":
    main()
