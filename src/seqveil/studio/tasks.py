"""Long work that spends nothing: checks, comparisons, predictions, experiments. Each in its own process, its result in memory.

What is made from raw data is INTERNAL: it is never written to disk here, and is gone with the studio.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from seqveil.errors import CallError
from seqveil.studio.drafts import check_id, new_id

MOST_KEPT = 64
MOST_AT_ONCE = 2
"""Processes that work at the same time; others wait their turn."""


@dataclass(slots=True)
class Task:
    """Work that was started: `answer` when it is done, or as far as it is; `problem` when it failed."""

    name: str
    given: dict[str, Any]
    back: str
    id: str = field(default_factory=new_id)
    state: Literal["running", "done", "failed", "stopped"] = "running"
    answer: Any = None
    problem: str = ""
    process: subprocess.Popen[bytes] | None = None


class Tasks:
    """What was started since the studio was; the oldest results are forgotten."""

    def __init__(self, worker: Sequence[str] = (sys.executable, "-m", "seqveil.studio.work")) -> None:
        self._worker = list(worker)
        self._tasks: OrderedDict[str, Task] = OrderedDict()
        self._lock = threading.Lock()
        self._turn = threading.Semaphore(MOST_AT_ONCE)

    def start(self, name: str, given: dict[str, Any], back: str) -> Task:
        """Start some work; `back` is the page that it was asked for on."""
        task = Task(name, given, back)
        with self._lock:
            self._tasks[task.id] = task
            while len(self._tasks) > MOST_KEPT:
                _, oldest = self._tasks.popitem(last=False)
                _stop(oldest)
        threading.Thread(target=self._work, args=(task,), daemon=True).start()
        return task

    def get(self, id: str) -> Task:
        """A task by its id."""
        task = self._tasks.get(check_id(id))
        if task is None:
            raise CallError("this result is not kept any more: results of raw data are forgotten when the studio ends.")
        return task

    def same(self, name: str, given: dict[str, Any]) -> Task | None:
        """A task with the same work that has not failed."""
        with self._lock:
            kept = [task for task in self._tasks.values() if task.name == name and task.given == given]
        return next((task for task in reversed(kept) if task.state in ("running", "done")), None)

    def stop(self, id: str) -> None:
        """Stop some work: it has cost nothing."""
        _stop(self.get(id))

    def stop_older(self, name: str, back: str) -> None:
        """Stop work of the same name that was asked for on the same page."""
        with self._lock:
            for task in self._tasks.values():
                if (task.name, task.back) == (name, back):
                    _stop(task)

    def close(self) -> None:
        """Stop everything that is still at work."""
        with self._lock:
            for task in self._tasks.values():
                _stop(task)

    def _work(self, task: Task) -> None:
        with self._turn:
            if task.state != "running":
                return
            task.process = subprocess.Popen(
                [*self._worker, task.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            lines: list[dict[str, Any]] = []
            with suppress(BrokenPipeError), task.process as process:  # it was stopped, or ended at once
                assert process.stdin is not None
                assert process.stdout is not None
                with suppress(BrokenPipeError):
                    process.stdin.write(json.dumps(task.given).encode())
                    process.stdin.close()
                lines += [result for line in process.stdout if (result := _heard(task, line))]
        if task.state == "running":  # it was not stopped meanwhile
            result = lines[-1] if lines else {"problem": ENDED}
            task.answer, task.problem = result.get("answer"), result.get("problem", "")
            task.state = "failed" if task.problem else "done"


ENDED = "the work ended without a result: it may have run out of memory. Nothing was spent."


def _heard(task: Task, line: bytes) -> dict[str, Any] | None:
    """A line of the work: the result, which is returned, or the answer as far as it is, which is kept."""
    try:
        result: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    if "part" in result:
        task.answer = result["part"]
        return None
    return result


def _stop(task: Task) -> None:
    if task.state == "running":
        task.state = "stopped"
        if task.process is not None:
            task.process.kill()
