"""Real processes that are killed with signal 9: no answer that was seen may ever change, and none is lost."""

import subprocess
import sys

import pytest

import seqveil as sv
from seqveil.stream.mechanism import method_from
from seqveil.wall.continual import promise_of, reopen_stream

pytestmark = pytest.mark.slow

# Loaded once; then each line on stdin forks a child that dies at the given write. The child's answers go straight to stdout.
NURSERY = """
import os, signal, sys
import seqveil as sv
from seqveil.wall.journal import journal
from seqveil.wall.continual.vault import Ledger

home, state, call = sys.argv[1], sys.argv[2], eval(sys.argv[3])
sv.stream.lis(length=4, epsilon=1, seed=1, method="binary").feed(1)          # compile and load before the first fork
real = os.pwrite

def die_at(count, how):
    left = [count]
    def pwrite(descriptor, data, offset):
        left[0] -= 1
        if left[0] == 0:
            if how != "before":
                real(descriptor, data if how == "after" else data[: len(data) // 2], offset)
            os.kill(os.getpid(), signal.SIGKILL)
        return real(descriptor, data, offset)
    os.pwrite = pwrite

for line in sys.stdin:
    count, how = line.split()
    if (child := os.fork()) == 0:
        with sv.stream.lis(state=state, home=home, **call) as stream:
            die_at(int(count), how)
            for i in range(stream.position, 200):
                answer = stream.feed((i * 37) % 50 if i % 9 else None)
                os.write(1, f"{answer.position} {answer.noisy}\\n".encode())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    os.write(1, f"died {os.waitstatus_to_exitcode(status)}\\n".encode())
"""


def start(script, *arguments):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


@pytest.mark.parametrize("method", [{"method": "binary"}, {"window": 8}])
def test_killed_at_every_write(tmp_path, method):
    """Before, half way through and after each of the first writes, again and again on one stream: all answers stand."""
    call = {"length": 200, "epsilon": "1.0", "account": "meter", **method}
    state, home = tmp_path / "trend.state", tmp_path / "home"
    nursery = start(NURSERY, home, state, repr(call))
    orders = [(count, how) for count in range(1, 8) for how in ("before", "half", "after")]
    seen, endings = {}, []
    for count, how in orders:
        nursery.stdin.write(f"{count} {how}\n")
        for line in iter(nursery.stdout.readline, ""):
            word, value = line.split()
            if word == "died":
                endings.append(int(value))
                break
            assert int(word) not in seen, "one position was answered twice"
            seen[int(word)] = int(value)
    nursery.stdin.close()
    assert 0 == nursery.wait(timeout=60)
    nursery.stdout.close()
    assert [-9] * len(orders) == endings

    stream = reopen_stream(method_from(promise_of(state).parameters), state, home=home)
    stored = {answer.position: answer.noisy for answer in stream.again()}
    stream.close()
    assert len(seen) > 12
    assert seen == {position: value for position, value in stored.items() if position in seen}
    assert list(range(1, len(stored) + 1)) == list(stored)
    assert 1 == len(sv.Ledger(home).charges("meter"))


def test_the_command_killed_in_a_pipe(tmp_path, monkeypatch):
    """`seqveil stream` is killed after answers were read, then goes on: what was read is printed again to the digit."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    state = tmp_path / "trend.state"
    script = "from seqveil.cli.app import main; main()"
    call = ("stream", "lis", "--length", 60, "--epsilon", 1, "--account", "meter", "--method", "binary", "--state", state)
    seen = []
    for round_ in range(3):
        process = start(script, *call, "--reprint")
        printed = [process.stdout.readline() for _ in range(len(seen))]
        assert seen == printed
        for i in range(5 + round_):
            process.stdin.write(f"{i * 7 % 5}\n")
            process.stdin.flush()
            seen.append(process.stdout.readline())
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    assert list(range(1, 19)) == [int(line.split()[0]) for line in seen]


def test_killed_in_the_middle_of_a_flood(tmp_path, monkeypatch):
    """A file of 60,000 events: killed half way through, it ends as if nothing had happened, each position once."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    events = tmp_path / "flood.txt"
    events.write_text("".join(f"{i * 7919 % 1009}\n" for i in range(60_000)))
    script = "from seqveil.cli.app import main; main()"
    call = ("stream", "count", events, "--where", "> 500", "--length", 60_000, "--epsilon", 1, "--state", tmp_path / "s")
    process = start(script, *call)
    seen = [process.stdout.readline() for _ in range(20_000)]
    process.kill()
    seen += process.stdout.readlines()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    whole = [line for line in seen if line.endswith("\n")]
    rest = subprocess.run(
        [sys.executable, "-c", script, *map(str, call), "--reprint"], capture_output=True, text=True, check=True
    )
    lines = rest.stdout.splitlines(keepends=True)

    assert 60_000 == len(lines)
    assert whole == lines[: len(whole)]
    assert "nothing more is charged" in rest.stderr
