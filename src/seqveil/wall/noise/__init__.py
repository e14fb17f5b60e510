"""Where every random number of a release comes from.

`SecureNoise` draws exactly, from the operating system's randomness. `SeededNoise` repeats itself and is therefore not
private: it is for experiments and tests. The laws, and why each sampler has exactly the law it claims, are in
docs/mechanisms/noise.md.
"""

from seqveil.wall.noise.law import drawn
from seqveil.wall.noise.protocol import Law, Noise
from seqveil.wall.noise.scale import Scale
from seqveil.wall.noise.secure import SecureNoise
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.noise.sigma import Sigma

__all__ = ["Law", "Noise", "Scale", "SecureNoise", "SeededNoise", "Sigma", "drawn"]
