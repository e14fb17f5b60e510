"""Other packages bring mechanisms by entry point: they are found, made and run like our own, and cannot take a name of ours."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import seqveil as sv
from seqveil import registry
from seqveil.errors import CallError
from strategies import table_of_codes

PLUGIN = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seqveil.publish.ngram import NGram
from seqveil.registry import Method


@dataclass(frozen=True)
class Shallow(NGram):
    """Single labels only."""

    n_max: int = 1

    @property
    def name(self):
        return "shallow"


shallow = Method("shallow", "publish", "elsewhere:Shallow", "single labels only")
thief = Method("ngram", "publish", "elsewhere:Shallow", "takes the name of one of ours")
nothing = "not a method"
'''

ENTRY_POINTS = """
[seqveil.mechanisms]
shallow = elsewhere:shallow
thief = elsewhere:thief
nothing = elsewhere:nothing
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution as pip would leave it."""
    (tmp_path / "elsewhere.py").write_text(PLUGIN)
    info = tmp_path / "elsewhere-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "elsewhere", raising=False)
    return tmp_path


def test_a_plug_in_is_found_made_and_run(plugin):
    """Its method is in the table, takes its parameters from the command line's strings, and makes a release."""
    mechanism = registry.make("shallow", {"l_max": "2"}, verb="publish")
    release = sv.experiment(table_of_codes([[0, 1], [1]] * 50, 2), mechanism, "1.0", seed=1)

    assert "sequences" == registry.methods()["shallow"].kind
    assert "single labels only" == registry.methods()["shallow"].summary
    assert (2, 1) == (mechanism.l_max, mechanism.n_max)
    assert "shallow" == release.manifest.mechanism.name
    assert {1} == set(release.grams.lengths.tolist())


def test_a_plug_in_cannot_take_one_of_our_names(plugin):
    """`ngram` stays ours, and what is not a method is passed over."""
    assert "seqveil.publish.ngram:NGram" == registry.methods()["ngram"].where
    assert "nothing" not in registry.methods()


def test_without_it_the_name_is_unknown():
    """An unknown method is refused with the names there are."""
    with pytest.raises(CallError, match="choose one of record-model"):
        registry.method("shallow", "publish")


UNFIT = """
from seqveil.registry import Method


class Plain:
    kind = "sequences"
    units = ()


shallow = Method("shallow", "publish", "elsewhere:{name}", "its class is not what it should be")
thief = nothing = None
"""


@pytest.mark.parametrize(
    ("name", "why"),
    [("Missing", "cannot be loaded (AttributeError)"), ("Plain", "is no dataclass of public parameters")],
)
@pytest.mark.parametrize("use", [registry.make, lambda name, given: registry.parameters(registry.method(name))])
def test_a_plug_in_without_its_mechanism_is_refused_with_a_sentence(plugin, name, why, use):
    """Its line of the registry loads, but the class that it names does not, or is none: whose fault that is, is said."""
    (plugin / "elsewhere.py").write_text(UNFIT.replace("{name}", name))

    with pytest.raises(CallError, match=re.escape(f"elsewhere:{name}, the class of method 'shallow', {why}")):
        use("shallow", {})


BROKEN = [
    ("a module that fails to load", "raise RuntimeError('broken on import')"),
    ("a name that is not there", "x = 1"),
]


@pytest.mark.parametrize("source", [b[1] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_a_broken_plug_in_does_not_break_the_others(plugin, source):
    """Somebody else's broken package must not keep a data holder from publishing with ours."""
    (plugin / "elsewhere.py").write_text(source)

    assert "ngram" in registry.methods()
    with pytest.raises(CallError, match="elsewhere:shallow, cannot be loaded"):
        registry.method("shallow")
