"""What the papers say about data quality, checked."""

from __future__ import annotations

from fractions import Fraction

from experiments.adult_criteria import ENTROPY, K_ANONYMITY, RECURSIVE_3, RECURSIVE_4, closeness
from experiments.adult_lattices import FIVE, SEVEN, rolled, shown
from experiments.claims import Outcome, check
from experiments.studies.data_quality.quality import Quality, of_four, of_sample, of_seven
from tcloseness.exact import number_text
from tcloseness.lattice import minimal_generalizations
from tcloseness.models import KAnonymity, TCloseness

__all__ = ["PARAMETERS", "SAMPLES", "gender_alone", "similar"]

PARAMETERS = (2, 4, 5, 6, 8, 10)
"""Li 2007 prints k = ℓ in its figure's axis only; these are ours."""

FOUR_PARAMETERS = (2, 4, 6, 8)
SAMPLES = 40

SLIGHT = Fraction(5, 4)
"""What *slightly* and *minimal* are read as: at most a quarter more discernibility."""


def gender_alone() -> Fraction:
    """Return t (equal distance) of the table whose classes are the two genders, everything else suppressed.

    t never falls when a quasi-identifier is kept as well, so every table that keeps gender has at least this t,
    whatever the hierarchies are.
    """
    table = rolled("T1")
    top = list(table.lattice.top)
    top[table.lattice.quasi_identifiers.index("sex")] = 0
    value = TCloseness(ground="equal").evaluate(table.classes(tuple(top))).value
    assert isinstance(value, Fraction)
    return value


def _seven(criterion: str, parameter: int) -> dict[str, Quality | None]:
    return {preset: of_seven(preset, criterion, parameter) for preset in SEVEN}


@check("TC-26b")
def _entropy_is_worst() -> Outcome:
    others = [K_ANONYMITY, RECURSIVE_4, closeness("0.2", "equal"), closeness("0.15", "equal")]

    def worst(parameter: int) -> bool:
        entropy = _seven(ENTROPY, parameter)
        return all(
            (found := of_seven(preset, other, parameter)) is not None
            and (mine := entropy[preset]) is not None
            and found.discernibility <= mine.discernibility
            for preset in SEVEN
            for other in others
        )

    held = [parameter for parameter in PARAMETERS if worst(parameter)]
    return Outcome(
        len(held) == len(PARAMETERS),
        {f"only l = {parameter} is looked at": True for parameter in held},
        f"of l = {', '.join(map(str, PARAMETERS))}, entropy l-diversity has the greatest discernibility under every "
        f"preset for {', '.join(f'l = {p}' for p in held) or 'none'}; else k-anonymity with t-closeness has",
    )


def _cost(t: str, ground: str, parameter: int = 5) -> dict[str, Fraction]:
    """By preset, the discernibility of k-anonymity with t-closeness over that of k-anonymity alone."""
    costs = {}
    for preset in SEVEN:
        plain, close = of_seven(preset, K_ANONYMITY, parameter), of_seven(preset, closeness(t, ground), parameter)
        assert plain is not None
        assert close is not None
        costs[preset] = Fraction(close.discernibility, plain.discernibility)
    return costs


def _times(costs: dict[str, Fraction]) -> str:
    return ", ".join(f"{name} {float(x):.1f}" for name, x in zip(shown(list(costs)), costs.values(), strict=True))


@check("TC-26c", "TC-26d")
def _cost_of_closeness() -> dict[str, Outcome]:
    def slight(t: str, ground: str) -> bool:
        return all(cost <= SLIGHT for cost in _cost(t, ground).values())

    told = (
        f"the discernibility of k = 5 with t over that of k = 5 alone: t = 0.2 {_times(_cost('0.2', 'equal'))} under "
        f"the equal distance, {_times(_cost('0.2', 'hierarchical S1'))} under the hierarchical one"
    )
    both = {t: {ground: slight(t, ground) for ground in ("equal", "hierarchical S1")} for t in ("0.2", "0.15", "0.5")}
    later = {"t = 0.5": all(both["0.5"].values())}
    return {
        "TC-26c": Outcome(all(x for t in ("0.2", "0.15") for x in both[t].values()), later, told),
        "TC-26d": Outcome(
            all(both["0.2"].values()),
            later,
            f"{told}; keeping gender alone costs t = {number_text(gender_alone())} = {float(gender_alone()):.4f} under "
            "the equal distance, so t = 0.2 suppresses gender under any hierarchies",
        ),
    }


@check("LD-19")
def _large_groups() -> Outcome:
    counts: dict[str, tuple[int, int]] = {}
    for preset in FIVE:
        table = rolled(preset, "both-complete")
        sizes = [
            Fraction(table.records, len(table.classes(n)))
            for n in minimal_generalizations(table, KAnonymity(4)).minimal
        ]
        counts[preset] = (sum(size > 1000 for size in sizes), len(sizes))
    return Outcome(
        all(large for large, _ in counts.values()),
        detail=", ".join(f"{shown([preset])[0]} {large} of {n}" for preset, (large, n) in counts.items()),
    )


@check("LD-20")
def _heights() -> Outcome:
    def close(parameters: tuple[int, ...]) -> bool:
        return all(
            max(heights) - min(heights) <= 1
            for preset in FIVE
            for parameter in parameters
            for heights in [_heights_of(preset, parameter)]
        )

    heights = {preset: _heights_of(preset, 8) for preset in FIVE}
    return Outcome(
        close(FOUR_PARAMETERS),
        {"k and l are at most 6": close((2, 4, 6))},
        "k-anonymity, entropy and recursive (3,l) at k = l = 8: "
        + ", ".join(f"{shown([p])[0]} {'/'.join(map(str, found))}" for p, found in heights.items()),
    )


def _heights_of(preset: str, parameter: int) -> list[int]:
    found = [of_four(preset, criterion, parameter) for criterion in (K_ANONYMITY, ENTROPY, RECURSIVE_3)]
    return [quality.height for quality in found if quality is not None]


def similar(recursive: Quality | None, entropy: Quality | None) -> bool:
    """Say whether recursive diversity has no larger groups than entropy diversity, and a similar discernibility.

    *Similar* is read as: neither is more than twice the other. Where only the recursive table exists, it is the better
    one.
    """
    if recursive is None or entropy is None:
        return entropy is None
    return (
        recursive.class_size <= entropy.class_size
        and recursive.discernibility <= 2 * entropy.discernibility
        and entropy.discernibility <= 2 * recursive.discernibility
    )


@check("LD-43")
def _recursive_against_entropy() -> Outcome:
    held = {
        preset: sum(
            all(
                similar(of_sample(preset, RECURSIVE_3, p, seed), of_sample(preset, ENTROPY, p, seed))
                for p in FOUR_PARAMETERS
            )
            for seed in range(SAMPLES)
        )
        for preset in FIVE
    }
    whole = all(
        similar(of_four(preset, RECURSIVE_3, p), of_four(preset, ENTROPY, p))
        for preset in FIVE
        for p in FOUR_PARAMETERS
    )
    return Outcome(
        all(2 * n > SAMPLES for n in held.values()),
        {"all records are taken in place of a sample": whole},
        f"{_counted(held)} of {SAMPLES} samples; on all records it {'holds too' if whole else 'does not hold'}",
    )


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in zip(shown(list(counts)), counts.values(), strict=True))
