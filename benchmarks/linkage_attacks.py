"""What a third party, or two colluding ones, read off the vectors of a linkage [Bonomi thesis, §4.6.3, §4.7.4]. Prints Markdown.

python benchmarks/linkage_attacks.py
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkage_lists import LATIN, exact_base, header, holders, line, listed, private_base, random_base
from seqveil.evaluate.linkage import true_pairs
from seqveil.link.base import Base
from seqveil.link.embedding import embed
from seqveil.tables.flat import Flat


def hashed(base: Base, names: Flat) -> NDArray[np.uint64]:
    """A vector as one number: a random linear form mod 2⁶⁴, so that different vectors differ but for chance."""
    form = np.random.default_rng(9).integers(0, 1 << 63, len(base), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    parts = []
    for start in range(0, len(names), 500_000):
        offsets = names.offsets[start : start + 500_001]
        part = Flat(names.items[offsets[0] : offsets[-1]], offsets - offsets[0])
        parts.append(embed(base, part).astype(np.uint64) @ form)
    return np.concatenate(parts)


def attacks() -> None:
    lists = next((h for h in holders() if h.name == "NAMES"), None)
    public = listed("surnames_1990.tsv.gz", 0, None)
    if lists is None or public is None:
        return
    random = np.random.default_rng(4)
    print("\n### Mutual information of a name and its vector (1,000 names, so at most 9.97 bits)\n")
    header("grams", "base of frequent grams, ε = 1", "random grams")
    sample = [lists.b[i] for i in random.permutation(len(lists.b))[:1000]]
    for k in (15, 30, 75, 150):
        bits = []
        for base in (private_base(lists, k, "1.0", 1), random_base(k, 1)):
            share = np.unique(hashed(base, LATIN.encode(sample)), return_counts=True)[1] / len(sample)
            bits.append(f"{-(share * np.log2(share)).sum():.2f}")
        line(k, *bits)

    base = private_base(lists, 75, "1.0", 1)
    print("\n### Collisions: how many strings have the vector of a record of the second holder\n")
    header("candidates", "records", "mean", "median", "records with one candidate")
    of_b = hashed(base, LATIN.encode(lists.b))
    tell_collisions("its own list", of_b, of_b)
    tell_collisions("a public dictionary (surnames of 1990)", of_b, hashed(base, LATIN.encode(public)))
    for length in (4, 5):
        every = np.indices((26,) * length, dtype=np.int32).reshape(length, -1).T
        strings = Flat(every.ravel(), np.arange(0, every.size + 1, length, dtype=np.int64))
        records = LATIN.encode([name for name in lists.b if len(name) == length])
        tell_collisions(f"all {26**length:,} strings of {length} letters", hashed(base, records), hashed(base, strings))

    print("\n### Names read off the vectors\n")
    header(
        "who",
        "knows",
        "records with exactly one candidate, the right one",
        "right one among the candidates",
        "one candidate, wrong",
    )
    line("third party and a holder", "the base, and a public dictionary", *read_off(base, lists.b, of_b, public))
    believed, grams = guessed(base, lists.b, public)
    part = Base(LATIN, tuple(base.grams[i] for i in believed))
    right = sum(a == b for a, b in zip(part.grams, grams, strict=True))
    knowledge = f"a public dictionary; believes {len(grams)} of {len(base)} coordinates, {right} rightly"
    seen = hashed(part, LATIN.encode(lists.b))
    line("third party alone", knowledge, *read_off(Base(LATIN, tuple(grams)), lists.b, seen, public))
    records = set(lists.b)
    matches = true_pairs(public, lists.b, 0)
    line(
        "a holder who sends the dictionary as its list",
        "the pairs (0 edits)",
        f"{len(matches) / len(records):.1%}",
        f"{len(matches) / len(records):.1%}",
        "0.0%",
    )


def tell_collisions(what: str, records: NDArray[np.uint64], candidates: NDArray[np.uint64]) -> None:
    values, times = np.unique(candidates, return_counts=True)
    at = np.minimum(np.searchsorted(values, records), len(values) - 1)
    many = np.where(values[at] == records, times[at], 0)
    line(what, f"{len(records):,}", f"{many.mean():.1f}", f"{np.median(many):.0f}", f"{(many == 1).mean():.1%}")


def read_off(base: Base, names: list[str], seen: NDArray[np.uint64], dictionary: list[str]) -> list[str]:
    """What a dictionary tells of every record's vector, when its coordinates are taken for the grams of `base`."""
    by: dict[int, list[str]] = {}
    for word, vector in zip(dictionary, hashed(base, LATIN.encode(dictionary)).tolist(), strict=True):
        by.setdefault(vector, []).append(word)
    one = among = wrong = 0
    for name, vector in zip(names, seen.tolist(), strict=True):
        candidates = by.get(vector, [])
        among += name in candidates
        one += candidates == [name]
        wrong += len(candidates) == 1 and candidates != [name]
    return [f"{count / len(names):.1%}" for count in (one, among, wrong)]


def guessed(base: Base, names: list[str], dictionary: list[str]) -> tuple[list[int], list[str]]:
    """What a third party without the base takes some coordinates for, by how often two of them occur together.

    The frequent grams of a public dictionary are laid over the coordinates so that co-occurrences agree best (a quadratic
    assignment); a coordinate is believed when its row differs little.
    """
    from scipy.optimize import quadratic_assignment

    likely = exact_base(dictionary, len(base))
    counted = ((base, names), (likely, dictionary))
    seen, expected = (
        np.log1p(1000 * (v.T @ v / len(v))) for v in (embed(b, LATIN.encode(n)).astype(np.float64) for b, n in counted)
    )
    start = np.zeros_like(seen)
    start[np.argsort(-seen.diagonal()), np.argsort(-expected.diagonal())] = 1
    assignment = quadratic_assignment(seen, expected, method="faq", options={"maximize": True, "P0": start}).col_ind
    first = np.stack([np.arange(len(assignment)), assignment], axis=1)
    assignment = quadratic_assignment(seen, expected, method="2opt", options={"maximize": True, "partial_guess": first}).col_ind
    apart = np.abs(seen - expected[np.ix_(assignment, assignment)]).mean(axis=1)
    believed = np.flatnonzero(apart < 0.3).tolist()
    return believed, [likely.grams[assignment[i]] for i in believed]


if __name__ == "__main__":
    attacks()
