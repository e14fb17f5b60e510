"""A release described as a deployment of differential privacy, for registries and reviewers. All of it from the manifest.

Two forms: `registry` has the fields of the Differential Privacy Deployments Registry [Nanayakkara 2025], `sp800-226` the headings
of a review by NIST SP 800-226 [NIST 2025]. docs/deployment.md says which names are the source's and which are our reading. What
only the data holder knows is left out, and listed, instead of guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seqveil.release.capabilities import Synthetic
from seqveil.release.readme import beyond, guarantee, one_unit

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.release.manifest import Manifest

ACTORS = (
    "The data holder sees the raw data, runs Seqveil, and is trusted to state the domain, the unit and the bounds truthfully. "
    "Everybody else sees the release only, and may know everything but one unit of privacy."
)
NOISE = (
    "Noise is integer and exact, drawn from the operating system's randomness; there is no floating-point noise. Budgets are "
    "integers. Duration and memory of a run depend on the data and are not protected."
)


def registry(release: Release) -> dict[str, Any]:
    """The fields of an entry, as far as the manifest knows them."""
    manifest = release.manifest
    holder = manifest.holder
    basic = {
        "name": holder.dataset,
        "description": f"{_sentence(release.description)} made by {_method(manifest)}.",
        "intended_use": holder.purpose,
        "data_product_type": "Synthetic data" if isinstance(release, Synthetic) else "Summary statistics",
        "publication_date": manifest.created[:10],
    }
    return {
        "url_slug": f"seqveil-{manifest.release[:12]}",
        "deployment": {
            "basic": {name: value for name, value in basic.items() if value is not None},
            "dp_variant": {
                "variant_name": "Pure DP" if manifest.zcdp is None else "zCDP",
                "data_domain": _data_domain(manifest),
                "unprotected_quantities": _unprotected(manifest),
            },
            "privacy_loss": {
                "privacy_unit": f"{manifest.unit['name']}-level",
                "privacy_unit_details": f"Adjacent datasets: {manifest.neighbours}. {beyond(manifest)}".strip(),
                "privacy_parameters": _privacy_parameters(manifest),
                "privacy_parameters_details": f"{guarantee(manifest)}.",
            },
            "deployment_model": {
                "model_name": "Central",
                "actors": ACTORS,
                "release_type": "One release",
                "release_type_details": "Several releases from the same data add up; the ledger of the data holder has the sum.",
                "access_type": "Non-interactive",
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": f"Public parameters: {_parameters(manifest)}.",
                "mechanisms": f"{_method(manifest)}. {NOISE}",
                "composition": _composition(manifest),
                "post_processing": "Everything after the noisy answers is a function of them and of public parameters.",
            },
            "administrative": {"status": "Draft", "tier": 2},
        },
    }


TO_FILL_IN = {
    "deployment.basic.name": "the name of the data product",
    "deployment.basic.data_curators": "who publishes it: data_curator_name and data_curator_type",
    "deployment.basic.intended_use": "what it is for",
    "deployment.basic.data_product_region": "which region the data describe",
    "deployment.administrative.registry_authors": "who writes the entry",
}
"""What the registry requires and the manifest may not know."""


def sp800_226(release: Release) -> dict[str, Any]:
    """What a reviewer asks about each level of the pyramid, from the top."""
    manifest = release.manifest
    return {
        "publication": "NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees (March 2025)",
        "release": {"id": manifest.release, "created": manifest.created, "description": release.description},
        "privacy parameter epsilon": {
            "epsilon": manifest.epsilon,
            **_delta(manifest),
            "meaning": f"{guarantee(manifest)}.",
            "composition": _composition(manifest),
        },
        "unit of privacy": {
            "unit": manifest.unit,
            "protects": one_unit(manifest),
            "neighbouring datasets": manifest.neighbours,
            "not covered": beyond(manifest),
        },
        "algorithms and correctness": {
            "method": manifest.mechanism.name,
            "version": manifest.mechanism.version,
            "source": manifest.mechanism.paper,
            "parameters": manifest.mechanism.parameters,
            "noise": NOISE,
        },
        "utility and bias": {
            "content": release.sizes(),
            "stated by the release": "Counts have 95 % confidence intervals where they were measured; estimates have none.",
        },
        "trust model": {"model": "central", "actors": ACTORS},
        "security and access control": {
            "signing key": manifest.signer,
            "ledger account": manifest.holder.account,
            "protection of the raw data": None,
        },
        "data collection exposure": {
            "dataset": manifest.holder.dataset,
            "purpose": manifest.holder.purpose,
            "contact": manifest.holder.contact,
            "public without protection": _unprotected(manifest),
            "how the data were collected": None,
        },
    }


FORMS: dict[str, Callable[[Release], dict[str, Any]]] = {"sp800-226": sp800_226, "registry": registry}
"""What `inspect` can export."""


def unfilled(form: str, described: dict[str, Any]) -> list[str]:
    """What the data holder has to add: required fields that are missing, or headings that are empty."""
    if form != "registry":
        return [f"{head}: {name}" for head, part in described.items() if isinstance(part, dict) for name in _empty(part)]
    return [f"{path}: {what}" for path, what in TO_FILL_IN.items() if not _reached(described, path.split("."))]


def _empty(part: dict[str, Any]) -> list[str]:
    return [name for name, value in part.items() if value is None]


def _reached(described: Any, path: list[str]) -> bool:
    for step in path:
        if step not in described:
            return False
        described = described[step]
    return True


def _data_domain(manifest: Manifest) -> str:
    if manifest.content == "labels":
        return "Datasets over any labels."
    how = "a public" if manifest.domain.discovered is None else "a discovered"
    return f"Datasets over {how} list of {manifest.domain.size:,} labels."


def _unprotected(manifest: Manifest) -> str:
    from seqveil.release.readme import of_labels

    if manifest.content == "labels" or manifest.domain.discovered is not None:
        return f"All parameters of the method. {of_labels(manifest)}"
    because = manifest.domain.public_because
    stated = f" The data holder states that they are public because: {because}" if because else ""
    return f"The {manifest.domain.size:,} labels of the domain, and all parameters of the method.{stated}"


def _privacy_parameters(manifest: Manifest) -> dict[str, float]:
    if manifest.zcdp is None:
        return {"epsilon": float(manifest.epsilon)}
    return {"rho": float(manifest.zcdp.rho), "epsilon": float(manifest.epsilon), "delta": float(manifest.zcdp.delta)}


def _delta(manifest: Manifest) -> dict[str, Any]:
    """δ, and for zCDP what it comes from and what the same release is at other δ."""
    if manifest.zcdp is None:
        return {"delta": "0 (pure differential privacy)"}
    zcdp = manifest.zcdp
    return {
        "delta": zcdp.delta,
        "definition": "zero-concentrated differential privacy",
        "rho": zcdp.rho,
        "delta of thresholds": zcdp.thresholds or "0",
        "epsilon at other delta": zcdp.curve,
    }


def _composition(manifest: Manifest) -> str:
    parts = ", ".join(f"{name} {amount}" for name, _, amount in manifest.bill)
    whole = manifest.charged if manifest.zcdp is None else f"rho = {manifest.charged}"
    return f"Sequential over stages, which add up to {whole}: {parts}. A tree of questions costs its dearest path, \
disjoint parts cost their maximum."


def _parameters(manifest: Manifest) -> str:
    return ", ".join(f"{name}={value}" for name, value in manifest.mechanism.parameters.items()) or "none"


def _method(manifest: Manifest) -> str:
    paper = f" ({manifest.mechanism.paper})" if manifest.mechanism.paper else ""
    return f"Seqveil, method {manifest.mechanism.name} {manifest.mechanism.version}{paper}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
