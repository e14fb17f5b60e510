"""One method on many sets: run once, resumed, sets without data named, figures kept and compared."""

from __future__ import annotations

import gzip

import pytest

from seqveil.errors import CallError
from seqveil.evaluate.bench.quality import run as module
from seqveil.evaluate.bench.quality.run import carry_out, chosen_sets, table_digest
from seqveil.evaluate.bench.quality.sets import SETS, QualitySet, oyster, tube
from seqveil.evaluate.bench.quality.tables import about_sets, markdown
from seqveil.evaluate.bench.quality.today import means, read_today, write_today
from seqveil.evaluate.quality.yard import QualityYard


def lines(name: str, l_max: int = 3) -> QualitySet:
    return QualitySet(name, l_max, "letters", lambda folder: module_read(name, folder))


def module_read(name, folder):
    from seqveil.evaluate.bench.data import OBSERVED, find, read

    return read(find(f"{name}.seq.gz", folder), OBSERVED)


@pytest.fixture
def data(tmp_path):
    """A folder with one of two sets."""
    (tmp_path / "small.seq.gz").write_bytes(gzip.compress(b"a b c d\n" * 300 + b"b b\n" * 200 + b"c\n" * 100))
    return tmp_path


@pytest.fixture
def counted(monkeypatch):
    """Counts the experiments that are really run."""
    calls = []
    real = module._run

    def experiment(table, yard, mechanism, epsilon, seed, delta):
        calls.append((epsilon, seed))
        return real(table, yard, mechanism, epsilon, seed, delta)

    monkeypatch.setattr(module, "_run", experiment)
    return calls


def measured(data, runs=2, epsilons=("0.5", "1.0"), sets=None, method="ngram", **more):
    return carry_out(method, sets or [lines("small"), lines("absent")], epsilons, runs, results=data / "out", data=data, **more)


def test_a_stopped_bench_goes_on_where_it_was(data, counted, monkeypatch):
    """Runs in the journal are not made again; other code or other parameters make other runs; without a journal all are made."""
    first = measured(data)
    assert [("0.5", 1), ("0.5", 2), ("1", 1), ("1", 2)] == counted
    journal = data / "out" / "quality.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    counted.clear()
    again = measured(data, runs=3)

    assert [("0.5", 3), ("1", 2), ("1", 3)] == counted
    for cell, runs in first.runs.items():
        assert [_timeless(run) for run in runs] == [_timeless(run) for run in again.runs[cell][:2]]
    counted.clear()
    measured(data)
    assert [] == counted
    measured(data, given={"n_max": "2"})
    assert 4 == len(counted)
    monkeypatch.setattr(module, "code_digest", lambda: "other code")
    measured(data)
    assert 8 == len(counted)


def _timeless(run):
    return {name: value for name, value in run.items() if name != "seconds"}


def test_sets_without_data_are_skipped_and_named(data):
    """The others are measured; the reason says which file is missing."""
    out = measured(data)

    assert {"small"} == set(out.facts) == {name for name, _ in out.runs}
    assert "absent.seq.gz is not in" in out.skipped["absent"]
    assert "Left out: absent (absent.seq.gz is not in" in markdown(out, {})


def test_what_cannot_be_measured_is_refused_in_words(data):
    """A method for other data, an unknown set, a budget that is none."""
    with pytest.raises(CallError, match="works on sets"):
        measured(data, method="diffpart")
    with pytest.raises(CallError, match="unknown; choose among msnbc"):
        chosen_sets(["msnbc", "nope"])
    with pytest.raises(CallError, match="epsilon=none"):
        measured(data, epsilons=["none"])


def test_the_set_decides_where_records_are_cut(data, monkeypatch):
    """The method gets the set's l_max, and the truth is cut there."""
    seen = []
    real = QualityYard.measure
    monkeypatch.setattr(QualityYard, "measure", lambda self, records, release: seen.append((self.l_max, release.l_max)) or real(
        self, records, release))  # fmt: skip
    measured(data, runs=1, epsilons=["1"], sets=[lines("small", l_max=2)])

    assert [(2, 2)] == seen


def test_the_truth_is_worked_out_once_per_set(data, monkeypatch):
    """However many budgets and seeds are measured against it."""
    calls = []
    real = QualityYard._answered
    monkeypatch.setattr(QualityYard, "_answered", lambda self, queries: calls.append(1) or real(self, queries))
    measured(data, runs=3)

    assert 2 == len(calls)  # uniform and data-drawn


def test_kept_figures_are_read_for_the_same_records_only(data, tmp_path):
    """Figures of other records would be no comparison."""
    out = measured(data)
    write_today(tmp_path / "t.json", out)
    kept = read_today(tmp_path / "t.json", out)

    assert means(out).keys() == kept.keys()
    for cell, figures in means(out).items():
        assert {name: pytest.approx(mean.value, rel=1e-5) for name, mean in figures.items()} == {
            name: mean.value for name, mean in kept[cell].items()
        }
    (data / "small.seq.gz").write_bytes(gzip.compress(b"a b c d\n" * 301 + b"b b\n" * 200 + b"c\n" * 100))
    assert {} == read_today(tmp_path / "t.json", measured(data))
    assert {} == read_today(tmp_path / "none.json", out)
    (tmp_path / "t.json").write_text('{"sets": [1]}')
    with pytest.raises(CallError, match="does not hold figures"):
        read_today(tmp_path / "t.json", out)


def test_a_method_against_itself_is_neither_better_nor_worse(data, tmp_path):
    """Ratios of 1, no bar against the kept figures missed."""
    out = measured(data)
    write_today(tmp_path / "t.json", out)
    text = markdown(out, read_today(tmp_path / "t.json", out))

    ratios = [line for line in text.splitlines() if line.endswith("| +0 | +0 |")]
    assert 2 == len(ratios)
    assert {"1.00"} == set(ratios[0].strip("| ").split(" | ")[1:-2])
    assert "data-drawn" not in text.split("### ngram, bars")[1]


def test_the_tables_name_every_set_budget_and_number(data):
    """One section per ε; no column without any figure."""
    text = markdown(measured(data), {})

    assert "### ngram, ε = 0.5, means of 2 seeds" in text
    assert "### ngram, ε = 1, means of 2 seeds" in text
    assert "first table" not in text  # an n-gram release has none
    assert "T uniform" in text
    assert "top-100 release" in text
    assert "### ngram, more ε is never worse: " in text


def test_every_set_is_described_with_its_l_max(data):
    """The page names what a record is."""
    out = measured(data, sets=[SETS["sepsis"]], runs=1)
    assert "sepsis.seq.gz is not in" in out.skipped["sepsis"]
    (data / "sepsis.seq.gz").write_bytes(gzip.compress(b"a b\n" * 50))
    assert "| sepsis | hospital cases | 50 | 2 | 20 |" in about_sets(
        measured(data, sets=[SETS["sepsis"]], runs=1, epsilons=["1"])
    )


def test_oyster_journeys_are_records_of_two_stations(tmp_path):
    """One journey per line: there are no cards in the file."""
    text = "start_min,end_min,start_station,end_station,subsystem\n1,2,3,0,LUL\n4,5,1,1,LUL\n"
    (tmp_path / "oyster_rail_journeys.csv.gz").write_bytes(gzip.compress(text.encode()))
    table = oyster(tmp_path)

    assert [[3, 0], [1, 1]] == [s.tolist() for s in table.flat]
    assert 4 == len(table.domain)


def test_tube_passengers_take_shortest_paths(tmp_path):
    """a–b–c–d in a row with a short cut a–c: from a to d over c; e is joined to nothing, and left out."""
    (tmp_path / "tube_edges.tsv.gz").write_bytes(gzip.compress(b"a\tb\nb\tc\nc\td\na\tc\n"))
    (tmp_path / "tube_od.tsv.gz").write_bytes(gzip.compress(b"a\td\t30\nd\tb\t10\na\te\t99\nb\tb\t5\n"))
    table = tube(tmp_path, passengers=4_000)
    routes = [table.domain.labels(s) for s in table.flat]

    assert 4_000 == len(routes)
    assert {("a", "c", "d"), ("d", "c", "b")} == set(map(tuple, routes))
    assert 0.72 < routes.count(["a", "c", "d"]) / 4_000 < 0.78
    assert table_digest(table) == table_digest(tube(tmp_path, passengers=4_000))
    assert table_digest(table) != table_digest(tube(tmp_path, passengers=4_000, seed=2))
