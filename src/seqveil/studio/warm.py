"""Loading what pages will need while somebody still reads the first one: libraries for arrays take a second or two."""

from __future__ import annotations

import threading
from contextlib import suppress
from importlib import import_module

AFTER = 1.0
"""Seconds after the start: the first page comes first."""


def warm_later() -> None:
    """Load in the background; whatever cannot be loaded will say so where it is needed."""
    timer = threading.Timer(AFTER, warm)
    timer.daemon = True
    timer.start()


def warm() -> None:
    """Load releases of every content, what the page of a release draws, and the classes of the methods."""
    from seqveil.release.contents import CONTENTS

    for name in [*(where.partition(":")[0] for where in CONTENTS.values()), "seqveil.report.page", "seqveil.release.scanning"]:
        with suppress(Exception):
            import_module(name)
    for name in ("lengths", "patterns", "preview", "promise", "shape", "transitions", "tree"):
        with suppress(Exception):
            import_module(f"seqveil.report.{name}")
    with suppress(Exception):
        from seqveil.release.ofrecords import QUESTIONS
        from seqveil.release.scanning import BY_QUESTION
        from seqveil.tables.flat import Flat

        for question, (_, wanted) in QUESTIONS.items():  # compiled code is loaded when it is first called
            BY_QUESTION[question](Flat.of([[0, 1]]), [0, 1][:wanted])
    with suppress(Exception):
        from seqveil.release.lines import lines_from
        from seqveil.release.model.frequent import frequent
        from seqveil.tables.domain import Domain

        for domain in (Domain.range(1, 2), Domain.of(["1", "2"])):
            list(frequent(lines_from(b"1 2\n", domain), 1, 1, 2))
    with suppress(Exception):
        from seqveil.registry import methods

        for method in methods().values():
            with suppress(Exception):
                method.load()
