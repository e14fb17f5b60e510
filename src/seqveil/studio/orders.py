"""From the fields of a draft to what the library works with: a source, a unit, a mechanism, a request of the lifecycle.

Everything here is public; no row is read. Whatever is wrong is said by the library, in the words of the page.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.errors import CallError
from seqveil.studio.drafts import Draft
from seqveil.studio.forms import read_fields
from seqveil.studio.roots import Roots

if TYPE_CHECKING:
    from seqveil.facts import Holder
    from seqveil.kinds import Kind
    from seqveil.registry import Method
    from seqveil.sources import Source
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit
    from seqveil.wall.lifecycle import Request

STATED = ("dataset_name", "contact", "purpose")
"""Fields of the review that the manifest carries; the command has options of these names."""


def usual_reader() -> str:
    """The reader that a source takes by itself."""
    from seqveil.sources import Source

    return next(str(one.default) for one in fields(Source) if one.name == "reader")


def reader_of(draft: Draft) -> str:
    """The reader: as chosen, else the usual one."""
    chosen = draft.get("reader", usual_reader())
    if chosen not in (readers := readers_over_domains()):
        raise CallError(f"{chosen!r:.60} is not a kind of data: choose one of {', '.join(readers)}.")
    return chosen


def readers_over_domains() -> dict[str, Kind]:
    """The readers of data over a declared domain, which every order here has."""
    from seqveil.sources.source import readable

    return {name: kind for name, kind in readable().items() if not kind.unlisted}


def held_kind(draft: Draft) -> str:
    """The kind of table that is read."""
    from seqveil.sources.source import readable

    return readable()[reader_of(draft)].held_as


def layout_of(draft: Draft) -> dict[str, Any]:
    """How the file is read."""
    from seqveil.sources.layout import Layout

    return read_fields(Layout, draft.under("layout."))


def stated(draft: Draft) -> dict[str, Any]:
    """What the data holder must state for this kind of data, and whether they have."""
    from seqveil.sources.source import readable

    return {name: draft.get(f"stated.{name}") == "yes" for name in readable()[reader_of(draft)].unreleased}


_RANGE = re.compile(r"-?\d{1,18}\.\.-?\d{1,18}", re.ASCII)


def typed_labels(text: str) -> str:
    """A range or a short list, as typed. A path is refused, whatever is in it: files are chosen below the allowed folders.

    >>> typed_labels(" 1..17 "), typed_labels("home, work")
    ('1..17', 'home, work')
    >>> typed_labels("/etc/../etc/passwd")
    Traceback (most recent call last):
    seqveil.errors.CallError: write a range such as 1..17, or labels separated by commas such as home,work,shop.
    """
    text = text.strip()
    if _RANGE.fullmatch(text) or ("," in text and not os.path.lexists(text)):
        return text
    raise CallError("write a range such as 1..17, or labels separated by commas such as home,work,shop.")


def domain_of(draft: Draft) -> Domain:
    """The public labels, with the reason why they are public."""
    from seqveil.tables.domain import Domain

    if draft.get("labels", "file") == "file" and draft.get("domain"):
        refuse_moved(draft.get("domain"), 3)
    return Domain.parse(draft.get("domain"), draft.get("public_because") or None)


MOST_LABELS = 1 << 28
"""Bytes of a file of labels."""


def refuse_moved(path: str, step: int) -> None:
    """A file is kept by its real place. What was put there since, such as a link that leads elsewhere, is not read."""
    name = os.path.basename(path)
    try:
        there = os.stat(path, follow_symlinks=False)
        moved = os.path.realpath(path) != path or not stat.S_ISREG(there.st_mode)
    except (OSError, ValueError):
        moved = True
    if moved:
        raise CallError(f"{name!r:.80} is a link, or not the file any more that was chosen: choose it again in step {step}.")
    if there.st_size > MOST_LABELS:
        raise CallError(f"{name!r:.80} is larger than {MOST_LABELS >> 20} MiB: a list has one label per line.")


def source_of(draft: Draft, roots: Roots, domain: Domain | None = None) -> Source:
    """What is to be read."""
    from seqveil.sources import Source
    from seqveil.tables.calendar import is_word

    if not draft.get("file"):
        raise CallError("no file is chosen: choose one in step 1.")
    layout = layout_of(draft)
    if (bins := layout.get("time_bins")) is not None and not is_word(bins):
        layout["time_bins"] = str(roots.inside(bins))
    source = Source(data_of(draft, roots), domain or domain_of(draft), reader_of(draft), **stated(draft), **layout)
    for file in source.files:
        roots.inside(file)  # a link may lead out of the folder
    return source


def data_of(draft: Draft, roots: Roots) -> Path:
    """The chosen file or folder, where it really is."""
    return roots.inside(draft.get("file"))


def first_file(path: Path, roots: Roots, reader: str) -> Path:
    """The file that tells format and columns: of a folder the first one."""
    from seqveil.sources.folder import members

    return roots.inside(members(path, reader)[0]) if path.is_dir() else path


def unit_classes(draft: Draft) -> list[type[Unit]]:
    """The units of privacy that this kind of data has."""
    from seqveil.kinds import KINDS

    return list(KINDS[held_kind(draft)].unit_classes())


def unit_of(draft: Draft) -> Unit:
    """The unit of privacy: as chosen, else the user where a column names one, else the first that the kind has."""
    classes = unit_classes(draft)
    by_name = {one.name: one for one in classes}
    usual = "user" if "user" in by_name and draft.get("layout.user") else classes[0].name
    chosen = by_name.get(draft.get("unit", usual))
    if chosen is None:
        raise CallError(f"{draft.get('unit')!r:.60} is not a unit of privacy of this data: choose one of {', '.join(by_name)}.")
    if chosen.name == "user" and not draft.get("layout.user"):
        raise CallError("To protect users, choose the column that identifies them; or protect single records.")
    return chosen(**read_fields(chosen, draft.under(f"unit.{chosen.name}.")))


def fitting_methods(draft: Draft) -> list[Method]:
    """The methods for this kind of data and unit, publishing ones first, in the order of the registry."""
    from seqveil.registry import methods

    kind, unit = held_kind(draft), unit_of(draft)
    fitting = []
    for method in methods().values():
        try:
            if method.verb != "stream" and method.kind == kind and isinstance(unit, method.units):
                fitting.append(method)
        except Exception:  # somebody else's package must not keep ours from being listed
            continue
    return sorted(fitting, key=lambda method: method.verb != "publish")


def method_of(draft: Draft) -> Method:
    """The method: as chosen, else the first that fits."""
    fitting = fitting_methods(draft)
    if not fitting:
        raise CallError("no method fits this data and this unit of privacy: change one of them in step 2.")
    chosen = draft.get("method")
    named = next((method for method in fitting if method.name == chosen), None)
    if chosen and named is None:
        raise CallError(f"method {chosen!r:.60} does not fit this data and this unit of privacy: choose another in step 4.")
    return named or fitting[0]


def usual_parameters(draft: Draft, method: Method) -> dict[str, str]:
    """What takes the place of defaults for these data: the command line does the same (`cli.ordering.parameters_of`)."""
    from seqveil.registry import parameters
    from seqveil.sources.layout import ENDS

    return {"l_max": str(ENDS)} if draft.get("layout.origin") and "l_max" in parameters(method) else {}


def mechanism_of(draft: Draft) -> Any:
    """The mechanism with its parameters."""
    from seqveil.registry import make, parameters

    method = method_of(draft)
    allowed = parameters(method)
    given = usual_parameters(draft, method) | {name: value for name, value in draft.under("p.").items() if name in allowed}
    for value in given.values():
        if os.path.isabs(value):
            refuse_moved(value, 4)
    return make(method.name, given, method.verb)


def epsilon_of(draft: Draft) -> int:
    """The privacy budget, in grains."""
    from seqveil.wall.budget import grains

    return grains(draft.get("epsilon", "1.0"))


def size_of(draft: Draft) -> int | None:
    """The rough public number of units, for predictions."""
    from seqveil.numbers import whole

    if not draft.get("size"):
        return None
    try:
        size = whole(draft.get("size").replace(",", "").replace(" ", ""))
    except ValueError:
        size = 0
    if size < 1:
        raise CallError("the rough number is not a whole number of at least 1: write one such as 200000, or leave it empty.")
    return size


def account_of(draft: Draft) -> str:
    """The account: as given, or from the file's name."""
    from seqveil.cli.releasing import account_name

    return draft.get("account") or account_name(Path(draft.get("file")))


def out_of(draft: Draft, roots: Roots) -> Path:
    """The folder to create: as given, or a free name beside the file."""
    if draft.get("out"):
        return roots.place(draft.get("out"))
    file = Path(draft.get("file"))
    plain = re.sub(r"[^\w.-]+", "-", account_of(draft)).strip(".-") or "new"  # an account may be called a/b
    base = file.parent / f"{plain}-release"
    names = [base, *(base.with_name(f"{base.name}-{n}") for n in range(2, 1000))]
    return roots.place(next(path for path in names if not path.exists() and not path.is_symlink()))


def request_of(draft: Draft, roots: Roots) -> Request[Any]:
    """The whole request, as the lifecycle takes it."""
    from seqveil.wall.lifecycle import Request

    return Request(
        source_of(draft, roots),
        mechanism_of(draft),
        unit_of(draft),
        epsilon_of(draft),
        account_of(draft),
        out_of(draft, roots),
        holder=holder_of(draft),
    )


def holder_of(draft: Draft) -> Holder:
    """What the data holder states about the release; what is left empty is not stated."""
    from seqveil.facts import Holder
    from seqveil.wall.stated import check_stated

    texts = {name: draft.get(name) or None for name in STATED}
    holder = Holder(dataset=texts["dataset_name"], contact=texts["contact"], purpose=texts["purpose"])
    check_stated(holder)
    return holder


def problems_of(*works: Any) -> list[str]:
    """Everything that is wrong, of several things to try; each one once."""
    from seqveil.errors import InputProblems, SeqveilError

    lines: list[str] = []
    for work in works:
        try:
            work()
        except InputProblems as error:
            lines += [f"{error.source}: {problem}" if error.source else problem for problem in error.shown]
        except SeqveilError as error:
            lines.append(str(error))
    return list(dict.fromkeys(lines))
