"""`sv.plan`: what accuracy to expect of a method, or which ε an accuracy needs, before any data is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from typing import Any

from seqveil.errors import CallError
from seqveil.notebooks import shows
from seqveil.planning.forecast import Forecast, between, foreseen_warnings, scarce
from seqveil.planning.outcome import TARGET, Outcome, met
from seqveil.planning.patience import TimeUp
from seqveil.planning.reverse import LADDER, Answer, least
from seqveil.planning.scenes import QUICK, THOROUGH, Scenes, Setting, simulates
from seqveil.planning.target import Target
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit, User
from seqveil.wall.budget import decimal, grains, too_large
from seqveil.wall.fit import default_unit
from seqveil.wall.measures.delta import stated as text_of
from seqveil.wall.measures.delta import too_crowded, too_likely
from seqveil.wall.mechanism import Mechanism, Plan, guaranteed, planned, precheck
from seqveil.wall.vault import Epsilon, delta_of

USUAL_LENGTH = 5.0
"""Items of a record, where nothing is said about it."""

USUAL_EPSILONS = ("0.5", "1", "2")

MOST_HEAVY = 12
"""Mean length up to which a dry run simulates a method whose work grows exponentially with the length of records."""


@shows("planning")
def plan(
    mechanism: Mechanism[Any],
    domain: Domain,
    size: int | None = None,
    epsilon: Epsilon | Iterable[Epsilon] = USUAL_EPSILONS,
    *,
    unit: Unit | None = None,
    length: float | None = None,
    target: str | None = None,
    like: Any = None,
    kind: str | None = None,
    records_per_user: float | None = None,
    same_length: bool = False,
    delta: Epsilon | None = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Forecast:
    """What to expect of a method at one or several ε. Reads no data, and costs no privacy budget.

    Simulated data of about `size` units (users if the unit is a user, records otherwise) with about `length` items per record is
    released with seeded noise and compared with itself. Several populations (flat, typical, skewed, regular) give a range.
    `like` is a table of public or simulated records to use instead. With a `target`, for example "top 20 within 5%", the plan
    also says which ε reaches it. `kind` is the kind of data, where the mechanism accepts several. With `records_per_user`, users
    have so many records on average, and what the bound of the unit leaves out counts as error. With `same_length` every record
    has exactly `length` items, as journeys with an origin and a destination have two. With `delta` every ε is that of (ε, δ).

    >>> import seqveil as sv
    >>> clicks, wanted = sv.Domain.range(1, 17), "top 20 within 10%"
    >>> foreseen = sv.plan(sv.NGram(l_max=5, n_max=3), clicks, size=20_000, epsilon="1", target=wanted)
    >>> foreseen.range("1.0", "top_20").typical > 0.9, foreseen.warnings("1.0"), foreseen.answer.epsilon is not None
    (True, [], True)
    """
    kind = kind or mechanism.kind
    unit = default_unit(kind) if unit is None else unit
    several = [epsilon] if isinstance(epsilon, str | int | float | Decimal) else list(epsilon)
    amounts = sorted({grains(one) for one in several})
    wanted = Target() if target is None else Target.parse(target)
    parts = delta_of(delta)
    stated, notes = _stated(mechanism, domain, unit, amounts, size, parts)
    closed = {e: _formulas(mechanism, domain, unit, grains(e), size, parts).predictions for e in stated}
    everywhere = list(filter(None, [too_likely(parts, unit.name), too_crowded(parts, size, unit.name)]))
    facts = {
        "method": mechanism.name,
        "parameters": mechanism.parameters(),
        "unit": unit.describe(),
        "labels": len(domain),
        "size": size,
        "length": length or USUAL_LENGTH,
        "simulated": False,
        "remark": None,
        **({"delta": text_of(parts)} if parts else {}),
    }
    if not simulates(kind):
        return Forecast(facts, wanted, {}, closed, notes, everywhere=everywhere)
    if size is None:
        raise CallError(f"a plan needs a rough public number of {unit.name}s: add {parameter('size', '200000')}.")
    if records_per_user is not None and not isinstance(unit, User):
        raise CallError(f"{parameter('records_per_user')} only applies to users, but the unit here is {unit.name}: leave it out.")
    per_user = None if records_per_user is None else _mean(records_per_user, "records_per_user")
    setting = Setting(kind, domain, unit, _whole(size), _mean(length), like, per_user, same_length, parts)
    facts |= {"simulated": True, "length": setting.mean_length, "remark": setting.shrunk(THOROUGH)}
    scenes = Scenes(setting, THOROUGH)
    outcomes: dict[str, dict[str, Outcome]] = {}
    for one in stated:
        notes[one] += [] if parts else scarce(setting.size, unit.name, grains(one))
        on_step(f"ε = {one}")
        outcomes[one] = {name: scenes.outcome(name, mechanism, grains(one), wanted) for name in scenes.names}
    answer = None if target is None else _answer(mechanism, setting, scenes, wanted, on_step)
    return Forecast(facts, wanted, outcomes, closed, notes, answer, everywhere)


def foresee(mechanism: Mechanism[Any], setting: Setting, epsilon: int) -> tuple[list[str], list[str]]:
    """Predictions and warnings for a dry run: the same simulation with less data, as far as it gets within two seconds or so.

    Which populations there is time for depends on the machine; the predictions name them if they are not all.
    """
    if not simulates(setting.kind):
        return [], []
    outcomes: dict[str, Outcome] = {}
    few = [] if setting.delta else scarce(setting.size, setting.unit.name, epsilon)
    scenes = Scenes(setting, QUICK)
    formulas = planned(mechanism, guaranteed(mechanism, epsilon, setting.delta), setting.domain, setting.unit)
    if not (formulas.heavy and setting.mean_length > MOST_HEAVY):
        outcomes = _in_time(scenes, mechanism, epsilon)
    if not outcomes:
        return ["not simulated here, because data of this size takes this method long: `seqveil plan` does it"], few
    shares = {key for outcome in outcomes.values() for key in outcome if key.startswith("top_")}
    whose = "simulated data" if len(outcomes) == len(scenes.names) else f"simulated data: {', '.join(outcomes)} only"
    said = []
    for key in sorted(shares, key=lambda one: int(one[4:])):
        low, high = (pick(outcome[key] for outcome in outcomes.values()) for pick in (min, max))
        said.append(f"of the true top {key[4:]} patterns, {between(low, high)} in the published top {key[4:]} ({whose})")
    return [*said, *filter(None, [setting.shrunk(QUICK)])], [*few, *foreseen_warnings(outcomes)]


def _in_time(scenes: Scenes, mechanism: Mechanism[Any], epsilon: int) -> dict[str, Outcome]:
    """The outcomes of the populations that there is time for, the typical one first."""
    outcomes: dict[str, Outcome] = {}
    took = 0.0
    for name in sorted(scenes.names, key=lambda one: one != "typical"):
        before = scenes.patience.left
        if before < took:  # the next one would take about as long
            break
        try:
            outcomes[name] = scenes.outcome(name, mechanism, epsilon, Target())
        except TimeUp:
            break
        took = before - scenes.patience.left
    return outcomes


def _answer(
    mechanism: Mechanism[Any], setting: Setting, scenes: Scenes, target: Target, on_step: Callable[[str], None]
) -> Answer:
    """The ε that each population needs; an ε that the method refuses does not reach anything."""
    precheck(mechanism, LADDER[-1], setting.domain, setting.unit, mechanism.kind, setting.delta)
    first = scenes.outcome(scenes.names[0], mechanism, LADDER[-1], target)
    if TARGET not in first:
        has = "synthetic sequences" if target.is_shape else f"counts of {target.what}"
        raise CallError(
            f"{parameter('target', repr(str(target)))}: {mechanism.name} with these parameters releases no {has}; "
            "choose another target or another method."
        )

    def reaches(name: str, epsilon: int) -> bool:
        on_step(f"{name}, ε = {decimal(epsilon)}")
        if _refusal(mechanism, setting.domain, setting.unit, epsilon, setting.delta) is not None:
            return False
        return met(target, scenes.outcome(name, mechanism, epsilon, target)[TARGET])

    return Answer(target, {name: least(partial(reaches, name)) for name in scenes.names}, setting.delta)


def _stated(
    mechanism: Mechanism[Any], domain: Domain, unit: Unit, amounts: list[int], size: int | None, delta: int
) -> tuple[list[str], dict[str, list[str]]]:
    """The ε that the method takes, and what is to be said about each; if it takes none of them, its own words are raised."""
    refused = {decimal(amount): _refusal(mechanism, domain, unit, amount, delta) for amount in amounts}
    stated = [epsilon for epsilon, why in refused.items() if why is None]
    if not stated:
        raise next(why for why in refused.values() if why is not None)
    notes = {epsilon: [f"the method refuses to run: {why}"] for epsilon, why in refused.items() if why is not None}
    for epsilon in stated:
        public = _formulas(mechanism, domain, unit, grains(epsilon), size, delta).warnings
        notes[epsilon] = [*public, *filter(None, [too_large(grains(epsilon), unit.name)])]
    return stated, notes


def _refusal(mechanism: Mechanism[Any], domain: Domain, unit: Unit, amount: int, delta: int) -> CallError | None:
    try:
        precheck(mechanism, amount, domain, unit, mechanism.kind, delta)
    except CallError as error:
        return error
    return None


def _formulas(mechanism: Mechanism[Any], domain: Domain, unit: Unit, amount: int, size: int | None, delta: int) -> Plan:
    """What follows from formulas alone."""
    records = None if size is None else unit.most_records(_whole(size))
    return planned(mechanism, guaranteed(mechanism, amount, delta), domain, unit, records)


def _whole(size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 10**12:
        raise CallError(f"{parameter('size', repr(size))}: give a rough number from 1 to 10^12, for example 200000.")
    return size


def _mean(length: float | None, name: str = "length") -> float:
    if length is None:
        return USUAL_LENGTH
    if isinstance(length, bool) or not isinstance(length, int | float) or not 1 <= length <= 10_000:
        what = "length" if name == "length" else "number"
        raise CallError(f"{parameter(name, repr(length))}: give a mean {what} from 1 to 10,000, for example 5.")
    return float(length)
