"""Python in a process of its own, without its second of imports: forked from a process that has made them.

`run` stands for `subprocess.run`: the child has its own memory, descriptors, folder, environment, streams and exit code. It is
forked before any thread was started, any data read or any noise drawn. A test about the start of Python, about what is loaded
when, about processes side by side, or about what a process inherits other than descriptors, needs `subprocess`.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

FREE = 200  # descriptors from here on are the server's own; those that a child asks for are below

SERVER = """
import fcntl, json, os, socket, sys

def next_order(orders):
    while True:
        told, received, _, _ = socket.recv_fds(orders, 1 << 20, 64)
        if not told:
            os._exit(0)
        order = json.loads(told)
        child = os.fork()
        if not child:
            high = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, FREE) for one in received]
            orders.detach()
            os.closerange(3, FREE)
            for one, number in zip(high, order["numbers"]):
                os.dup2(one, number)
            os.closerange(FREE, FREE + 100)
            return order
        for one in received:
            os.close(one)
        orders.send(json.dumps(child).encode())
        orders.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())

exec(sys.argv[2])
order = next_order(socket.socket(fileno=int(sys.argv[1])))
os.chdir(order["cwd"])
os.environ.clear()
os.environ.update(order["env"])
encoding = order["env"].get("PYTHONIOENCODING", "utf-8")
sys.stdin = sys.__stdin__ = open(0, encoding=encoding, closefd=False)
sys.stdout = sys.__stdout__ = open(1, "w", encoding=encoding, closefd=False)
sys.stderr = sys.__stderr__ = open(2, "w", encoding=encoding, errors="backslashreplace", closefd=False, buffering=1)
option, what, *words = order["words"]
sys.argv = [option, *words]
sys.path[0] = order["cwd"]
if option == "-m":
    import runpy
    runpy.run_module(what, run_name="__main__", alter_sys=True)
else:
    exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
"""

EVERYTHING = """
import pkgutil
from importlib import import_module
import numba, pandas, pyarrow.compute, pyarrow.parquet, scipy.special, typer._adapters
from seqveil import registry
for room in "cli", "engines", "release", "sources", "stream", "tables", "wall":
    package = import_module(f"seqveil.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
for method in registry.methods().values():
    method.load()
from seqveil.tables.spans import Numbering, Spans
Numbering().number(Spans.of(pyarrow.array(["a"], pyarrow.large_string())))  # the first kernel makes Numba ready
"""


@cache
def _server(of: int, loads: str) -> socket.socket:
    """The process that forks: one for each process of tests and what is loaded, which ends with it."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    code = f"FREE = {FREE}{SERVER}"
    call = [sys.executable, "-c", code, str(its.fileno()), loads]
    server = subprocess.Popen(call, pass_fds=[its.fileno()], stdin=subprocess.DEVNULL)
    its.close()

    def end() -> None:
        ours.close()
        server.wait()

    atexit.register(end)
    return ours


def run(
    call: Sequence[object],
    *,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    input: Any = None,
    stdout: int | None = None,
    stderr: int | None = None,
    pass_fds: Sequence[int] = (),
    text: bool = False,
    check: bool = False,
    timeout: float = 120,
    loads: str = EVERYTHING,
) -> subprocess.CompletedProcess[Any]:
    """Run `[sys.executable, "-m" or "-c", …]` to its end, fed and heard through pipes or the descriptors that are given.

    `loads` is what the process that forks has run before.
    """
    python, *words = map(str, call)
    assert python == sys.executable
    assert words[0] in ("-m", "-c")
    assert all(3 <= number < FREE for number in pass_fds)
    order = {"words": words, "cwd": str(cwd or Path.cwd()), "env": dict(os.environ if env is None else env)}
    order |= {"numbers": [0, 1, 2, *pass_fds]}
    (read_in, feed), (hear_out, write_out), (hear_err, write_err) = os.pipe(), os.pipe(), os.pipe()
    server = _server(os.getpid(), loads)
    streams = [read_in, write_out if stdout is None else stdout, write_err if stderr is None else stderr]
    socket.send_fds(server, [json.dumps(order).encode()], [*streams, *pass_fds])
    for end in (read_in, write_out, write_err):
        os.close(end)
    body, said = input.encode() if isinstance(input, str) else input or b"", [b"", b""]
    talk = [Thread(target=_feed, args=(feed, body))]
    talk += [Thread(target=_hear, args=(end, said, n)) for n, end in enumerate((hear_out, hear_err))]
    for one in talk:
        one.start()
    child = json.loads(server.recv(99))
    server.settimeout(timeout)
    try:
        code = json.loads(server.recv(99))
    except TimeoutError:
        os.kill(child, 9)
        server.settimeout(None)
        server.recv(99)
        raise subprocess.TimeoutExpired(words, timeout) from None
    finally:
        server.settimeout(None)
        for one in talk:
            one.join()
    out, err = (part.decode() if text else part for part in said)
    if check and code:
        raise subprocess.CalledProcessError(code, words, out, err)
    return subprocess.CompletedProcess(words, code, out, err)


def _feed(end: int, body: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(end, "wb") as pipe:
        pipe.write(body)


def _hear(end: int, said: list[bytes], place: int) -> None:
    with open(end, "rb") as pipe:
        said[place] = pipe.read()
