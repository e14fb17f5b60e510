"""`seqveil methods` lists what can be typed, streams included, and describes the parameters of each method."""

from __future__ import annotations

import json

import pytest

from seqveil import registry
from seqveil.cli.parameter_help import options_of
from seqveil.parameters import help_of
from seqveil.studio.forms import method_controls
from sitebuilder import api, parameters
from sitebuilder.markdown import cell


def test_every_method_is_listed_with_its_verb_kind_and_units(seqveil):
    """As a table and as JSON; what stands there comes from the mechanism's class."""
    listed = json.loads(seqveil("methods", "--json").out)
    shown = seqveil("methods").out

    assert list(registry.methods()) == list(listed)
    assert {"verb": "stream", "kind": "events", "units": ["event", "run", "user-day"]}.items() <= listed["binary"].items()
    assert {"verb": "publish", "kind": "graph", "units": ["edge"]}.items() <= listed["der"].items()
    assert {"blocks", "baseline", "binary", "window", "checkpoints", "sqrt", "hierarchy"} == set(registry.methods("stream"))
    assert all(name in shown for name in listed)
    assert "EXPERIMENT" in listed["hierarchy"]["summary"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("binary", {"length", "window"}),
        ("blocks", {"length", "window", "overlap", "arity", "every"}),
        ("checkpoints", {"length", "checkpoints", "spacing", "between"}),
        ("baseline", {"length"}),
    ],
)
def test_a_stream_shows_the_options_that_its_method_takes(seqveil, name, options):
    """The statistic is a command of its own, and what another method takes is left out."""
    described = json.loads(seqveil("methods", name, "--json").out)

    assert options | {"consecutive", "max_per_day"} == set(described)  # every method protects other units, too
    assert "Not needed for blocks and windows" in described["length"]["help"]
    assert all(one["help"] for one in described.values())


def test_parameters_are_described(seqveil):
    """The sentence that stands beside each field of the mechanism."""
    ran = seqveil("methods", "ngram")

    assert "--l-max" in ran.out
    assert "Longest n-gram" in ran.out
    assert "ngram (publish): variable-length n-grams" in ran.err


def test_an_unknown_method_is_refused_with_the_list(seqveil):
    """Exit code 2."""
    ran = seqveil("methods", "ngramm")

    assert 2 == ran.code
    assert "unknown method 'ngramm': choose one of record-model," in ran.err


@pytest.mark.parametrize(
    ("words", "method"),
    [
        (["publish", "--method", "ngram", "--help"], "ngram"),
        (["publish", "--method", "record-model", "--help"], "record-model"),
        (["mine", "--method", "pfs2", "--help"], "pfs2"),
        (["plan", "--method", "diffpart", "--help"], "diffpart"),
    ],
)
def test_help_lists_the_parameters_of_the_method(seqveil, monkeypatch, words, method):
    """Of the one that is named before --help; every one with its sentence."""
    monkeypatch.setenv("COLUMNS", "400")
    shown = " ".join(seqveil(*words).out.split())

    assert f"Parameters of {method}" in shown
    for name, one in registry.parameters(registry.method(method)).items():
        assert name in registry.method(method).implied or (f"--{name.replace('_', '-')} " in shown and one.help in shown), name


@pytest.mark.parametrize("method", ["nonsense", "broken"])
def test_help_for_a_method_without_a_class_has_no_parameters(seqveil, monkeypatch, method):
    """Help is shown all the same: for one that does not exist, and for one of somebody's package that does not load."""
    broken = registry.Method("broken", "publish", "no.such.module:Nothing", "does not load")
    monkeypatch.setattr(registry, "methods", lambda: {"broken": broken})
    shown = seqveil("publish", "--method", method, "--help")

    assert 0 == shown.code
    assert "--epsilon" in shown.out
    assert "Parameters of" not in shown.out


@pytest.mark.parametrize("name", [method.name for method in registry.OURS])
def test_all_places_show_the_same_sentence(seqveil, name):
    """`methods`, `--help`, the form of the studio and the site: every parameter with the sentence of its field."""
    method = registry.method(name)
    sentences = {key: one.help for key, one in registry.parameters(method).items() if key not in method.implied}
    controls, only_python = method_controls(method, {})
    described = json.loads(seqveil("methods", name, "--json").out)
    site = parameters.pages()["reference/parameters.md"].split(f"\n## {name}\n")[1].split("\n## ")[0]

    assert sentences == {key: one["help"] for key, one in described.items()}
    assert sentences == {option.name: option.help for option in options_of(name)}
    assert sentences == {**{one.name.removeprefix("p."): one.help for one in controls}, **{k: sentences[k] for k in only_python}}
    assert [] == [text for text in sentences.values() if cell(text) not in site]


@pytest.mark.parametrize("name", [method.name for method in registry.OURS if method.verb != "stream"])
def test_the_reference_of_python_shows_the_same_sentence(name):
    """Beside the class of the mechanism, for parameters that a method presets as well."""
    mechanism = registry.method(name).load()
    entry = "\n".join(api._entry(f"sv.{mechanism.__name__}", mechanism))

    assert [] == [text for text in help_of(mechanism).values() if cell(text) not in entry]
