"""Ctrl-C is raised where it does no harm, is not lost, and does not disturb those who clear up after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BEGIN = """
import os, signal, sys, time, traceback
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the suite runs in the background of a shell
from seqveil.cli.interrupts import Interrupts

def press():
    os.kill(os.getpid(), signal.SIGINT)
"""


def _run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A script in a process of its own."""
    script = BEGIN + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_a_compiler_is_not_left_halfway(tmp_path: Path) -> None:
    """Pressed in the first pass of the compiler: the function is compiled before the interrupt is raised in its caller."""
    ran = _run(
        """
        import numba
        from numba.core import event

        class Once(event.Listener):
            pressed = 0
            def on_start(self, what):
                if not self.pressed:
                    self.pressed = 1
                    press()
            def on_end(self, what):
                pass

        @numba.njit
        def double(x):
            return x * 2

        def work():
            double(3)
            print("went on")

        with Interrupts():
            event.register("numba:run_pass", Once())
            try:
                work()
            except KeyboardInterrupt as interrupt:
                print("numba" in "".join(traceback.format_tb(interrupt.__traceback__)), len(double.signatures))
        """,
        tmp_path,
    )

    assert ("False 1\n", "") == (ran.stdout, ran.stderr)


def test_an_import_is_not_left_halfway(tmp_path: Path) -> None:
    """Whoever imports a module may take any exception for its absence; the interrupt comes after it."""
    (tmp_path / "pressing.py").write_text("import __main__\n__main__.press()\nDONE = True\n", encoding="utf-8")
    ran = _run(
        """
        sys.path.insert(0, ".")
        def work():
            try:
                import pressing
            except BaseException:
                print("swallowed")
            for _ in range(3):
                pass
            print("went on")

        with Interrupts():
            try:
                work()
            except KeyboardInterrupt:
                print(sys.modules["pressing"].DONE)
        """,
        tmp_path,
    )

    assert ("True\n", "") == (ran.stdout.replace("swallowed\n", ""), ran.stderr)


def test_an_interrupt_in_a_finalizer_arrives(tmp_path: Path) -> None:
    """Python prints and ignores what `__del__` raises."""
    ran = _run(
        """
        class Last:
            def __del__(self):
                press()
                for _ in range(3):
                    pass

        def work():
            last = Last()
            del last
            print("went on")

        with Interrupts():
            try:
                work()
            except KeyboardInterrupt:
                print("interrupted")
        """,
        tmp_path,
    )

    assert ("interrupted\n", "") == (ran.stdout, ran.stderr)


def test_a_swallowed_interrupt_comes_again(tmp_path: Path) -> None:
    """Whatever swallowed it, wherever: the command is told until it ends."""
    ran = _run(
        """
        with Interrupts():
            try:
                try:
                    press()
                    time.sleep(1)
                except KeyboardInterrupt:
                    print("swallowed")
                time.sleep(30)
                print("went on")
            except KeyboardInterrupt:
                print("interrupted")
        """,
        tmp_path,
    )

    assert ("swallowed\ninterrupted\n", "") == (ran.stdout, ran.stderr)


def test_clearing_up_is_left_in_peace(tmp_path: Path) -> None:
    """Neither the clock nor an impatient second key disturbs a `finally` block, nor the error that it turns into."""
    ran = _run(
        """
        with Interrupts():
            try:
                try:
                    press()
                    time.sleep(30)
                finally:
                    press()
                    time.sleep(0.6)
                    print("cleared up")
            except KeyboardInterrupt:
                try:
                    raise RuntimeError("told") from None
                except RuntimeError:
                    time.sleep(0.4)
                    print("told")
        print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.getitimer(signal.ITIMER_REAL))
        """,
        tmp_path,
    )

    assert ("cleared up\ntold\nTrue (0.0, 0.0)\n", "") == (ran.stdout, ran.stderr)


def test_a_second_key_ends_it_at_once(tmp_path: Path) -> None:
    """Some time after the first: clearing up that takes too long is left to the next run."""
    ran = _run(
        """
        with Interrupts():
            try:
                press()
                time.sleep(30)
            finally:
                time.sleep(1.2)
                press()
                time.sleep(30)
        """,
        tmp_path,
    )

    assert (1, "") == (ran.returncode, ran.stdout)
    assert "error: interrupted at once" in ran.stderr


def test_a_process_that_ignores_the_key_goes_on_ignoring_it(tmp_path: Path) -> None:
    """As under nohup, or in the background of a shell; and a library leaves its host's handlers alone."""
    ran = _run(
        """
        import seqveil, seqveil.cli.app, seqveil.wall.vault
        print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with Interrupts():
            press()
            print("went on")
        """,
        tmp_path,
    )

    assert ("True\nwent on\n", "") == (ran.stdout, ran.stderr)


def test_a_waiting_command_has_no_core_and_is_interrupted(tmp_path: Path) -> None:
    """Every command starts in the same place: its limit on core files is at most one byte from there on."""
    words = ["stream", "count", "-", "--where", ">= 1", "--length", "9", "--epsilon", "1", "--account", "m"]
    command = subprocess.Popen(
        [sys.executable, "-m", "seqveil", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SEQVEIL_HOME": str(tmp_path / "home")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    assert command.stdin is not None
    assert command.stdout is not None
    command.stdin.write(b"3\n")
    command.stdin.flush()
    assert command.stdout.readline()  # it has answered, so it waits for more
    limits = Path(f"/proc/{command.pid}/limits")
    if limits.exists():
        core = next(line for line in limits.read_text().splitlines() if line.startswith("Max core file size"))
        assert core.split()[4] in ("0", "1")
    command.send_signal(signal.SIGINT)
    _, output = command.communicate(timeout=120)

    assert 1 == command.returncode
    assert output.decode().endswith("error: interrupted.\n")
    assert "Traceback" not in output.decode()
