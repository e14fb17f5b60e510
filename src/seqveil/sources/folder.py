"""Several files as one input: those of a folder, of a pattern such as `trips/*.csv`, or of a list of any of these.

They must be of one format, and are joined in the order of their names, in whatever order they were given.

They are copied to an anonymous file, like a pipe: what is read, fingerprinted and published are the same bytes. Text is joined
line by line under one header, Parquet table by table. Names of files, headers and schemas count as public, and whatever is wrong
with them is said before anything is spent. Hidden files and those that begin with _ (as Spark leaves them) do not count.
"""

from __future__ import annotations

import glob
import os
import shlex
import shutil
from pathlib import Path
from typing import IO, Any

from seqveil.errors import InputProblems
from seqveil.sources.blocks import archive_problems, first_line, opened
from seqveil.sources.formats import infer, shaped
from seqveil.sources.layout import Layout
from seqveil.sources.spool import STDIN, Spool, spool_written, spooled

SHOWN = 3
"""Files that a message names."""

Several = str | Path | tuple[str | Path, ...]
"""A folder, a pattern, or several files, folders and patterns."""


def is_folder(data: object) -> bool:
    """Whether an input is several files: a folder, a pattern, or a tuple; standard input and what is open already are none.

    >>> is_folder("/"), is_folder("-"), is_folder("/dev/null"), is_folder("/nowhere/*.csv"), is_folder(("a.csv", "b.csv"))
    (True, False, False, True, True)
    """
    if isinstance(data, tuple):
        return True
    named = isinstance(data, str | Path) and not isinstance(data, Spool) and str(data) != STDIN
    return named and (Path(str(data)).is_dir() or is_pattern(str(data)))


def is_pattern(data: str | Path) -> bool:
    """Whether a path stands for several files: it has wildcards, and there is no file of exactly that name."""
    return glob.has_magic(str(data)) and not os.path.lexists(data)


def named(data: object) -> str:
    """What an input is called in messages.

    >>> named("a.csv"), named(("a.csv", "b.csv", "c.csv", "d.csv", "e.csv"))
    ('a.csv', 'a.csv, b.csv, c.csv and 2 more')
    """
    if not isinstance(data, tuple):
        return str(data)
    return ", ".join(map(str, data[:SHOWN])) + (f" and {len(data) - SHOWN} more" if len(data) > SHOWN else "")


def members(folder: Several, rows: str) -> list[Path]:
    """The files of a folder, by name; InputProblems where there are none, or not all are of one format."""
    if isinstance(folder, tuple):
        return _listed(folder, rows)
    if is_pattern(folder):
        return _matching(folder, rows)
    try:
        listed = sorted(one for one in Path(folder).iterdir() if not one.name.startswith((".", "_")))
        files = [one for one in listed if one.is_file()]
    except OSError as error:
        raise InputProblems(str(folder), [f"cannot be read ({error.strerror or 'damaged'})"]) from None
    others = [one for one in listed if one not in files]
    if others:
        deeper = shlex.quote(str(Path(folder) / "*" / "*"))
        raise InputProblems(
            str(folder),
            [f"is a folder that holds {_named(others)}, not only files: for the files in the folders in it, give {deeper}"],
        )
    if not files:
        raise InputProblems(str(folder), ["is a folder without files: give a file, or a folder of files of one format"])
    return _alike(folder, files, rows)


def _listed(inputs: tuple[str | Path, ...], rows: str) -> list[Path]:
    """The files of a list of inputs, by name. A file that is there twice would count its people's rows twice."""
    files: list[Path] = []
    wrong: list[str] = []
    for one in inputs:
        if str(one) == STDIN:
            wrong.append("- is standard input, which is read alone: leave it out, or give nothing else")
        elif not is_folder(one):
            files.append(Path(one))
        else:
            try:
                files += members(one, rows)
            except InputProblems as error:
                wrong += [f"{one} {problem}" for problem in error.problems]
    places = [os.path.realpath(one) for one in files]
    again = dict.fromkeys(one for one, place in zip(files, places, strict=True) if places.count(place) > 1)
    wrong += [f"{one} is given more than once: give each file once" for one in again]
    if wrong:
        raise InputProblems(named(inputs), wrong)
    return _alike(inputs, sorted(files), rows)


def _matching(pattern: str | Path, rows: str) -> list[Path]:
    """The files that a pattern stands for, by name."""
    files = sorted(Path(one) for one in glob.glob(str(pattern)) if not Path(one).name.startswith((".", "_")))
    if not files or not all(one.is_file() for one in files):
        what = "matches no file" if not files else "matches something that is not a file"
        raise InputProblems(str(pattern), [f"{what}: give a file, a folder, or a pattern such as 'trips/*.csv'"])
    return _alike(pattern, files, rows)


def _alike(folder: Several, files: list[Path], rows: str) -> list[Path]:
    """The files, which must be of one format."""
    by_format = {infer(one, rows): one for one in reversed(files)}
    if len(by_format) > 1:
        some = sorted(by_format.values())
        raise InputProblems(named(folder), [f"holds files of several formats ({_named(some)}): keep those of one format in it"])
    return files


def name_of(folder: Several, files: list[Path]) -> Path:
    """What the joined file is called: `trips/*.csv`. It tells the format, and that nothing is packed."""
    plain = files[0].with_suffix("") if files[0].suffix.lower() == ".gz" else files[0]
    return _above(folder, files) / f"*{plain.suffix}"


def _above(folder: Several, files: list[Path]) -> Path:
    """The folder that all files are in or below."""
    if not isinstance(folder, tuple):
        return Path(folder).parent if is_pattern(folder) else Path(folder)
    parents = {one.parent for one in files}
    return parents.pop() if len(parents) == 1 else Path(os.path.commonpath([os.path.abspath(one) for one in parents]))


def joined(folder: Several, rows: str, layout: Layout) -> Spool:
    """All files of a folder as one; what is wrong with them is its `problem`."""
    files = members(folder, rows)
    name = name_of(folder, files)
    if layout.format in (*shaped("frame"), None) and layout.format != "parquet":
        return _refused(name, f"cannot be read from several files in the format {layout.format}: give one file")
    parts = [spooled(one) for one in files]
    wrong = [f"{one.name} {problem}" for one in parts for problem in archive_problems(one, begins=layout.begins)]
    if wrong:
        return _refused(name, f"holds files that cannot be read: {'; '.join(wrong[:SHOWN])}")
    if layout.format == "parquet":
        return _tables(name, parts)
    headed = layout.format in shaped("separated") and layout.header
    if headed and (unlike := [one for one in parts if first_line(one) != first_line(parts[0])]):
        return _refused(
            name, f"holds files with different headers: {_named(unlike)} and {parts[0].name} must have the same line 1"
        )
    return spool_written(name, lambda copy: _lines(copy, parts, headed))


def _refused(name: Path, problem: str) -> Spool:
    spool = Spool(name)
    spool.problem = problem
    return spool


def _named(files: list[Any]) -> str:
    names = [one.name for one in files[:SHOWN]]
    return ", ".join(names) + (f" and {len(files) - SHOWN} more" if len(files) > SHOWN else "")


def _lines(copy: IO[bytes], parts: list[Spool], headed: bool) -> None:
    """Text after text: the header of the first, and a line feed after the last line of each."""
    for number, part in enumerate(parts):
        with opened(part) as file:
            if headed and number:
                file.readline()
            before = copy.tell()
            shutil.copyfileobj(file, copy, 1 << 20)
        if copy.tell() > before:
            copy.seek(-1, 2)
            if copy.read(1) != b"\n":
                copy.write(b"\n")


def _tables(name: Path, parts: list[Spool]) -> Spool:
    """Table after table, of one schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schemas = [pq.read_schema(part) for part in parts]
        if unlike := [part for part, schema in zip(parts, schemas, strict=True) if not schema.equals(schemas[0])]:
            return _refused(name, f"holds tables with different columns: {_named(unlike)} and {parts[0].name} must have the same")

        def write(copy: IO[bytes]) -> None:
            with pq.ParquetWriter(copy, schemas[0]) as writer:
                for part in parts:
                    for batch in pq.ParquetFile(part).iter_batches():
                        writer.write_batch(batch)

        return spool_written(name, write)
    except pa.ArrowException:
        return _refused(name, "holds a file that is not a Parquet file, or is truncated: copy it again")
