"""Processes of the studio without their seconds of imports: forked from one that has made them, by a command that waits for them.

The command is a process of its own, as the real one: with its session, streams, environment, folder, and interrupts ignored or
not. Whoever kills it kills the fork. Tests of the start itself use the real commands.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from processes import EVERYTHING

SERVER = """
import fcntl, json, os, select, signal, socket, sys

def next_order(door):
    while True:
        if 0 in select.select([door, 0], [], [])[0]:
            os._exit(0)  # whoever started this has ended
        client, _ = door.accept()
        told, streams, _, _ = socket.recv_fds(client, 1 << 20, 3)
        if not os.fork():
            for number, one in enumerate(streams):
                os.dup2(one, number)
            door.close()
            return json.loads(told), client
        for one in streams:
            os.close(one)
        client.close()

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a fork here: its client does
door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
door.bind(sys.argv[1])
exec(sys.argv[2])
door.listen(64)
print("ready", flush=True)
order, client = next_order(door)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
os.setsid()
fcntl.fcntl(client, fcntl.F_SETOWN, os.getpid())  # a client that ends sends a signal, which ends this process
fcntl.fcntl(client, fcntl.F_SETFL, fcntl.fcntl(client, fcntl.F_GETFL) | os.O_ASYNC)
signal.signal(signal.SIGINT, signal.SIG_IGN if order["ignoring"] else signal.default_int_handler)
os.chdir(order["cwd"])
os.environ.clear()
os.environ.update(order["env"])
for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
    setattr(sys, name, open(number, mode, closefd=False))
option, what, *words = order["words"]
sys.argv = [option, *words]
if option == "-m":
    import runpy
    runpy.run_module(what, run_name="__main__", alter_sys=True)
else:
    exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
"""

CLIENT = """
import json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect(sys.argv[1])
ignoring = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
order = {"words": sys.argv[2:], "cwd": os.getcwd(), "env": dict(os.environ), "ignoring": ignoring}
socket.send_fds(server, [json.dumps(order).encode()], [0, 1, 2])
server.recv(1)
"""

LOADED = """
for room in "evaluate", "kinds", "models", "planning", "publish", "simulate", "studio":
    package = import_module(f"seqveil.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
"""


@cache
def _server(of: int) -> Path:
    """The socket of the process that forks: one for each process of tests, which ends with it."""
    folder = tempfile.TemporaryDirectory(prefix="forked")
    door = Path(folder.name) / "door"
    call = [sys.executable, "-c", SERVER, str(door), EVERYTHING + LOADED]
    server = subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"

    def end() -> None:
        server.kill()
        server.wait()
        folder.cleanup()

    atexit.register(end)
    return door


def forked(option: str, what: str, *words: str) -> list[str]:
    """The command that stands for `python -m what …` or `python -c what …`."""
    return [sys.executable, "-I", "-S", "-c", CLIENT, str(_server(os.getpid())), option, what, *words]
