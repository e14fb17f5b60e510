"""The reference of the Python interface: every public name with its signature, its types and its docstring.

Docstrings here are Markdown with doctests. They are shown as they are written; types are those of the annotations.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import seqveil
from seqveil.parameters import help_of
from sitebuilder.markdown import cell, fence, table, toctree

GROUPS = {  # page: (title, what it is for, names of `sv.`; a package stands for all its names)
    "reading": (
        "Reading",
        "From files, data frames, lists and Spark to tables, over a public domain.",
        [
            "Domain",
            "Calendar",
            "discover_domain",
            "read_sequences",
            "read_sets",
            "read_graph",
            "read_relational",
            "read_spark",
            "Source",
            "table_of",
            "sets_of",
            "graph_of",
        ],
    ),
    "tables": (
        "Tables",
        "What is read. Printing one shows its domain, never a row.",
        ["SequenceTable", "SetTable", "GraphTable"],
    ),
    "units": ("Units of privacy", "What the guarantee protects.", ["Record", "User", "Edge", "Event"]),
    "vault": ("Vault, ledger, plan", "Where budgets are spent, and predicted.", ["Vault", "experiment", "plan", "Ledger"]),
    "publish": ("Publish", "Methods that publish synthetic data and counts.", ["publish"]),
    "mine": ("Mine", "Methods that release frequent patterns.", ["mine"]),
    "release": ("Releases", "What may be shown, and what can be asked of it.", ["Release", "load", "verify", "release"]),
    "stream": ("Streams", "Answers while events arrive.", ["stream"]),
    "evaluate": ("Evaluate", "INTERNAL: comparisons with the raw data.", ["evaluate"]),
    "link": ("Linkage", "Only its base is differentially private.", ["link"]),
    "fenced": ("Fenced", "Not differentially private.", ["fenced", "routes"]),
    "errors": ("Errors", "What `except` can catch.", ["SeqveilError", "errors"]),
}


def pages() -> dict[str, str]:
    """The list of names, and a page for each group."""
    texts = {f"reference/python/{name}.md": _page(*group) for name, group in GROUPS.items()}
    rows = [[f"[{title}](python/{name}.md)", cell(about), _names(named)] for name, (title, about, named) in GROUPS.items()]
    texts["reference/python.md"] = "\n\n".join(
        [
            "# Python",
            "`import seqveil as sv` gives all of this. Names are loaded when they are first used.",
            table(["page", "what for", "names"], rows),
            "The order of the work:",
            fence(inspect.cleandoc(seqveil.__doc__ or "").split("\n\n")[2].replace("    ", ""), "python"),
            toctree(f"python/{name}" for name in GROUPS),
        ]
    )
    return texts


def missing() -> set[str]:
    """Names of `sv.` that no page has: methods stand under their package, too."""
    inside = {name for package in ("publish", "mine") for name in dir(getattr(seqveil, package))}
    return set(dir(seqveil)) - {name for _, _, named in GROUPS.values() for name in named} - inside


def _names(named: list[str]) -> str:
    return ", ".join(f"`sv.{name}`" + (".…" if isinstance(getattr(seqveil, name), ModuleType) else "") for name in named)


def _page(title: str, about: str, named: list[str]) -> str:
    parts = [f"# {title}", about]
    for name in named:
        value = getattr(seqveil, name)
        if not isinstance(value, ModuleType):
            parts += _entry(f"sv.{name}", value)
            continue
        parts += [f"## sv.{name}", prose(inspect.getdoc(value) or "")]
        for inner in public(value):
            parts += _entry(f"sv.{name}.{inner}", getattr(value, inner))
    return "\n\n".join(part for part in parts if part) + "\n"


def public(package: ModuleType) -> list[str]:
    """The names of a package: those it lists, or what is written in it."""
    if hasattr(package, "__all__"):
        return sorted(package.__all__)
    return [
        name
        for name, one in vars(package).items()
        if not name.startswith("_") and getattr(one, "__module__", "") == package.__name__
    ]


def _entry(name: str, value: Any) -> Iterator[str]:
    """A class or a function: signature, docstring, parameters with sentences, public methods."""
    yield f"## {name}"
    if isinstance(value, ModuleType):
        yield prose(inspect.getdoc(value) or "")
        for inner in public(value):
            yield f"* `{name}.{inner}`: {first_line(getattr(value, inner))}"
        return
    if callable(value) and not _plain_exception(value):
        yield fence(signature(name, value), "python")
    yield prose(inspect.getdoc(value) or "")
    if not inspect.isclass(value):
        return
    if dataclasses.is_dataclass(value) and any(help_of(value).values()):
        given = {f.name: str(f.type) for f in dataclasses.fields(value)}
        rows = [[f"`{key}`", f"`{cell(given[key])}`", cell(text)] for key, text in help_of(value).items()]
        yield table(["parameter", "type", "description"], rows)
    for key, member in members(value):
        yield f"### {name.rpartition('.')[2]}.{key}"
        if callable(member):
            yield fence(signature(key, member), "python")
        yield prose(inspect.getdoc(member) or "")


def _plain_exception(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties with a docstring, also inherited ones of ours."""
    for key, member in inspect.getmembers(owner):
        home = next((base for base in owner.__mro__ if key in vars(base)), object)
        if key.startswith("_") or not home.__module__.startswith("seqveil"):
            continue
        bare = inspect.getattr_static(owner, key)
        if isinstance(bare, property) or inspect.isroutine(member):
            text = inspect.getdoc(member)
            if text:
                yield key, bare if isinstance(bare, property) else member


def signature(name: str, value: Any) -> str:
    """A call with its types; long ones have an argument per line."""
    try:
        given = inspect.signature(value)
    except (TypeError, ValueError):
        return f"{name}(…)"
    kept = [one for key, one in given.parameters.items() if key not in ("self", "cls")]
    result = given.empty if inspect.isclass(value) else given.return_annotation
    given = given.replace(parameters=[_readable(one) for one in kept], return_annotation=result)
    line = f"{name}{given}".replace("'", '"') if "'" not in str([one.default for one in kept]) else f"{name}{given}"
    line = re.sub(r'(: |-> )"([^"]*)"', r"\1\2", re.sub(r"(: |-> )'([^']*)'", r"\1\2", line))
    if len(line) <= 90 or not kept:
        return line
    result = "" if given.return_annotation is inspect.Signature.empty else f" -> {_bare(given.return_annotation)}"
    rows, star = [], False
    for one in kept:
        if one.kind is one.KEYWORD_ONLY and not star and not any(k.kind is k.VAR_POSITIONAL for k in kept):
            rows.append("    *,")
            star = True
        rows.append("    " + re.sub(r": '([^']*)'", r": \1", str(_readable(one))) + ",")
    return "\n".join([f"{name}(", *rows, f"){result}"])


def _bare(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _readable(one: inspect.Parameter) -> inspect.Parameter:
    """A default that prints its address or a factory is shown as `...`, a class by its name."""
    if inspect.isclass(one.default) and one.default is not one.empty:
        return one.replace(default=_Shown(one.default.__name__))
    if one.default is not one.empty and re.search(r"<.*(?: at 0x|factory).*>", repr(one.default)):
        return one.replace(default=...)
    return one


class _Shown:
    """A default that is shown in these words."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def first_line(value: Any) -> str:
    """The first sentence of a docstring."""
    return (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")


def prose(text: str) -> str:
    """A docstring as Markdown: examples and indented blocks become fences.

    >>> prose("One.\\n\\n>>> 1 + 1\\n2\\n\\n    a = 1").replace("`" * 3, "~~~").splitlines()
    ['One.', '', '~~~python', '>>> 1 + 1', '2', '~~~', '', '~~~python', 'a = 1', '~~~']
    """
    parts = []
    for block in re.split(r"\n\s*\n", text):
        if not block.strip():
            continue
        lines = block.splitlines()
        start = next((i for i, line in enumerate(lines) if line.lstrip().startswith(">>>")), None)
        if start is not None:
            if start:
                parts.append(_words("\n".join(lines[:start])))
            parts.append(fence(inspect.cleandoc("\n".join(lines[start:])), "python"))
        elif all(line.startswith("    ") for line in lines):
            parts.append(fence("\n".join(line[4:] for line in lines), "python" if "=" in block and "──" not in block else ""))
        else:
            parts.append(_words(block))
    return "\n\n".join(parts)


def _words(text: str) -> str:
    return re.sub(r"<(?=\w)", "\\<", text)
