"""Compiled decisions against the models' own definitions, where the usual small tables never come.

Thousands of tiny seeded tables whose counts are multiplied by 1 to 10⁶ (beyond the looked-up logarithms and near the
ends of doubles), ℓ up to m + 2, thresholds at, just above and just below the measured values, ties, several models at
once, and suppression limits. The oracle is Fractions and whole numbers, written from the papers' definitions.
"""

from __future__ import annotations

import math
import random
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.lattice import RollUp
from tcloseness.lattice.decide import Decider, thresholds_of
from tcloseness.microdata import Domain, FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness
from tcloseness.models.combination import Combination

F = Fraction
FACTORS = (1, 1, 10**3, 4_095, 4_096, 10**4, 999_983, 10**6)


def rolled_up(rows: list[list[int]], *, declared: int | None = None) -> RollUp:
    """Return a table of given counts, one class a row; its values are 0, 1, …, as many as are declared or occur."""
    m = len(rows[0])
    cells = [(g, v, c) for g, row in enumerate(rows) for v, c in enumerate(row) if c]
    values = Domain.declare(range(declared)) if declared else Domain.of(range(m))
    table = FrequencySet(
        ("q",),
        ("s",),
        {"q": Domain.of(range(len(rows))), "s": values},
        {"q": np.array([g for g, _, _ in cells]), "s": np.array([v for _, v, _ in cells])},
        np.array([c for _, _, c in cells]),
        np.zeros(len(cells), dtype=bool),
    )
    return RollUp(table, {"q": Hierarchy.suppression(range(len(rows)), name="q")}, compiled=True)


# ---------------------------------------------------------------------- the definitions


def entropy_at_least(row: list[int], l: Fraction) -> bool:  # noqa: E741
    """H ≥ ln ℓ, that is n^n ≥ ℓ^n·Π c^c: on whole numbers with the counts in lowest terms."""
    divisor = math.gcd(*row)
    counts = [c // divisor for c in row if c]
    n = sum(counts)
    with localcontext(Context(prec=60)):
        inside = sum((Decimal(c) * Decimal(c).ln() for c in counts), Decimal(0))
        difference = Decimal(n).ln() - inside / n - (Decimal(l.numerator) / Decimal(l.denominator)).ln()
        if abs(difference) > Decimal("1e-40"):
            return difference > 0
    return n**n * l.denominator**n >= l.numerator**n * math.prod(c**c for c in counts)


def recursive_value(row: list[int], l: int) -> Fraction | float:  # noqa: E741
    ordered = sorted(row, reverse=True)
    tail = sum(ordered[l - 1 :])
    return F(0) if l == 1 else F(ordered[0], tail) if tail else math.inf


def equal_distance(row: list[int], reference: list[int]) -> Fraction:
    n, total = sum(row), sum(reference)
    return sum((abs(F(c, n) - F(r, total)) for c, r in zip(row, reference, strict=True)), F(0)) / 2


def ordered_distance(row: list[int], reference: list[int]) -> Fraction:
    n, total, run, work = sum(row), sum(reference), F(0), F(0)
    for c, r in zip(row[:-1], reference[:-1], strict=True):
        run += F(c, n) - F(r, total)
        work += abs(run)
    return work / (len(row) - 1) if len(row) > 1 else F(0)


def breaks(model: Any, row: list[int], reference: list[int]) -> bool:
    match model:
        case KAnonymity():
            return sum(row) < model.k
        case DistinctLDiversity():
            return sum(c > 0 for c in row) < model.l
        case EntropyLDiversity():
            return not entropy_at_least(row, F(model.l))
        case RecursiveCLDiversity():
            return recursive_value(row, model.l) >= model.c
        case TCloseness():
            distance = equal_distance if model.ground == "equal" else ordered_distance
            return distance(row, reference) > model.t
    raise AssertionError(model)


# ---------------------------------------------------------------------- the cases


def beside(draw: random.Random, value: Fraction) -> Fraction:
    """Return a threshold at a value or so near to it that only exact numbers tell."""
    step = F(1, draw.choice([10**3, 10**6, 10**9]))
    return draw.choice([value, value, value + step, max(value - step, F(0))])


def drawn_model(draw: random.Random, rows: list[list[int]], reference: list[int]) -> Any:
    m, row = len(rows[0]), draw.choice(rows)
    most = m + 2
    kind = draw.randrange(6)
    if kind == 0:
        return KAnonymity(max(draw.choice([sum(row), sum(row) + 1, sum(row) - 1, draw.randint(1, 9)]), 1))
    if kind == 1:
        return DistinctLDiversity(draw.randint(1, most))
    if kind == 2:
        whole = sum(c > 0 for c in row)
        near = F(math.exp(math.log(sum(row)) - sum(c * math.log(c) for c in row if c) / sum(row))).limit_denominator(
            10**6
        )
        return EntropyLDiversity(
            max(draw.choice([F(whole), beside(draw, F(whole)), near, F(draw.randint(1, most))]), F(1))
        )
    if kind == 3:
        l = draw.randint(1, most)  # noqa: E741
        value = recursive_value(row, l)
        c = beside(draw, value) if value not in (0, math.inf) else F(draw.randint(1, 9), draw.randint(1, 4))
        return RecursiveCLDiversity(l, c=c or F(1, 2))
    ground, distance = ("equal", equal_distance) if kind == 4 else ("ordered", ordered_distance)
    return TCloseness(beside(draw, distance(row, reference)), ground=ground)


def drawn_rows(draw: random.Random) -> list[list[int]]:
    m, factor = draw.randint(1, 4), draw.choice(FACTORS)
    rows = []
    for _ in range(draw.randint(1, 3)):
        counts = [draw.choice([0, 1, 1, 2, 3, 5]) for _ in range(m)]
        counts[draw.randrange(m)] += not any(counts)
        rows.append([c * factor + (bool(c) and draw.random() < 0.1) for c in counts])
    if draw.random() < 0.3:
        rows.append(list(rows[0]))  # a tie
    used = [v for v in range(m) if any(row[v] for row in rows)]
    return [[row[v] for v in used] for row in rows]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_node_is_decided_as_the_definitions_decide_it(seed: int) -> None:
    draw, verdicts = random.Random(seed), {"satisfied": 0, "violated": 0}
    for _ in range(400):
        rows = drawn_rows(draw)
        reference = [sum(column) for column in zip(*rows, strict=True)]
        rolled = rolled_up(rows)
        records = sum(reference)
        models = [drawn_model(draw, rows, reference) for _ in range(draw.choice([1, 1, 1, 2, 3]))]
        model = models[0] if len(models) == 1 else Combination(tuple(models))
        at_risk = [sum(row) for row in rows if any(breaks(each, row, reference) for each in models)]
        lost = sum(at_risk)
        for limit in {0, min(draw.choice([lost, max(lost - 1, 0), lost + 1]), records)}:
            expected = "satisfied" if lost <= limit and lost < records else "violated"
            case = (rows, models, limit)
            assert Decider(rolled, model, limit)((0,)) == expected, case
            verdicts[expected] += 1
        classes = rolled.unsorted((0,))
        for each in models:  # the models themselves say the same
            broken = [row for row in rows if breaks(each, row, reference)]
            found = each.evaluate(classes)
            assert (len(found.violating), found.satisfied) == (len(broken), not broken), (rows, each)
    assert min(verdicts.values()) > 150


@pytest.mark.long
@pytest.mark.parametrize("factor", [1, 1_024, 4_095, 4_096, 4_097, 10**6, 10**9])
@pytest.mark.parametrize("counts", [[1] * 3, [1] * 7, [4, 1, 1, 1, 1], [2, 2], [9, 3, 3, 3]])
def test_an_entropy_that_is_exactly_a_logarithm_is_met_and_no_more_is(counts: list[int], factor: int) -> None:
    """Equal counts have H = ln m; (4, 1, 1, 1, 1) has H = ln 4: 8⁸ = 4⁴·4⁸."""
    n = sum(counts)
    exact = F(len(counts)) if len(set(counts)) == 1 else F(4) if n == 8 else None
    rolled = rolled_up([[c * factor for c in counts]])
    for step, verdict in ((0, "satisfied"), (F(1, 10**12), "violated"), (F(-1, 10**12), "satisfied")):
        if exact is not None:
            model = EntropyLDiversity(exact + step)
            assert not thresholds_of([model], rolled)[2], "decided by compiled code"
            assert Decider(rolled, model)((0,)) == verdict
    for l in (F(k, 8) for k in range(8, 8 * len(counts) + 9)):  # noqa: E741
        expected = "satisfied" if entropy_at_least(counts, l) else "violated"
        assert Decider(rolled, EntropyLDiversity(l))((0,)) == expected


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("beyond", [-1, 0, 1, 2])
@pytest.mark.parametrize("factor", [1, 10**6])
def test_no_class_is_more_diverse_than_its_values_are_many(m: int, beyond: int, factor: int) -> None:
    """ℓ from m − 1 to m + 2, over equal counts, alone and beside values that are declared and do not occur."""
    l = max(m + beyond, 1)  # noqa: E741
    for declared in (None, m + 3):
        rolled = rolled_up([[factor] * m, [2 * factor] * m], declared=declared)
        for model, holds in (
            (DistinctLDiversity(l), l <= m),
            (EntropyLDiversity(l), l <= m),
            (RecursiveCLDiversity(l, c=2 * m), l == 1 or l <= m),
            (RecursiveCLDiversity(l, c=10**9), l == 1 or l <= m),
        ):
            verdict = "satisfied" if holds else "violated"
            assert Decider(rolled, model)((0,)) == model.evaluate(rolled.unsorted((0,))).status == verdict, model


def test_a_fractional_c_is_met_strictly() -> None:
    """r₁ = 5 < c·(3 + 2) fails at c = 1 and holds just above; times 10⁶ as well."""
    for factor in (1, 10**3, 10**6):
        rolled = rolled_up([[5 * factor, 3 * factor, 2 * factor]])
        for c in (F(1), F(10**9 + 1, 10**9), F(10**9 - 1, 10**9), F(7, 5), F(5, 7)):
            expected = "satisfied" if c > 1 else "violated"
            assert Decider(rolled, RecursiveCLDiversity(2, c=c))((0,)) == expected
