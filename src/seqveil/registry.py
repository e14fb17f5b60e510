"""Mechanisms by name: our own, and those that other packages register under the entry point `seqveil.mechanisms`.

>>> make("ngram", {"l_max": "12"})  # doctest: +ELLIPSIS
NGram(l_max=12, n_max=5, allocation='adaptive', heights='mode', approximate=True, second_look=True, ...)
>>> make("ngram", {"lmax": "12"})  # doctest: +ELLIPSIS
Traceback (most recent call last):
seqveil.errors.CallError: ngram has no parameter 'lmax': it takes l_max, n_max, heights, approximate, ...
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from seqveil.errors import CallError
from seqveil.numbers import real, shown, whole
from seqveil.surface import parameter

if TYPE_CHECKING:
    from seqveil.tables.units import Unit


@dataclass(frozen=True, slots=True)
class Method:
    """A line of the registry; `where` is "module:class", loaded when the method is used.

    What kind of data it works on and which units it protects, its class declares. `preset` fixes parameters of the class, so that
    one class can serve several methods; `implied` are parameters that the verb sets itself. `good_for` says when to
    choose it, where it is one of those to look at first; `instead_of` names the methods, mostly of the papers, that it is chosen
    before, and `because` says why. `seqveil methods` and docs/mechanisms/index.md show all three.
    """

    name: str
    verb: Literal["publish", "mine", "domain", "stream"]
    where: str
    summary: str
    preset: dict[str, Any] = field(default_factory=dict)
    implied: tuple[str, ...] = ()
    good_for: str = ""
    instead_of: tuple[str, ...] = ()
    because: str = ""

    def load(self) -> type:
        """The mechanism's class."""
        module, _, name = self.where.partition(":")
        try:
            mechanism: type = getattr(import_module(module), name)
        except Exception as error:
            if module.partition(".")[0] == "seqveil":
                raise
            raise self._unfit(f"cannot be loaded ({type(error).__name__})") from error
        if not is_dataclass(mechanism):
            raise self._unfit("is no dataclass of public parameters")
        return mechanism

    def _unfit(self, why: str) -> CallError:
        return CallError(f"{self.where}, the class of method {self.name!r}, {why}: correct or update the package it is in.")

    @property
    def kind(self) -> str:
        """The kind of data that it works on."""
        return str(self._declared("kind"))

    @property
    def units(self) -> tuple[type[Unit], ...]:
        """The units of privacy that it can protect."""
        return tuple(self._declared("units"))

    def _declared(self, name: str) -> Any:
        value = getattr(self.load(), name, None)
        if value is None:
            raise CallError(f"{self.where} (method {self.name}) declares no `{name}`: add it as a class variable.")
        return value


class Parameter(NamedTuple):
    """A parameter that a user may give; a required one has no default."""

    type: Any
    default: Any
    required: bool
    help: str


_SIZES = ("window", "checkpoints", "buckets", "spacing", "between", "overlap", "arity", "every")


def _stream(name: str, summary: str, *takes: str, **choosing: Any) -> Method:
    """A method of a stream with what it takes beside the length; the statistic is a command of the verb."""
    fixed = {size: None for size in _SIZES if size not in takes}
    preset = {"method": name, **fixed}
    return Method(name, "stream", "seqveil.stream.mechanism:StreamMethod", summary, preset, ("statistic",), **choosing)


OURS = [
    Method(
        "record-model",
        "publish",
        "seqveil.publish.records:RecordModel",
        "the default for sequences: a model of whole records, fitted to noisy lengths, ends and n-grams",
        good_for="most uses: whole synthetic records, and counts of lengths, of first and last labels, and of patterns",
        instead_of=("ngram", "prefix"),
        because="one model is fitted to all answers, so that records are whole; n-grams give fragments, prefixes beginnings",
    ),
    Method(
        "histogram",
        "publish",
        "seqveil.publish.histogram:Histogram",
        "tables of first labels, last labels, both (OD), lengths, hours or labels: every cell with its error bar",
        good_for="a table over few labels with an error bar on every cell, zeros included; no synthetic records",
        because="nothing is left out and nothing is modelled: every cell has the noise of one question, known beforehand",
    ),
    Method(
        "grid-trips",
        "publish",
        "seqveil.publish.gridtrips:GridTrips",
        "trips over a grid of cells: ends, lengths and steps between neighbouring blocks, and trips that meet them",
        good_for="trips of many points over a map that is divided into cells row by row: synthetic trips that move to near cells",
        because="steps to near cells are few, so that they are counted precisely, and drawn trips do not jump",
    ),
    Method(
        "ngram",
        "publish",
        "seqveil.publish.ngram:NGram",
        "variable-length n-grams, adaptive budget (Chen, Acs, Castelluccia 2012)",
        {"allocation": "adaptive"},
        good_for="counts of short patterns, also of rare ones in small data over many labels; synthetic records are fragments",
        because="it stays with what it measured, and keeps rare n-grams that a model of whole records smooths away",
    ),
    Method(
        "ngram-uniform",
        "publish",
        "seqveil.publish.ngram:NGram",
        "variable-length n-grams, the same budget on every level",
        {"allocation": "uniform"},
    ),
    Method(
        "ngram-printed",
        "publish",
        "seqveil.publish.ngram:NGram",
        "variable-length n-grams as printed, without what was added since: to reproduce the paper",
        {
            "allocation": "adaptive",
            "second_look": False,
            "drop_labels": False,
            "live_labels": False,
            "implied_ends": False,
            "cap": False,
            "joints": False,
        },
    ),
    Method(
        "prefix",
        "publish",
        "seqveil.publish.prefix:PrefixPublication",
        "a noisy prefix tree: keeps the prefixes of records (Chen et al. 2012)",
        {"granularity": "simple", "taxonomy": None, "fan_out": 10, "levels": 2},
    ),
    Method(
        "prefix-hybrid",
        "publish",
        "seqveil.publish.prefix:PrefixPublication",
        "a noisy prefix tree that asks for groups before labels: for large domains",
        {"granularity": "hybrid"},
        good_for="how records begin, over several labels: counts of longer prefixes, and departures with their times",
        instead_of=("prefix",),
        because="groups of labels are asked before labels, so that fewer false children pass",
    ),
    Method(
        "ffs",
        "mine",
        "seqveil.mine.ffs:FrequentStrings",
        "frequent beginnings of records, grown level by level (McSherry, Mahajan 2010)",
    ),
    Method(
        "prefix-miner",
        "mine",
        "seqveil.mine.prefixminer:PrefixMiner",
        "frequent substrings or prefixes from one prefix tree (Bonomi, Xiong 2013)",
    ),
    Method(
        "two-phase",
        "mine",
        "seqveil.mine.twophase:TwoPhase",
        "frequent substrings or prefixes: a tree proposes, fingerprints refine (Bonomi, Xiong 2013)",
        good_for="a short list of the most frequent patterns, with all of ε spent on it; no synthetic records",
        instead_of=("prefix-miner", "ffs"),
        because="it looks twice at what a tree proposes; compare with record-model, whose list was ahead where we measured",
    ),
    Method(
        "substrings",
        "mine",
        "seqveil.mine.substrings:Substrings",
        "frequent substrings of any length, found by doubling (Bernardini, Bille, Gørtz, Steiner 2025)",
        good_for="the most frequent patterns of labels in a row, long ones too, with error bars; or records that contain them",
        because="candidates grow by doubling: long patterns divide ε over few levels, not over one for each label",
    ),
    Method(
        "basis",
        "mine",
        "seqveil.mine.basis:Basis",
        "the most frequent itemsets, from noisy histograms over few labels (after Li et al. 2012)",
        good_for="a short list of the combinations that occur most, with all of ε spent on it; no synthetic sets",
        instead_of=("itemsets",),
        because="a histogram over a few labels needs noise for one record, whatever the number of combinations",
    ),
    Method(
        "basis-sets",
        "publish",
        "seqveil.publish.basis:BasisSets",
        "the default for sets: over few labels all sets with noise, over many synthetic sets fitted to frequent itemsets",
        good_for="most uses: synthetic sets of the right sizes, and frequent combinations with error bars",
        because="it publishes long sets too, of which diffpart keeps few or none; over up to 18 labels it counts all sets",
    ),
    Method(
        "diffpart",
        "publish",
        "seqveil.publish.diffpart:DiffPart",
        "sets by top-down partitioning (Chen, Mohammed, Fung, Desai, Xiong 2011)",
        good_for="few sets over at most about 20 labels: sets as they occur, with error bars on counts of any combination",
        instead_of=("itemset-noise",),
        because="it asks only where records are: about as close as basis-sets on small data. For counts alone see itemset-noise",
    ),
    Method(
        "diffpart-rows",
        "publish",
        "seqveil.publish.diffpart:DiffPartRows",
        "rows of a relational table by top-down partitioning, one taxonomy per attribute (Chen 2012, 4.3.2)",
        good_for="synthetic rows of a table with several attributes",
        because="a row has one value per attribute, so that a cut has as many parts as values and not 2 to their number",
    ),
    Method(
        "histogram-sets",
        "publish",
        "seqveil.publish.histogram:SetHistogram",
        "tables of labels of sets, or of attributes of rows and pairs of them: every cell with its error bar",
        good_for="counts of labels, or one- and two-way tables of rows, with an error bar on every cell; no synthetic sets",
        because="nothing is left out and nothing is modelled: every cell has the noise of one question, known beforehand",
    ),
    Method(
        "discover",
        "domain",
        "seqveil.publish.discover:Discover",
        "labels that enough users have, where no list of labels is public (Raman, Dick, Joseph 2026)",
        good_for="a domain for all other methods where no list of labels is public; needs δ, and leaves rare labels out",
        because="each user divides one weight over all their labels, and a threshold hides what one user alone has",
    ),
    Method("itemset-noise", "publish", "seqveil.publish.itemsetnoise:ItemsetNoise", "sets: noise on every itemset"),
    Method(
        "pfs2",
        "mine",
        "seqveil.mine.pfs2:PFS2",
        "frequent sequences with gaps (Xu et al. 2015)",
        good_for="a short list of labels that occur in this order with anything in between",
        because="the only miner here that looks across gaps; each record counts for a bounded number of patterns",
    ),
    Method(
        "itemsets",
        "mine",
        "seqveil.mine.itemsets:FrequentItemsets",
        "frequent itemsets above a share of the records (Zeng et al. 2012, Xu et al. 2015)",
        good_for="all combinations that at least a given share of the records contains; for the top K use basis",
        because="whole sets are counted, each for a bounded number of combinations, instead of sets that are cut short",
    ),
    Method(
        "graph-bter",
        "publish",
        "seqveil.publish.graphs:GraphBTER",
        "graph with noisy degrees and a noisy number of triangles (Seshadhri et al. 2012, Zhang et al. 2015)",
        good_for="most uses: a synthetic graph that keeps degrees, clustering, and the numbers of edges and triangles",
        instead_of=("graph-degrees",),
        because="one noisy number of triangles gives the clustering that degrees alone lose; degrees and cuts are closer too",
    ),
    Method(
        "der",
        "publish",
        "seqveil.publish.density:DER",
        "graph by density-based exploration and reconstruction (Chen, Fung, Yu, Desai 2014)",
        good_for="where the edges lie: a synthetic graph with dense and sparse regions, and counts of edges between groups",
        instead_of=("graph-laplace",),
        because="it finds dense regions first; noise on every pair makes almost all edges false",
    ),
    Method(
        "graph-degrees",
        "publish",
        "seqveil.publish.graphs:GraphDegrees",
        "graph with noisy degrees, then a configuration model (Hay et al. 2009)",
        good_for="how many edges vertices have; which vertices they lead to is random",
        because="one number per vertex with little noise keeps degrees and random cuts better than a map of the edges",
    ),
    Method("graph-laplace", "publish", "seqveil.publish.graphs:GraphLaplace", "graph with noise on every pair"),
    Method(
        "graph-random",
        "publish",
        "seqveil.publish.graphs:GraphRandom",
        "random graph, noisy number of edges",
        good_for="the number of edges alone, as exact as ε allows",
        because="all of ε goes to one number",
    ),
    _stream(
        "blocks",
        "sums of few noisy blocks, for counts, sums, matches and bursts of any length",
        "window",
        "overlap",
        "arity",
        "every",
        good_for="running counts, sums, matches and bursts, also without a declared length",
        instead_of=("binary", "baseline", "window"),
        because="every answer adds up few blocks of a public plan: less than half the error of binary trees, by the same proof",
    ),
    _stream("baseline", "one noisy answer after every event"),
    _stream("binary", "sums of noisy dyadic blocks (Chan, Shi, Song 2011)", "window"),
    _stream("window", "noisy answers about the last W events", "window"),
    _stream("checkpoints", "R noisy values in all, extrapolated in between", "checkpoints", "spacing", "between"),
    _stream(
        "sqrt",
        "counts and sums from weighted sums with Gaussian noise (Fichtenberger, Henzinger, Upadhyay 2023); needs δ",
        "every",
        good_for="running counts and sums under (ε, δ), also without a declared length",
        because="Gaussian noise on weighted sums grows with the logarithm of the length",
    ),
    _stream("hierarchy", "EXPERIMENT only, never released: layers of increasing subsequences (Bonomi, Xiong 2015)", "buckets"),
]


@lru_cache(maxsize=1)
def _plugged(path: tuple[str, ...]) -> EntryPoints:
    """What installed packages offer: read once, because every name that is looked up would read all their files again."""
    return entry_points(group="seqveil.mechanisms")


def methods(verb: str | None = None) -> dict[str, Method]:
    """Every method by name, or those of a verb; a plug-in cannot take the name of one of ours."""
    registered = {method.name: method for method in OURS}
    for point in _plugged(tuple(sys.path)):
        try:
            method = point.load()
        except Exception:  # whatever is wrong with somebody else's package must not keep ours from working
            continue
        if isinstance(method, Method):
            registered.setdefault(method.name, method)
    return {name: method for name, method in registered.items() if verb in (None, method.verb)}


def method(name: str, verb: str | None = None) -> Method:
    """The method of a name, for a verb."""
    allowed = methods(verb)
    if name in allowed:
        return allowed[name]
    for point in _plugged(tuple(sys.path)).select(name=name):
        purpose = f" for `seqveil {verb}`" if verb else ""
        raise CallError(
            f"the plug-in for method {name!r}, {point.value}, cannot be loaded{purpose}: update the package it is in."
        )
    if other := methods().get(name):
        raise CallError(f"{name} is a method for `seqveil {other.verb}`: use that, or choose one of {', '.join(allowed)}.")
    raise CallError(f"unknown method {name!r}: choose one of {', '.join(allowed)}.")


def parameters(chosen: Method) -> dict[str, Parameter]:
    """The parameters a user may give, by name."""
    mechanism = chosen.load()
    hints = get_type_hints(mechanism)
    return {
        f.name: Parameter(hints[f.name], None if required else f.default, required, str(f.metadata.get("help", "")))
        for f in fields(mechanism)
        if f.init and f.name not in chosen.preset
        for required in [f.default is MISSING and f.default_factory is MISSING]
    }


def make(name: str, given: Mapping[str, Any], verb: str | None = None) -> Any:
    """A mechanism from its name and parameters; strings are read as what the parameter's type says."""
    chosen = method(name, verb)
    allowed = parameters(chosen)
    values: dict[str, Any] = dict(chosen.preset)
    for key, value in given.items():
        if key not in allowed:
            raise CallError(f"{name} has no parameter {key!r}: it takes {', '.join(allowed)}.")
        values[key] = _read(key, value, allowed[key].type) if isinstance(value, str) else _fitting(key, value, allowed[key].type)
    missing = [parameter(key) for key, one in allowed.items() if one.required and key not in values]
    if missing:
        raise CallError(f"{name} needs {', '.join(missing)}.")
    return chosen.load()(**values)


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
    seqveil.errors.CallError: l_max=[20]: give a whole number or auto.
    """
    options = _options(wanted)
    kinds = [option for option in options if isinstance(option, type) and not getattr(option, "_is_protocol", False)]
    if len(kinds) + sum(get_origin(option) is Literal for option in options) < len(options):
        return value  # a protocol, or a type of somebody else's method, who must look for themselves
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
    return CallError(f"{parameter(key, value)}: give {' or '.join(words)}.")


def _boolean(text: str) -> bool:
    if text.lower() in ("yes", "true", "on", "1"):
        return True
    if text.lower() in ("no", "false", "off", "0"):
        return False
    raise ValueError(text)


def _word(option: Any) -> str:
    return {int: "a whole number", float: "a number", bool: "yes or no", str: "text"}.get(option, str(option))
