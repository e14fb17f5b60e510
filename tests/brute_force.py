"""What an engine must answer, written down without any cleverness: plain Python over lists, one record after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, groupby

Record = Sequence[int]
Pattern = tuple[int, ...]


def contains(record: Record, pattern: Pattern) -> bool:
    """Whether the items of a pattern occur in a record in this order, with anything between them."""
    rest = iter(record)
    return all(x in rest for x in pattern)


def in_order(record: Record, patterns: Iterable[Pattern]) -> list[Pattern]:
    """The patterns that a record contains, by where the earliest embedding of each ends, then by their items."""
    ends = {p: min(end for end in range(len(record) + 1) if contains(record[:end], p)) for p in patterns if contains(record, p)}
    return sorted(ends, key=lambda p: (ends[p], p))


def every_support(records: Iterable[Record], longest: int) -> Counter[Pattern]:
    """All patterns of at most `longest` items that occur, with their supports."""

    def patterns(record: Record) -> set[Pattern]:
        return {tuple(record[i] for i in at) for k in range(1, longest + 1) for at in combinations(range(len(record)), k)}

    return Counter(pattern for record in records for pattern in patterns(record))


# Sequence shrinking [Xu 2015, §V-A], as engines/local/shrinking.py says it differs from the print.


def relevant(record: Record, patterns: Iterable[Pattern]) -> list[int]:
    """The items that some candidate has."""
    items = {x for p in patterns for x in p}
    return [x for x in record if x in items]


def compressed(record: Record, k: int) -> list[int]:
    """More than k repeats of a run of 1, 2 or 3 items become k of them."""
    items = list(record)
    for width in (1, 2, 3):
        kept: list[int] = []
        while items:
            run = items[:width]
            repeats = 1
            while len(run) == width and items[repeats * width : (repeats + 1) * width] == run:
                repeats += 1
            taken = k * width if repeats > k else 1
            kept += items[:taken]
            items = items[repeats * width if repeats > k else 1 :]
        items = kept
    return items


def seeded(record: Record) -> Iterable[int]:
    """The pseudo-random numbers that a record seeds by its own items."""
    state = 14695981039346656037
    for x in record:
        state = (state ^ (x + 1)) * 1099511628211 % 2**64
    while True:
        state ^= state << 13 & (2**64 - 1)
        state ^= state >> 7
        state ^= state << 17 & (2**64 - 1)
        yield state >> 11


def evenly_deleted(record: Record, l_max: int) -> list[int]:
    """l_max items of a record, drawn by the numbers that it seeds."""
    kept: list[int] = []
    for p, (x, number) in enumerate(zip(record, seeded(record), strict=False)):
        if number % (len(record) - p) < l_max - len(kept):
            kept.append(x)
    return kept


def reconstructed(matches: list[Pattern], patterns: Iterable[Pattern], l_max: int) -> list[int]:
    """Algorithm 2: at most l_max items that contain many of the candidates found."""
    prefixes = {p[:n] for p in patterns for n in range(len(p))}
    out: list[int] = []
    while len(out) < l_max and (alive := [p for p in matches if not contains(out, p)]):
        completing = [p[-1] for p in alive if contains(out, p[:-1])]
        if completing:
            running, best = Counter[int](), (0, -1)
            for x in completing:
                running[x] += 1
                best = max(best, (running[x], x), key=lambda pair: pair[0])
            out.append(best[1])
            continue

        def score(p: Pattern, alive: list[Pattern] = alive) -> tuple[int, int]:
            parents = {p[:i] + p[i + 1 :] for i in range(len(p))} & prefixes
            return sum(q[:-1] in parents for q in alive), len(set(p))

        chosen = max(alive, key=score)
        have = max(n for n in range(len(chosen)) if contains(out, chosen[:n]))
        out += chosen[have:][: l_max - len(out)]
    return out


def shrunk(record: Record, patterns: list[Pattern], l_max: int, most: int, how: str) -> list[Pattern]:
    """The candidates that a record counts for."""
    items = list(record)
    if len(items) > l_max:
        items = evenly_deleted(items, l_max) if how == "delete" else relevant(items, patterns)
        if len(items) > l_max:
            items = compressed(items, len(patterns[0]))
    matches = in_order(items, patterns)
    if len(items) > l_max:
        rebuilt = reconstructed(matches, patterns, l_max)
        matches = [p for p in matches if contains(rebuilt, p)]
    return matches[:most]


def truncated(record: Record, patterns: list[Pattern], l_max: int, most: int) -> list[Pattern]:
    """The itemsets that an ascending record counts for after the smart truncation of [Zeng 2012]."""
    items = relevant(record, patterns) if len(record) > l_max else list(record)
    matches = in_order(items, patterns)
    if len(items) > l_max:
        numbers, order = iter(seeded(items)), list(range(len(items)))
        for p in range(len(items) - 1, 0, -1):
            q = next(numbers) % (p + 1)
            order[p], order[q] = order[q], order[p]
        weight = Counter(x for pattern in matches for x in pattern)
        kept = {items[i] for i in sorted(order, key=lambda i: -weight[items[i]])[:l_max]}
        matches = [p for p in matches if kept.issuperset(p)]
    return matches[:most]


def clipped(record: Record, patterns: list[Pattern], most: int, fair: bool) -> list[Pattern]:
    """The first `most` of the patterns that a record contains; if `fair`, counted from one that it draws itself."""
    matches = [p for p in patterns if contains(record, p)]
    start = next(iter(seeded(record))) % len(matches) if fair and len(matches) > most else 0
    return (matches[start:] + matches[:start])[:most]


def occurrences(text: Record, patterns: Sequence[Pattern]) -> list[tuple[int, Pattern]]:
    """(start, pattern) of every occurrence without gaps, by where it ends, the longest of those first."""
    places = [(i, p) for p in patterns for i in range(len(text) - len(p) + 1) if tuple(text[i : i + len(p)]) == p]
    return sorted(places, key=lambda place: (place[0] + len(place[1]), -len(place[1])))


def longest_matches(text: Record, patterns: Sequence[Pattern]) -> list[Pattern]:
    """At each symbol where patterns end, the longest of them."""
    ending: dict[int, Pattern] = {}
    for start, p in occurrences(text, patterns):
        ending[start + len(p)] = max(ending.get(start + len(p), ()), p, key=len)
    return [ending[at] for at in sorted(ending)]


def held_strings(record: Record, slots: Sequence[Pattern]) -> list[int]:
    """The slot of the string that begins at each position, where there is one; strings have one length."""
    wide, number = len(slots[0]) if slots else 1, {string: k for k, string in enumerate(slots)}
    windows = [tuple(record[i : i + wide]) for i in range(len(record) - wide + 1)]
    return [number[w] for w in windows if w in number]


def held_patterns(record: Record, patterns: Sequence[Pattern], heavy: Sequence[int], once: bool) -> list[int]:
    """The longest pattern that begins at each position; or (once) contained patterns whose heavy successor is not contained."""
    begins = {i: [k for k, p in enumerate(patterns) if tuple(record[i : i + len(p)]) == p] for i in range(len(record))}
    if not once:
        return [max(some, key=lambda k: len(patterns[k])) for some in begins.values() if some]
    inside = {k for some in begins.values() for k in some}
    return sorted(k for k in inside if heavy[k] not in inside)


def cut_down(record: Record, slots: list[int], most: int, once: bool) -> list[int]:
    """At most `most` of what a record holds, each once if `once`: consecutive ones from a place that the record draws."""
    slots = sorted(set(slots)) if once else slots
    start = next(iter(seeded(record))) % len(slots) if len(slots) > most else 0
    return (slots[start:] + slots[:start])[:most]


def fingerprint(record: Record, patterns: Sequence[Pattern], l_max: int, most: int) -> list[Pattern]:
    """The longest pattern that ends at each symbol of a record, or of its most profitable blocks [Bonomi thesis, Alg. 5]."""
    if len(record) <= l_max:
        return longest_matches(record, patterns)[:most]
    least = min(map(len, patterns))
    places = occurrences(record, patterns)
    covered = sorted({i for start, p in places for i in range(start, start + len(p) - least + 1)})
    blocks = []
    for _, run in groupby(enumerate(covered), key=lambda pair: pair[1] - pair[0]):
        positions = [position for _, position in run]
        first, last = positions[0], positions[-1] + least
        blocks.append((sum(first <= start <= positions[-1] for start, _ in places) / (last - first), first, last))
    counted: list[Pattern] = []
    room = l_max
    for _, first, last in sorted(blocks, key=lambda block: -block[0]):
        counted += longest_matches(record[first : min(last, first + room)], patterns)
        room -= min(last, first + room) - first
        if not room:
            break
    return counted[:most]


# Streams.


def increasing(values: Sequence[float], strict: bool) -> int:
    """The length of the longest increasing subsequence, by the textbook's quadratic rule; NaN belongs to none."""
    best: list[int] = []
    for i, x in enumerate(values):
        fits = [best[j] for j in range(i) if (values[j] < x if strict else values[j] <= x)]
        best.append(0 if x != x else 1 + max(fits, default=0))
    return max(best, default=0)


def edit_distance(one: Sequence[float], other: Sequence[float]) -> int:
    """The fewest insertions, deletions and replacements that make one of the other, by the textbook's table."""
    row = list(range(len(other) + 1))
    for i, x in enumerate(one, start=1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(other, start=1):
            diagonal, row[j] = row[j], min(diagonal + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def shortest_members(values: Sequence[float], member: Callable[[Sequence[float]], bool]) -> list[int]:
    """For each event the length of the shortest stretch that ends there and is a member; 0 where none is."""
    ends = range(1, len(values) + 1)
    return [next((i - a for a in range(i - 1, -1, -1) if member(values[a:i])), 0) for i in ends]


def most_disjoint(values: Sequence[float], member: Callable[[Sequence[float]], bool]) -> int:
    """The most members that lie in a stretch without sharing an event, over all ways to choose them."""
    best = [0]
    for i in range(1, len(values) + 1):
        best.append(max([best[i - 1], *(best[a] + 1 for a in range(i) if member(values[a:i]))]))
    return best[-1]


def blocks_ending(i: int, levels: int, every: bool) -> list[int]:
    """The lengths of the dyadic blocks that end with event i (counted from 1): all of them, or the longest that divides i."""
    sizes = [2**k for k in range(levels) if i % 2**k == 0]
    return sizes if every else sizes[-1:]


def layer_weights(values: Sequence[float], layers: int, buckets: int, strict: bool) -> list[int]:
    """What each layer contributes after each event, in units of 2^-(layers-1)."""
    entries: list[list[tuple[float, int]]] = [[] for _ in range(layers)]
    out = []
    for now, value in enumerate(values, start=1):
        for i in range(layers - 1):
            moved = [e for e in entries[i] if now - e[1] > buckets * 2**i]
            entries[i] = [e for e in entries[i] if e not in moved]
            entries[i + 1] = sorted(entries[i + 1] + moved)
        if value == value:
            below = sum(e[0] < value if strict else e[0] <= value for e in entries[0])
            entries[0][below : below + 1] = [(value, now)]
        out += [min(len(entries[i]), buckets * 2**i) * 2 ** (layers - 1 - i) for i in range(layers)]
    return out


def triangles(edges: set[tuple[int, int]], vertices: int) -> tuple[list[tuple[int, ...]], list[tuple[int, int]]]:
    """Triples of vertices that are joined to each other; of every pair its common neighbours, and 2·common + joined to one."""
    joined = {v: {w for e in edges for w in e if v in e and w != v} for v in range(vertices)}
    triples = [t for t in combinations(range(vertices), 3) if all(b in joined[a] for a, b in combinations(t, 2))]
    pairs = [
        (len(joined[a] & joined[b]), len(joined[a] - {b}) + len(joined[b] - {a})) for a, b in combinations(range(vertices), 2)
    ]
    return triples, pairs
