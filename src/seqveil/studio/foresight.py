"""What to expect at an ε: the method itself, run on data that the planner simulates over the domain. No real data are read."""

from __future__ import annotations

from typing import Any

from seqveil.studio.drafts import Draft
from seqveil.studio.orders import domain_of, epsilon_of, mechanism_of, reader_of, size_of, unit_of

USUAL_SIZE = 10_000
"""Units, where nothing is said about their number."""

SHOWN = 8
FACTORS = (0.5, 1, 2)
"""The budgets of the chart, as multiples of the chosen one."""

ERRORS = ("labels", "pairs", "lengths", "trip")
"""The measures of the planner that are drawn: errors, of which 0 is best."""


def foreseen(draft: Draft) -> dict[str, Any]:
    """Predicted errors around an ε, and a few noisy counts beside the simulated truth."""
    from seqveil.planning.forecast import foreseen_warnings, measures
    from seqveil.planning.plan import USUAL_LENGTH
    from seqveil.planning.scenes import QUICK, Scenes, Setting, simulates
    from seqveil.planning.target import Target
    from seqveil.simulate.records import TYPICAL
    from seqveil.wall.budget import GRAINS
    from seqveil.wall.mechanism import precheck

    unit, epsilon, mechanism, reader = unit_of(draft), epsilon_of(draft), mechanism_of(draft), reader_of(draft)
    size = size_of(draft)
    if not simulates(reader):
        return {"simulated": False}
    setting = Setting(reader, domain_of(draft), unit, size or USUAL_SIZE, USUAL_LENGTH)
    scenes, target = Scenes(setting, QUICK), Target()
    outcomes: dict[int, dict[str, dict[str, float]]] = {}
    for amount in (int(epsilon * factor) for factor in FACTORS):
        precheck(mechanism, amount, setting.domain, unit, mechanism.kind)
        populations = scenes.names if amount == epsilon else [TYPICAL.name]  # a model takes seconds for each
        outcomes[amount] = {name: scenes.outcome(name, mechanism, amount, target) for name in populations}
    chosen = outcomes[epsilon]
    named = measures(target, chosen)
    series = {
        named[name].text: [(amount / GRAINS, *_range(by_name, name)) for amount, by_name in outcomes.items()]
        for name in ERRORS
        if name in named
    }
    shares = [(one.text, *_range(chosen, name)) for name, one in named.items() if name.startswith("top_")]
    return {
        "simulated": True,
        "size": size or USUAL_SIZE,
        "assumed": size is None,
        "unit": unit.name,
        "series": series,
        "shares": shares,
        "warnings": foreseen_warnings(chosen),
        "rows": _example(setting, mechanism, epsilon),
    }


def _range(outcomes: dict[str, dict[str, float]], name: str) -> tuple[float, float, float]:
    """A measure in the typical population, and the lowest and highest of all."""
    values = [outcome[name] for outcome in outcomes.values()]
    return outcomes.get("typical", next(iter(outcomes.values())))[name], min(values), max(values)


def _example(setting: Any, mechanism: Any, epsilon: int) -> list[dict[str, Any]]:
    """The most frequent patterns of a simulated table, and what a release of it says about them.

    A large table is simulated smaller with an ε larger by the same factor, as the planner does: numbers are scaled back.
    """
    from seqveil.planning.scenes import QUICK, SEED
    from seqveil.planning.truth import Reading, Truth
    from seqveil.release.capabilities import Countable
    from seqveil.simulate.records import TYPICAL
    from seqveil.wall.noise import SeededNoise
    from seqveil.wall.run import perform

    factor = setting.factor(QUICK)
    table = setting.table(TYPICAL, QUICK, SEED)
    release: Any = perform(mechanism, table, setting.unit, int(epsilon * factor), SeededNoise(SEED))
    if not isinstance(release, Countable):
        return []
    rows = []
    for pattern, true in Truth(table).top(Reading.of(release), SHOWN).items():
        labels = setting.domain.labels(list(pattern))
        answer = release.count(labels)
        scaled = [
            None if value is None or value != value else value * factor for value in (answer.value, answer.low, answer.high)
        ]
        rows.append({"pattern": labels, "true": true * factor, "value": scaled[0], "low": scaled[1], "high": scaled[2]})
    return rows
