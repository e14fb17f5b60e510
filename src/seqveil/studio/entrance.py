"""Opening the browser at the first address. Its token must not stand on a command line, which every user can see."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager

from seqveil.studio.drafts import private_folder
from seqveil.studio.studio import Studio
from seqveil.whole import INTERNAL, write_whole


@contextmanager
def open_browser(studio: Studio, wanted: bool) -> Iterator[None]:
    """Open a file that only its owner may read, and that leads to the first address; removed when the studio ends."""
    if not wanted:
        yield
        return
    path = private_folder(studio.folder) / f"open-{studio.address.port}.html"
    first = studio.address.first(studio.secrets)
    body = (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={first}">'
        f'<title>Seqveil Studio</title><p><a href="{first}">Open Seqveil Studio</a></p>'
    )
    write_whole(path, body.encode(), mode=INTERNAL, overwrite=True)
    threading.Timer(0.3, webbrowser.open, [path.as_uri()]).start()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
