"""One self-contained HTML page about a release: no network, no outside file, light and dark, wide and narrow screens.

Without raw data the page shows only what the release itself holds, so anyone who may see the release may see the page. With
raw data it also shows the original and is INTERNAL.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.errors import CallError
from seqveil.notation import printable
from seqveil.release.capabilities import Degrees, Ranked, Synthetic
from seqveil.surface import parameter
from seqveil.templates import templates
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
    if raw is not None and not (isinstance(release, Synthetic) and release.form == "sequences"):
        raise CallError(
            f"only released sequences can be compared with raw data, and this release holds {release.description}: "
            f"leave out {parameter('raw')}."
        )
    if raw is not None and raw.domain.digest != release.domain.digest:
        raise CallError("the raw data were read with another domain than the release's: read them with domain=release.domain.")
    page = render(release, raw, on_step).encode()
    return write_whole(Path(path), page, mode=PUBLIC if raw is None else INTERNAL, overwrite=overwrite)


def render(release: Release, raw: SequenceTable | None = None, on_step: Callable[[str], None] = lambda step: None) -> str:
    """The page as text."""
    page = templates("seqveil.report", visible).get_template("page.html.j2")
    return page.render(**_content(release, raw, on_step)) + "\n"


def visible(value: Any) -> Any:
    """Whatever the page shows, from whomever it is: no control, direction mark or invisible character gets through."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _content(release: Release, raw: SequenceTable | None, on_step: Callable[[str], None]) -> dict[str, Any]:
    from seqveil.evaluate.cut import drawn
    from seqveil.release.grams.counted import CountedTree
    from seqveil.release.ofrecords import OfRecords
    from seqveil.release.sequenced import SequenceRelease
    from seqveil.report import follows, graph, headline, lengths, patterns, preview, promise, quality, shape, transitions, tree

    truth = raw.flat if raw is not None else None
    on_step("guarantee")
    shown: dict[str, Any] = {
        "manifest": release.manifest,
        "headline": headline.headline(release),
        "signature": release.signature,
        "doubt": release.doubt if isinstance(release, OfRecords) else "",
        "internal": raw is not None,
        "promise": promise.in_words(release.manifest),
        "budget": promise.bill(release.manifest),
        "tiles": promise.tiles(release),
    }
    records = release.synthetic if isinstance(release, Synthetic) and release.form != "edges" else None
    ordered = release.synthetic if isinstance(release, Synthetic) and release.form == "sequences" else None
    on_step("pictures")
    shown["tree"] = tree.icicle(release) if isinstance(release, CountedTree) and len(release.tree) else None
    counted = None if truth is None or drawn(release) else truth  # what was counted is not known where the cut is secret
    shown["patterns"] = patterns.strongest(release, counted) if isinstance(release, Ranked) else None
    shown["graph"] = graph.graph(release) if isinstance(release, Degrees) else None
    shown["preview"] = None if isinstance(release, Ranked | Degrees) else preview.tables(release)
    shown["follows"] = follows.follows(release) if isinstance(release, SequenceRelease) else None
    shown["shape"] = shape.shape(release) if isinstance(release, OfRecords) else None
    shown["lengths"] = None
    if records is not None:
        counts = shape.length_counts(release) if isinstance(release, OfRecords) else lengths.of_records(records)
        shown["lengths"] = lengths.columns(counts, truth)
    shown["transitions"] = None if ordered is None else transitions.maps(ordered, truth, release.domain)
    on_step("comparison")
    shown["quality"] = None if raw is None or ordered is None else quality.figures(release, ordered, raw)
    return shown
