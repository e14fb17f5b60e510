"""What to expect at an ε: the method itself, run on data that the planner simulates over the domain. No real data are read.

A model of whole records takes a second or more for each simulated table, so the answer comes in parts: first an example at the
chosen ε, then the errors around it, then their range over several populations. What there is no time for is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from seqveil.studio.drafts import Draft
from seqveil.studio.orders import domain_of, epsilon_of, layout_of, mechanism_of, reader_of, size_of, unit_of

USUAL_SIZE = 10_000
"""Units, where nothing is said about their number."""

SECONDS = 40.0
"""Processor time for all parts together."""

SHOWN = 8
FACTORS = (1, 0.5, 2)
"""The budgets of the chart, as multiples of the chosen one."""

ERRORS = ("labels", "pairs", "lengths", "trip")
"""The measures of the planner that are drawn: errors, of which 0 is best."""


def public_warnings(draft: Draft, plan: Any) -> list[str]:
    """What is to be said about an ε before anything is simulated: by the method, and by its size alone."""
    from seqveil.planning.forecast import scarce
    from seqveil.planning.scenes import simulates
    from seqveil.wall.budget import too_large

    unit, epsilon, size = unit_of(draft), epsilon_of(draft), size_of(draft)
    few = scarce(size, unit.name, epsilon) if size and simulates(reader_of(draft)) else []
    return [*plan.warnings, *few, *filter(None, [too_large(epsilon, unit.name)])]


Outcomes = dict[int, dict[str, dict[str, float]]]
"""By ε and population."""


def foreseen(draft: Draft) -> Iterator[dict[str, Any]]:
    """A few noisy counts beside the simulated truth, and predicted errors around an ε: more of them in each part."""
    from seqveil.planning.outcome import outcome_of
    from seqveil.planning.patience import TimeUp
    from seqveil.planning.plan import USUAL_LENGTH
    from seqveil.planning.scenes import QUICK, Scenes, Setting, simulates
    from seqveil.planning.target import Target
    from seqveil.simulate.records import TYPICAL
    from seqveil.sources.layout import ENDS
    from seqveil.wall.mechanism import precheck

    unit, epsilon, mechanism, reader = unit_of(draft), epsilon_of(draft), mechanism_of(draft), reader_of(draft)
    size = size_of(draft)
    if not simulates(reader):
        yield {"simulated": False}
        return
    journeys = layout_of(draft).get("origin") is not None
    length = ENDS if journeys else USUAL_LENGTH
    setting = Setting(reader, domain_of(draft), unit, size or USUAL_SIZE, length, alike=journeys)
    extent = replace(QUICK, seconds=SECONDS)
    scenes, target = Scenes(setting, extent), Target()
    facts = {
        "simulated": True,
        "size": setting.size,
        "assumed": size is None,
        "unit": unit.name,
        "remark": setting.shrunk(extent),
    }
    outcomes: Outcomes = {}
    try:
        precheck(mechanism, epsilon, setting.domain, unit, mechanism.kind)
        scene = scenes.first(TYPICAL.name)
        release = scene.released(mechanism, epsilon)
        outcomes[epsilon] = {TYPICAL.name: outcome_of(release, scene.truth, target)}
        facts["rows"] = _example(setting.domain, scene, release)
        yield {**facts, **_measured(outcomes, epsilon)}
        for amount in [int(epsilon * factor) for factor in FACTORS[1:]]:
            precheck(mechanism, amount, setting.domain, unit, mechanism.kind)
            outcomes[amount] = {TYPICAL.name: scenes.outcome(TYPICAL.name, mechanism, amount, target)}
        yield {**facts, **_measured(outcomes, epsilon)}
        for name in scenes.names:
            if name != TYPICAL.name:
                outcomes[epsilon][name] = scenes.outcome(name, mechanism, epsilon, target)
    except TimeUp:
        facts["unfinished"] = True
    yield {"rows": [], **facts, **_measured(outcomes, epsilon)}


def _measured(outcomes: Outcomes, epsilon: int) -> dict[str, Any]:
    """The errors of all budgets, and the shares and warnings of the chosen one."""
    from seqveil.planning.forecast import foreseen_warnings, measures
    from seqveil.planning.target import Target
    from seqveil.wall.budget import GRAINS

    if epsilon not in outcomes:
        return {"series": {}, "shares": [], "warnings": []}
    chosen = outcomes[epsilon]
    named = measures(Target(), chosen)
    series = {
        named[name].text: [(amount / GRAINS, *_range(outcomes[amount], name)) for amount in sorted(outcomes)]
        for name in ERRORS
        if name in named
    }
    shares = [(one.text, *_range(chosen, name)) for name, one in named.items() if name.startswith("top_")]
    return {"series": series if len(outcomes) > 1 else {}, "shares": shares, "warnings": foreseen_warnings(chosen)}


def _range(outcomes: dict[str, dict[str, float]], name: str) -> tuple[float, float, float]:
    """A measure in the typical population, and the lowest and highest of all."""
    values = [outcome[name] for outcome in outcomes.values()]
    return outcomes.get("typical", next(iter(outcomes.values())))[name], min(values), max(values)


def _example(domain: Any, scene: Any, release: Any) -> list[dict[str, Any]]:
    """The most frequent patterns of a simulated table, and what a release of it says about them.

    A large table is simulated smaller with an ε larger by the same factor, as the planner does: numbers are scaled back.
    """
    from seqveil.notation import to_text
    from seqveil.planning.truth import Reading
    from seqveil.release.capabilities import Countable

    if not isinstance(release, Countable):
        return []
    rows = []
    for pattern, true in scene.truth.top(Reading.of(release), SHOWN).items():
        labels = domain.labels(list(pattern))
        answer: Any = release.count(labels)
        scaled = [
            None if value is None or value != value else value * scene.factor for value in (answer.value, answer.low, answer.high)
        ]
        rows.append(
            {
                "pattern": [to_text([label]) for label in labels],
                "true": true * scene.factor,
                "value": scaled[0],
                "low": scaled[1],
                "high": scaled[2],
            }
        )
    return rows
