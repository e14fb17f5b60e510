"""Benches: declared in a file, resumed after a stop, written down beside the paper's numbers."""

from __future__ import annotations

import gzip
import json

import pytest

from seqveil.errors import CallError
from seqveil.evaluate.bench import run as module
from seqveil.evaluate.bench.data import find
from seqveil.evaluate.bench.journal import Journal
from seqveil.evaluate.bench.plots import draw, points
from seqveil.evaluate.bench.run import carry_out, runs_of
from seqveil.evaluate.bench.spec import bench_of, read_bench
from seqveil.evaluate.bench.tables import markdown

WORDS = {
    "title": "A small bench",
    "data": "small.seq.gz",
    "domain": "observed",
    "get": "make it",
    "epsilons": ["0.5", "2.0"],
    "runs": 2,
    "measure": ["count_error", "top_k"],
    "truncate": 3,
    "methods": [
        {"label": "n-gram", "method": "ngram", "l_max": 3, "n_max": 2},
        {"label": "Baseline", "method": "ngram", "noise": False, "l_max": 3, "n_max": 2},
        {"label": "n-gram", "method": "ngram", "sweep": "n_max", "values": [1, 2], "l_max": 3, "epsilons": ["2.0"]},
        {"label": "from elsewhere", "method": "no-such-method"},
    ],
    "tables": [
        {
            "title": "Found",
            "metric": "top_k.documents_full.{x}.true_positive_ratio",
            "x": [20],
            "x_name": "K =",
            "percent": True,
            "paper": [
                {"label": "n-gram", "epsilon": "0.5", "values": [0.94]},
                {"label": "FFS", "epsilon": "0.5", "values": [0.55]},
            ],
        }
    ],
    "plots": [
        {"name": "epsilon", "title": "t", "metric": "count_error.full.4", "against": "epsilon"},
        {"name": "size", "title": "t", "metric": "count_error.full.{x}", "against": "x", "x": [4, 8]},
        {"name": "n_max", "title": "t", "metric": "count_error.full.4", "against": "n_max"},
    ],
}


@pytest.fixture
def data(tmp_path):
    """A folder with the data of the bench."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "small.seq.gz").write_bytes(gzip.compress(b"a b c\n" * 300 + b"b b\n" * 200 + b"c\n" * 100))
    return folder


@pytest.fixture
def counted(monkeypatch):
    """Counts the experiments that are really run."""
    calls = []
    real = module._Laboratory.experiment

    def experiment(self, run, mechanism):
        calls.append((run.contestant.label, run.epsilon, run.seed))
        return real(self, run, mechanism)

    monkeypatch.setattr(module._Laboratory, "experiment", experiment)
    return calls


def test_every_line_budget_and_seed_is_one_run():
    """The Baseline runs once, a sweep once per value, with budgets of its own where it says so."""
    bench = bench_of("small", {**WORDS, "methods": WORDS["methods"][:3]})
    cells = [(r.contestant.label, r.epsilon, r.seed) for r in runs_of(bench, 2)]

    assert 4 + 1 + 4 == len(cells) == len(set(cells))
    assert ("Baseline", "∞", None) in cells
    assert ("n-gram, n_max = 1", "2.0", 2) in cells


def test_a_stopped_bench_goes_on_where_it_was(data, tmp_path, counted, monkeypatch):
    """Runs in the journal are not made again, and a torn last line costs one run only."""
    bench = bench_of("small", WORDS)
    whole = carry_out(bench, tmp_path, data)
    before = len(counted)
    journal = tmp_path / "small.jsonl"
    lines = journal.read_bytes()
    journal.write_bytes(lines[:-20])
    counted.clear()
    again = carry_out(bench, tmp_path, data)

    assert 1 == len(counted) < before
    assert _without_seconds(whole) == _without_seconds(again)
    counted.clear()
    carry_out(bench, tmp_path, data)
    assert [] == counted
    monkeypatch.setattr(module, "code_digest", lambda: "other code")
    carry_out(bench, tmp_path, data)
    assert before == len(counted)


def _without_seconds(outcome):
    return {key: [{k: v for k, v in run.items() if k != "seconds"} for run in runs] for key, runs in outcome.metrics.items()}


def test_equal_runs_under_two_labels_are_made_once(data, tmp_path, counted):
    """A sweep that passes through the default does not repeat it."""
    carry_out(bench_of("small", WORDS), tmp_path, data)

    assert 4 + 1 + 2 == len(counted)


def test_tables_show_the_papers_numbers_in_the_next_column(data, tmp_path):
    """Ours with an interval, theirs as printed, theirs alone where we ran nothing, and what was left out."""
    bench = bench_of("small", WORDS)
    text = markdown(bench, carry_out(bench, tmp_path, data))

    assert "| method | ε | K = 20 | paper |" in text
    assert any(line.startswith("| n-gram | 0.5 |") and line.endswith("| 94 |") for line in text.splitlines())
    assert "| FFS | 0.5 | – | 55 |" in text
    assert "Left out: from elsewhere (unknown method 'no-such-method'" in text


def test_miners_stand_beside_publications_in_the_tables_that_rank_patterns(data, tmp_path):
    """A miner has no records: what needs them leaves it out, and what a release ranks is compared for both."""
    methods = [{"label": "strings", "method": "ffs", "top": 5}, *WORDS["methods"][:1]]
    sheets = [
        {
            "title": "Ranked",
            "metric": "top_k_released.short.{x}.true_positive_ratio",
            "x": [20],
            "x_name": "K =",
            "percent": True,
        },
        {"title": "Drawn", "metric": "top_k_short.{x}.true_positive_ratio", "x": [20], "x_name": "K =", "percent": True},
    ]
    measure = ["count_error", "top_k_short", "top_k_released"]
    bench = bench_of("small", {**WORDS, "measure": measure, "epsilons": ["50.0"], "methods": methods, "tables": sheets})
    ranked, drawn = markdown(bench, carry_out(bench, tmp_path, data)).split("### Drawn")

    # Of the runs ab, bc, bb, abc the strings miss bc, with which no record begins; bigrams miss abc.
    assert "| strings | 50.0 | 75 ±0 |" in ranked
    assert "| n-gram | 50.0 | 75 ±0 |" in ranked
    assert "| n-gram | 50.0 | 100 ±0 |" in drawn
    assert "strings" not in drawn


def test_plots_are_drawn_without_a_network(data, tmp_path):
    """Each plot is an SVG of its own with the points it names."""
    bench = bench_of("small", WORDS)
    outcome = carry_out(bench, tmp_path, data)
    expected = {"epsilon": 2 + 2, "size": 4 + 4, "n_max": 2}

    for picture in bench.pictures:
        path = draw(picture, bench, outcome, tmp_path)
        assert path.read_text(encoding="utf-8").startswith("<svg")
        assert expected[picture.name] == len(points(picture, bench, outcome))


def test_missing_data_are_named_with_the_way_to_get_them(tmp_path):
    """Which file, where it was looked for, what to do."""
    with pytest.raises(CallError, match=r"small.seq.gz is not in .*: choose another folder with data=DIR, or make it\."):
        carry_out(bench_of("small", WORDS), tmp_path, tmp_path)


def test_data_is_found_through_the_environment(data, tmp_path, monkeypatch):
    """SEQVEIL_DATA is where data lies when no folder is given; it says so when a file is not there."""
    monkeypatch.setenv("SEQVEIL_DATA", str(data))

    assert carry_out(bench_of("small", {**WORDS, "methods": WORDS["methods"][1:2]}), tmp_path, None).metrics
    with pytest.raises(CallError, match=r"other.seq is not in SEQVEIL_DATA \(.*\): get it from its publisher"):
        find("other.seq")


def test_no_folder_is_guessed(monkeypatch):
    """Without a folder and without SEQVEIL_DATA nothing is looked for anywhere."""
    monkeypatch.delenv("SEQVEIL_DATA", raising=False)

    with pytest.raises(CallError, match=r"no data folder is set: make it, then set SEQVEIL_DATA to its folder\."):
        find("small.seq.gz", get="make it")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"measure": ["beauty"]}, "cannot measure beauty"), ({"methods": None}, "missing methods")],
)
def test_wrong_files_are_refused_in_words(change, said):
    """What is wrong and what is allowed."""
    words = {key: value for key, value in {**WORDS, **change}.items() if value is not None}
    with pytest.raises(CallError, match=said):
        bench_of("small", words)


def test_no_toml_is_refused_in_words(tmp_path):
    """A broken file and a missing one."""
    (tmp_path / "x.toml").write_text("= 3")
    for name in ("x.toml", "y.toml"):
        with pytest.raises(CallError, match=name):
            read_bench(tmp_path / name)


def test_the_shipped_benches_are_well_formed():
    """Every bench of the project can be read, and its printed rows have a number for every column."""
    from pathlib import Path

    benches = [read_bench(path) for path in sorted((Path(__file__).parents[3] / "benchmarks").glob("*.toml"))]

    assert {"msnbc-count", "msnbc-topk", "flights-count", "flights-topk", "ablations"} <= {bench.name for bench in benches}
    for sheet in (sheet for bench in benches for sheet in bench.sheets):
        assert {len(sheet.x)} >= {len(values) for values in sheet.paper.values()}


def test_the_journal_survives_lines_it_cannot_read(tmp_path):
    """Other lines are skipped, the next one begins on its own line."""
    path = tmp_path / "j.jsonl"
    path.write_text('{"run": {"seed": 1}, "metrics": {"a": 1.0}}\n{"run"')
    Journal(path).add({"seed": 2}, {"a": 2.0})

    assert {"a": 1.0} == Journal(path).get({"seed": 1})
    assert {"a": 2.0} == Journal(path).get({"seed": 2})
    assert 3 == len(path.read_text().splitlines())
    assert json.loads(path.read_text().splitlines()[-1])["metrics"] == {"a": 2.0}
