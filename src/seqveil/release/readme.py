"""README.txt of a release: three sentences a lawyer can read."""

from __future__ import annotations

import math

from seqveil.release.manifest import Manifest

_HOLDS = {
    "graph": "an artificial graph and the noisy numbers it was made from",
    "grams": "counts of short sequences and artificial records",
    "sets": "sets of labels with noisy counts, and artificial records made of them",
    "patterns": "frequent patterns with noisy counts",
    "prefixes": "counts of what records begin with and artificial records",
}


def factor(epsilon: str) -> str:
    """e^ε in words: by how much one unit can change the chance of any outcome.

    >>> factor("1.0"), factor("0.1"), factor("900")
    ('e^1.0 = 2.72', 'e^0.1 = 1.11', 'e^900')
    """
    power = float(epsilon)
    return f"e^{epsilon} = {math.exp(power):,.2f}" if power < 30 else f"e^{epsilon}"


def promise(manifest: Manifest) -> str:
    """The promise as one sentence."""
    because = manifest.domain.public_because
    stated = f"which the holder states is public because: {because}" if because else "which the holder takes as public"
    return (
        f"For any two sets of data that differ by one step ({manifest.neighbours}), the chance of any outcome "
        f"differs at most by the factor {factor(manifest.epsilon)} "
        f"(differential privacy with epsilon = {manifest.epsilon}); "
        f"the list of possible labels ({manifest.domain.size:,}) is not protected, {stated}."
    )


def readme(manifest: Manifest) -> str:
    """The whole text."""
    holds = _HOLDS.get(manifest.content, manifest.content)
    if manifest.private:
        first_line, promised = "", promise(manifest)
    else:
        first_line = "EXPERIMENT - NOT PRIVATE: its noise comes from a seed and can be repeated; do not hand it on.\n\n"
        promised = "Nothing is promised about it, because whoever knows the seed can take the noise away again."
    left = manifest.unused if manifest.unused is not None and float(manifest.unused) > 0 else None
    unused = f"epsilon = {left} of this charge was not used by the method; it remains charged. " if left else ""
    return (
        f"{first_line}This folder holds {holds}, made by Seqveil ({manifest.mechanism.name}) from records about "
        f"people; it holds none of those records.\n{promised}\n"
        f"{unused}Promises of several releases about the same people add up, and manifest.json lists what was promised here, "
        "what each step spent, and a SHA-256 of every file.\n"
    )
