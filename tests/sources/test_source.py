"""Source, the one description of an input: complete, documented, and an input of the wall."""

from __future__ import annotations

import gzip
import inspect
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl
import pytest

import seqveil as sv
from seqveil.errors import CallError, InputProblems
from seqveil.sources import Source, read_sequences
from seqveil.sources.layout import Layout, Options
from seqveil.sources.name_source import NameSource
from seqveil.sources.sets import read_sets
from seqveil.sources.source import readable
from seqveil.tables.names import Alphabet

SRC = Path(sv.__file__).parent
LABELS = sv.Domain.of(["a", "b", "c"])
LOG = "who,when,what\nu,2,a\nv,1,b\nu,1,z\n"


@contextmanager
def standard_input(body: bytes) -> Iterator[None]:
    kept = os.dup(0)
    read, write = os.pipe()
    os.write(write, body)
    os.close(write)
    os.dup2(read, 0)
    os.close(read)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def records(table: Any) -> list[list[int]]:
    return [record.tolist() for record in table.flat]


def test_every_field_has_a_sentence_of_help() -> None:
    """It is what the command line, the docstrings and the documentation show."""
    for field in fields(Source):
        assert re.fullmatch(r"[A-Z].*\.", field.metadata["help"]), field.name


def test_keyword_arguments_are_the_fields() -> None:
    """The typed dictionary of the readers, their signatures and their docstrings say what the dataclass says."""
    assert get_type_hints(Layout) == get_type_hints(Options)
    for reader in (read_sequences, read_sets):
        parameters = inspect.signature(reader).parameters
        assert {f.name: f.default for f in fields(Layout)}.items() <= {n: p.default for n, p in parameters.items()}.items()
        assert all(f"{f.name}: {f.metadata['help']}" in str(reader.__doc__) for f in fields(Layout))


def test_an_unknown_argument_is_a_type_error() -> None:
    """As with any function of Python."""
    with pytest.raises(TypeError, match="itme"):
        read_sequences("x.csv", domain=LABELS, itme="what")  # type: ignore[call-arg]


def test_the_domain_is_widened_in_one_place() -> None:
    """A second place would widen it twice, or not at all."""
    callers = [path.relative_to(SRC) for path in SRC.rglob("*.py") if ".with_other()" in path.read_text()]

    assert [Path("sources/source.py")] == [path for path in callers if path != Path("tables/domain.py")]


def test_the_domain_of_a_source_is_that_of_its_table(tmp_path: Path) -> None:
    """Of the specimen, too; a plan needs it before anything is opened."""
    path = tmp_path / "log.csv"
    planned = Source(path, LABELS, user="who", item="what", outside="other")

    assert ["a", "b", "c", "other"] == planned.domain.labels(range(4))

    path.write_text(LOG)
    assert planned.domain == planned.read().domain == planned.specimen().domain
    assert [[0, 3], [1]] == records(planned.read())


@pytest.mark.parametrize("how", ["-", "/dev/stdin"])
def test_a_pipe_serves_every_step(how: str) -> None:
    """It is copied once; the format, the specimen, the fingerprint and the rows come from the copy."""
    with standard_input(LOG.encode()):
        source = Source(how, LABELS, format="csv", user="who", item="what")
        assert "event log, comma-separated (csv)" == source.description
        stated = source.stating("a published map")
        assert 2 == len(stated.specimen())
        assert LOG.encode() == b"".join(stated.chunks())
        table = stated.read()

    assert [[0], [1]] == records(table)
    assert "a published map" == table.domain.public_because


def test_a_reason_costs_no_second_look_at_the_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed file is unpacked to its end to inspect it: once is enough."""
    from seqveil.sources import sequences

    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(LOG.encode()))
    looks: list[str] = []
    look = sequences.archive_problems
    monkeypatch.setattr(sequences, "archive_problems", lambda *a, **k: looks.append("look") or look(*a, **k))
    source = Source(path, LABELS, item="what")
    source.inspect()

    assert [[0], [1]] == records(source.stating("a map").read())
    assert ["look"] == looks


FILES: list[tuple[str, str, sv.Domain, dict[str, Any]]] = [
    ("x.csv", LOG, LABELS, {"user": "who", "time": "when", "item": "what", "session": "day"}),
    ("x.tsv", LOG.replace(",", "\t"), LABELS, {"item": "what", "session": "who"}),
    ("x.txt", "a b\n", LABELS, {}),
    ("x.spmf", "a -1 b -1 -2\n", LABELS, {}),
    ("x.jsonl", '["a"]\n', LABELS, {}),
    ("x.xes", "<log/>", LABELS, {}),
    ("x.seq", "a b\n", LABELS, {"reader": "sets"}),
    ("x.csv", "sex\nf\n", sv.Domain.of(["sex=f", "sex=m"]), {"reader": "relational"}),
    ("x.edges", "a b\n", LABELS, {"reader": "graph", "order_is_public": True}),
    ("x.graphml", '<graphml><graph edgedefault="undirected"/></graphml>', LABELS, {"reader": "graph", "order_is_public": True}),
]


@pytest.mark.parametrize(("name", "body", "domain", "more"), FILES, ids=[f"{n} {m.get('reader', '')}" for n, _, _, m in FILES])
def test_a_specimen_goes_through_the_reader_of_the_file(
    tmp_path: Path, name: str, body: str, domain: sv.Domain, more: dict[str, Any]
) -> None:
    """Same kind, same domain, users where the file has them, and some rows that are nobody's."""
    (tmp_path / name).write_text(body)
    source = Source(tmp_path / name, domain, **more)
    table, specimen = source.read(), source.specimen()

    assert source.kind == table.kind == specimen.kind
    assert type(table) is type(specimen)
    assert domain == specimen.domain
    assert len(specimen)
    assert (getattr(table, "users", None) is None) == (getattr(specimen, "users", None) is None)
    assert body.encode() == b"".join(source.chunks())


def test_names_are_an_input_too(tmp_path: Path) -> None:
    """Sequences of characters, over an alphabet that says why it is public."""
    path = tmp_path / "names.csv"
    path.write_text("id,name\n1,Ann\n2,Bob\n")
    source = NameSource(path, Alphabet.parse("latin"), column="name", user="id").stating("the letters a to z")

    assert "comma-separated table, one name per row" == source.description
    assert ("sequences", "the letters a to z") == (source.kind, source.read().domain.public_because)
    assert source.domain == source.specimen().domain
    assert 2 == len(source.read())
    assert path.read_bytes() == b"".join(source.chunks())


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"reader": "graph", "order_is_public": True, "user": "who", "max_events": 3}, "leave out user, max_events"),
        ({"reader": "relational", "header": False}, "leave out header=False"),
        ({"reader": "relational", "outside": "other"}, "leave out outside"),
        ({"reader": "sets", "item": "what", "order_is_public": True}, "leave out order_is_public"),
        ({"item": "what", "outside": "keep"}, "outside='keep' is unknown: use drop or other"),
    ],
)
def test_an_option_that_a_reader_does_not_have_is_refused(tmp_path: Path, more: dict[str, Any], problem: str) -> None:
    """It would be ignored, and whoever gave it means something."""
    (tmp_path / "x.csv").write_text(LOG)
    with pytest.raises(InputProblems, match=re.escape(problem)):
        Source(tmp_path / "x.csv", LABELS, **more).inspect()


def test_what_is_no_description_is_refused_at_once() -> None:
    """A domain that is a text, and a reader that does not exist."""
    with pytest.raises(CallError, match="domain='a,b' is not a Domain"):
        Source("x.csv", "a,b")  # type: ignore[arg-type]
    with pytest.raises(CallError, match=f"reader='grpah' is unknown: use one of {', '.join(readable())}"):
        Source("x.csv", LABELS, "grpah")


def test_a_description_shows_nothing_of_the_data() -> None:
    """Neither where it is printed, nor where two arguments were mixed up."""
    frame = pl.DataFrame({"item": ["Alice"]})

    assert "Source(the data frame, sequences)" == repr(Source(frame, LABELS))
    with pytest.raises(CallError, match="domain=DataFrame is not a Domain"):
        Source(LABELS, frame)  # type: ignore[arg-type]


def test_a_data_frame_has_no_file() -> None:
    """It is read into a table, which is an input itself."""
    source = Source(pl.DataFrame({"item": ["a", "b"]}), LABELS)

    assert [[0], [1]] == records(source.read())
    with pytest.raises(CallError, match="the data frame is not a file: read it"):
        source.chunks()


def test_columns_by_number_may_be_numbers(tmp_path):
    """What the message says to write, `item=1`, is what Python reads; anything else that is no text is refused by its name."""
    path = tmp_path / "log.csv"
    path.write_text("7,a\n8,b\n7,b\n")
    domain = sv.Domain.of(["a", "b"])

    as_text = Source(path, domain, header=False, user="1", item="2").read()
    as_numbers = Source(path, domain, header=False, user=1, item=2).read()
    assert [[0, 1], [1]] == [record.tolist() for record in as_numbers.flat] == [record.tolist() for record in as_text.flat]
    for wrong in ({"item": True}, {"item": 2.0}, {"session": 30}, {"timezone": 0}, {"item": ["2"]}):
        with pytest.raises(CallError, match=f"^{next(iter(wrong))}=.* is not text"):
            Source(path, domain, header=False, **{"item": "2", **wrong})
