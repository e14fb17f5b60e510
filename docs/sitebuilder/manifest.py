"""The reference of manifest.json, from the schema that every manifest is checked by; and of errors, from their classes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from seqveil import errors
from seqveil.release import schema
from seqveil.release.manifest import FIELDS, PURE, SCHEMA
from sitebuilder.markdown import cell, fence, table

MANIFEST = f"""`manifest.json` of a release states the guarantee and the SHA-256 of every other file. It is read strictly: a
key that is not listed here, a missing one or a value that is not allowed is damage, and all problems are
reported together. Pure releases have schema {PURE}; releases of older schemas can be read. Amounts of ε are decimal
strings, exact to 10⁻¹².

Releases with δ have schema {SCHEMA}. It has one more key, `zcdp`, after `epsilon`: `rho` is what was charged, `delta` is where
`epsilon` holds, `thresholds` is the part of δ that thresholds cost (or null), and `curve` lists ε at other δ, rounded up. In its
stages the key `rho` stands for `epsilon`, and `used`, `parts` and `unused` are of ρ."""

MEANS = {
    "schema": "version of this layout",
    "release": "random id of the release; the ledger knows it",
    "created": "when it was made, in UTC",
    "mechanism": "the method, its version, its paper and all its parameters",
    "holder": "what the data holder states: account, dataset name, contact, purpose",
    "signer": "public key of the installation that signed the manifest",
    "epsilon": "what was charged to the account for this release",
    "unused": "part of `epsilon` that no stage used; it remains charged",
    "unit": "the unit of privacy, with its bounds",
    "neighbours": "in words: how two datasets differ that the guarantee compares",
    "domain": "number of labels, their digest, why they are public, and where they are listed",
    "stages": "what each stage of the run asked, was charged and used",
    "noise": "`secure` for a release; a seed makes an experiment",
    "private": "false for experiments: they are not differentially private",
    "content": "which tables the folder holds",
    "facts": "released numbers and public parameters that the tables need",
    "files": "SHA-256 of every other file of the folder",
}

ERRORS = """Seqveil raises its own errors, all below `SeqveilError`. On the command line each becomes one message on
standard error, without a traceback, and an exit code. An error says what was given, what is allowed and what
to type; several problems of one call are listed together. No message of a run that publishes depends on raw
data."""

CODES = [
    ["0", "done"],
    ["1", "the run failed: damaged release or ledger, full disk, interrupted (Ctrl-C)"],
    ["2", "the call was wrong; a release finds this out before it spends anything"],
    ["3", "the budget refused: the account's cap does not allow this release; no data were read"],
    ["4", "`verify`: nothing contradicts, but nobody that is trusted vouches for the release"],
]


def pages() -> dict[str, str]:
    """The pages about manifests and about errors."""
    rows = [
        [f"`{key}`", cell(text), MEANS.get(key.partition(".")[0].partition("[")[0], "") if "." not in key else ""]
        for key, text in places()
    ]
    return {
        "reference/manifest.md": "\n\n".join(["# The manifest", MANIFEST, table(["key", "value", "meaning"], rows)]) + "\n",
        "reference/errors.md": "\n\n".join(
            ["# Errors and exit codes", ERRORS, table(["exit code", "meaning"], CODES), "## Classes", fence(_tree()), *_classes()]
        )
        + "\n",
    }


def places() -> Iterator[tuple[str, str]]:
    """Every key of the schema, with what it may be."""
    yield from _fields(FIELDS[PURE], "")


def _fields(fields: schema.Fields, under: str) -> Iterator[tuple[str, str]]:
    for key, of in fields.fields.items():
        inner, at = (of.of, f"{under}{key}[]") if isinstance(of, schema.Each) else (of, under + key)
        if isinstance(inner, schema.Fields):
            yield at, "list of objects" if inner is not of else "object"
            yield from _fields(inner, f"{at}.")
        else:
            yield under + key, _value(of)


def _value(of: Any) -> str:
    """What a place may hold, in words."""
    match of:
        case schema.Whole():
            return f"whole number from {of.least:,} to {of.most:,}"
        case schema.Delta():
            return "a δ such as 1e-6"
        case schema.Amount():
            return "ε as a decimal string" + (", above 0" if of.least else "")
        case schema.Choice():
            return "one of " + ", ".join(of.among)
        case schema.Spelled():
            return of.belongs
        case schema.Maybe():
            return f"{_value(of.of)}, or null"
        case schema.Each():
            return f"list of at most {of.most:,}: {_value(of.of)}"
        case schema.Table():
            return f"object of at most {of.most:,} entries: {_value(of.key)} → {_value(of.value)}"
        case schema.Name() | schema.Prose():
            return f"text of at most {of.most:,} characters"
        case schema.Anything():
            return "any JSON"
    return inspect.getdoc(of).splitlines()[0].rstrip(".")


def _tree() -> str:
    """The tree that is drawn at the top of errors.py."""
    return "\n".join(line[4:] for line in (errors.__doc__ or "").splitlines() if line.startswith("    "))


def _classes() -> Iterator[str]:
    for name, one in vars(errors).items():
        if inspect.isclass(one) and issubclass(one, errors.SeqveilError):
            code = one.exit_code
            yield f"**`{name}`** (exit code {code}): {(inspect.getdoc(one) or '').splitlines()[0]}"
