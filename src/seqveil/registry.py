"""Mechanisms by name: our own, and those that other packages register under the entry point `seqveil.mechanisms`.

>>> make("ngram", {"l_max": "12"})
NGram(l_max=12, n_max=5, allocation='adaptive', approximate=True, second_look=True, theta=None, l_most=100)
>>> make("ngram", {"lmax": "12"})
Traceback (most recent call last):
seqveil.errors.CallError: ngram has no parameter 'lmax': it takes l_max, n_max, approximate, second_look, theta, l_most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from importlib import import_module
from importlib.metadata import entry_points
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from seqveil.errors import CallError
from seqveil.numbers import real, shown, whole


@dataclass(frozen=True, slots=True)
class Method:
    """A line of the registry; `where` is "module:class", loaded when the method is used."""

    name: str
    verb: Literal["publish", "mine"]
    kind: str
    where: str
    summary: str
    preset: dict[str, Any] = field(default_factory=dict)

    def load(self) -> type:
        """The mechanism's class."""
        module, _, name = self.where.partition(":")
        found: type = getattr(import_module(module), name)
        return found


OURS = [
    Method(
        "ngram",
        "publish",
        "sequences",
        "seqveil.publish.ngram:NGram",
        "variable-length n-grams, adaptive budget (Chen, Acs, Castelluccia 2012)",
        {"allocation": "adaptive"},
    ),
    Method(
        "ngram-uniform",
        "publish",
        "sequences",
        "seqveil.publish.ngram:NGram",
        "variable-length n-grams, the same budget on every level",
        {"allocation": "uniform"},
    ),
    Method(
        "prefix",
        "publish",
        "sequences",
        "seqveil.publish.prefix:PrefixPublication",
        "a noisy prefix tree: keeps what records begin with (Chen et al. 2012)",
        {"granularity": "simple", "taxonomy": None, "fan_out": 10, "levels": 2},
    ),
    Method(
        "prefix-hybrid",
        "publish",
        "sequences",
        "seqveil.publish.prefix:PrefixPublication",
        "a noisy prefix tree that asks for groups before labels: for large domains",
        {"granularity": "hybrid"},
    ),
    Method(
        "ffs",
        "mine",
        "sequences",
        "seqveil.mine.ffs:FrequentStrings",
        "frequent strings of one length, grown from prefixes (McSherry, Mahajan 2010)",
    ),
    Method(
        "prefix-miner",
        "mine",
        "sequences",
        "seqveil.mine.prefixminer:PrefixMiner",
        "frequent substrings or prefixes from one prefix tree (Bonomi, Xiong 2013)",
    ),
    Method(
        "two-phase",
        "mine",
        "sequences",
        "seqveil.mine.twophase:TwoPhase",
        "frequent substrings or prefixes: a tree proposes, fingerprints refine (Bonomi, Xiong 2013)",
    ),
    Method(
        "diffpart",
        "publish",
        "sets",
        "seqveil.publish.diffpart:DiffPart",
        "sets by top-down partitioning (Chen, Mohammed, Fung, Desai, Xiong 2011)",
    ),
    Method("itemset-noise", "publish", "sets", "seqveil.publish.itemsetnoise:ItemsetNoise", "sets: noise on every itemset"),
    Method("pfs2", "mine", "sequences", "seqveil.mine.pfs2:PFS2", "frequent sequences with gaps (Xu et al. 2015)"),
    Method(
        "itemsets",
        "mine",
        "sets",
        "seqveil.mine.itemsets:FrequentItemsets",
        "frequent itemsets (Zeng et al. 2012, Xu et al. 2015)",
    ),
    Method(
        "der",
        "publish",
        "graph",
        "seqveil.publish.density:DER",
        "graph by density-based exploration and reconstruction (Chen, Fung, Yu, Desai 2014)",
    ),
    Method(
        "graph-degrees",
        "publish",
        "graph",
        "seqveil.publish.graphs:GraphDegrees",
        "graph with noisy degrees, then a configuration model (Hay et al. 2009)",
    ),
    Method("graph-laplace", "publish", "graph", "seqveil.publish.graphs:GraphLaplace", "graph with noise on every pair"),
    Method("graph-random", "publish", "graph", "seqveil.publish.graphs:GraphRandom", "random graph, noisy number of edges"),
]


def methods() -> dict[str, Method]:
    """Every known method by name; a plug-in cannot take the name of one of ours."""
    known = {method.name: method for method in OURS}
    for point in entry_points(group="seqveil.mechanisms"):
        try:
            method = point.load()
        except Exception:  # whatever is wrong with somebody else's package must not keep ours from working
            continue
        if isinstance(method, Method):
            known.setdefault(method.name, method)
    return known


def method(name: str, verb: str | None = None) -> Method:
    """The method of a name, for a verb."""
    known = {n: m for n, m in methods().items() if verb in (None, m.verb)}
    if name not in known:
        for point in entry_points(group="seqveil.mechanisms", name=name):
            raise CallError(f"the plug-in of {name!r}, {point.value}, does not load as a method{f' to {verb}' if verb else ''}.")
        if other := methods().get(name):
            raise CallError(
                f"{name} is a method to {other.verb}: type seqveil {other.verb}, or choose one of {', '.join(known)}."
            )
        raise CallError(f"there is no method {name!r}{f' to {verb}' if verb else ''}: choose one of {', '.join(known)}.")
    return known[name]


def parameters(chosen: Method) -> dict[str, tuple[Any, Any]]:
    """The parameters a user may give: name to (type, default)."""
    cls = chosen.load()
    hints = get_type_hints(cls)
    return {f.name: (hints[f.name], f.default) for f in fields(cls) if f.init and f.name not in chosen.preset}


def make(name: str, given: Mapping[str, Any], verb: str | None = None) -> Any:
    """A mechanism from its name and parameters; strings are read as what the parameter's type says."""
    chosen = method(name, verb)
    allowed = parameters(chosen)
    values: dict[str, Any] = dict(chosen.preset)
    for key, value in given.items():
        if key not in allowed:
            raise CallError(f"{name} has no parameter {key!r}: it takes {', '.join(allowed)}.")
        values[key] = _read(key, value, allowed[key][0]) if isinstance(value, str) else _fitting(key, value, allowed[key][0])
    try:
        return chosen.load()(**values)
    except TypeError:
        missing = [k for k, (_, default) in allowed.items() if k not in values and type(default).__name__ == "_MISSING_TYPE"]
        raise CallError(f"{name} needs {', '.join('--' + k.replace('_', '-') for k in missing)}.") from None


def _read(key: str, text: str, wanted: Any) -> Any:
    """A value as its type says.

    >>> _read("l_max", "auto", int | Literal["auto"]), _read("approximate", "no", bool), _read("theta", "3", float | None)
    ('auto', False, 3.0)
    """
    options = _options(wanted)
    for option in options:
        if get_origin(option) is Literal and text in get_args(option):
            return text
    readers: dict[Any, Callable[[str], Any]] = {bool: _boolean, int: whole, float: real, str: str}
    for option in options:
        if option in readers and option is not NoneType:
            try:
                return readers[option](text)
            except ValueError:
                continue
    raise _unfit(key, text if len(text) <= 40 else shown(text), options)


def _fitting(key: str, value: Any, wanted: Any) -> Any:
    """A value from a file of parameters, or from a release, if it is what the type says.

    >>> _fitting("l_max", 20, int | Literal["auto"])
    20
    >>> _fitting("l_max", [20], int | Literal["auto"])
    Traceback (most recent call last):
    seqveil.errors.CallError: --l-max [20]: give a whole number or auto.
    """
    options = _options(wanted)
    kinds = [option for option in options if isinstance(option, type)]
    if len(kinds) + sum(get_origin(option) is Literal for option in options) < len(options):
        return value  # a type of somebody else's method, who must look for themselves
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = (isinstance(value, kind) and number == (kind in (int, float)) for kind in kinds)
    if any(fits) or (number and float in kinds):
        with suppress(OverflowError):
            if not number or (math.isfinite(value) and (isinstance(value, float) or abs(value) < 10**18)):
                return value
    raise _unfit(key, shown(value), options)


def _options(wanted: Any) -> tuple[Any, ...]:
    return get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)


def _unfit(key: str, value: str, options: tuple[Any, ...]) -> CallError:
    words = [str(a) for o in options for a in (get_args(o) if get_origin(o) is Literal else [_word(o)]) if o is not NoneType]
    return CallError(f"--{key.replace('_', '-')} {value}: give {' or '.join(words)}.")


def _boolean(text: str) -> bool:
    if text.lower() in ("yes", "true", "on", "1"):
        return True
    if text.lower() in ("no", "false", "off", "0"):
        return False
    raise ValueError(text)


def _word(option: Any) -> str:
    return {int: "a whole number", float: "a number", bool: "yes or no", str: "a text"}.get(option, str(option))
