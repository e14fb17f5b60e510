"""A folder from a stranger: small files that would like to become large, numbers without end, and files that are none."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqveil as sv
from processes import run
from seqveil.errors import ReleaseDamaged
from seqveil.release import limits as limits_module
from seqveil.release import load
from seqveil.release import saved as saved_module
from seqveil.release.answers.sums import total
from seqveil.tables.domain import Domain
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sets import SetTable
from seqveil.tables.units import Edge

MEMORY = 6 << 30
"""Bytes of address space of a reader; the libraries take about half of it."""

PEAK = 900 // 8
"""Megabytes that a reader may really take, with an eighth of the limits."""


@pytest.fixture
def saved(sealed, tmp_path):
    """The paper's release in a folder."""
    return sealed.save(tmp_path / "out")


def vouch(folder, name):
    """Let the manifest vouch for a file as it is now."""
    data = json.loads((folder / "manifest.json").read_text())
    data["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(data))


def replace(folder, name, **columns):
    """Change columns of a table and let the manifest vouch for it."""
    table = pq.read_table(folder / name)
    for column, values in columns.items():
        at = table.schema.get_field_index(column)
        table = table.set_column(at, column, pa.array(values, table.schema.field(at).type))
    pq.write_table(table, folder / name)
    vouch(folder, name)


def read_alone(folder):
    """How loading ends in a process of its own with little memory: what it says, and the megabytes it took.

    With an eighth of the limits: files for the real ones would take gigabytes, and half a minute.
    """
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))\n"
        "from seqveil.release import lines, load, parquet, saved\n"
        "lines.MOST_ITEMS //= 8; parquet.MOST_CELLS //= 8; parquet.MOST_UNPACKED //= 8; saved.MOST_UNPACKED //= 8\n"
        "from seqveil.tables.domain import Domain; Domain.of(['a']).encode(['a'])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    release = load(sys.argv[1]); release.synthetic; said = 'loaded'\n"
        "except Exception as error:\n    said = f'{type(error).__name__}: {error}'\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\nprint(said)\n"
    )
    done = run([sys.executable, "-c", code, folder], text=True, check=True)
    megabytes, said = done.stdout.split("\n", 1)
    return int(megabytes), said


@pytest.mark.slow
def test_a_table_of_millions_of_rows_in_a_megabyte_is_refused(saved):
    """By what the file says of itself, before room is made for it: it would take twice as much as a reader may."""
    rows = 125_000
    gram = pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32)), pa.array(["I1"]).take(pa.array([0] * rows)))
    numbers = {name: np.zeros(rows) for name in ("count", "variance", "scale")}
    wholes = {name: np.zeros(rows, np.int64) for name in ("noisy", "threshold")}
    block = pa.table({"gram": gram, **numbers, **wholes})
    with pq.ParquetWriter(saved / "grams.parquet", block.schema, compression="zstd") as writer:
        for _ in range(40):
            writer.write_table(block)
    vouch(saved, "grams.parquet")
    megabytes, said = read_alone(saved)

    assert (saved / "grams.parquet").stat().st_size < 2_000_000
    assert "number of values that grams.parquet declares is 30,000,000" in said
    assert megabytes < PEAK


@pytest.mark.slow
def test_one_long_label_is_not_copied_for_every_row(saved):
    """A label of half a megabyte, a hundred thousand times: its dictionary takes half a megabyte."""
    rows = 100_000
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["x" * 500_000]))
    table = pq.read_table(saved / "grams.parquet")
    gram = pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32)), words)
    other = {name: pa.array(np.zeros(rows), table.schema.field(name).type) for name in table.schema.names if name != "gram"}
    forged = pa.table({"gram": gram, **other})
    schema = forged.schema.remove_metadata()
    pq.write_table(forged.cast(schema), saved / "grams.parquet", compression="zstd", store_schema=False)
    vouch(saved, "grams.parquet")
    megabytes, said = read_alone(saved)

    assert said.startswith("ReleaseDamaged")
    assert megabytes < PEAK


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "times", "problem"),
    [
        (b"\n" * (1 << 20), 7, "number of labels in the synthetic records is 1"),
        (b"I1 " * 349_525 + b"\n", 20, "number of labels in the synthetic records is 1"),
        (b"x" * (1 << 20), 65, "unpacked size of synthetic.txt.gz in bytes is 1"),
    ],
    ids=["lines", "labels", "bytes"],
)
def test_records_that_unpack_into_gigabytes_are_refused(saved, piece, times, problem):
    """An eighth of a hundred million lines or labels, or of a gigabyte of nothing, in a few kilobytes."""
    packed = gzip.compress(piece * 2, 9, mtime=0)
    (saved / "synthetic.txt.gz").write_bytes(packed * times)
    vouch(saved, "synthetic.txt.gz")
    megabytes, said = read_alone(saved)

    assert problem in said
    assert megabytes < 240  # the places of all labels at once take 325


def test_a_domain_that_unpacks_into_gigabytes_is_refused(saved, monkeypatch):
    """As soon as it is longer than a release can be."""
    monkeypatch.setattr(saved_module, "MOST_UNPACKED", 1 << 20)
    (saved / "domain.txt.gz").write_bytes(gzip.compress(b"a\n" * (1 << 20), mtime=0))
    vouch(saved, "domain.txt.gz")
    with pytest.raises(ReleaseDamaged, match=r"unpacked size of domain\.txt\.gz"):
        load(saved)


def test_more_lines_than_labels_are_refused_before_room_is_made(saved, monkeypatch):
    """A gigabyte of line ends would be ten gigabytes of offsets."""
    monkeypatch.setattr("seqveil.tables.labels.MOST_LABELS", 1000)
    (saved / "domain.txt.gz").write_bytes(gzip.compress(b"\n" * 2000, mtime=0))
    vouch(saved, "domain.txt.gz")
    with pytest.raises(ReleaseDamaged, match="has 2,000 labels: at most 1,000"):
        load(saved)


HOSTILE_LABELS = ["a\x1b]52;c;QUFB\x07", "a\x9b31m", "a\u202eb", "a\u2066b", "a\u200bb", "a\u2028b", "a\ufeffb", "a\u00adb"]


@pytest.mark.parametrize("label", HOSTILE_LABELS)
def test_labels_of_a_stranger_obey_the_rule(saved, label):
    """Whatever the digests say; and the label is not shown as it is."""
    labels = f"{label}\nI2\nI3\n".encode()
    (saved / "domain.txt.gz").write_bytes(gzip.compress(labels, mtime=0))
    data = json.loads((saved / "manifest.json").read_text())
    data["domain"]["digest"] = hashlib.sha256(labels).hexdigest()
    (saved / "manifest.json").write_text(json.dumps(data))
    vouch(saved, "domain.txt.gz")
    with pytest.raises(ReleaseDamaged, match="invisible or control character") as caught:
        load(saved)

    assert str(caught.value).replace("\n", "").isprintable()


def release_of(kind, folder):
    """A small release of each content."""
    clicks = sv.table_of([["a", "b"], ["a"], ["b", "a", "b"]] * 300, Domain.of(["a", "b", "c"]))
    release = {
        "grams": lambda: sv.experiment(clicks, sv.NGram(l_max=3, n_max=2), "5", seed=1),
        "prefixes": lambda: sv.experiment(clicks, _method("prefix", h=2), "5", seed=1),
        "patterns": lambda: sv.experiment(clicks, _method("ffs", shortest=1, longest=1, top=2), "5", seed=1),
        "sets": lambda: sv.experiment(SetTable.of(clicks), _method("itemset-noise"), "5", seed=1),
        "regions": lambda: sv.experiment(_streets(), _method("der"), "5", seed=1, unit=Edge()),
    }[kind]()
    return release.save(folder)


def _method(name, **parameters):
    from seqveil import registry

    return registry.make(name, parameters)


def _streets():
    return GraphTable.of(Domain.range(1, 30), np.arange(0, 28), np.arange(1, 29))


NUMBERS = [("scale", value) for value in (1e300, float("nan"), -1.0, 1e-300)]
NUMBERS += [(column, value) for column in ("noisy", "threshold") for value in (2**63 - 1, -(2**63))]


@pytest.mark.parametrize("kind", ["grams", "prefixes", "patterns", "sets", "regions"])
@pytest.mark.parametrize(("column", "value"), NUMBERS)
def test_numbers_that_no_wall_draws_are_refused(kind, column, value, tmp_path):
    """A scale of 1e300 would be bisected for ever."""
    folder = release_of(kind, tmp_path / "out")
    name = f"{kind}.EXPERIMENT.parquet"
    table = pq.read_table(folder / name)
    if column not in table.schema.names:
        pytest.skip("a density map has no thresholds")
    replace(folder, name, **{column: [value] * len(table)})
    with pytest.raises(ReleaseDamaged):
        load(folder)


def test_sets_that_stand_for_more_records_than_memory_are_refused(tmp_path):
    """A count of 2^59 is a number that a wall could draw, but nobody has so many records."""
    folder = release_of("sets", tmp_path / "out")
    table = pq.read_table(folder / "sets.EXPERIMENT.parquet")
    replace(folder, "sets.EXPERIMENT.parquet", noisy=[2**59] * len(table))
    with pytest.raises(ReleaseDamaged, match="number of records that the sets stand for"):
        load(folder)


def test_gaps_are_refused(tmp_path):
    """A null is not a number."""
    folder = release_of("patterns", tmp_path / "out")
    table = pq.read_table(folder / "patterns.EXPERIMENT.parquet")
    replace(folder, "patterns.EXPERIMENT.parquet", noisy=[None] * len(table))
    with pytest.raises(ReleaseDamaged, match="has missing values"):
        load(folder)


@pytest.mark.parametrize("facts", [{"l_max": 0}, {"l_max": 10**17}, {"n_max": True}, {"n_max": None}, {"x": 1}])
def test_facts_have_ranges(saved, facts):
    """Each content states what its facts may be."""
    data = json.loads((saved / "manifest.json").read_text())
    data["facts"].update(facts)
    (saved / "manifest.json").write_text(json.dumps(data))
    with pytest.raises(ReleaseDamaged, match="facts"):
        load(saved)


def test_a_sum_of_many_wide_answers_takes_no_grid():
    """Seventy thousand answers of the largest scale: a bound, at once, where a grid would have 2^60 points."""
    n = 70_000
    low, high = total(np.full(n, 5), np.full(n, 1e15), np.full(n, -(2**62)), np.zeros(n, np.int64))

    assert low <= 5 * n <= high


def answers_in_time(work, seconds=20):
    """What work raised, within a time: in a thread, since what it fears is to wait for ever."""
    said: list[BaseException | None] = []

    def run():
        try:
            work()
            said.append(None)
        except BaseException as error:
            said.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it waits for ever"
    return said[0]


def pipe(path):
    os.mkfifo(path)


def zero(path):
    path.symlink_to("/dev/zero")


def socket(path):
    import socket as sockets

    with sockets.socket(sockets.AF_UNIX) as socket, pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)  # the name of a socket is short
        socket.bind(path.name)


@pytest.mark.parametrize("make", [pipe, zero, socket, lambda path: path.mkdir()], ids=["pipe", "zero", "socket", "folder"])
@pytest.mark.parametrize("name", ["grams.parquet", "synthetic.txt.gz", "domain.txt.gz", "README.txt", "manifest.json"])
def test_what_is_no_regular_file_is_refused(saved, name, make):
    """At once: nobody waits for a pipe or reads a device to its end."""
    (saved / name).unlink()
    make(saved / name)
    error = answers_in_time(lambda: load(saved))

    assert "is not a release" in str(error) if name == "manifest.json" else isinstance(error, ReleaseDamaged)


def test_a_file_that_is_swapped_after_loading_is_not_believed(saved):
    """The records are read when first wanted; they must still be those that the manifest vouches for."""
    release = load(saved)
    (saved / "synthetic.txt.gz").write_bytes(gzip.compress(b"I1 I1 I1\n", mtime=0))
    with pytest.raises(ReleaseDamaged, match=r"synthetic\.txt\.gz was changed"):
        _ = release.synthetic


def test_a_file_that_becomes_a_pipe_after_loading_is_not_waited_for(saved):
    """Neither is it read from where a link leads."""
    release = load(saved)
    (saved / "synthetic.txt.gz").unlink()
    os.mkfifo(saved / "synthetic.txt.gz")

    assert isinstance(answers_in_time(lambda: release.synthetic), ReleaseDamaged)


def test_the_largest_real_release_is_within_the_limits():
    """A prefix tree of 4 million nodes, 12 levels deep, in 6 columns and a list of labels."""
    from seqveil.trees.growth import MOST_NODES

    assert MOST_NODES * (6 + 12) < limits_module.MOST_CELLS
