"""Files of the other parties of a linkage that are no files, or claim to hold more than their bytes can."""

from __future__ import annotations

import hashlib
import json
import os
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from processes import run
from seqveil.errors import InputProblems
from seqveil.link import columns
from seqveil.link.base import Base
from seqveil.link.key import Key
from seqveil.link.matching import match
from seqveil.link.pairs import Pairs
from seqveil.link.vectors import Vectors
from seqveil.link.writing import write_vectors
from seqveil.tables.names import Alphabet

LOADERS = {"Base": ("base", Base), "Key": ("key", Key), "Vectors": ("vectors", Vectors), "Pairs": ("pairs", Pairs)}


@pytest.fixture
def linkage(tmp_path):
    """A small linkage on disk."""
    base = Base(Alphabet.parse("latin"), ("a", "n", "an"))
    base.save(tmp_path / "base.json")
    for holder, names in (("a", ["Anna", "Hannah"]), ("b", ["Anna", "Nan"])):
        write_vectors(base, [names], tmp_path / f"vectors-{holder}", tmp_path / f"{holder}.key", None, 1)
    match(Vectors.load(tmp_path / "vectors-a"), Vectors.load(tmp_path / "vectors-b")).save(tmp_path / "pairs")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "path"),
    [("Base", "base.json"), ("Key", "a.key"), ("Vectors", "vectors-a/vectors.parquet"), ("Vectors", "vectors-a/manifest.json"),
     ("Pairs", "pairs/pairs.parquet")],
)  # fmt: skip
def test_a_pipe_is_not_waited_for(linkage, name, path):
    """In a process of its own, which is stopped if it waits."""
    (linkage / path).unlink()
    os.mkfifo(linkage / path)
    module, kind = LOADERS[name]
    target = linkage / path if name in ("Base", "Key") else (linkage / path).parent
    code = (
        "import sys\nfrom seqveil.errors import InputProblems\n"
        f"from seqveil.link.{module} import {kind.__name__} as kind\n"
        "try:\n    kind.load(sys.argv[1])\nexcept InputProblems:\n    print('refused')\n"
    )
    done = run([sys.executable, "-c", code, str(target)], text=True, check=True)

    assert "refused\n" == done.stdout


def test_a_base_may_be_a_link_that_a_person_named(linkage):
    """It is the person's own path; a device behind it is refused all the same."""
    (linkage / "link.json").symlink_to(linkage / "base.json")
    (linkage / "zero.json").symlink_to("/dev/zero")

    assert 3 == len(Base.load(linkage / "link.json"))
    with pytest.raises(InputProblems):
        Base.load(linkage / "zero.json")


def test_a_key_that_stands_twice_is_no_json(linkage):
    """Parsers disagree on which one counts."""
    text = (linkage / "base.json").read_text()
    (linkage / "base.json").write_text(text.replace("{", '{"private": false,', 1))
    with pytest.raises(InputProblems, match="is not JSON"):
        Base.load(linkage / "base.json")


def test_pairs_that_bytes_cannot_hold_are_refused(linkage, monkeypatch):
    """A million pairs in a few kilobytes, with limits to match: before room is made for them."""
    monkeypatch.setattr(columns, "MOST_CELLS", 1000)
    monkeypatch.setattr(columns, "CELLS_PER_BYTE", 100)
    column = pa.array(np.ones(1 << 20, np.int64))
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64(), nullable=False)])
    path = linkage / "pairs" / "pairs.parquet"
    pq.write_table(pa.table([column, column], schema=schema), path, compression="zstd")
    manifest = json.loads((linkage / "pairs" / "manifest.json").read_text())
    manifest["files"]["pairs.parquet"] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest["pairs"] = len(column)
    (linkage / "pairs" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputProblems, match="it is damaged or forged"):
        Pairs.load(linkage / "pairs")
