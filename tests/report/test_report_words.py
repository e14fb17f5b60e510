"""What the page, README.txt and `inspect` say about privacy: the unit, and nothing larger; and how strangers' text is shown."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import seqveil as sv
from sealing import sealed
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.graphs import GraphRelease
from seqveil.release.manifest import Manifest
from seqveil.release.prefixes import PrefixRelease
from seqveil.release.readme import promise, readme
from seqveil.report.page import render
from seqveil.report.promise import in_words
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.units import Edge, Event, Record, Unit, User

UNITS = [Record(), User(), User(max_sequences=5), Edge(), Edge(k=3), Event()]
PERSON = re.compile(r"\b(person|people|individual|somebody|nobody|anybody|everybody|everyone|anonymous|safe)\b", re.IGNORECASE)


def manifest_of(unit: Unit) -> Manifest:
    """The manifest of a small release that protects this unit."""
    domain = Domain.of(["a", "b"], public_because="a published map")
    return sealed(GraphRelease(domain, low=np.array([0]), high=np.array([1])), unit).manifest


def sentences(manifest: Manifest) -> list[str]:
    """All that is said of privacy on the page, in README.txt and by `inspect`."""
    texts = [*in_words(manifest), promise(manifest), readme(manifest, "counts")]
    return [sentence for text in texts for sentence in re.split(r"(?<=[.:])\s", text)]


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_no_sentence_promises_a_person_anything(unit):
    """A person is only named where it is said that nothing is said about them."""
    texts = sentences(manifest_of(unit))

    assert [] == [s for s in texts if PERSON.search(s) and not s.startswith("It says nothing about a person")]
    assert any(s.startswith("It says nothing about a person") for s in texts)


@pytest.mark.parametrize(
    ("unit", "differ", "undecided"),
    [
        (Record(), "differ in one record (add or remove one record)", "whether a given record is in the data"),
        (User(5), "differ in one user (add or remove one user with all their sequences)", "whether a given user is in the data"),
        (Edge(), "differ in one edge (add or remove one edge; the vertices are public)", "whether a given edge is in the data"),
        (
            Edge(3),
            "differ in up to 3 edges (add or remove up to 3 edges; the vertices are public)",
            "whether a given group of up to 3 edges is in the data",
        ),
        (
            Event(),
            "differ in one event (replace one event by another at the same position)",
            "whether a given event has one value or another",
        ),
    ],
)
def test_the_guarantee_is_stated_for_the_unit(unit, differ, undecided):
    """Definition, factor and certainty, with every number filled in."""
    manifest = manifest_of(unit)
    page, text = " ".join(in_words(manifest)), promise(manifest)

    for words in (page, text):
        assert f"For any two datasets that {differ}, the probability of any outcome changes by at most a factor of e^1.0" in words
    assert f"undecided (50 %) {undecided}" in page
    assert "at most 73.2 % sure" in page


def test_an_account_of_edges_from_before_goes_on(tmp_path):
    """Older ledgers say "up to k edges"; the unit decides, not how its neighbours were worded."""
    from seqveil.tables import units
    from seqveil.wall.ledger import Ledger

    class Worded(units.Edge):
        neighbours = "add or remove up to k edges; the vertices are public"  # type: ignore[assignment]

    ledger = Ledger(tmp_path)
    for unit in (Worded(3), Edge(3)):
        with ledger.reserve("graph", 10**12, unit=unit, mechanism="der") as spend:
            spend.give_back()

    assert "add or remove up to 3 edges; the vertices are public" == ledger.account("graph").neighbours


def test_the_root_of_the_tree_says_what_it_counts():
    """Single grams add up to items, prefixes of one label to records."""
    domain = Domain.of(["home", "work"])
    table = GramTable.of([[0], [1], [0, 1], [1, 2]], count=[900.0, 800.0, 700.0, 70.0], scale=2.0, threshold=5)
    grams = render(sealed(GramRelease(domain, grams=table, synthetic=Flat.of([[0, 1]]), l_max=5, n_max=2), Record()))
    one = GramTable.of([[0], [1], [0, 1]], count=[900.0, 800.0, 700.0], scale=2.0, threshold=5)
    prefixes = render(sealed(PrefixRelease(domain, prefixes=one, synthetic=Flat.of([[0, 1]]), h=2), Record()))

    assert 'data-root="all items"' in grams
    assert 'data-root="all records"' in prefixes
    for page in (grams, prefixes):
        nodes = json.loads(re.search(r'id="grams">(.*?)</script>', page)[1])  # type: ignore[index]
        assert 1700 == nodes[0][2]


ORDERS = "\u202e\u2066<script>alert(1)</script>\u200b\x9d52;c;eA==\x9c&\"'"


def test_text_of_strangers_is_escaped_and_isolated_on_the_page():
    """Labels and every text of the manifest: no markup, no direction mark, nothing invisible; each in its own <bdi>."""
    import pyarrow as pa

    domain = Domain(pa.array([f"x{ORDERS}y", "b"], pa.large_string()))
    table = GramTable.of([[0], [1], [0, 1]], count=[900.0, 800.0, 700.0], scale=2.0, threshold=5)
    release = sealed(GramRelease(domain, grams=table, synthetic=Flat.of([[0, 1, 0]]), l_max=5, n_max=2))
    manifest = release.manifest
    mechanism = replace(manifest.mechanism, name=ORDERS, version=ORDERS, paper=ORDERS, parameters={ORDERS: ORDERS})
    stages = [replace(stage, name=ORDERS, kind=ORDERS) for stage in manifest.stages]
    universe = replace(manifest.domain, public_because=ORDERS)
    forged = replace(
        manifest, release=ORDERS, created=ORDERS, neighbours=ORDERS, noise=ORDERS, mechanism=mechanism, stages=stages
    )
    forged = replace(forged, domain=universe)
    release._manifest = forged  # as if it had been loaded from a folder that somebody made
    page = render(release)

    assert [] == [repr(c) for c in page if c != "\n" and not c.isprintable()]
    assert "<script>alert" not in page
    assert r"<bdi>&#34;x\u202e\u2066&lt;script&gt;" in page
    assert page.count("<bdi>\\u202e\\u2066&lt;script&gt;") >= 8
    # Inside the JSON of the tree everything is escaped twice: for JSON, and as the label is written.
    nodes = json.loads(re.search(r'id="grams">(.*?)</script>', page)[1])  # type: ignore[index]
    assert all(node[1].isprintable() for node in nodes)


def test_the_page_writes_patterns_as_query_reads_them():
    """Each label in its own <bdi>, a blank between."""
    domain = Domain.of(["West Ham", "Ely"])
    table = GramTable.of([[0], [1], [0, 1]], count=[900.0, 800.0, 700.0], scale=2.0, threshold=5)
    page = render(sealed(GramRelease(domain, grams=table, synthetic=Flat.of([[0, 1]]), l_max=5, n_max=2), Record()))

    assert "<code><bdi>&#34;West Ham&#34;</bdi> <bdi>Ely</bdi></code>" in page


def test_experiments_promise_nothing():
    """Neither a factor nor a certainty."""
    domain = sv.Domain.of(["a", "b"])
    release = sv.experiment(sv.table_of([["a", "b"]] * 50, domain), sv.NGram(l_max=2, n_max=2), epsilon="1.0", seed=1)
    text = " ".join([*in_words(release.manifest), readme(release.manifest, release.description)])

    assert "no privacy guarantee" in text
    assert not re.search(r"e\^|% sure|For any two", text)
