"""Nothing that comes from somebody else gives orders to a terminal: whatever is printed is escaped, in one file."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import sys
import tty
import unicodedata
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest

from processes import run
from sealing import sealed
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.graphs import GraphRelease
from seqveil.release.patterns import PatternRelease
from seqveil.release.patterns.table import PatternTable
from seqveil.release.prefixes import PrefixRelease
from seqveil.release.sets import SetRelease
from seqveil.release.sets.table import SetCounts
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.units import Edge, User

SOURCE = Path(__file__).parents[2] / "src" / "seqveil"

# Writes to the clipboard as 7-bit and as 8-bit controls, turns the line round, hides, deletes. No colours: those are ours.
ORDERS = "\x1b]52;c;ZXZpbA==\x07\x9d52;c;ZXZpbA==\x9c\u202e\u2066\u200b\x7f\b"
LABEL = "x\x9d52;c;ZXZpbA==\x9c\u202e\u200by"

DRIVER = """
import json, sys
from seqveil.cli.app import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["seqveil", *words]
    try:
        main()
    except SystemExit:
        pass
"""


def on_a_terminal(script: str, *words: str, cwd: Path, home: Path) -> str:
    """What a real terminal is sent, on stdout and stderr, by a Python script of its own process."""
    outer, inner = pty.openpty()
    tty.setraw(inner)
    surroundings = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "SEQVEIL_HOME": str(home), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", script, *words]
    sent = []

    def read() -> None:
        with suppress(OSError):  # how a terminal on Linux says that its last writer has gone
            while chunk := os.read(outer, 1 << 16):
                sent.append(chunk)

    reader = Thread(target=read)
    reader.start()
    ran = run(command, stdout=inner, stderr=inner, cwd=cwd, env=surroundings)
    os.close(inner)
    reader.join()
    os.close(outer)
    assert 0 == ran.returncode
    return b"".join(sent).decode()


def orders_in(sent: str) -> list[str]:
    """Characters that a terminal obeys or that nobody sees, apart from line ends, tabs, and rich's own colours and movements."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent).replace("\r", "")
    return [repr(c) for c in plain if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in "\n\t"]


def contents(domain: Domain) -> dict[str, Any]:
    """A release of every content over three labels."""
    import numpy as np

    table = GramTable.of([[0], [1], [0, 1], [1, 3]], count=[900.0, 800.0, 700.0, 60.0], scale=2.0, threshold=5)
    patterns = PatternTable.of([[0, 1], [1, 2]], noisy=[900, 500], scale=2.0, threshold=5)
    prefixes = GramTable.of([[0], [1], [0, 1]], count=[900.0, 800.0, 700.0], scale=2.0, threshold=5)
    return {
        "grams": GramRelease(domain, grams=table, synthetic=Flat.of([[0, 1]]), l_max=3, n_max=2),
        "prefixes": PrefixRelease(domain, prefixes=prefixes, synthetic=Flat.of([[0, 1]]), h=2),
        "patterns": PatternRelease(domain, patterns=patterns, kind="substring", about="records"),
        "sets": SetRelease(domain, sets=SetCounts.of([[0, 1], [1, 2]], [90, 50], scale=2.0, threshold=5)),
        "graph": GraphRelease(domain, low=np.array([0, 1]), high=np.array([1, 2])),
    }


def forged(content: str, folder: Path, label: str) -> Path:
    """A folder with orders in every label and in every text of its manifest; its digests are right."""
    domain = Domain(pa.array([label, "b c", f"b{label}"], pa.large_string()))
    sealed(contents(domain)[content], Edge(2) if content == "graph" else User(2)).save(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest |= {"release": "0123" + ORDERS, "created": ORDERS, "neighbours": ORDERS, "noise": ORDERS}
    manifest["mechanism"] |= {"name": ORDERS, "version": ORDERS, "paper": ORDERS, "parameters": {ORDERS: ORDERS, "l": 1}}
    manifest["domain"]["public_because"] = ORDERS
    for stage in manifest["stages"]:
        stage |= {"name": ORDERS, "kind": ORDERS}
    if "about" in manifest["facts"]:
        manifest["facts"]["about"] = f"records {ORDERS}\nof us"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize("content", ["grams", "prefixes", "patterns", "sets", "graph"])
@pytest.mark.parametrize("label", [LABEL, "x" + ORDERS + "y"], ids=["c1-and-bidi", "all"])
def test_a_forged_release_cannot_give_orders(tmp_path, content, label):
    """Every verb that reads releases, on a terminal; whether it refuses the folder or shows it."""
    folder = str(forged(content, tmp_path / "r", label))
    (tmp_path / "raw.txt").write_text(f"{label}\tb c\n")
    calls = [
        ["inspect", folder],
        ["inspect", folder, "--json"],
        ["query", folder, f"{label} b", "--json"],
        ["query", folder, '"x\\x9d52;c;ZXZpbA==\\x9c\\u202e\\u200by" "b c"'],
        ["query", folder, f"{label}", "--separator", ";"],
        ["synth", folder],
        ["synth", folder, "--out", f"made{ORDERS}.csv"],
        ["report", folder, "--out", f"page{ORDERS}.html"],
        ["report", folder, "--out", "page.html"],
        ["evaluate", "raw.txt", folder],
        ["link", "merge", folder, folder, "--out", "base.json"],
    ]
    sent = on_a_terminal(DRIVER, json.dumps(calls), cwd=tmp_path, home=tmp_path / "home")

    assert len(sent) > 200
    assert [] == orders_in(sent)


def test_what_is_typed_cannot_give_orders(tmp_path):
    """Names of files, accounts, methods, options and values come back in errors; a script may have taken them from anywhere."""
    (tmp_path / ORDERS.replace("/", "")).write_text("a b\n")
    (tmp_path / "trips.txt").write_text("a b\n")
    (tmp_path / "labels.txt").write_text(f"a\nb{LABEL}\nb{LABEL}\n")
    (tmp_path / "run.toml").write_text(f'"{LABEL}" = 1\n')
    publish = ["publish", "trips.txt", "--epsilon", "1", "--out", f"out{ORDERS}", "--seed", "1"]
    calls = [
        [ORDERS],
        ["inspect", ORDERS],
        ["inspect", f"{ORDERS}\nerror: all is well"],
        ["inspect", "--" + ORDERS, "x"],
        ["methods", ORDERS],
        ["ledger", "cap", "[red]x[/red]", "1"],
        ["ledger", "cap", ORDERS, "1"],
        ["ledger", "show", ORDERS],
        ["ledger", "show"],
        ["ledger", "show", "[red]x[/red]"],
        ["ledger", "history", "[red]x[/red]"],
        ["ledger", "withdraw", ORDERS],
        ["check", ORDERS, "--domain", "a,b"],
        ["check", "trips.txt", "--domain", ORDERS],
        ["check", "trips.txt", "--domain", "a,z", "--kind", ORDERS],
        [*publish, "--domain", "labels.txt"],
        [*publish, "--domain", "a,b", "--l-max", ORDERS],
        [*publish, "--domain", "a,b", "--method", ORDERS],
        [*publish, "--domain", "a,b", "--config", "run.toml"],
        [*publish, "--domain", "a,b", "--public-because", ORDERS],
        [*publish, "--domain", "a,b", "--l-max", "2", "--n-max", "2"],
        ["evaluate", "trips.txt", "--domain", "a,b", "--method", ORDERS, "--epsilon", "1"],
        ["bench", ORDERS],
        ["audit", ORDERS],
        ["stream", "count", ORDERS, "--where", f"= {ORDERS}", "--length", "10", "--epsilon", "1", "--seed", "1"],
        ["fenced", "suppress", ORDERS, "--user", ORDERS, "--time", "t", "--item", "i", "--out", ORDERS],
        ["link", "embed", ORDERS, "--base", ORDERS, "--out", ORDERS, "--key", ORDERS],
        ["--debug", "inspect", ORDERS],
    ]
    sent = on_a_terminal(DRIVER, json.dumps(calls), cwd=tmp_path, home=tmp_path / "home")

    assert [] == orders_in(sent)
    assert "\nerror: all is well" not in sent
    assert "[red]x[/red]" in sent
    assert "\\x1b]52;c;ZXZpbA==\\x07" in sent


EVERY_DOOR = """
import sys
from seqveil.cli import console
orders = sys.argv[1]
console.say(orders); console.tell(orders); console.banner("INTERNAL", orders)
console.complain("error: " + orders + "\\n" + orders)
console.emit({orders: [orders, {"a": orders}]}); console.data(orders + "\\n"); console.data((orders + "\\tb\\n").encode())
console.table([orders, "b"], [[orders, orders]]); console.paper().print(orders); console.remarks().print(orders)
from rich.tree import Tree
tree = Tree(orders); tree.add(orders); console.paper().print(tree)
with console.progress(orders, steps=2) as stage:
    stage(orders); stage(orders)
"""


def test_every_way_to_print_escapes(tmp_path):
    """One by one, on a terminal: lines, JSON, data, tables, trees, bars."""
    sent = on_a_terminal(EVERY_DOOR, ORDERS + "\nwarning: forged", cwd=tmp_path, home=tmp_path)

    assert [] == orders_in(sent)
    assert sent.count("\\x1b]52") > 10


def test_json_is_escaped_and_still_the_same(capsys):
    """What a program reads from --json is what was meant."""
    from seqveil.cli.console import emit

    meant = {"name": ORDERS + "\U000e0041é日\u3164", "list": [LABEL]}
    emit(meant)
    printed = capsys.readouterr().out

    assert meant == json.loads(printed)
    assert [] == orders_in(printed)
    assert "é日" in printed


PRINTERS = {"print", "echo", "secho", "Console", "print_exc", "print_exception", "print_stack", "pprint"}


def printing(source: str) -> list[int]:
    """Lines that print in another way than by seqveil.cli.console: by name, or by writing to a standard stream."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
        drawn = isinstance(node.func, ast.Attribute) and name == "print"  # paper().print(…)
        stream = name in ("write", "writelines") and re.search(r"\bstd(out|err)\b", ast.unparse(node.func))
        if (name in PRINTERS and not drawn) or stream:
            lines.append(node.lineno)
    return lines


def test_only_one_file_prints():
    """All of the package, but for a script that `make` runs, the last word of a process that has no console yet, and the answer
    of a process that works for the studio."""
    allowed = {SOURCE / "cli" / "console.py", SOURCE / "audit" / "sbom.py", SOURCE / "__main__.py", SOURCE / "studio" / "work.py"}
    outcomes = {
        str(path.relative_to(SOURCE)): lines
        for path in sorted(SOURCE.rglob("*.py"))
        if path not in allowed and (lines := printing(path.read_text(encoding="utf-8")))
    }

    assert {} == outcomes


PLANTED = [
    "print('x')",
    "typer.echo('x')",
    "from typer import secho\nsecho('x')",
    "sys.stdout.write('x')",
    "sys.stderr.buffer.write(b'x')",
    "rich.console.Console().print('x')",
    "traceback.print_exc()",
]


@pytest.mark.parametrize("planted", PLANTED)
def test_a_file_that_prints_by_itself_is_found(planted):
    """The test above can fail."""
    assert printing(planted)
