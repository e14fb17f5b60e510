"""The page of every kind of release: no content is without one, and none tells more than the release."""

from __future__ import annotations

import re

import numpy as np
import pytest

import record_models
import seqveil as sv
from sealing import sealed
from seqveil.errors import CallError, RunFailed
from seqveil.facts import Holder
from seqveil.registry import make
from seqveil.report.page import render, write_report
from seqveil.report.promise import bill, in_words
from seqveil.tables.flat import Flat


def release_of(method, table, **parameters):
    """An experiment by a method's name."""
    return sv.experiment(table, make(method, parameters), epsilon="8.0", seed=2)


@pytest.mark.parametrize(
    ("method", "parameters", "shown", "hidden"),
    [
        ("ngram", {"l_max": 5, "n_max": 3}, ["tree", "patterns", "shape", "lengths", "transitions"], ["quality"]),
        ("prefix", {"h": 3}, ["tree", "patterns", "shape", "lengths", "transitions"], ["quality"]),
        ("pfs2", {"support": 0.1}, ["patterns"], ["tree", "shape", "lengths", "transitions", "quality"]),
    ],
)
def test_releases_of_sequences_show_what_they_hold(trips, method, parameters, shown, hidden):
    """Sections stand for what is there, and no others."""
    page = render(release_of(method, trips, **parameters))

    assert set(shown) == set(shown) & set(re.findall(r'<section id="(\w+)"', page))
    assert not set(hidden) & set(re.findall(r'<section id="(\w+)"', page))
    assert "INTERNAL" not in page


def test_a_record_model_shows_its_shape_with_the_numbers_that_it_answers():
    """Number of records, lengths, first and last labels, pairs; sorted by the number that is shown, with intervals."""
    release = record_models.model()
    page = render(release)
    section = page.split('<section id="shape"')[1].split("</section>")[0]
    shown = re.findall(r'<td class="n">([\d,]+)</td>\s*<td class="n soft">([^<]+)</td>', section)
    expected = [*release.first_labels(), *release.last_labels(), *release.od()]

    assert {"patterns", "shape", "lengths", "transitions"} <= set(re.findall(r'<section id="(\w+)"', page))
    assert [(f"{row['value']:,.0f}", _interval(row)) for row in expected] == shown
    assert "<b>8</b> records (95 % confidence interval 0 – 21)" in section
    assert "Mean length of the released records: <b>2.50</b>" in page
    assert 'title="length 1: 18.75 % synthetic"' in page  # 1.5 of 8, as the release answers; of its records 1 of 6
    assert len(page) < 60_000


def _interval(row):
    return "an estimate" if row["low"] is None else f"{row['low']:,} – {row['high']:,}"


def test_releases_of_sets_are_shown_as_sets():
    """Itemsets have no order, and are written as all patterns are."""
    from seqveil.tables.sets import SetTable

    domain = sv.Domain.of(["bread", "milk", "beer"])
    table = SetTable(domain, Flat.of([[0, 1], [0, 1, 2], [2]] * 300))
    page = render(release_of("diffpart", table))

    assert "<bdi>bread</bdi> <bdi>milk</bdi>" in page
    assert 'id="transitions"' not in page


def test_releases_of_graphs_show_a_map_and_degrees():
    """No table of regions or of noisy numbers: a picture, and how many edges vertices have."""
    from seqveil.tables.graphs import GraphTable

    domain = sv.Domain.of(["a", "b", "c", "d"])
    table = GraphTable(domain, np.array([0, 0, 1], np.int32), np.array([1, 2, 3], np.int32))
    page = render(sv.experiment(table, make("graph-laplace", {}), epsilon="5.0", seed=1, unit=sv.Edge(1)))
    mapped = render(sv.experiment(table, make("der", {}), epsilon="5.0", seed=1, unit=sv.Edge(1)))

    assert "<h1>A synthetic graph, an experiment" in page
    assert "Contents:" not in page
    assert 'id="degrees"' in page
    assert 'id="map"' not in page
    assert '<div class="map" role="img" aria-label="Density map of the synthetic graph"><svg width' in mapped
    assert "Contents:" not in mapped
    assert "http://" not in mapped


def test_a_page_is_titled_by_its_kind_and_dataset():
    """And what the data holder states is shown as text, whatever it is."""
    stated = Holder("metro", "Taps <b>", "a@b", "planning")
    release = sealed(record_models.model_of(record_models.RECORDS), holder=stated)
    page = render(release)

    assert "<h1><bdi>Taps &lt;b&gt;</bdi>: synthetic sequences, with differential privacy</h1>" in page
    assert "for <bdi>planning</bdi>. Contact: <bdi>a@b</bdi>" in page
    assert "Not signed" in page


def test_numbers_without_intervals_get_no_column_for_them(trips):
    """Sixteen rows that say "an estimate" say nothing; one sentence does."""
    page = render(release_of("prefix", trips, h=3))
    shape = page.split('<section id="shape"')[1].split("</section>")[0]

    assert "95 % interval" not in shape.split("Most frequent last labels")[1]
    assert "an estimate<" not in shape.split("Most frequent last labels")[1]
    assert "An estimate is counted in the synthetic records" in shape


def test_a_budget_of_one_stage_is_a_sentence(trips):
    """A bar of 100 % shows nothing."""
    one = render(record_models.model()).split('<section id="budget"')[1].split("</section>")[0]
    several = render(release_of("ngram", trips, l_max="auto", n_max=2)).split('<section id="budget"')[1].split("</section>")[0]

    assert 'class="bar"' not in one
    assert "was spent in one stage: <bdi>tree</bdi>" in one
    assert 'class="bar"' in several


def test_the_map_of_steps_shows_the_numbers_that_are_answered():
    release = record_models.model()
    page = render(release)
    section = page.split('<section id="follows"')[1].split("</section>")[0]
    arrows = re.findall(r"<title>&#x2068;(\w+)&#x2069; → &#x2068;(\w+)&#x2069;: ([\d,]+)", section)

    assert arrows
    for start, end, value in arrows:
        assert f"{release.count([start, end]).value:,.0f}" == value


def test_raw_data_of_another_domain_are_refused(trips):
    """Codes of one domain mean nothing in another."""
    release = release_of("ngram", trips, l_max=3, n_max=2)
    other = sv.table_of([["x"]], sv.Domain.of(["x"]))

    with pytest.raises(CallError, match="another domain"):
        write_report(release, "never-written.html", raw=other)


def test_a_page_that_cannot_be_written_is_said(trips, tmp_path):
    """The folder is a file: one sentence, no traceback."""
    (tmp_path / "file").write_text("")

    with pytest.raises(RunFailed, match="could not be written"):
        write_report(release_of("ngram", trips, l_max=3, n_max=2), tmp_path / "file" / "r.html")


def test_the_bill_sums_to_the_budget(trips):
    """Shares are of the whole, and what was not spent is shown too."""
    release = release_of("ngram", trips, l_max="auto", n_max=2)
    rows = bill(release.manifest)

    assert 1.0 == pytest.approx(sum(row["share"] for row in rows))
    assert ["choose l_max", "exploration tree"] == [row["name"] for row in rows][:2]


def test_the_promise_names_whom_and_how_much(trips, tmp_path):
    """A private release says the factor, the certainty and why the labels are public."""
    vault = sv.Vault(trips, account="page", home=tmp_path, cap="2")
    words = " ".join(in_words(vault.release(sv.NGram(l_max=3, n_max=2), epsilon="1.0").manifest))

    assert "one record" in words
    assert "2.72" in words
    assert "73.2 % sure" in words
    assert "a published map" in words


def test_a_release_that_holds_nothing_still_has_a_page():
    """Noise may leave no gram; the page then says what was promised and shows no empty pictures."""
    table = sv.table_of([["a"]], sv.Domain.of(["a", "b"]))
    page = render(sv.experiment(table, sv.NGram(l_max=2, n_max=2), epsilon="0.01", seed=4))

    assert "How the release was made" in page


def test_the_internal_page_shows_whole_records_beside_counts(trips):
    """Number, length and ends in plain words: fragments are seen where counts may look fine."""
    page = render(release_of("ngram", trips, l_max=3, n_max=2), raw=trips)

    for words in ("synthetic records per raw record", "records with a wrong length", "wrong pair of first and last label"):
        assert words in page


def test_a_release_that_is_mostly_noise_says_so_at_the_top():
    """Before any number: the interval of the number of records is wider than the number."""
    assert "Mostly noise: there are 8 records" in render(record_models.model()).split("<main>")[0]
