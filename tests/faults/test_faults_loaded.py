"""After preparation a run loads nothing: no module is imported and no kernel is compiled or loaded once ε is spent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from processes import run

pytestmark = pytest.mark.slow

BEFORE = """
import gc, os, sys
from seqveil.cli.arrow import ArrowAlone
sys.meta_path.insert(0, ArrowAlone())  # as in the process of a command
from seqveil.cli.app import main
from seqveil.wall.ledger import spend
from seqveil.release.release import Release
from numba.core.dispatcher import Dispatcher
from seqveil.wall.noise import digits
"""
"""What the watching itself loads before it first looks: no run can load it late, so it may be there when a process is forked."""

WATCH = (
    BEFORE
    + """

def loaded():
    kernels = {(d.py_func.__module__, d.py_func.__qualname__, str(s)) for d in gc.get_objects() if isinstance(d, Dispatcher)
               for s in d.overloads}
    return set(sys.modules), kernels

begin, commit, before = spend.Spend.begin, spend.Spend.commit, []
def begun(*given):
    before.append(loaded())
    if sys.argv[1] != "stream":  # which draws 1,024 at a time
        digits.FEW = -1  # from here on as where there are many draws
    return begin(*given)
def committed(*given):
    after = loaded()
    for new in (after[0] - before[0][0], after[1] - before[0][1]):
        # Generated modules of named tuples and the like have no file to be read.
        os.write(1, f"LATE {sorted(map(str, new))}\\n".encode())  # past sys.stdout, which a bar takes over
    return commit(*given)
spend.Spend.begin, spend.Spend.commit = begun, committed
sys.argv = ["seqveil", *sys.argv[1:]]
main()
"""
)

EVENTS = ("--user", "who", "--time", "when", "--item", "what")
SEQUENCES = ("--domain", "a,b,c")
NGRAM = (*SEQUENCES, "--method", "ngram")
CALLS = {
    "record-model": ("publish", "people.seq", *SEQUENCES, "--l-max", "4", "--n-max", "3"),
    "record-model, auto": ("publish", "people.csv.gz", *EVENTS, *SEQUENCES, "--l-max", "auto", "--max-events", "5"),
    "ngram": ("publish", "people.seq", *NGRAM, "--l-max", "4", "--n-max", "3"),
    "ngram of events": ("publish", "people.csv", *EVENTS, *NGRAM, "--session", "gap:5s", "--timezone", "Europe/Paris"),
    "ngram, auto": ("publish", "people.csv.gz", *EVENTS, *NGRAM, "--l-max", "auto", "--max-events", "5"),
    "ngram of Parquet": ("publish", "people.parquet", *EVENTS, *NGRAM, "--session", "day"),
    "ngram of JSON": ("publish", "people.jsonl", *EVENTS, *NGRAM),
    "ngram of XES": ("publish", "people.xes", *NGRAM, "--outside", "other"),
    "prefix": ("publish", "people.seq", *SEQUENCES, "--method", "prefix", "--h", "3"),
    "prefix-hybrid": ("publish", "people.spmf", *SEQUENCES, "--method", "prefix-hybrid", "--h", "3", "--fan-out", "2"),
    "diffpart": ("publish", "people.seq", *SEQUENCES, "--method", "diffpart"),
    "relational": ("publish", "rows.csv", "--domain", "sex=f,sex=m,old=1", "--method", "diffpart", "--kind", "relational"),
    "itemset-noise": ("publish", "people.csv", *EVENTS, *SEQUENCES, "--method", "itemset-noise"),
    "der": ("publish", "graph.csv", "--domain", "1..40", "--method", "der", "--order-is-public"),
    "graph-degrees": ("publish", "graph.graphml", "--domain", "1..40", "--method", "graph-degrees", "--order-is-public"),
    "graph-laplace": ("publish", "graph.csv", "--domain", "1..40", "--method", "graph-laplace", "--order-is-public"),
    "graph-random": ("publish", "graph.edges", "--domain", "1..40", "--method", "graph-random", "--order-is-public"),
    "ffs": ("mine", "people.seq", *SEQUENCES, "--method", "ffs", "--longest", "2", "--top", "3"),
    "prefix-miner": ("mine", "people.seq", *SEQUENCES, "--method", "prefix-miner", "--top", "3"),
    "two-phase": ("mine", "people.csv", *EVENTS, *SEQUENCES, "--method", "two-phase", "--top", "3", "--max-sequences", "2"),
    "two-phase, sample": (
        *("mine", "people.seq", *SEQUENCES, "--method", "two-phase", "--top", "3"),
        *("--sample", "people.seq", "--sample-public-because", "x"),
    ),
    "pfs2": ("mine", "people.seq", *SEQUENCES, "--method", "pfs2", "--top", "3"),
    "itemsets": ("mine", "people.seq", *SEQUENCES, "--method", "itemsets", "--top", "3"),
    "link base": ("link", "base", "names.csv", "--column", "name", "--user", "who"),
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small file of every format."""
    import gzip
    import json

    import polars as pl

    folder = tmp_path_factory.mktemp("files")
    lines = ["a b c", "b c", "a a"] * 60
    (folder / "people.seq").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "people.spmf").write_text("".join(f"{line.replace(' ', ' -1 ')} -1 -2\n" for line in lines), encoding="utf-8")
    rows = [{"who": f"u{k % 50}", "when": 600 - k, "what": "abc"[k % 3]} for k in range(300)]
    frame = pl.DataFrame(rows)
    frame.write_csv(folder / "people.csv")
    frame.write_parquet(folder / "people.parquet")
    (folder / "people.csv.gz").write_bytes(gzip.compress((folder / "people.csv").read_bytes()))
    (folder / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    traces = "".join(
        f'<trace>{"".join(f"""<event><string key="concept:name" value="{item}"/></event>""" for item in line.split())}</trace>'
        for line in lines
    )
    (folder / "people.xes").write_text(f"<log>{traces}</log>", encoding="utf-8")
    pl.DataFrame({"sex": ["f", "m"] * 50, "old": ["1", "0"] * 50}).write_csv(folder / "rows.csv")
    edges = [(k, k % 7 + 8) for k in range(1, 40)] + [(k, k + 1) for k in range(1, 40)]
    (folder / "graph.csv").write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in edges), encoding="utf-8")
    (folder / "graph.edges").write_text("".join(f"{a} {b}\n" for a, b in edges), encoding="utf-8")
    xml = "".join(f'<edge source="{a}" target="{b}"/>' for a, b in edges)
    (folder / "graph.graphml").write_text(f'<graphml><graph edgedefault="undirected">{xml}</graph></graphml>', encoding="utf-8")
    names = [{"name": name, "who": str(k % 40)} for k, name in enumerate(["Anna", "Hannah", "Bob", "王"] * 40)]
    pl.DataFrame(names).write_csv(folder / "names.csv")
    return folder


def test_a_forked_process_has_loaded_no_more_than_a_started_one() -> None:
    """Otherwise a module could be loaded late, and nobody would see it."""
    call = [sys.executable, "-c", f"{BEFORE}\nprint(sorted(sys.modules))"]
    started = subprocess.run(call, capture_output=True, text=True, check=True)

    assert started.stdout == run(call, loads=BEFORE, text=True).stdout


@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_loaded_after_the_budget_is_spent(call: str, place: Path, tmp_path: Path) -> None:
    """Every method and every format, each in a process of its own."""
    words = (*CALLS[call], "--epsilon", "2", "--public-because", "x", "--out", tmp_path / "out")
    ran = run(
        [sys.executable, "-c", WATCH, *words],
        loads=BEFORE,
        cwd=place,
        env={"SEQVEIL_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": ""},
        text=True,
        timeout=300,  # on a fresh machine the kernels of a method are compiled first
    )

    assert 0 == ran.returncode, ran.stderr
    assert "LATE []\nLATE []\n" == ran.stdout


STREAMS = {
    "lis": ("lis", "--method", "binary", "--window", "3"),
    "count": ("count", "--where", ">= 2"),
    "sum": ("sum", "--lower", "0", "--upper", "5", "--method", "checkpoints", "--checkpoints", "2"),
}


@pytest.mark.parametrize("state", [False, True])
@pytest.mark.parametrize("statistic", STREAMS)
def test_a_stream_loads_nothing_after_it_was_charged(statistic: str, state: bool, tmp_path: Path) -> None:
    """Up to its last answer: a stream is charged when it is opened."""
    (tmp_path / "events.txt").write_text("1\n3\n2\noops\n5\n", encoding="utf-8")
    watch = WATCH.replace("return commit(*given)", "return None").replace(
        "spend.Spend.begin, spend.Spend.commit = begun, committed", "spend.Spend.begin = begun"
    )
    python = watch.replace("main()\n", "try:\n    main()\nfinally:\n    committed()\n")
    words = (*STREAMS[statistic], "--length", "5", "--epsilon", "1", "--account", "meter", *(("--state", "s") if state else ()))
    ran = run(
        [sys.executable, "-c", python, "stream", words[0], "events.txt", *words[1:]],
        loads=BEFORE,
        cwd=tmp_path,
        env={"SEQVEIL_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": ""},
        text=True,
        timeout=300,
    )

    assert 0 == ran.returncode, ran.stderr
    assert "LATE []\nLATE []\n" in ran.stdout


TERMINAL = """
import os, select, sys, threading
master, slave = os.openpty()
os.dup2(slave, 2)
os.close(slave)
sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
assert sys.stderr.isatty()
gone = threading.Event()
def watch():
    while not gone.is_set():
        if select.select([master], [], [], 0.01)[0]:
            os.read(master, 1 << 16)
    os.close(master)
watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
"""


@pytest.mark.parametrize("gone", [False, True])
def test_a_terminal_changes_nothing(gone: bool, place: Path, tmp_path: Path) -> None:
    """The bar loads nothing late either; and where the terminal goes away in the middle, the release is made all the same."""
    python = TERMINAL + WATCH.replace(
        "before.append(loaded())", f"before.append(loaded()); {'gone.set(); watcher.join()' if gone else ''}"
    )
    words = (*CALLS["ngram"], "--epsilon", "2", "--public-because", "x", "--out", tmp_path / "out")
    ran = subprocess.run(
        [sys.executable, "-c", python, *words],
        cwd=place,
        env={"SEQVEIL_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": "", "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )

    assert ran.returncode in ((0, 120) if gone else (0,))  # 120 is Python's: at its end it could not flush stderr
    assert "LATE []\nLATE []\n" == ran.stdout
    assert (tmp_path / "out").is_dir()
