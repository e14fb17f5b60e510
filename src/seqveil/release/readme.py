"""README.txt of a release: a few sentences that a lawyer can read. None promises more than the unit of privacy."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

from seqveil.release.coverage import coverage
from seqveil.release.manifest import Manifest


def factor(epsilon: str) -> str:
    """e^ε in figures, rounded up: by how much one unit can change the probability of any outcome.

    >>> factor("1.0"), factor("1.5"), factor("0.001"), factor("900")
    ('e^1.0 = 2.72', 'e^1.5 = 4.49', 'e^0.001 = 1.0011', 'e^900')
    """
    power = Decimal(epsilon)
    if power >= 30:
        return f"e^{epsilon}"
    step = Decimal(1).scaleb(min(-2, power.adjusted() - 1))  # two digits of what is above 1
    return f"e^{epsilon} = {power.exp().quantize(step, ROUND_CEILING):,}"


def one_unit(manifest: Manifest) -> str:
    """In what the two datasets of the guarantee differ: one unit of privacy, and nothing about a person beyond it."""
    unit = manifest.unit
    edges = unit.get("k", 1)
    return f"up to {edges:,} edges" if edges != 1 else f"one {unit['name']}"


def guarantee(manifest: Manifest) -> str:
    """The definition with its numbers; a clause without a full stop."""
    beyond_it = "" if manifest.zcdp is None else f", and beyond that by at most δ = {manifest.zcdp.delta}"
    return (
        f"For any two datasets that differ in {one_unit(manifest)} ({manifest.neighbours}), the probability of any outcome "
        f"changes by at most a factor of {factor(manifest.epsilon)}{beyond_it}"
    )


def definition(manifest: Manifest) -> str:
    """The name of the guarantee with its numbers.

    Pure: differential privacy with epsilon = 1.0. Otherwise: (epsilon, delta)-differential privacy with both, and where it
    comes from.
    """
    if manifest.zcdp is None:
        return f"differential privacy with epsilon = {manifest.epsilon}"
    zcdp = manifest.zcdp
    return (
        f"(epsilon, delta)-differential privacy with epsilon = {manifest.epsilon} and delta = {zcdp.delta}, which follow from "
        f"{f'delta = {zcdp.thresholds} for thresholds and ' if zcdp.thresholds else ''}"
        f"zero-concentrated differential privacy with rho = {zcdp.rho}"
    )


def curve(manifest: Manifest) -> str:
    """The same release at other δ; empty for a pure one."""
    if manifest.zcdp is None:
        return ""
    points = ", ".join(f"epsilon = {rounded_up(epsilon)} at delta = {delta}" for delta, epsilon in manifest.zcdp.curve.items())
    return f"The same release at other values of delta, rounded up: {points}."


def rounded_up(epsilon: str) -> str:
    """
    >>> rounded_up("1.28964480674"), rounded_up("0.000123")
    ('1.290', '0.001')
    """
    return f"{Decimal(epsilon).quantize(Decimal('0.001'), ROUND_CEILING)}"


def adding_up(manifest: Manifest) -> str:
    """How several releases from the same data add up."""
    if manifest.zcdp is None:
        return "The epsilons of several releases from the same data add up."
    return "Several releases from the same data add up: their rho and the delta of their thresholds, from which epsilon follows."


def beyond(manifest: Manifest) -> str:
    """What the guarantee does not cover, where a unit could be taken for a person."""
    sentences = {
        "record": "It protects single records. It says nothing about a person who has several records.",
        "edge": "It protects edges. It says nothing about a person who is a vertex of the graph, or has several edges.",
        "event": "It protects single events. It says nothing about a person who causes several events.",
        "user": "It protects users as the data identify them. It says nothing about a person who appears as several users.",
    }
    return sentences.get(str(manifest.unit["name"]), "")


def promise(manifest: Manifest) -> str:
    """The guarantee in a few sentences."""
    return f"{guarantee(manifest)} ({definition(manifest)}). {beyond(manifest)} {of_labels(manifest)}"


def of_labels(manifest: Manifest) -> str:
    """What is said about the labels themselves: found by this release, by another one, or declared by the data holder."""
    if manifest.content == "labels":
        return "The labels themselves are what this release found out about the data: the guarantee holds for them."
    listed = f"The list of possible labels ({manifest.domain.size:,})"
    if manifest.domain.discovered is not None:
        return f"{listed} was {manifest.domain.public_because}: what that release cost adds to this one."
    because = manifest.domain.public_because
    stated = f"the data holder states that it is public because: {because}" if because else "the data holder treats it as public"
    return f"{listed} is not protected; {stated}."


def stated(manifest: Manifest) -> str:
    """What the data holder says about the release, so that whoever opens it knows whom to ask; empty where it is nothing."""
    holder = manifest.holder
    said = {"dataset": holder.dataset, "contact": holder.contact, "purpose": holder.purpose}
    listed = "; ".join(f"{name}: {text}" for name, text in said.items() if text)
    return f"The data holder states: {listed}\n" if listed else ""


def readme(manifest: Manifest, holds: str) -> str:
    """The whole text; `holds` says what is in the folder."""
    if manifest.private:
        first_line, guaranteed = "", promise(manifest)
    else:
        first_line = "EXPERIMENT - NOT PRIVATE: its noise comes from a seed and can be repeated. Do not share it.\n\n"
        guaranteed = "It has no privacy guarantee: anyone who knows the seed can remove the noise."
    left = manifest.unused if manifest.unused is not None and float(manifest.unused) > 0 else None
    signed = "; manifest.sig is its signature (seqveil verify checks it)" if manifest.signer is not None else ""
    of = "epsilon" if manifest.zcdp is None else "rho"
    unused = f"{of} = {left} of this charge was not used by the method; it remains charged. " if left else ""
    elsewhere = f"{sentence}\n" if (sentence := curve(manifest)) else ""
    covered = f"{sentence}\n" if (sentence := coverage(manifest)) else ""
    return (
        f"{first_line}This folder holds {holds}, made by Seqveil ({manifest.mechanism.name}) from personal data. "
        "No original record was copied into it; a synthetic record may still equal an original one.\n"
        f"{guaranteed}\n"
        f"{elsewhere}{covered}"
        f"{unused}"
        f"{adding_up(manifest)} manifest.json states the guarantee, the privacy budget that "
        f"each stage used, and the SHA-256 of every file{signed}.\n"
        f"{stated(manifest)}"
    )
