"""Logs for programs: the loggers under `seqveil` say what a run does, as the standard library's `logging` does it.

Records carry public facts only (stages, accounts, ε, ids), and lines carry no time: how long a stage takes depends on the data.
Whoever collects the lines can add one. Nothing is written unless a handler is there: `--log-format`, or a program's own.
"""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from typing import Literal, TextIO

Format = Literal["json", "text"]

ROOT = "seqveil"
_FACTS = "facts"


def note(logger: logging.Logger, message: str, /, **facts: str | int) -> None:
    """One line of a log with public facts. A handler that fails must not cost the ε of the run that it reports on."""
    with suppress(Exception):
        logger.info(message, extra={_FACTS: facts})


def remark(logger: logging.Logger, level: int, message: str, /, **facts: str | int) -> None:
    """The same for what a person should look at."""
    with suppress(Exception):
        logger.log(level, message, extra={_FACTS: facts})


def all_json() -> bool:
    """Whether everything that goes to standard error shall be lines of JSON."""
    return any(
        isinstance(handler.formatter, JsonLines) and handler.get_name() == ROOT for handler in logging.getLogger(ROOT).handlers
    )


class JsonLines(logging.Formatter):
    """One JSON object per line.

    >>> line = logging.makeLogRecord({"name": "seqveil.run", "levelname": "INFO", "msg": "begun", "facts": {"account": "a"}})
    >>> JsonLines().format(line)
    '{"level": "INFO", "logger": "seqveil.run", "message": "begun", "account": "a"}'
    """

    def format(self, record: logging.LogRecord) -> str:
        facts = getattr(record, _FACTS, {})
        return json.dumps({"level": record.levelname, "logger": record.name, "message": record.getMessage(), **facts})


class Lines(logging.Formatter):
    """The same for people.

    >>> line = logging.makeLogRecord({"name": "seqveil.run", "levelname": "INFO", "msg": "begun", "facts": {"account": "a b"}})
    >>> Lines().format(line)
    "INFO seqveil.run begun account='a b'"
    """

    def format(self, record: logging.LogRecord) -> str:
        facts = "".join(f" {name}={value!r}" for name, value in getattr(record, _FACTS, {}).items())
        return f"{record.levelname} {record.name} {record.getMessage()}{facts}"


def write_logs(form: Format, stream: TextIO | None = None) -> None:
    """Write the log of this process to a stream, standard error by default; a second call replaces the first."""
    stop_logs()
    logger = logging.getLogger(ROOT)
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.set_name(ROOT)
    handler.setFormatter(JsonLines() if form == "json" else Lines())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


def stop_logs() -> None:
    """Write no more log; handlers that a program has added itself stay."""
    logger = logging.getLogger(ROOT)
    for handler in [each for each in logger.handlers if each.get_name() == ROOT]:
        logger.removeHandler(handler)
