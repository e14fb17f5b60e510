"""The manifest is read strictly or not at all."""

import json
from dataclasses import replace

import pytest

from seqveil.errors import ReleaseDamaged
from seqveil.facts import DomainFacts, Facts, Holder, MechanismFacts, Stage
from seqveil.release.manifest import Manifest
from seqveil.tables.units import User


def test_it_survives_json(sealed):
    """What was sealed comes back from JSON as it was."""
    manifest = sealed.manifest

    assert manifest == Manifest.from_json(manifest.to_json())
    assert User(max_sequences=2) == manifest.whom


def test_it_states_the_promise(sealed):
    """The manifest carries everything a stranger needs, in plain JSON."""
    data = json.loads(sealed.manifest.to_json())

    assert ("1.0", True, "grams") == (data["epsilon"], data["private"], data["content"])
    stage = {"name": "exploration tree", "kind": "tree", "epsilon": "1.0", "used": "0.64", "rule": "dearest path", "parts": []}
    assert ([stage], "0.36") == (data["stages"], data["unused"])
    assert "printed in the paper" == data["domain"]["public_because"]
    assert {"l_max": 5, "n_max": 3} == data["facts"]
    assert 32 == len(data["release"])


def test_release_ids_are_random(sealed):
    """Two releases of the same facts never share an id."""
    again = Manifest.new(sealed.manifest, content="grams", facts={})

    assert again.release != sealed.manifest.release


DAMAGES = [
    ("another schema", lambda d: d.update(schema=5), "schema 5"),
    ("no schema", lambda d: d.pop("schema"), "it is not the manifest of a release"),
    ("an unknown key", lambda d: d.update(size=7), "unknown key 'size'"),
    ("a missing key", lambda d: d.pop("noise"), "lacks the key 'noise'"),
    ("a number for epsilon", lambda d: d.update(epsilon=1.0), "wrong type at 'epsilon'"),
    ("a text for private", lambda d: d.update(private="yes"), "wrong type at 'private'"),
    ("1 for private", lambda d: d.update(private=1), "wrong type at 'private'"),
    ("an unknown key inside", lambda d: d["domain"].update(raw=1), "unknown key 'domain.raw'"),
    ("a missing key inside", lambda d: d["mechanism"].pop("paper"), "lacks the key 'mechanism.paper'"),
    ("a list for a stage", lambda d: d.update(stages=[[]]), "no object at 'stages[0]'"),
    ("a text for stages", lambda d: d.update(stages="all"), "no list at 'stages'"),
    ("numbers for hashes", lambda d: d.update(files={"a": 1}), "wrong type at 'files.a'"),
    ("an unknown unit", lambda d: d.update(unit={"name": "household"}), "unknown unit of privacy"),
    ("a unit with odd parameters", lambda d: d["unit"].update(k=3), "unknown unit of privacy"),
]


@pytest.mark.parametrize(("what", "damage", "problem"), DAMAGES, ids=[d[0] for d in DAMAGES])
def test_damage_is_named(sealed, what, damage, problem):
    """Every deviation is refused with what is wrong and what to do."""
    data = json.loads(sealed.manifest.to_json())
    damage(data)

    with pytest.raises(ReleaseDamaged) as error:
        Manifest.from_json(json.dumps(data))

    assert problem in str(error.value)
    assert any(advice in str(error.value) for advice in ("Copy the release again", "Open the release with"))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3"])
def test_other_texts_are_no_manifest(text):
    """Text that is not a JSON object is damage, not a crash."""
    with pytest.raises(ReleaseDamaged):
        Manifest.from_json(text)


AS_WRITTEN_BY_0_2 = """{
  "schema": 2,
  "release": "00000000000000000000000000000000",
  "created": "2026-03-01T08:00:00+00:00",
  "mechanism": {
    "name": "ngram",
    "version": "1",
    "paper": "CCS 2012",
    "parameters": {
      "l_max": 5
    }
  },
  "epsilon": "1.0",
  "unused": "0.36",
  "unit": {
    "name": "user",
    "max_sequences": 2
  },
  "neighbours": "add or remove one user with all their sequences",
  "domain": {
    "size": 2,
    "digest": "abababababababababababababababababababababababababababababababab",
    "public_because": "a published map",
    "labels": "domain.txt.gz"
  },
  "stages": [
    {
      "name": "tree",
      "kind": "grams",
      "epsilon": "0.75",
      "used": "0.39",
      "rule": "dearest path",
      "parts": []
    },
    {
      "name": "sample",
      "kind": "2 parts",
      "epsilon": "0.25",
      "used": "0.25",
      "rule": "maximum of parts",
      "parts": [
        "0.1",
        "0.25"
      ]
    }
  ],
  "noise": "discrete Laplace",
  "private": true,
  "content": "grams",
  "facts": {
    "l_max": 5,
    "n_max": 3
  },
  "files": {
    "a.txt": "efefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefef",
    "b.txt": "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
  }
}
"""


AS_WRITTEN_NOW = AS_WRITTEN_BY_0_2.replace('"schema": 2', '"schema": 3').replace(
    """  "private": true,
""",
    """  "private": true,
  "holder": {
    "account": "metro",
    "dataset": null,
    "contact": null,
    "purpose": "planning"
  },
  "signer": "0101010101010101010101010101010101010101010101010101010101010101",
""",
)


def test_the_text_of_a_manifest_is_fixed():
    """Keys, their order and their values, for the same facts; ledgers hold digests of such texts, and signatures are of them."""
    run = Facts(
        mechanism=MechanismFacts("ngram", "1", "CCS 2012", {"l_max": 5}),
        epsilon="1.0",
        unused="0.36",
        unit=User(max_sequences=2).describe(),
        neighbours=User(max_sequences=2).neighbours,
        domain=DomainFacts(2, "ab" * 32, "a published map", "domain.txt.gz"),
        stages=[
            Stage("tree", "grams", "0.75", "0.39", "dearest path"),
            Stage("sample", "2 parts", "0.25", "0.25", "maximum of parts", ("0.1", "0.25")),
        ],
        noise="discrete Laplace",
        private=True,
        holder=Holder("metro", purpose="planning"),
        signer="01" * 32,
    )
    manifest = replace(
        Manifest.new(run, content="grams", facts={"l_max": 5, "n_max": 3}), release="0" * 32, created="2026-03-01T08:00:00+00:00"
    ).listing({"b.txt": "cd" * 32, "a.txt": "ef" * 32})

    assert AS_WRITTEN_NOW == manifest.to_json()
    assert manifest == Manifest.from_json(AS_WRITTEN_NOW)


def test_a_manifest_of_0_2_is_read_and_written_as_it_was():
    """It names no data holder and no key."""
    old = Manifest.from_json(AS_WRITTEN_BY_0_2)

    assert AS_WRITTEN_BY_0_2 == old.to_json()
    assert (old.holder, old.signer) == (Holder(), None)
