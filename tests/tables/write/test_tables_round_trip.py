"""Writing and reading back, bounding, and the check."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer import Typer
from typer.testing import CliRunner

from seqveil.cli.check import check
from seqveil.errors import CallError
from seqveil.sources import read_sequences
from seqveil.surface import command_line, speaking
from seqveil.tables.bound import bound_records
from seqveil.tables.characters import refused_in_label
from seqveil.tables.domain import Domain, spmf_problem
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.write import write_sequences

ENDINGS = [".txt", ".seq", ".dat", ".spmf", ".csv", ".tsv", ".parquet", ".jsonl", ".xes"]
EVENTS = {"item": "item", "user": "sequence", "time": "position"}
LABEL = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1, max_size=4)
LABEL = st.one_of(LABEL, st.sampled_from(['"', '""', ",", "'", "&", "<", "a b", 'a"b', "\\", "[", "\u2028", "\x85b"]))
DOMAINS = st.one_of(
    st.just(Domain.range(1, 9)),
    st.lists(LABEL.filter(lambda s: refused_in_label(s) is None and s == s.strip()), unique=True, min_size=1).map(Domain.of),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples."""
    return tmp_path_factory.mktemp("written")


@pytest.mark.parametrize("ending", ENDINGS)
@given(data=st.data(), domain=DOMAINS, packed=st.booleans())
@settings(max_examples=40, deadline=None)
def test_what_was_written_is_read_back(folder, ending, data, domain, packed):
    """Every format, any labels: the same sequences come back, without the empty ones."""
    code = st.integers(0, len(domain) - 1)
    flat = Flat.of(data.draw(st.lists(st.lists(code, max_size=5), max_size=8)))
    path = folder / f"x{ending}{'.gz' if packed and ending != '.parquet' else ''}"
    if ending in (".spmf", ".dat") and (domain.has_blanks or (ending == ".spmf" and spmf_problem(domain))):
        with pytest.raises(CallError, match=r"but (a label of )?the domain has"):
            write_sequences(path, domain, flat, raw_cells=True)
        return
    write_sequences(path, domain, flat, raw_cells=True)

    table = read_sequences(path, domain=domain, **(EVENTS if ending in (".csv", ".tsv") else {}))

    assert [s.tolist() for s in flat if len(s)] == [s.tolist() for s in table.flat]


def test_an_event_log_as_people_see_it(tmp_path):
    """The columns and their names."""
    path = write_sequences(tmp_path / "x.csv", Domain.of(["West, Ham", "b"]), Flat.of([[0, 1], [1]]))

    rows = [line.rpartition(",") for line in path.read_text().splitlines()]

    assert ["sequence,position,item", '1,1,"West, Ham"', "1,2,b", "2,1,b"] == [row[0] for row in rows]
    assert ["timestamp", *(f"2000-01-01T00:0{minute}:00+00:00" for minute in (0, 1, 0))] == [row[2] for row in rows]


def test_numbers_go_on_across_parts(tmp_path, monkeypatch):
    """Sequences of later parts are not numbered from 1 again."""
    monkeypatch.setattr("seqveil.tables.write.lines._RECORDS", 2)
    path = write_sequences(tmp_path / "x.csv", Domain.of(["a"]), Flat.of([[0]] * 5))

    assert ["1", "2", "3", "4", "5"] == [line.split(",")[0] for line in path.read_text().splitlines()[1:]]


def test_equal_records_give_equal_archives(tmp_path):
    """No clock and no name inside, so digests can be compared."""
    flat, domain = Flat.of([[0, 1]]), Domain.of(["a", "b"])
    one = write_sequences(tmp_path / "x.txt.gz", domain, flat).read_bytes()
    two = write_sequences(tmp_path / "y.txt.gz", domain, flat).read_bytes()

    assert b"a b\n" == gzip.decompress(one)
    assert one == two


@pytest.mark.parametrize("name", ["x.doc", "x.parquet.gz", "x"])
def test_an_unknown_ending_is_refused_before_a_file_is_made(tmp_path, name):
    """With the endings that are known."""
    with pytest.raises(CallError, match=r"use one of \.txt, \.seq"):
        write_sequences(tmp_path / name, Domain.of(["a"]), Flat.of([[0]]))

    assert not (tmp_path / name).exists()


KEY = np.array([1, 2], np.uint64)


def owned(sizes):
    """A table whose user u owns sizes[u] sequences, interleaved."""
    users = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    return SequenceTable(Domain.range(0, 999), Flat.of([[i] for i in range(len(users))]), users)


def test_at_most_m_sequences_of_each_user_are_kept():
    """As many as there are up to m, in file order, each with its own user."""
    table = owned([5, 1, 0, 3])
    kept = bound_records(table, 2, KEY)

    assert {0: 2, 1: 1, 3: 2} == {u: kept.users.tolist().count(u) for u in set(kept.users.tolist())}
    assert sorted(kept.flat.items.tolist()) == kept.flat.items.tolist()
    assert table.users[kept.flat.items].tolist() == kept.users.tolist()


def test_another_users_sequences_do_not_change_the_choice():
    """With the same secret, the same sequences of mine are kept."""
    table = owned([4, 7])
    mine = table.users == 0
    alone = SequenceTable(table.domain, table.flat.take(mine), table.users[mine])
    both = bound_records(table, 2, KEY)

    assert bound_records(alone, 2, KEY).flat.items.tolist() == both.flat.items[both.users == 0].tolist()


def test_without_users_or_sequences_nothing_is_bounded():
    """Every record stands for itself; an empty table stays empty."""
    table = SequenceTable(Domain.of(["a"]), Flat.of([[0], [0]]))
    empty = SequenceTable(Domain.of(["a"]), Flat.of([]), np.zeros(0, np.int64))

    assert table is bound_records(table, 1, KEY)
    assert 0 == len(bound_records(empty, 1, KEY).flat)


@pytest.fixture
def log(tmp_path):
    """A small event log with one of every defect."""
    rows = ["u,1,a", "u,2,b", "u,3,zebra", "u,200,a", "v,1,zebra", "w,soon,a", ",1,a", "w,2,", 'w,3,"a', "w,4,b"]
    path = tmp_path / "log.csv"
    path.write_text("who,when,what\n" + "\n".join(rows) + "\n")
    return path


def run(*words):
    """The command as typed."""
    app = Typer()
    app.command("check")(check)
    with speaking(command_line):
        return CliRunner().invoke(app, [str(word) for word in words])


COLUMNS = ["--user", "who", "--time", "when", "--item", "what"]


def test_check_counts_every_loss(log):
    """Each row is counted under its first defect, and the numbers add up."""
    result = run(log, "--domain", "a,b,c", *COLUMNS, "--session", "gap:1m", "--l-max", 1, "--max-sequences", 1, "--json")
    facts = json.loads(result.stdout)

    assert 0 == result.exit_code
    assert {"read": 9, "broken": 1} == facts["rows"]
    assert {"read": 8, "kept": 4, "outside_domain": 2, "examples_outside": ["zebra"]} == facts["items"]
    dropped = {"no_user": 1, "no_session": 0, "unreadable_time": 1, "no_item": 1, "outside_time_bins": 0, "beyond_max_events": 0}
    dropped |= {"journey_outside_domain": 0}
    assert dropped == facts["dropped_events"]
    assert {"seen": 3, "kept": 2, "left_empty": 1} == facts["users"]
    assert {"kept": 3, "left_empty": None} == facts["sequences"]
    assert {"labels": 3, "never_seen": 1} == facts["domain"]
    assert {"value": 1, "longer_sequences": 1, "items_cut": 1} == facts["l_max"]
    assert {"value": 1, "users_above": 1, "sequences_left_out": 1} == facts["max_sequences"]
    assert {"min": 1, "25%": 1, "50%": 1, "75%": 2, "90%": 2, "95%": 2, "99%": 2, "max": 2} == facts["lengths"]
    assert 2 == facts["sequences_per_user"]["max"]
    assert facts["internal"]


def test_check_says_internal_first(log):
    """The banner, the format, and what is outside go to the holder's terminal."""
    result = run(log, "--domain", "a,b,c", *COLUMNS)

    assert result.stderr.startswith("INTERNAL")
    assert "Read as event log, comma-separated (csv)." in result.stderr
    assert "Examples of items outside the domain: 'zebra'" in result.stderr
    assert "items outside the domain, dropped\t2\t25.0%" in result.stdout


def test_check_says_what_to_do_about_unreadable_times(tmp_path):
    """The option is named, with an example; readable times cause no remark, and no empty table of quantiles is shown."""
    file = tmp_path / "log.csv"
    file.write_text("u,t,i\nann,01/03/2026 08:00,a\n")
    call = (file, "--domain", "a,b", "--user", "u", "--time", "t", "--item", "i")
    unreadable, readable = run(*call), run(*call, "--time-format", "%d/%m/%Y %H:%M")

    assert "--time-format '%d/%m/%Y %H:%M'" in unreadable.stderr
    assert "quantiles of" not in unreadable.stdout
    assert "--time-format" not in readable.stderr
    assert "quantiles of" in readable.stdout


def test_check_warns_when_nothing_is_left(log):
    """A mistyped domain is seen before anything is published."""
    result = run(log, "--domain", "x,y", *COLUMNS)

    assert "No sequences are left to publish: check the columns, and whether the labels are those of the data." in result.stderr


def test_check_of_lines_counts_records_left_empty(tmp_path):
    """Two lines of four have nothing left."""
    path = tmp_path / "x.txt"
    path.write_text("a b\n\nzebra\nb\n")
    facts = json.loads(run(path, "--domain", "a,b", "--json").stdout)

    assert {"kept": 2, "left_empty": 2} == facts["sequences"]
    assert None is facts["users"]
