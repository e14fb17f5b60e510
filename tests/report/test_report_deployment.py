"""Descriptions of a deployment: only fields that the registry has, only values that it lists, and nothing guessed."""

from __future__ import annotations

import json

import pytest

from sealing import sealed
from seqveil.facts import Holder
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.report.deployment import FORMS, TO_FILL_IN, unfilled
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

TEXT, NUMBER = str, (int, float)
SCHEMA = {  # names, and what their values may be, of the registry's schema at the commit that docs/deployment.md names
    "url_slug": TEXT,
    "deployment": {
        "basic": {
            "name": TEXT,
            "description": TEXT,
            "intended_use": TEXT,
            "data_product_type": {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data"},
            "publication_date": TEXT,
        },
        "dp_variant": {"variant_name": {"Pure DP", "Approximate DP"}, "data_domain": TEXT, "unprotected_quantities": TEXT},
        "privacy_loss": {
            "privacy_unit": TEXT,
            "privacy_unit_details": TEXT,
            "privacy_parameters": {"epsilon": NUMBER},
            "privacy_parameters_details": TEXT,
        },
        "deployment_model": {
            "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
            "actors": TEXT,
            "release_type": {"One release", "Many releases"},
            "release_type_details": TEXT,
            "access_type": {"Interactive", "Non-interactive"},
        },
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": TEXT,
            "mechanisms": TEXT,
            "composition": TEXT,
            "post_processing": TEXT,
        },
        "administrative": {"status": {"Draft"}, "tier": {1, 2, 3}},
    },
}


def problems(value, allowed, where=""):
    """Where a description has a key or a value that the schema does not have."""
    if isinstance(allowed, dict):
        unknown = [f"{where}/{key}" for key in value if key not in allowed]
        return unknown + [p for key in value if key in allowed for p in problems(value[key], allowed[key], f"{where}/{key}")]
    fits = value in allowed if isinstance(allowed, set) else isinstance(value, allowed)
    return [] if fits else [f"{where} = {value!r}"]


HOLDER = Holder("metro", "Taps", "x@y", "planning")


def release(holder=HOLDER, mined=False):
    domain = Domain.of(["home", "work"], public_because="a published map")
    if mined:
        table = PatternTable.of([[0], [0, 1]], [5, 4], scale=1.0)
        return sealed(PatternRelease(domain, patterns=table, kind="substring", about="records with it"), holder=holder)
    grams = GramTable.of([[0], [1]], count=[9.0, 8.0])
    return sealed(GramRelease(domain, grams=grams, synthetic=Flat.of([[0, 1]]), l_max=5, n_max=2), holder=holder)


def test_an_entry_has_the_fields_of_the_registry():
    entry = FORMS["registry"](release())

    assert [] == problems(entry, SCHEMA)
    assert json.loads(json.dumps(entry)) == entry
    assert entry["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0}
    assert entry["deployment"]["basic"]["name"] == "Taps"


def test_the_check_finds_what_the_registry_does_not_have():
    entry = FORMS["registry"](release())
    entry["deployment"]["basic"]["colour"] = "red"
    entry["deployment"]["deployment_model"]["model_name"] = "Trusted"

    assert problems(entry, SCHEMA) == ["/deployment/basic/colour", "/deployment/deployment_model/model_name = 'Trusted'"]


def test_what_the_manifest_does_not_know_is_left_to_the_data_holder():
    everything = release(Holder())
    missing = [line.partition(":")[0] for line in unfilled("registry", FORMS["registry"](everything))]

    assert missing == list(TO_FILL_IN)
    assert len(unfilled("registry", FORMS["registry"](release()))) == len(TO_FILL_IN) - 2
    assert "data collection exposure: dataset" in unfilled("sp800-226", FORMS["sp800-226"](everything))


def test_a_review_states_epsilon_and_unit():
    review = FORMS["sp800-226"](release())

    assert review["privacy parameter epsilon"]["epsilon"] == "1.0"
    assert review["unit of privacy"]["neighbouring datasets"] == "add or remove one record"
    assert json.loads(json.dumps(review)) == review


@pytest.mark.parametrize("form", FORMS)
def test_every_form_describes_every_content(form):
    described = FORMS[form](release(mined=True))

    if form == "registry":
        assert described["deployment"]["basic"]["data_product_type"] == "Summary statistics"
    assert "1.0" in json.dumps(described)
