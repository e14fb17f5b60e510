"""What zCDP gives away, and when Gaussian noise is smaller (docs/understand/guarantees.md): python benchmarks/measures.py"""

from __future__ import annotations

from math import exp, sqrt

from scipy.special import log_ndtr

from seqveil.wall.budget import decimal, grains
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.measures.zcdp import epsilon_of, rho_of

EPSILONS, DELTAS = ("0.1", "0.3", "1.0", "3.0", "10.0"), ("1e-5", "1e-6", "1e-9")


def exactly(rho: float, delta: float) -> float:
    """The least ε of the continuous Gaussian of this ρ, by its closed formula and bisection, in floats."""
    half = sqrt(rho / 2)
    low, high = 0.0, 500.0
    for _ in range(200):
        middle = (low + high) / 2
        away = middle / (2 * half)
        exceeds = exp(log_ndtr(half - away)) - exp(middle + log_ndtr(-half - away)) > delta
        low, high = (middle, high) if exceeds else (low, middle)
    return high


def laplace(influence: int, epsilon: float) -> float:
    """The standard deviation of discrete Laplace noise."""
    decay = exp(-epsilon / influence)
    return sqrt(2 * decay) / (1 - decay)


def main() -> None:
    print("ε stated, δ, ρ, least ε of a Gaussian of this ρ, stated above it by")
    for epsilon in EPSILONS:
        for delta in DELTAS:
            rho = rho_of(grains(epsilon), in_parts(delta))
            least = exactly(rho / 10**12, float(delta))
            print(epsilon, delta, decimal(rho), f"{least:.4f}", f"{float(epsilon) / least - 1:.1%}")
    rho = rho_of(grains("1.0"), in_parts("1e-6"))
    print("counts that one unit moves by 1 each; standard deviation at ε = 1; at (1, 1e-6)")
    for moved in (1, 3, 10, 30, 100):
        print(moved, f"{laplace(moved, 1.0):.1f}", f"{sqrt(moved * 10**12 / (2 * rho)):.1f}")
    print("releases of (1, 1e-6) each; ε of all at 1e-6")
    for releases in (1, 4, 10, 30):
        print(releases, decimal(epsilon_of(releases * rho, in_parts("1e-6"))))


if __name__ == "__main__":
    main()
