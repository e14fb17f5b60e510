"""`python -m seqveil.studio.work TASK`: one piece of work in its own process. Parameters come as JSON, and so does the result,
on a line of its own; work in several parts writes a line as soon as each of them is done.

check       INTERNAL: what of a file would be dropped and cut
compare     INTERNAL: how close a release is to the raw data
predict     what a method makes of simulated data over the declared domain
experiment  methods and budgets side by side, on simulated or public data
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Given = dict[str, Any]


def _draft(given: Given) -> Any:
    from seqveil.studio.drafts import Draft

    return Draft("", given["fields"])


def _roots(given: Given) -> Any:
    from seqveil.studio.roots import Roots

    return Roots.of(given["folders"])


def check(given: Given) -> Given:
    """INTERNAL. The view of the kind, as `seqveil check` shows it."""
    from seqveil.kinds import KINDS
    from seqveil.studio.orders import domain_of, layout_of, mechanism_of, reader_of, source_of, unit_of

    draft = _draft(given)
    look = KINDS[reader_of(draft)].view("check")
    if look is None:
        return {"format": "", "grids": [], "remarks": ["There is no check for this kind of data."]}
    limits: Given = {"l_max": None, "max_sequences": getattr(unit_of(draft), "max_sequences", None)}
    if draft.get("method"):
        cut = getattr(mechanism_of(draft), "l_max", None)
        limits["l_max"] = cut if isinstance(cut, int) else None
    checked = look(source_of(draft, _roots(given)).data, domain_of(draft), layout_of(draft), **limits)
    return {"format": checked.format, "grids": [list(grid) for grid in checked.grids], "remarks": checked.remarks}


def compare(given: Given) -> Given:
    """INTERNAL. The evaluator of the kind, as `seqveil evaluate` shows it."""
    from seqveil.evaluate import compare as compared
    from seqveil.release import load
    from seqveil.studio.orders import source_of

    roots = _roots(given)
    release: Any = load(roots.inside(given["release"]))
    table = source_of(_draft(given), roots, release.domain).read()
    result = compared(table, release, sources=False)
    return {"headline": result.headline, "grids": [list(grid) for grid in result.grids]}


def predict(given: Given) -> Iterator[Given]:
    """What the method makes of simulated data: a few counts beside the simulated truth, then errors around the chosen ε."""
    from seqveil.studio.foresight import foreseen

    return foreseen(_draft(given))


def experiment(given: Given) -> Given:
    """Methods and budgets side by side."""
    from seqveil.studio.trials import tried

    return tried(given)


TASKS: dict[str, Callable[[Given], Given | Iterator[Given]]] = {
    one.__name__: one for one in (check, compare, predict, experiment)
}


def main() -> None:
    """Read, work, write. Of an unexpected error only the type is said: its message may quote raw data."""
    from seqveil.cli.process import leave_no_core
    from seqveil.errors import SeqveilError
    from seqveil.studio.words import on_page
    from seqveil.surface import speaking

    leave_no_core()
    given = json.loads(sys.stdin.buffer.read())
    try:
        with speaking(on_page):
            answer = TASKS[sys.argv[1]](given)
            if isinstance(answer, Iterator):
                for part in answer:
                    _say({"part": part})
                    answer = part
            result: dict[str, Any] = {"answer": answer}
    except SeqveilError as error:
        result = {"problem": str(error)}
    except Exception as error:
        result = {"problem": f"internal error ({type(error).__name__})"}
    _say(result)


def _say(result: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(result, default=_plain).encode() + b"\n")
    sys.stdout.buffer.flush()


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value.item()


if __name__ == "__main__":
    main()
