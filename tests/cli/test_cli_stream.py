"""`seqveil stream`: in a pipe, from files, and what it says when something is wrong."""

import gzip
import json
import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-c", "from seqveil.cli.app import main; main()"]
DECLARED = ("--length", 10, "--epsilon", 1, "--account", "meter")


@pytest.fixture
def typed(seqveil, monkeypatch, tmp_path):
    """Runs `seqveil stream` in this process with text on its standard input, a home of its own, and this folder."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments, text=""):
        source = tmp_path / "stdin"
        source.write_text(text)
        before, fake = os.dup(0), os.open(source, os.O_RDONLY)
        os.dup2(fake, 0)
        try:
            return seqveil("stream", *arguments)
        finally:
            os.dup2(before, 0)
            os.close(before)
            os.close(fake)

    return run


def rows(ran):
    """Position and answer of each line; its error bar holds the answer."""
    parsed = [tuple(map(float, line.split("\t"))) for line in ran.out.splitlines()]
    assert all(low <= value <= high for _, value, low, high in parsed)
    return [(position, value) for position, value, _, _ in parsed]


def test_one_line_in_one_line_out(typed):
    """Position and answer, null lines and text included; the promise goes to stderr."""
    ran = typed("lis", *DECLARED, text="3\n4\noops\n\n1")

    assert (0, [1, 2, 3, 4, 5]) == (ran.code, [int(position) for position, _ in rows(ran)])
    assert "ε = 1.0 for every event of at most 10 (replace one event by another at the same position)" in ran.err
    assert "oops" not in ran.err + ran.out


@pytest.mark.slow
def test_answers_come_while_the_pipe_is_open(tmp_path):
    """Each answer is there before the next event is written; when the reader leaves, it ends without a word."""
    environment = {**os.environ, "SEQVEIL_HOME": str(tmp_path)}
    call = [*COMMAND, "stream", "count", "--where", "> 2", *map(str, DECLARED)]
    process = subprocess.Popen(
        call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    for i in range(1, 4):
        process.stdin.write(f"{i}\n")
        process.stdin.flush()
        assert str(i) == process.stdout.readline().split("\t")[0]
    process.stdout.close()
    process.stdin.write("5\n")
    process.stdin.close()
    errors = process.stderr.read()
    process.stderr.close()

    assert 0 == process.wait(timeout=120)
    assert "internal error" not in errors


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("log.csv", 'when,watts\n1,30\n2,"4,5"\n3,\n4,20\n', ("--column", "watts")),
        ("log.tsv", "when\twatts\n1\t30\n2\tx\n3\n4\t20\n", ("--column", "watts")),
        ("log.txt", "1;30\n2;x\n3\n4;20\n", ("--format", "csv", "--delimiter", ";", "--no-header", "--column", "2")),
        ("log.jsonl", '{"watts": 30}\n{"watts": [1]}\n{broken\n{"watts": "20"}\n', ("--column", "watts")),
        ("log", "30\nx\n\n20\n", ()),
        ("log.txt.gz", "30\nx\n\n20\n", ()),
    ],
)
def test_every_format_tells_the_same_story(typed, tmp_path, name, content, options):
    """Four places, two usable values: the sum is 50 with a budget so large that there is no noise to speak of."""
    data = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    ran = typed("sum", name, "--lower", 0, "--upper", 100, "--length", 9, "--epsilon", 900000, "--seed", 1, *options)

    assert [(1, 30), (2, 30), (3, 30), (4, 50)] == rows(ran)


def test_every_line_has_its_error_bar(typed):
    """Position, answer, low, high: one draw of scale 1 is within 3 with 95 %, and no count is below 0 or above the position."""
    ran = typed("count", "--where", "> 0", *DECLARED, text="1\n" * 9)
    lines = [list(map(int, line.split("\t"))) for line in ran.out.splitlines()]

    assert [4] * 9 == [len(line) for line in lines]
    assert all(0 <= low <= value <= high <= position for position, value, low, high in lines)
    assert any(high - low >= 3 for _, _, low, high in lines)
    assert "Columns: position, answer, and the ends of its error bar, which covers the noise with probability 95 %" in ran.err


def test_a_stream_may_have_no_declared_length(typed, seqveil):
    """Counts, sums and windows; the promise, inspect and a restart say so."""
    first = typed("count", "--where", "> 0", "--epsilon", 1, "--account", "meter", "--state", "s", text="1\n2\n3\n")
    again = typed("count", "--state", "s", "--reprint", text="4\n")
    window = typed("lis", "--window", 5, "--epsilon", 1, "--account", "meter", text="1\n2\n")

    assert [1, 2, 3, 4] == [position for position, _ in rows(again)]
    assert "for every event, of any number of events" in first.err
    assert "resuming after event 3; nothing more is charged" in again.err
    assert "Progress   4 events" in seqveil("inspect", "s").out
    assert 2 == len(rows(window))


def test_counts_per_label(typed, tmp_path):
    """One line per label, after every few events; JSON lines name the label; a file may hold the labels."""
    quiet = ("--epsilon", 900000, "--seed", 1, "--every", 2)
    (tmp_path / "labels").write_text("home\nwork\n")
    plain = typed("count", "--by", "home,work", *quiet, text="home\nwork\nshop\nhome\nhome\n")
    listed = typed("count", "--by", "@labels", *quiet, "--json", text="home\nwork\n")

    assert "2\thome\t1\t1\t1\n2\twork\t1\t1\t1\n4\thome\t2\t2\t2\n4\twork\t1\t1\t1\n" == plain.out
    assert [("home", 1), ("work", 1)] == [(one["label"], one["value"]) for one in map(json.loads, listed.out.splitlines())]


def test_a_bound_per_user_and_day(typed, tmp_path, seqveil):
    """Two events of ann's Monday count; after a restart they still do, and a pipe that goes on is refused."""
    head, day = "card,time,open\n", "ann,2026-11-16T08:00,1\n"
    (tmp_path / "log.csv").write_text(head + day * 3 + "bob,2026-11-16,1\nann,2026-11-17 09:00,1\n")
    unit = ("--user", "card", "--day", "time", "--column", "open")
    asked = ("count", "log.csv", "--where", "= 1", "--length", 9, *unit)
    quiet = typed(*asked, "--max-per-day", 2, "--epsilon", 900000, "--seed", 1)
    ran = typed(*asked, "--max-per-day", 2, "--epsilon", 1, "--account", "meter", "--state", "s")
    (tmp_path / "log.csv").write_text(head + day * 3 + "bob,2026-11-16,1\nann,2026-11-17 09:00,1\n" + day)
    resumed = typed("count", "log.csv", "--state", "s", *unit)
    pipe = typed("count", "-", "--state", "s", *unit, "--format", "csv", text=head + day)

    assert [1, 2, 2, 3, 4] == [value for _, value in rows(quiet)]
    assert "for every user on every day (at most 2 of their events of a day are used)" in ran.err
    assert "every user on every day" in seqveil("inspect", "s").out
    assert "one user on one day" in json.loads(seqveil("inspect", "s", "--json").out)["neighbours"]
    assert [6] == [position for position, _ in rows(resumed)]
    assert (2, True) == (pipe.code, "--from-start" in pipe.err)


def test_a_run_of_events_has_its_noise(typed):
    """Any 24 consecutive events: 24 times the scale."""
    asked = ("count", "--where", "> 0", "--length", 1000, "--epsilon", 1, "--dry-run", "--json")
    one, day = (json.loads(typed(*asked, *more).out) for more in ((), ("--consecutive", 24)))

    assert (3.0, 72.0, 24) == (one["scale"], day["scale"], day["consecutive"])


@pytest.mark.slow
def test_counting_begins_without_compilers_and_frames(tmp_path):
    """What takes half a second to load is not loaded: Numba, PyArrow, SciPy, Polars."""
    events = tmp_path / "events"
    events.write_text("1\n")
    call = ["seqveil", "stream", "count", str(events), "--where", "> 0", "--epsilon", "1", "--length", "100", "--account", "a"]
    code = f"""
import sys
sys.argv = {call!r}
from seqveil.cli.app import main
try:
    main()
finally:
    print("loaded", sorted({{"numba", "pyarrow", "scipy", "polars", "opendp"}} & set(sys.modules)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "SEQVEIL_HOME": str(tmp_path)},
        check=False,
    )

    assert "loaded []" in ran.stdout, ran.stderr


def test_json_lines(typed):
    """One object per answer, with the unclamped value and the noise's 95 % bound."""
    ran = typed("sum", "--lower", 0, "--upper", 2, "--resolution", "0.5", *DECLARED, "--json", text="1\n2\n")
    answers = [json.loads(line) for line in ran.out.splitlines()]

    assert [1, 2] == [answer["position"] for answer in answers]
    assert {"position", "value", "noisy", "within"} == set(answers[0])
    assert 0 <= answers[0]["value"] <= 2
    assert 6 == answers[0]["within"]  # one draw of scale 4 steps of 0.5


def test_a_restart_skips_what_a_file_had_and_continues_a_pipe(typed, tmp_path):
    """Files begin again with their first event, pipes do not; --reprint shows the same answers; one charge in all."""
    (tmp_path / "log").write_text("1\n2\n3\n")
    first = typed("lis", "log", *DECLARED, "--state", "s")
    (tmp_path / "log").write_text("1\n2\n3\n4\n5\n")
    second = typed("lis", "log", "--state", "s")
    third = typed("lis", "--state", "s", "--reprint", text="6\n")

    assert [[1, 2, 3], [4, 5], [1, 2, 3, 4, 5, 6]] == [[p for p, _ in rows(ran)] for ran in (first, second, third)]
    assert (first.out + second.out).splitlines() == third.out.splitlines()[:5]
    assert "resuming after event 3 of 10; nothing more is charged" in second.err


def test_a_pipe_with_a_name_is_read_once(typed, tmp_path):
    """A FIFO, as in `seqveil stream … <(command)`: no byte of it is lost to checks, and - is standard input."""
    os.mkfifo(tmp_path / "pipe")
    writer = subprocess.Popen(["sh", "-c", "printf '1\\n2\\n3\\n' > pipe"])
    named = typed("count", "pipe", "--where", "> 0", "--length", 9, "--epsilon", 900000, "--seed", 1)
    writer.wait(timeout=120)
    dash = typed("count", "-", "--where", "> 0", "--length", 9, "--epsilon", 900000, "--seed", 1, text="1\n2\n3\n")

    assert [(1, 1), (2, 2), (3, 3)] == rows(named) == rows(dash)


def test_a_file_that_was_cut_short_is_noticed(typed, tmp_path):
    """Fewer events than were answered already: a hint, and --continued takes them as new."""
    (tmp_path / "log").write_text("1\n2\n3\n")
    typed("lis", "log", *DECLARED, "--state", "s")
    (tmp_path / "log").write_text("4\n")
    short, new = typed("lis", "log", "--state", "s"), typed("lis", "log", "--state", "s", "--continued")

    assert (True, "") == ("add --continued" in short.err, short.out)
    assert [4] == [position for position, _ in rows(new)]


def test_inspect_tells_the_promise_and_how_far_it_is(typed, seqveil):
    """In words and as JSON, nothing raw; a broken file is an error and stays as it is."""
    typed("count", "--where", "= 77123", *DECLARED, "--state", "s", text="77123\n1\n88456\n")
    words, facts = seqveil("inspect", "s"), json.loads(seqveil("inspect", "s", "--json").out)

    for part in ("ε = 1.0 for every event", "once, to account meter", "3 of 10 events", "scale 1", "replace one event"):
        assert part in words.out
    assert "INTERNAL" in words.err
    assert (3, 0, 10, True) == (facts["position"], facts["closed"], facts["parameters"]["length"], facts["private"])
    assert "88456" not in words.out + words.err
    with open("s", "r+b") as file:
        file.truncate(5000)
    broken = seqveil("inspect", "s")
    assert (1, True) == (broken.code, "damaged" in broken.err)


@pytest.mark.parametrize(
    ("call", "code", "complaint"),
    [
        (("lis", "--epsilon", 1, "--account", "a"), 2, "missing required parameters: --length, for example --length 100000"),
        (("lis", "--length", 5, "--account", "a"), 2, "--epsilon is missing"),
        (("lis", "--length", 5, "--epsilon", 1), 2, "--account is missing"),
        (("count", *DECLARED), 2, "needs --where"),
        (("count", *DECLARED, "--where", "soon"), 2, "write a comparison"),
        (("count", *DECLARED, "--where", "> 0", "--by", "a,b"), 2, "--where with --by"),
        (("count", *DECLARED, "--by", "a,,b"), 2, "labels are printable text that is not empty"),
        (("count", *DECLARED, "--by", "1,1.0"), 2, "two labels are the same"),
        (("count", *DECLARED, "--by", "@nowhere"), 2, "give a file with one label per line"),
        (("count", *DECLARED, "--by", "a,b", "--window", 3), 2, "counts per label have no --window yet"),
        (("count", *DECLARED, "--where", "> 0", "--overlap", 9), 2, "give fewer, or leave it out"),
        (("count", *DECLARED, "--where", "> 0", "--every", 11), 2, "there would be no answer"),
        (("count", *DECLARED, "--where", "> 0", "--window", 3, "--every", 2), 2, "for blocks without --window"),
        (("count", *DECLARED, "--where", "> 0", "--arity", 3), 2, "for blocks with --window"),
        (("count", *DECLARED, "--where", "> 0", "--max-per-day", 3), 2, "belong together"),
        (("count", *DECLARED, "--where", "> 0", "--user", "u", "--day", "d"), 2, "belong together"),
        (("lis", *DECLARED, "--method", "blocks"), 2, "work for counts and sums only"),
        (("lis", *DECLARED, "--consecutive", 2, "--max-per-day", 3, "--user", "u", "--day", "d"), 2, "one unit of privacy"),
        (("sum", *DECLARED), 2, "missing required parameters: --lower, --upper, for example --lower 0, --upper 10"),
        (("sum", *DECLARED, "--lower", 1, "--upper", 0), 2, "--upper 0"),
        (("matches", *DECLARED), 2, "missing required parameters: --pattern, for example --pattern 'open fail fail'"),
        (("matches", *DECLARED, "--pattern", "a b", "--edits", 2), 2, "--edits 2: give a whole number from 0 to 1"),
        (("bursts", *DECLARED, "--where", "> 0", "--within", 3), 2, "--at-least 5"),
        (("bursts", *DECLARED, "--at-least", 2, "--within", 3), 2, "needs --where"),
        (("bursts", *DECLARED, "--where", "> 0", "--at-least", 9, "--within", 9), 2, "Give at least --length 16"),
        (("lis", *DECLARED, "--between", "up"), 2, "--between 'up': choose one of hold, root, linear"),
        (("lis", *DECLARED, "--method", "hierarchy", "--buckets", 4), 2, "guarantee is false"),
        (("count", *DECLARED, "--where", "> 1", "--method", "hierarchy"), 2, "works for lis only"),
        (("lis", *DECLARED, "--column", "watts", "--format", "lines"), 2, "--column does not apply to plain lines"),
        (("lis", "nowhere.csv", *DECLARED), 2, "2 problems"),
        (("lis", *DECLARED, "--format", "csv", "--column", "watts"), 2, "--column 'watts' is not in line 1, the header"),
        (("lis", *DECLARED, "--seed", 1, "--state", "s"), 2, "an experiment keeps no state"),
        (("lis", *DECLARED, "--state", "no/such/folder/s"), 2, "cannot be written"),
        (("lis", "--length", 10**12, "--epsilon", "0.0001", "--account", "a", "--method", "baseline"), 2, "scale"),
    ],
)
def test_wrong_calls_say_what_to_type_and_charge_nothing(typed, seqveil, call, code, complaint):
    """Exit code 2 and a sentence; the ledger has no spend."""
    ran = typed(*call, text="a,b\n1,2\n")

    assert (code, "") == (ran.code, ran.out)
    assert complaint in ran.err
    assert "meter" not in seqveil("ledger", "show").out or "0.0" in seqveil("ledger", "show").out


def test_events_beyond_the_length_are_refused(typed):
    """What fits is answered, then exit code 1 and what to do."""
    ran = typed("lis", *DECLARED, text="1\n" * 12)

    assert (1, 10) == (ran.code, len(ran.out.splitlines()))
    assert "declared with --length 10" in ran.err


def test_the_cap_refuses_a_second_stream(typed, seqveil):
    """Exit code 3, nothing printed, no state left behind."""
    typed("lis", *DECLARED, text="")
    seqveil("ledger", "cap", "meter", "1.5")
    ran = typed("lis", *DECLARED, "--state", "s", text="1\n")

    assert (3, "", False) == (ran.code, ran.out, os.path.exists("s"))


def test_experiments_say_so_and_repeat_themselves(typed):
    """Red letters on stderr, the same answers, no ledger."""
    one, two = (typed("lis", "--length", 9, "--epsilon", 1, "--seed", 7, text="1\n2\n") for _ in range(2))

    assert one.out == two.out
    assert "EXPERIMENT - NOT PRIVATE" in one.err
    assert not os.path.exists("home/ledger")


def test_the_plan_reads_and_spends_nothing(typed):
    """--dry-run tells scale and error; T = 1000 needs ten levels, of which three are too short for five alarms."""
    asked = ("--length", 1000, "--epsilon", 2, "--dry-run", "--json")
    bursts = ("bursts", "--where", "> 0", "--at-least", 5, "--within", 9)
    blocks, short, trend = (
        json.loads(typed(*words, *asked).out) for words in (("lis", "nowhere.csv", "--method", "binary"), bursts, ("lis",))
    )

    assert (5.0, 10) == (blocks["scale"], blocks["draws"])
    assert (3.5, 7) == (short["scale"], short["draws"])
    assert (4.0, 1, 8) == (trend["scale"], trend["draws"], trend["checkpoints"])  # √(2√1000) checkpoints
    assert not os.path.exists("home/ledger")


def test_matches_and_bursts(typed):
    """Labels from a pipe; with a budget so large that there is no noise to speak of."""
    quiet = ("--length", 9, "--epsilon", 900000, "--seed", 1, "--method", "baseline")
    doors = typed("matches", "--pattern", "open fail fail", *quiet, text="open\nfail\nfail\nopen\n\n")
    close = typed("matches", "--pattern", "open fail fail", "--edits", 1, *quiet, text="open\nfail\nx\n")
    alarms = typed("bursts", "--where", "= fail", "--at-least", 2, "--within", 2, *quiet, text="fail\nfail\nfail\n")

    assert [[0, 0, 1, 1, 1], [0, 1, 1], [0, 1, 1]] == [[value for _, value in rows(ran)] for ran in (doors, close, alarms)]


def test_a_state_cut_in_half_is_refused_and_kept(typed):
    """A clear error, exit code 1, and the bytes as they were."""
    typed("lis", *DECLARED, "--state", "s", text="1\n2\n3\n")
    with open("s", "rb") as file:
        half = file.read()[: os.path.getsize("s") - 30]
    with open("s", "wb") as file:
        file.write(half)
    ran = typed("lis", "--state", "s", text="4\n")

    assert (1, "") == (ran.code, ran.out)
    assert "No answer was given and the file was not changed" in ran.err
    with open("s", "rb") as file:
        assert half == file.read()
