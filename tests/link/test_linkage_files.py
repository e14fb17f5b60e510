"""The files between the parties: from names to opened pairs, nothing half-written, nothing changed on the way believed."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from linkage_brute import base_of, occurrences

from processes import run
from seqveil.badge import BADGE
from seqveil.errors import CallError, InputProblems, RunFailed, SeqveilError
from seqveil.link import Key, Pairs, Vectors, match, open_pairs, sealed, write_vectors
from seqveil.link.key import Seen
from seqveil.whole import write_whole

BASE = base_of("abcdefghijklmnopqrstuvwxyz", "a", "n", "e", "an", "ann", "o")
ONE = ["Anna", "", "Xyz", "Joe", "Ánna", "Ann", "   ", "Leo"]
OTHER = ["Hanna", "Joe", "Zyx", "Otto", "Anna"]


def embedded(folder: Path, edits: int | None = 1, threshold: str | None = "neighbours") -> tuple[Path, Path]:
    """Both holders' folders and keys, side a with thresholds."""
    write_vectors(BASE, iter([ONE[:3], [], ONE[3:]]), folder / "a", folder / "a.key", threshold, edits)
    write_vectors(BASE, iter([OTHER]), folder / "b", folder / "b.key")
    return folder / "a", folder / "b"


@pytest.mark.parametrize("threshold", ["neighbours", "personal", "lengths", "0.9"])
def test_vectors_and_key_say_the_names(tmp_path, threshold):
    """Through the key every vector is its row's; names that are empty or hold no gram have none."""
    folder, _ = embedded(tmp_path, threshold=threshold)
    vectors, key = Vectors.load(folder), Key.load(tmp_path / "a.key")

    assert [1, 4, 5, 6, 8] == sorted(key.rows.tolist())
    assert 8 == key.names
    assert vectors.digest == key.vectors == hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    assert np.uint8 == vectors.counts.dtype
    for row, counts in zip(key.rows, vectors.counts.tolist(), strict=True):
        assert [occurrences(BASE.alphabet.normalise(ONE[row - 1]), g) for g in BASE.grams] == counts
    assert (threshold in ("neighbours", "personal")) == isinstance(vectors.reach, np.ndarray)
    assert (BASE.id, 6, 1) == (vectors.base_id, vectors.scale, vectors.edits)


def test_what_the_holder_alone_is_told(tmp_path):
    """How many names are left out stands in no file that is sent."""
    written = write_vectors(BASE, iter([ONE]), tmp_path / "a", tmp_path / "a.key", edits=1)
    manifest = json.loads((tmp_path / "a/manifest.json").read_text())

    assert (8, 5, 2, 1) == (written.rows, written.vectors, written.empty, written.without_gram)
    assert {"version": 1, "k": 6, "scale": 6, "bits": 8, "rows": 5, "edits": 1} == {
        key: value for key, value in manifest.items() if type(value) is int
    }
    assert stat.S_IMODE((tmp_path / "a.key").stat().st_mode) == 0o600
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "a", *(tmp_path / "a").iterdir()]}
    assert modes.pop("a") == 0o700
    assert set(modes.values()) == {0o600}
    assert ["README.txt", "manifest.json", "vectors.parquet"] == sorted(p.name for p in (tmp_path / "a").iterdir())
    assert manifest["badge"] == BADGE
    assert manifest["private"] is False
    assert (tmp_path / "a/README.txt").read_text().startswith(BADGE)


def test_the_order_is_drawn_anew(tmp_path):
    """200 names keep their order with probability 1/200!."""
    names = [["a" * (i + 1) for i in range(200)]]
    rows = []
    for n in range(2):
        write_vectors(BASE, iter(names), tmp_path / f"{n}", tmp_path / f"{n}.key")
        rows.append(Key.load(tmp_path / f"{n}.key").rows.tolist())

    assert list(range(1, 201)) == sorted(rows[0]) == sorted(rows[1])
    assert rows[0] != rows[1] != list(range(1, 201))


def test_counts_beyond_255_take_16_bits(tmp_path):
    """And come back the same, up to the longest name there is."""
    write_vectors(BASE, iter([["a" * 65_535, "a" * 300]]), tmp_path / "a", tmp_path / "a.key", "lengths", 1)
    vectors, key = Vectors.load(tmp_path / "a"), Key.load(tmp_path / "a.key")

    assert [65_535, 300] == vectors.counts[np.argsort(key.rows), 0].tolist()


def test_a_distance_beyond_all_others_is_written_as_it_can_be_read(tmp_path):
    """With long grams of many lengths its square does not fit into 64 bits."""
    base = base_of("ab", *("a" * n for n in (1, 5, 7, 8, 9, 11)))
    write_vectors(base, iter([["a", "aab"]]), tmp_path / "a", tmp_path / "a.key", "1000000")
    write_vectors(base, iter([["aaaa"]]), tmp_path / "b", tmp_path / "b.key")

    assert 2 == len(match(Vectors.load(tmp_path / "a"), Vectors.load(tmp_path / "b")))


def test_three_parties(tmp_path):
    """Both holders open the same pairs under the same numbers: Anna, Ánna and Ann with Anna and Hanna, and Joe with Joe."""
    a, b = (Vectors.load(folder) for folder in embedded(tmp_path))
    match(a, b).save(tmp_path / "pairs")
    pairs = Pairs.load(tmp_path / "pairs")
    one, other = (open_pairs(pairs, Key.load(tmp_path / f"{side}.key")) for side in "ab")
    shared = {(ONE[i - 1], OTHER[j - 1]) for i, j in zip(one.rows, other.rows, strict=True)}

    assert ("a", "b") == (one.side, other.side)
    assert {("Anna", "Hanna"), ("Anna", "Anna"), ("Ánna", "Anna"), ("Ann", "Anna"), ("Joe", "Joe")} <= shared
    assert ["a", "b"] == pq.read_schema(tmp_path / "pairs/pairs.parquet").names  # no distances
    assert pairs.squared is None


def test_no_pairs_is_a_result(tmp_path):
    """An empty list of pairs is written and opened like any other."""
    write_vectors(BASE, iter([["ann"]]), tmp_path / "a", tmp_path / "a.key", edits=0)
    write_vectors(BASE, iter([["oo"]]), tmp_path / "b", tmp_path / "b.key")
    match(Vectors.load(tmp_path / "a"), Vectors.load(tmp_path / "b")).save(tmp_path / "pairs")

    assert 0 == len(open_pairs(Pairs.load(tmp_path / "pairs"), Key.load(tmp_path / "b.key")).rows)


# Nothing half-written


def broken():
    yield ["Anna"]
    raise InputProblems("names.csv", ["line 2 is broken"])


def test_nothing_is_left_when_the_names_break_off(tmp_path):
    """The reader's error as it is, and an empty folder."""
    with pytest.raises(InputProblems, match="line 2 is broken"):
        write_vectors(BASE, broken(), tmp_path / "a", tmp_path / "a.key", edits=1)

    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(("fails", "well"), [("rename", 0), ("link", 0), ("link", 1), *(("fsync", n) for n in range(8))])
def test_nothing_is_left_when_the_disk_fails(tmp_path, monkeypatch, fails, well):
    """Whether journal, key or folder could not be finished: none of them is there."""
    real, calls = getattr(os, fails), []

    def failing(*arguments, **named):
        calls.append(arguments)
        if len(calls) > well:
            raise OSError(28, "No space left on device")
        return real(*arguments, **named)

    monkeypatch.setattr(os, fails, failing)
    with pytest.raises(RunFailed, match="No space left"):
        write_vectors(BASE, iter([ONE]), tmp_path / "a", tmp_path / "a.key", edits=1)

    assert [] == list(tmp_path.iterdir())


KILLED = """
import os, sys
from pathlib import Path
from seqveil.whole import write_whole

def write(work):
    work.write_text("Anna")
    os.kill(os.getpid(), 9)

write_whole(Path(sys.argv[1]), write, mode=0o600)
"""


def test_names_that_a_killed_run_left_are_taken_away_by_the_next(tmp_path):
    """A file of names half-written by `link open` must not lie about for ever."""
    died = run([sys.executable, "-c", KILLED, tmp_path / "shared.csv"])
    left = [path.name for path in tmp_path.iterdir()]
    write_whole(tmp_path / "other.csv", lambda work: None)

    assert (-9, 1, False) == (died.returncode, len(left), "shared.csv" in left)
    assert ["other.csv"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("names", "message"),
    [([["", "xyz"]], "none of the 2 names"), ([], "no names"), ([["Anna"], ["x", "a" * 65_536]], "row 3 has 65,536 characters")],
)
def test_names_that_cannot_be_embedded(tmp_path, names, message):
    """No vector at all, or one that 16 bits do not hold."""
    with pytest.raises(InputProblems, match=message):
        write_vectors(BASE, iter(names), tmp_path / "a", tmp_path / "a.key", edits=1)

    assert [] == list(tmp_path.iterdir())


def test_paths_that_are_refused(tmp_path):
    """What exists, and a key that would be sent along."""
    (tmp_path / "there").mkdir()
    for out, key, message in [
        ("there", "k", "exists already"),
        ("a", "there", "exists already"),
        ("a", "a/rows.key", "third party"),
        ("a", "a", "third party"),
        ("a" * 300, "k", "cannot be created"),
    ]:
        with pytest.raises(CallError, match=message):
            write_vectors(BASE, iter([ONE]), tmp_path / out, tmp_path / key)

    assert ["there"] == [path.name for path in tmp_path.iterdir()]


# Nothing changed on the way is believed


def rewritten(folder: Path, **facts) -> None:
    """A forger who keeps the hashes right."""
    manifest = json.loads((folder / "manifest.json").read_text())
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in manifest["files"]}
    (folder / "manifest.json").write_text(json.dumps({**manifest, "files": files, **facts}))


def flip(folder: Path) -> None:
    path = folder / "vectors.parquet"
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def cut(folder: Path) -> None:
    path = folder / "vectors.parquet"
    path.write_bytes(path.read_bytes()[:-40])


def cut_and_rehash(folder: Path) -> None:
    cut(folder)
    rewritten(folder)


def negative_reach(folder: Path) -> None:
    table = pq.read_table(folder / "vectors.parquet")
    low = pa.array([-1] * len(table))
    pq.write_table(table.set_column(1, table.schema.field(1), low), folder / "vectors.parquet")
    rewritten(folder)


def link(folder: Path) -> None:
    (folder / "vectors.parquet").rename(folder.parent / "elsewhere")
    (folder / "vectors.parquet").symlink_to(folder.parent / "elsewhere")


DAMAGE = [
    (flip, "was changed"),
    (cut, "was changed or truncated"),
    (cut_and_rehash, "not a readable Parquet file"),
    (negative_reach, "negative reach"),
    (link, "not a regular file"),
    (lambda f: (f / "vectors.parquet").unlink(), "is missing"),
    (lambda f: (f / "more.txt").write_text("x"), "'more.txt' is in the folder"),
    (lambda f: (f / "manifest.json").unlink(), "has no manifest.json"),
    (lambda f: (f / "manifest.json").write_text("{"), "not JSON"),
    (lambda f: rewritten(f, version=2), "version 2"),
    (lambda f: rewritten(f, format="other"), "is not a folder of seqveil linkage"),
    (lambda f: rewritten(f, files={"../b.key": "0" * 64}), "does not belong there"),
    (lambda f: rewritten(f, files={}), "does not list vectors.parquet"),
    (lambda f: rewritten(f, private=True), "claims differential privacy"),
    (lambda f: rewritten(f, badge="private"), "claims differential privacy"),
    (lambda f: rewritten(f, more=1), "unknown key 'more'"),
    (lambda f: rewritten(f, rows="5"), "wrong type at 'rows'"),
    (lambda f: rewritten(f, rows=6), "5 rows, but its manifest states 6"),
    (lambda f: rewritten(f, rows=0), "'rows' has an impossible value"),
    (lambda f: rewritten(f, k=7), "'k' has an impossible value"),
    (lambda f: rewritten(f, scale=12), "'scale' has an impossible value"),
    (lambda f: rewritten(f, lengths=[1, 1, 1, 2, 3, 99]), "'lengths' must be"),
    (lambda f: rewritten(f, lengths=[1, 1, 1, 2, 3], k=5), "has columns other than"),
    (lambda f: rewritten(f, bits=16), "has columns other than"),
    (lambda f: rewritten(f, personal=False), "'reach' has an impossible value"),
    (lambda f: rewritten(f, reach=-1, personal=False), "'reach' has an impossible value"),
    (lambda f: rewritten(f, threshold="magic"), "'threshold' has an impossible value"),
    (lambda f: rewritten(f, base="x"), "'base' has an impossible value"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGE, ids=[f"{n} {message}" for n, (_, message) in enumerate(DAMAGE)])
def test_changed_vectors_are_refused(tmp_path, damage, message):
    """By hash where the manifest is whole, by content where it was forged."""
    folder, _ = embedded(tmp_path)
    damage(folder)
    with pytest.raises(InputProblems, match=message):
        Vectors.load(folder)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([2, 1], [1, 1], "ordered"),
        ([1, 1], [1, 1], "ordered"),
        ([0], [1], "from 1"),
        ([1], [2**31], "from 1"),
        ([1, 1], [1, 2], None),
    ],
)
def test_forged_pairs_are_refused(tmp_path, a, b, message):
    """Pairs that stand twice, out of order, or outside all positions."""
    none = np.zeros(0, np.int32)
    Pairs(none, none, "a", "b", BASE.id, "a", False).save(tmp_path / "pairs")
    schema = pq.read_schema(tmp_path / "pairs/pairs.parquet")
    pq.write_table(pa.table([pa.array(a), pa.array(b)], schema=schema), tmp_path / "pairs/pairs.parquet")
    rewritten(tmp_path / "pairs", pairs=len(a))
    if message is None:
        assert 2 == len(Pairs.load(tmp_path / "pairs"))
    else:
        with pytest.raises(InputProblems, match=message):
            Pairs.load(tmp_path / "pairs")


def test_one_folder_is_not_the_other(tmp_path):
    """Vectors are no pairs, pairs no vectors, a file no folder, and neither is a key."""
    folder, _ = embedded(tmp_path)
    wrong = {
        Pairs.load: [folder, tmp_path / "none"],
        Vectors.load: [tmp_path, tmp_path / "a.key"],
        Key.load: [folder, folder / "vectors.parquet", folder / "README.txt", tmp_path / "none"],
    }
    for load, path in [(load, path) for load, paths in wrong.items() for path in paths]:
        with pytest.raises(InputProblems):
            load(path)


def test_keys_and_pairs_that_do_not_belong_together(tmp_path):
    """A key of other vectors, more positions than were sent, another names file."""
    none, far = np.zeros(0, np.int32), np.array([9], np.int32)
    seen = Seen()
    seen.add(["Anna", "Bob", "Eve"])
    key = Key("k", 3, np.array([2, 3]), seen.digest)
    with pytest.raises(InputProblems, match="the key written with the vectors"):
        open_pairs(Pairs(none, none, "a", "b", "", "a", False), key)
    with pytest.raises(InputProblems, match="position 9, but 2 vectors"):
        open_pairs(Pairs(far, far, "k", "b", "", "a", False), key)
    with pytest.raises(InputProblems, match=r"has 4 rows, but 3 rows were embedded"):
        key.refuse_other_names(Seen(4), "names.csv")
    for others in (["Bob", "Anna", "Eve"], ["Anna", "Bob", "Eva"]):
        changed = Seen()
        changed.add(others)
        with pytest.raises(InputProblems, match=r"has other names than were embedded"):
            key.refuse_other_names(changed, "names.csv")
    key.refuse_other_names(seen, "names.csv")


@pytest.mark.parametrize("about", [b"null", b"{", b"[1]", b'{"format": "seqveil linkage key", "version": 2}',
                                   b'{"format": "seqveil linkage key", "version": 1}'])  # fmt: skip
def test_forged_keys_are_refused(tmp_path, about):
    """A Parquet file that is no key, of another version, or that says too little."""
    schema = pa.schema([pa.field("row", pa.int64(), nullable=False)], metadata={b"seqveil": about})
    pq.write_table(pa.table([pa.array([1])], schema=schema), tmp_path / "k")
    with pytest.raises(InputProblems):
        Key.load(tmp_path / "k")


@pytest.mark.parametrize("rows", [[1, 1], [0], [4]])
def test_keys_that_name_wrong_rows(tmp_path, rows):
    """Rows twice, before the first, after the last."""
    Key("v", 3, np.array(rows), "").save(tmp_path / "k")
    with pytest.raises(InputProblems, match="lists a row twice"):
        Key.load(tmp_path / "k")


def test_no_cut_of_a_file_makes_a_traceback(tmp_path):
    """Every prefix of a forged parquet, with its hash made right, is refused in words."""
    folder, _ = embedded(tmp_path)
    whole = (folder / "vectors.parquet").read_bytes()
    for size in range(0, len(whole), 37):
        (folder / "vectors.parquet").write_bytes(whole[:size])
        rewritten(folder)
        with pytest.raises(SeqveilError):
            Vectors.load(folder)
    assert sealed.README in os.listdir(folder)


def test_nobody_else_can_look_while_they_are_written(tmp_path):
    """Counts wait in the unfinished folder, and tell names like the finished one."""
    seen = []

    def batches():
        yield ONE
        seen.extend(stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path.name.endswith(".partial"))

    write_vectors(BASE, batches(), tmp_path / "a", tmp_path / "a.key", edits=1)

    assert seen == [0o700]
