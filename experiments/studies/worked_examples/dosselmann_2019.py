"""Checks of Dosselmann, Sadeqi, Hamilton, "A Tutorial on Computing t-Closeness" (2019)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from experiments.claims import Outcome, check
from experiments.studies.worked_examples.distances import (
    FREQUENCY_ORDER,
    Case,
    cases,
    counts_of,
    listed_cost,
    solve,
    t_of,
)
from experiments.studies.worked_examples.tables import distinct_l, example, k_of, probabilities
from tcloseness.exact import number_text
from tcloseness.models import TCloseness
from tcloseness.transport import Certificate, crossings, moves_of

__all__ = ["ACTIONS_B", "LISTED"]

NINTH, THIRTIETH = Fraction(1, 9), Fraction(1, 30)

ACTIONS_B = ((1, 4), (1, 5), (2, 6), (2, 7), (3, 8), (3, 9))
"""The actions B_1 to B_6 of §3.2, by ranks; each moves 1/9."""

LISTED = (
    ACTIONS_B,
    ((4, 1), (4, 2), (4, 3), (6, 4), (6, 5), (9, 7), (9, 8)),
    ((5, 1), (5, 2), (5, 3), (7, 4), (7, 5), (7, 6), (8, 7), (8, 9)),
)
"""The movements of 1/9 in equations (14), (15) and (16), one list a class of Table 3."""

ACTIONS_C = ((2, 1, THIRTIETH), (3, 1, 4 * THIRTIETH), (4, 1, 7 * THIRTIETH))
"""The actions C_1 to C_3 of §4.2."""

BY_VALUE = "the values are ordered 1, 2, 3, 4, as the ordered distance asks"


def _certificate(*case: object) -> Certificate:
    return solve(Case(*case)).certificates[0]  # type: ignore[arg-type]


@check("TU-1a", "TU-1b", "TU-1c", "TU-1d")
def _incidents() -> dict[str, Outcome]:
    table = example("dosselmann_table2")
    counts = table.counts()
    incidents = [table.values(n) for n in range(1, len(table.labels) + 1)]
    sizes, distinct = [len(found) for found in incidents], [len(set(found)) for found in incidents]
    return {
        "TU-1a": Outcome(k_of(counts)),
        "TU-1b": Outcome(distinct_l(counts)),
        "TU-1c": Outcome(sizes == [3, 4, 2, 5], detail=", ".join(map(str, sizes))),
        "TU-1d": Outcome(distinct == [1, 3, 2, 4], detail=", ".join(map(str, distinct))),
    }


DISTRIBUTIONS = {
    ("dosselmann_section2", "Value"): ("14 27 88 101", "1 1 1 1", "1 0 1 0"),
    ("dosselmann_table2", "Incident"): (
        "power outage|theft|fire|fatal accident|sidewalk repair|pest control|tree replanting",
        "5 1 2 1 3 1 1",
        "3 0 0 0 0 0 0",
        "0 1 2 1 0 0 0",
        "1 0 0 0 1 0 0",
        "1 0 0 0 2 1 1",
    ),
    ("dosselmann_table3", "Salary"): (
        "3000 4000 5000 6000 7000 8000 9000 10000 11000",
        "1 1 1 1 1 1 1 1 1",
        "1 1 1 0 0 0 0 0 0",
        "0 0 0 1 0 1 0 0 1",
        "0 0 0 0 1 0 1 1 0",
    ),
    ("dosselmann_table4", "Merit Points"): ("3 4 1 2", "4 3 2 1", "0 1 1 1", "1 0 0 0", "2 1 1 0", "1 1 0 0"),
    ("dosselmann_table3", "Disease"): (
        "gastric ulcer|gastritis|stomach cancer|flu|bronchitis|pneumonia",
        "1 2 2 1 2 1",
        "1 1 1 0 0 0",
        "0 1 0 1 1 0",
        "0 0 1 0 1 1",
    ),
}
"""The printed distributions, times their denominators: values, Q, then P of each class whose P is printed."""


@check("TU-21")
def _printed_distributions() -> Outcome:
    right = []
    for (name, attribute), (values, q, *of_classes) in DISTRIBUTIONS.items():
        table = example(name)
        order = values.split("|" if "|" in values else None)
        found = [list(table.frame[attribute]), *(table.values(n, attribute) for n in range(1, len(of_classes) + 1))]
        for records, printed in zip(found, (q, *of_classes), strict=True):
            expected = probabilities(map(int, printed.split()))
            right.append([Fraction(records.count(value), len(records)) for value in order] == expected)
    return Outcome(all(right), detail=f"{sum(right)} of {len(right)} printed distributions are those of the tables")


@check("TU-20")
def _one_pass() -> Outcome:
    """Algorithm 1 by its lines, each addition and each absolute value counted."""
    steps = {m: _steps(m) for m in range(2, 12)}
    return Outcome(
        _degree(lambda m: _steps(m + 1)) == 1, detail=f"m = 2 to 11: {', '.join(map(str, steps.values()))} steps"
    )


def _steps(m: int) -> int:
    count, total, running = 0, Fraction(0), Fraction(0)
    for i in range(m):
        running += Fraction(i + 1, m)
        total += abs(running)
        count += 3
    return count + 1


@check("TU-2a", "TU-2b", "TU-2c", "TU-14", "TU-19")
def _section_2() -> dict[str, Outcome]:
    by_rank = _certificate("dosselmann_section2", 1, "Value", "ordered")
    by_value = _certificate("dosselmann_section2", 1, "Value", "ordered-by-value")
    table = example("dosselmann_section2")
    names = dict(zip(by_rank.labels, ("1", "2", "3", "1000"), strict=True))
    relabelled = replace(table, frame=table.frame.replace({"Value": names})).counts()
    ranks = TCloseness(ground="ordered").evaluate(relabelled).values[table.index(relabelled, 1)]
    first, second = sorted(moves_of(by_rank), key=lambda move: move.source)
    detour = listed_cost(by_rank, [(1, 4, Fraction(1, 4)), (3, 2, Fraction(1, 4))])
    return {
        "TU-2a": Outcome(by_rank.value, {"the distance is taken between the values, not their ranks": by_value.value}),
        "TU-2b": Outcome(first.cost),
        "TU-2c": Outcome(second.cost),
        "TU-14": Outcome(
            detour > by_rank.value, detail=f"14 to 101 and 88 to 27 cost {detour} instead of {by_rank.value}"
        ),
        "TU-19": Outcome(
            ranks == by_rank.value,
            {"the distance is taken between the values": by_value.value == by_rank.value},
            f"by rank {by_rank.value}, by value {by_value.value}",
        ),
    }


@check("TU-3a", "TU-3b", "TU-3c", "TU-3d", "TU-3e")
def _table_2() -> dict[str, Outcome]:
    wanted = cases("dosselmann_table2", "Incident", "equal")
    found = {f"TU-3{letter}": Outcome(solve(case).value) for letter, case in zip("abcd", wanted, strict=True)}
    return found | {"TU-3e": Outcome(t_of("dosselmann_table2", "Incident", "equal"))}


@check(*(f"TU-4{letter}" for letter in "abcdefg"))
def _table_3() -> dict[str, Outcome]:
    solved = [solve(case) for case in cases("dosselmann_table3", "Salary", "ordered")]
    costs = [
        listed_cost(one.certificates[0], [(i, j, NINTH) for i, j in moves])
        for one, moves in zip(solved, LISTED, strict=True)
    ]
    values = [*(one.value for one in solved), *costs, t_of("dosselmann_table3", "Salary", "ordered")]
    return {f"TU-4{letter}": Outcome(value) for letter, value in zip("abcdefg", values, strict=True)}


@check("TU-13")
def _terms_of_12() -> Outcome:
    certificate = _certificate("dosselmann_table3", 1, "Salary", "ordered")
    masses = [abs(c.mass) for c in crossings(certificate.p, certificate.q, certificate.ground)]
    printed = [n * NINTH for n in (2, 4, 6, 5, 4, 3, 2, 1)]
    passing = [NINTH * sum(i <= gap < j for i, j in ACTIONS_B) for gap in range(1, 9)]
    return Outcome(masses == printed == passing, detail=f"their sum is {number_text(sum(masses, Fraction(0)))}")


@check("TU-15")
def _optimal_moves() -> Outcome:
    """Li et al. 2007, §5.1 moves what each value has too much to its neighbour; what crosses each gap so is
    `crossings`."""
    optimal = []
    for case in cases("dosselmann_table3", "Salary", "ordered"):
        certificate = solve(case).certificates[1]
        steps = crossings(certificate.p, certificate.q, certificate.ground)
        optimal.append(sum((step.cost for step in steps), Fraction(0)) == certificate.value)
    return Outcome(
        not all(optimal),
        detail="the movements between neighbours that Li 2007, §5.1 constructs cost no more than the EMD",
    )


@check(*(f"TU-5{letter}" for letter in "abcde"), "TU-6", "TU-7", "TU-7b", "TU-9", "TU-18")
def _merit_points() -> dict[str, Outcome]:
    name = ("dosselmann_table4", "Merit Points", "ordered")
    values = [
        [*(solve(case).value for case in cases(*name, order=order)), t_of(*name, order=order)]
        for order in (FREQUENCY_ORDER, "by value")
    ]
    found = {
        f"TU-5{letter}": Outcome(ours, {BY_VALUE: other}) for letter, ours, other in zip("abcde", *values, strict=True)
    }
    certificate = _certificate("dosselmann_table4", 1, "Merit Points", "ordered", "the table's own", FREQUENCY_ORDER)
    counts = counts_of(cases(*name, order=FREQUENCY_ORDER)[0])
    frequencies = dict(zip(counts.domain.values, counts.reference.tolist(), strict=True))
    remainder = {rank: certificate.p[rank - 1] - sum(w for i, _, w in ACTIONS_C[:2] if i == rank) for rank in (2, 3)}
    printed = list(frequencies.values())
    return found | {
        "TU-6": Outcome(
            printed == sorted(printed),
            {"descending order is meant": printed == sorted(printed, reverse=True)},
            f"the example lists {', '.join(map(str, frequencies))} with frequencies {', '.join(map(str, printed))}",
        ),
        "TU-7": Outcome(remainder[2], {"what is left of p3 is meant": remainder[3]}),
        "TU-7b": Outcome(listed_cost(certificate, ACTIONS_C)),
        "TU-9": Outcome(len(counts.domain), {"records are counted, not values": counts.records}),
        "TU-18": Outcome(
            frequencies == {"3": 4, "4": 3, "1": 2, "2": 1} and counts.records == 10,
            detail=", ".join(f"{n} times {value}" for value, n in frequencies.items()),
        ),
    }


@check(*(f"TU-8{letter}" for letter in "abcd"))
def _diseases() -> dict[str, Outcome]:
    values = [
        [
            *(solve(case).value for case in cases("dosselmann_table3", "Disease", ground)),
            t_of("dosselmann_table3", "Disease", ground),
        ]
        for ground in ("equal", "hierarchical")
    ]
    return {
        f"TU-8{letter}": Outcome(ours, {"the distance is hierarchical, as in Li 2007": other})
        for letter, ours, other in zip("abcd", *values, strict=True)
    }


@check("TU-10")
def _cost_of_the_double_sum() -> Outcome:
    degree = _degree(lambda m: m * sum(range(1, m + 1)))
    mended = _degree(lambda m: sum(range(1, m + 1)))
    return Outcome(
        degree == 2,
        {"1 + 2 + … + m is meant, without the factor m": mended == 2},
        f"m·(1 + 2 + … + m) is a polynomial of degree {degree} in m, 1 + 2 + … + m one of degree {mended}",
    )


def _degree(polynomial: Callable[[int], int]) -> int:
    """Return the degree of a polynomial: how many differences it takes until they are constant."""
    values = [polynomial(m) for m in range(1, 12)]
    degree = 0
    while len(set(values)) > 1:
        values = [b - a for a, b in zip(values, values[1:], strict=False)]
        degree += 1
    return degree
