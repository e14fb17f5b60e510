"""A manifest from a stranger: every value has a type, a range and a length, and all that is wrong is told at once."""

from __future__ import annotations

import json

import pytest

from seqveil.errors import ReleaseDamaged
from seqveil.release.manifest import Manifest
from seqveil.release.schema import MOST_TEXT

OF_0_1 = """{
  "schema": 1, "release": "c8154d9bfa32656b44f6924f835d72f4", "created": "2026-06-16T09:43:48+00:00",
  "mechanism": {
    "name": "pfs2", "version": "1", "paper": "Xu, Su, Cheng, Li, Xiong, ICDE 2015",
    "parameters": {"support": 0.05, "top": null, "l_most": 50, "eta": 0.85, "zeta": 0.3, "variant": "pfs2", "search": "sparse"}
  },
  "epsilon": "1.0", "unit": {"name": "record"}, "neighbours": "add or remove one record",
  "domain": {
    "size": 20, "digest": "b76ae83c50d6104039c80d312402af3027661e07066325526ad997daf6362bbc", "public_because": null,
    "labels": "1..20"
  },
  "stages": [
    {"name": "size", "kind": "size", "epsilon": "0.025"},
    {"name": "length constraint", "kind": "lengths", "epsilon": "0.025"},
    {"name": "longest frequent length", "kind": "largest supports by length", "epsilon": "0.05"},
    {"name": "sample parts", "kind": "6 parts", "epsilon": "0.45"},
    {"name": "count length 1", "kind": "supports", "epsilon": "0.075"}
  ],
  "noise": "secure", "private": true, "content": "patterns",
  "facts": {"kind": "subsequence", "about": "records that contain all labels in this order", "size": 3049},
  "files": {"patterns.parquet": "0000000000000000000000000000000000000000000000000000000000000000"}
}"""
"""As Seqveil 0.1 wrote it."""

DEEP: dict = {}
for _ in range(12):
    DEEP = {"a": DEEP}

FORGED = {
    "epsilon": ["-1", "nan", "NaN", "", "inf", "1e999999999", "9" * 5000, "0", "0.0", "1,0", " 1", "1.0000000000001", "١", "1_0",
                "1000000.1", 1, 1.0, None, True, [], {}],
    "unused": ["-0.1", "nan", "", "2.0", "9" * 5000, 0, None],
    "schema": [0, 4, -1, "2", 2.0, True, 10**400],
    "release": ["", "x" * 32, "A" * 32, "0" * 31, "0" * 10**6, 5, None],
    "created": ["", "yesterday", "2026-13-01T00:00:00+00:00", "0000-01-01T00:00:00+00:00", "99999-01-01T00:00:00+00:00",
                "9999-12-31T23:59:59+00:00", "2026-01-01", "2026-01-01T00:00:00Z\x1b", 5],
    "unit": [{}, {"name": "user", "max_sequences": 0}, {"name": "user", "max_sequences": 10**30}, {"name": "user"} | {"k": 1},
             {"name": "edge", "k": -1}, {"name": ["record"]}, "record", None],
    "neighbours": ["\x1b]52;c;AAAA\x07", "a" * (MOST_TEXT + 1), 3, None],
    "noise": ["\u202eerucer", "", "a" * 1000, None],
    "private": [1, 0, "true", None],
    "content": ["\x1b[31m", "", 3, "x" * 10**6],
    "facts": [[], None, {"l_max": 10**400}, {"a": [[[[[[[[[[[[1]]]]]]]]]]]]}, {"a": list(range(20_000))}, {"a\x1b": 1}],
    "files": [{"../x": "0" * 64}, {"x/y": "0" * 64}, {".x": "0" * 64}, {"x": "0" * 63}, {"x": 5}, [], {"a\x00": "0" * 64},
              {f"f{i}": "0" * 64 for i in range(200)}],
    "stages": [{}, None, [[]], [{"name": "x"}], ["x"], [5] * 200_000],
    "mechanism": [None, {}, "ngram"],
    "domain": [None, {}, "1..3"],
}  # fmt: skip
INSIDE = {
    ("mechanism", "name"): ["", "\x9bx", "a" * 1000, None],
    ("mechanism", "paper"): ["\u2066", None],
    ("mechanism", "parameters"): [[], {"a": "\ud800"}, {"a": "a" * (MOST_TEXT + 1)}, {"a": 2**70}, DEEP],
    ("domain", "size"): [0, -1, 10**30, 3.0, "3", True],
    ("domain", "digest"): ["", "0" * 63, "g" * 64, None],
    ("domain", "labels"): ["", "1..", "../domain.txt.gz", "1.." + "9" * 400, "domain.txt.gz\n", None],
    ("domain", "public_because"): ["\x1b[2J", "a" * (MOST_TEXT + 1), 3],
    ("stages", 0, "epsilon"): ["-1", "nan", "2.0", "", None],
    ("stages", 0, "used"): ["-1", "1.5", "0.63", "", None],
    ("stages", 0, "rule"): ["", "sum", None],
    ("stages", 0, "parts"): [["0.64"], None, ["nan"], "0.64"],
    ("stages", 0, "name"): ["", "\u200b", 5],
}  # fmt: skip
CASES = [((key,), value) for key, values in FORGED.items() for value in values]
CASES += [(path, value) for path, values in INSIDE.items() for value in values]


def changed(manifest, path, value):
    data = json.loads(manifest.to_json())
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(data)


@pytest.mark.parametrize(("path", "value"), CASES, ids=[f"{'.'.join(map(str, p))}-{str(v)[:20]!a}" for p, v in CASES])
def test_a_forged_value_is_refused(sealed, path, value):
    """In words that are short, whatever was forged, and that hold nothing a terminal would obey."""
    with pytest.raises(ReleaseDamaged) as caught:
        Manifest.from_json(changed(sealed.manifest, path, value))

    assert len(str(caught.value)) < 3000
    assert str(caught.value).replace("\n", "").isprintable()


@pytest.mark.parametrize("text", ['"epsilon": "1.0",', '"private": true,'])
def test_a_key_that_stands_twice_is_refused(sealed, text):
    """Parsers disagree on which one counts."""
    forged = sealed.manifest.to_json().replace("{", "{" + text, 1)
    with pytest.raises(ReleaseDamaged, match="occurs twice"):
        Manifest.from_json(forged)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 5000])
def test_numbers_that_json_does_not_have_are_refused(sealed, number):
    """Also deep inside parameters."""
    forged = sealed.manifest.to_json().replace('"l_max": 5', f'"l_max": {number}', 1)
    with pytest.raises(ReleaseDamaged, match="is not JSON"):
        Manifest.from_json(forged)


def test_all_problems_are_told_together(sealed):
    """With their number."""
    data = json.loads(sealed.manifest.to_json())
    data.update(epsilon="-1", private=1, noise="")
    with pytest.raises(ReleaseDamaged, match="has 3 problems") as caught:
        Manifest.from_json(json.dumps(data))

    assert all(f"'{key}'" in str(caught.value) for key in ("epsilon", "private", "noise"))


def test_a_bill_that_does_not_add_up_is_refused(sealed):
    """A forged share, sound by itself."""
    data = json.loads(sealed.manifest.to_json())
    data["unused"] = "0.35"
    with pytest.raises(ReleaseDamaged, match="does not add up to 'epsilon'"):
        Manifest.from_json(json.dumps(data))


def test_a_manifest_of_0_1_is_read():
    """What it does not state is not made up; written again, it is the same."""
    manifest = Manifest.from_json(OF_0_1)

    assert (None, None) == (manifest.unused, manifest.stages[3].used)
    assert json.loads(OF_0_1) == json.loads(manifest.to_json())
    assert ("not used by the method; it remains charged", "", "0.375") == manifest.bill[-1]
