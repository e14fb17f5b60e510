"""Private linkage: wrong and missed pairs, speed and memory of every move, people with errors in several fields. Prints Markdown.

python benchmarks/linkage_private.py surnames   2,000 against 91,000 surnames, one edit [NAMES of benchmarks/linkage.py]
python benchmarks/linkage_private.py speed      90,000 against 90,000 names: one edit, and equal names only
python benchmarks/linkage_private.py people     10,000 against 10,000 people with typing errors in three fields
python benchmarks/linkage_private.py encrypted  the same with 1,000 people, through all messages
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linkage_lists import Holders, header, line, listed
from seqveil.evaluate.linkage import scores, true_pairs
from seqveil.link.psi.edits import Side
from seqveil.link.psi.fields import Field
from seqveil.link.psi.listing import Tokens, all_tokens, read_listing
from seqveil.link.psi.pairing import SHARED, one_to_one, pairs_of
from seqveil.link.psi.terms import Terms, at_least
from seqveil.simulate.names import names, with_typing_errors
from seqveil.tables.names import Alphabet

SIDES: tuple[Side, Side] = ("starter", "answerer")
MOVES = ("start", "answer", "finish", "open")


class Parties:
    """Two folders that share nothing but the messages; every move a process of its own, as typed."""

    def __init__(self, folder: Path, fields: Sequence[str], sides: Sequence[Sequence[Sequence[str]]]) -> None:
        self.folder = folder
        for side, rows in zip("sa", sides, strict=True):
            with (folder / f"{side}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([fields, *rows])

    def run(self, *words: object) -> tuple[float, float, float]:
        """Seconds, processor seconds and gigabytes of one move."""
        side = "s" if words[0] in ("terms", "start", "finish") else "a"
        environment = {**os.environ, "SEQVEIL_HOME": str(self.folder / f"home-{side}")}
        call = [sys.executable, "-m", "seqveil", "link", "psi", *map(str, words)]
        begun = time.perf_counter()
        process = subprocess.Popen(call, cwd=self.folder, env=environment, stderr=subprocess.PIPE)
        assert process.stderr is not None
        said = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, said
        return time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6

    def link(self, *terms: object) -> dict[str, tuple[float, float, float]]:
        """All moves."""
        self.run("terms", *terms, "--out", "terms.json")
        words = {
            "start": ("s.csv", "--terms", "terms.json", "--keep", "ks", "--out", "1.psi"),
            "answer": ("a.csv", "1.psi", "--terms", "terms.json", "--keep", "ka", "--out", "2.psi"),
            "finish": ("s.csv", "2.psi", "--keep", "ks", "--out", "s-shared.csv", "--reply", "3.psi"),
            "open": ("a.csv", "3.psi", "--keep", "ka", "--out", "a-shared.csv"),
        }
        return {move: self.run(move, *words[move]) for move in MOVES}

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Pairs of rows, from 0."""
        sides = []
        for side in "sa":
            rows: dict[str, list[int]] = {}
            with (self.folder / f"{side}-shared.csv").open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    rows.setdefault(row["pair"], []).append(int(row["row"]) - 1)
            sides.append(rows)
        both = [(i, j) for pair, rows in sides[0].items() for i in rows for j in sides[1][pair]]
        return np.array(both, np.int64).reshape(-1, 2)

    def bytes_of(self, move: int) -> int:
        """How large a message is."""
        return (self.folder / f"{move}.psi").stat().st_size


def loaded() -> str:
    """How busy the machine is, which decides what seconds mean."""
    return f"load {os.getloadavg()[0]:.1f}"


def table_of(times: dict[str, tuple[float, float, float]], parties: Parties) -> None:
    header("move", "seconds", "processor seconds", "GB of memory", "message, MB")
    for number, (move, (wall, processor, memory)) in enumerate(times.items(), 1):
        size = f"{parties.bytes_of(number) / 1e6:.1f}" if number < 4 else ""
        line(move, f"{wall:.1f}", f"{processor:.1f}", f"{memory:.2f}", size)
    wall, processor, _ = np.array(list(times.values())).sum(0)
    line("all", f"{wall:.1f}", f"{processor:.1f}", f"{max(t[2] for t in times.values()):.2f}", "")


def surnames() -> None:
    """No wrong and no missed pair."""
    every = listed("surnames_2000.tsv.gz", 0, None)
    if every is None:
        return
    lists = Holders.of("NAMES", every, 2_000)
    with tempfile.TemporaryDirectory() as work:
        parties = Parties(Path(work), ["name"], [[[n] for n in lists.asked], [[n] for n in lists.among]])
        times = parties.link("--field", "name:edits", "--rows", f"{len(lists.asked)},{len(lists.among)}")
        true = true_pairs(lists.asked, lists.among, 1)
        pairs = parties.pairs
        right = len(set(map(tuple, pairs.tolist())) & set(map(tuple, true.tolist())))
        sizes = f"{len(lists.asked):,} against {len(lists.among):,} surnames, one edit ({loaded()})"
        print(f"\n### {sizes}\n\n{len(true):,} true pairs; wrong: {len(pairs) - right}, missed: {len(true) - right}\n")
        table_of(times, parties)


def speed() -> None:
    """The bars of 90,000 names."""
    every = listed("surnames_2000.tsv.gz", 0, None)
    if every is None:
        return
    random = np.random.default_rng(6)
    chosen = [every[i] for i in random.permutation(len(every))]
    ours, theirs = chosen[:90_000], with_typing_errors(chosen[45_000:135_000], 1, seed=5)
    for how in ("exact", "edits"):
        with tempfile.TemporaryDirectory() as work:
            parties = Parties(Path(work), ["name"], [[[n] for n in ours], [[n] for n in theirs]])
            times = parties.link("--field", f"name:{how}", "--rows", 90_000)
            print(f"\n### 90,000 against 90,000 surnames, {how} ({loaded()}): {len(parties.pairs):,} pairs\n")
            table_of(times, parties)


def mistaken(cells: list[str], share: float, seed: int) -> list[str]:
    """One typing error in a share of the cells."""
    random = np.random.default_rng(seed)
    wrong = with_typing_errors(cells, 1, seed=seed)
    return [w if r else c for c, w, r in zip(cells, wrong, random.random(len(cells)) < share, strict=True)]


def misdated(dates: list[str], share: float, seed: int) -> list[str]:
    """In a share of the dates one wrong digit, or day and month swapped."""
    random = np.random.default_rng(seed)
    result = []
    for date in dates:
        if random.random() >= share:
            result.append(date)
        elif random.random() < 0.5:
            at = int(random.choice([i for i in range(10) if i not in (4, 7)]))
            result.append(date[:at] + str((int(date[at]) + 1 + int(random.integers(9))) % 10) + date[at + 1 :])
        else:
            year, month, day = date.split("-")
            result.append("-".join([year, day, month]))
    return result


def people_of(many: int, seed: int) -> list[list[str]]:
    """Surnames, first names, dates of birth."""
    random = np.random.default_rng(seed)
    born = np.datetime64("1930-01-01") + random.integers(0, 29_000, many)
    return [names(many, seed=seed), names(many, seed=seed + 1), [str(date) for date in born]]


def two_lists(many: int, shared: int, share: float) -> list[list[list[str]]]:
    """Two lists of so many people by fields; the first `shared` are the same, with errors in the second list."""
    everybody = people_of(2 * many - shared, seed=21)
    second = [column[:shared] + column[many:] for column in everybody]
    wrong = [mistaken(second[0], share, 31), mistaken(second[1], share, 32), misdated(second[2], share, 33)]
    return [[column[:many] for column in everybody], wrong]


FIELDS = (("last", "edits"), ("first", "edits"), ("born", "date"))


def people() -> None:
    """By two of three fields. Which records are a pair follows from tokens alone; nothing is blinded here, to save hours."""
    header("people on each list", "shared", "share of cells with an error, each of three fields", "rules", "one to one", "pairs",
           "precision", "recall", "F1")  # fmt: skip
    many = 10_000
    fields = [Field(name, how) for name, how in FIELDS]
    every, dated = at_least(fields, 2), [("last", "born"), ("first", "born")]
    for shared, share, rules in ((10_000, 0.1, every), (10_000, 0.2, every), (10_000, 0.5, every), (5_000, 0.2, every),
                                 (5_000, 0.2, dated), (10_000, 0.2, dated)):  # fmt: skip
        terms = Terms.agree(fields, (many, many), Alphabet.parse("latin"), rules, tokens=5_000)
        lists = two_lists(many, shared, share)
        ours, theirs = (
            read_listing(terms, side, [[column] for column in columns], side) for side, columns in zip(SIDES, lists, strict=True)
        )
        own, other = (all_tokens(terms, "0" * 64, side, each, side) for side, each in zip(SIDES, (ours, theirs), strict=True))
        candidates = pairs_of(own, shared_tokens(own, other))
        for chosen, name in ((candidates, "no"), (one_to_one(candidates), "yes")):
            rows = [
                (i - 1, j - 1)
                for value, label in zip(chosen.value.tolist(), chosen.label.tolist(), strict=True)
                for i in ours.rows[value]
                for j in theirs.rows[label]
            ]
            same = np.stack([np.arange(shared)] * 2, axis=1)
            result = [f"{value:.4f}" for value in scores(np.array(rows), same)]
            called = "two of three" if rules == every else "last+born or first+born"
            line(f"{many:,}", f"{shared:,}", share, called, name, f"{len(rows):,}", *result)


def shared_tokens(own: Tokens, other: Tokens) -> NDArray:
    """What the starter would find out: its tokens that the other side has, with the number of each value that has them."""
    place = {digest.tobytes(): t for t, digest in enumerate(other.digests)}
    both = []
    for t, digest in enumerate(own.digests):
        if (there := place.get(digest.tobytes())) is not None:
            both += [(t, value) for value in other.value[other.offsets[there] : other.offsets[there + 1]].tolist()]
    return np.array(both, SHARED)


def people_encrypted() -> None:
    """1,000 people through all messages."""
    many, shared = 1_000, 500
    with tempfile.TemporaryDirectory() as work:
        sides = [list(map(list, zip(*columns, strict=True))) for columns in two_lists(many, shared, 0.2)]
        parties = Parties(Path(work), [name for name, _ in FIELDS], sides)
        words = [word for name, how in FIELDS for word in ("--field", f"{name}:{how}")]
        times = parties.link(*words, "--at-least", 2, "--rows", many, "--tokens", 750, "--one-to-one")
        same = np.stack([np.arange(shared)] * 2, axis=1)
        result = ", ".join(f"{value:.4f}" for value in scores(parties.pairs, same))
        print(f"\n### 1,000 against 1,000 people, half of them shared ({loaded()}): precision, recall, F1 {result}\n")
        table_of(times, parties)


if __name__ == "__main__":
    for word in sys.argv[1:] or ("surnames", "speed", "people", "encrypted"):
        {"surnames": surnames, "speed": speed, "people": people, "encrypted": people_encrypted}[word]()
