"""One self-contained HTML page about a release: no network, no outside file, light and dark, wide and narrow screens.

Without raw data the page shows only what the release itself holds, so whoever may see the release may see the page. With
raw data it sets the original beside it and is INTERNAL.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.errors import CallError
from seqveil.extras import need
from seqveil.notation import printable
from seqveil.whole import INTERNAL, PUBLIC, write_whole

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.sequences import SequenceTable


def write_report(
    release: Release,
    path: str | Path,
    raw: SequenceTable | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    overwrite: bool = True,
) -> Path:
    """Write the page whole and return where it lies; `raw` must be encoded against the release's domain.

    With `raw` the page is INTERNAL and only its owner may read the file.

    >>> import seqveil as sv, tempfile
    >>> table = sv.table_of([["home", "work", "home"], ["home", "shop"]] * 2000, sv.Domain.of(["home", "shop", "work"]))
    >>> release = sv.experiment(table, sv.NGram(l_max=3, n_max=3), epsilon="1.0", seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(release, folder + "/report.html").read_text(encoding="utf-8")
    >>> page.startswith("<!doctype html>"), "http" + "://" in page, "INTERNAL" in page
    (True, False, False)
    """
    from seqveil.evaluate.evaluation import SEQUENCES

    if raw is not None and release.content not in SEQUENCES:
        raise CallError(
            f"raw data can only be set beside released sequences, and this release holds {release.content}: leave them out."
        )
    if raw is not None and raw.domain.digest != release.domain.digest:
        raise CallError("the raw data are encoded against another domain than the release: read them with release.domain.")
    page = render(release, raw, on_step).encode()
    return write_whole(Path(path), page, mode=PUBLIC if raw is None else INTERNAL, overwrite=overwrite)


def render(release: Release, raw: SequenceTable | None = None, on_step: Callable[[str], None] = lambda step: None) -> str:
    """The page as text."""
    need("pages")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("seqveil.report", "files"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(**_content(release, raw, on_step)) + "\n"


def _visible(value: Any) -> Any:
    """Whatever the page shows, from whomever it is: no control, direction mark or invisible character gets through."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _content(release: Release, raw: SequenceTable | None, on_step: Callable[[str], None]) -> dict[str, Any]:
    from seqveil.evaluate.evaluation import SEQUENCES
    from seqveil.report import lengths, patterns, preview, promise, quality, transitions, tree

    held: Any = release
    truth = raw.flat if raw is not None else None
    on_step("the promise")
    shown: dict[str, Any] = {
        "manifest": release.manifest,
        "internal": raw is not None,
        "promise": promise.in_words(release.manifest),
        "budget": promise.bill(release.manifest),
        "tiles": promise.tiles(release),
    }
    grown = getattr(held, "grams", None) or getattr(held, "prefixes", None)
    ranked = hasattr(held, "top") or grown is not None
    sequences = release.content in SEQUENCES
    on_step("the picture")
    shown["tree"] = tree.icicle(held, grown) if grown is not None and len(grown) else None
    shown["patterns"] = patterns.strongest(held, truth) if ranked else None
    shown["preview"] = None if ranked else preview.tables(release)
    shown["lengths"] = lengths.columns(held.synthetic, truth) if hasattr(held, "synthetic") else None
    shown["transitions"] = transitions.maps(held.synthetic, truth, release.domain) if sequences else None
    on_step("the comparison")
    shown["quality"] = quality.figures(held, raw) if raw is not None else None
    return shown
