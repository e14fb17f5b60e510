"""No verb opens a connection, asks a name server or listens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from seqveil.cli.app import VERBS

pytestmark = pytest.mark.slow

GUARD = """
import os, sys
FORBIDDEN = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
             "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "urllib.Request",
             "http.client.connect", "ftplib.connect", "smtplib.connect", "webbrowser.open")
def guard(event, arguments):
    if event in FORBIDDEN:
        os.write(2, f"NETWORK {event} {arguments}\\n".encode())
        os._exit(99)
sys.addaudithook(guard)
"""

RUNNER = (
    GUARD
    + """
import shlex
from seqveil.cli.app import main
for line in sys.stdin:
    sys.argv = ["seqveil", *shlex.split(line)]
    try:
        main()
        code = 0
    except SystemExit as left:
        code = int(left.code or 0)
    os.write(2, f"CODE {code} {line}".encode())
"""
)

COMMANDS = """
demo --out demo --passengers 300
check data.seq --domain a,b,c
publish data.seq --domain a,b,c --epsilon 5 --l-max 4 --n-max 3 --public-because x --out release
mine data.seq --domain a,b,c --epsilon 5 --method ffs --longest 2 --top 3 --public-because x --out mined
methods
query release a
synth release --records 5 --out synthetic.csv
inspect release
report release --out page.html
evaluate data.seq release
bench
audit stream --budget smoke --out .
stream count events.txt --where '>= 2' --length 10 --epsilon 1 --account meter
link base names.txt --epsilon 5 --out base-a --account a
link base names.txt --epsilon 5 --out base-b --account b
link merge base-a base-b --out base.json
link embed names.txt --base base.json --edits 1 --out vectors-a --key a.key
link embed names.txt --base base.json --out vectors-b --key b.key
link match vectors-a vectors-b --out pairs
link open names.txt pairs --key a.key --out shared.csv
link psi terms --field name:edits --rows 9 --out terms.json
link psi start names.txt --terms terms.json --keep secret-a --out 1.psi
link psi answer names.txt 1.psi --terms terms.json --keep secret-b --out 2.psi
link psi finish names.txt 2.psi --keep secret-a --out psi-a.csv --reply 3.psi
link psi open names.txt 3.psi --keep secret-b --out psi-b.csv
ledger show
ledger verify
""".strip().splitlines()


def test_no_verb_touches_the_network(tmp_path: Path) -> None:
    """Every verb is run under a hook that ends the process at the first thing it asks of the network."""
    (tmp_path / "data.seq").write_text("a b c\nb c\na a\n" * 60, encoding="utf-8")
    (tmp_path / "events.txt").write_text("1\n3\n2\n", encoding="utf-8")
    (tmp_path / "names.txt").write_text("Anna\nHannah\nBob\n" * 60, encoding="utf-8")
    typed = {line.split()[0] for line in COMMANDS}
    lines = [*COMMANDS, *(f"{verb.name} --help" for verb in VERBS if verb.name not in typed)]
    result = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input="\n".join(lines) + "\n",
        text=True,
        capture_output=True,
        cwd=tmp_path,
        timeout=180,
        check=False,
        env={"SEQVEIL_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "PATH": ""},
    )
    codes = [line.split(" ", 2) for line in result.stderr.splitlines() if line.startswith("CODE ")]

    assert "NETWORK" not in result.stderr
    assert lines == [line for _, _, line in codes]
    assert [] == [line for _, code, line in codes if code != "0"], result.stderr[-3000:]


def test_the_guard_can_say_no() -> None:
    """The same hook ends a process that does ask for the network."""
    code = GUARD + "\nimport socket\nsocket.getaddrinfo('localhost', 80)\n"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert 99 == result.returncode
    assert "NETWORK socket.getaddrinfo" in result.stderr
