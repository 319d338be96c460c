"""Privacy models of one class as inequalities between its counts, for numbers of any kind, symbols among them.

Each function yields statements that must all hold. None of them sorts: "the ℓ − 1 greatest" is "any ℓ − 1".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Any

import z3

from proofs_tests.smt.symbolic import Symbol, Truth, every

__all__ = [
    "at_least_l_values",
    "at_least_so_likely",
    "between",
    "frequency_diverse",
    "holds",
    "k_anonymous",
    "no_class_is_empty",
    "positive_disclosure_recursive",
    "recursive",
    "stated",
    "union",
    "within_bounds",
]

Counts = Sequence[Any]
Statements = Iterator[Any]


def k_anonymous(counts: Counts, k: Any) -> Statements:
    """n ≥ k."""
    yield sum(counts) >= k


def at_least_l_values(counts: Counts, l: int) -> Statements:  # noqa: E741
    """At least l values occur: of any m − l + 1 values, one does."""
    m = len(counts)
    for some in combinations(range(m), m - l + 1) if l <= m else [()]:
        yield sum(counts[s] for s in some) > 0


def frequency_diverse(counts: Counts, l: Any) -> Statements:  # noqa: E741
    """max_s p_s ≤ 1/l."""
    for count in counts:
        yield l * count <= sum(counts)


def recursive(counts: Counts, c: Any, l: int) -> Statements:  # noqa: E741
    """r₁ < c·(r_l + … + r_m): no count reaches c times what is left when any l − 1 values are taken away."""
    for count in counts:
        for gone in combinations(counts, l - 1):
            yield count < c * (sum(counts) - sum(gone))


def positive_disclosure_recursive(counts: Counts, c: Any, l: int, allowed: Collection[int]) -> Statements:  # noqa: E741
    """Machanavajjhala et al. 2006, Definition 4.3 without ranks: each value at risk, whichever l − 2 others are ruled
    out first."""
    for s, count in enumerate(counts):
        others = [other for i, other in enumerate(counts) if i != s]
        if s in allowed:
            continue
        for gone in combinations(others, min(l - 2, len(others))):
            yield _either(count == 0, count < c * (sum(others) - sum(gone)))


def at_least_so_likely(counts: Counts, share: Any, protected: Collection[int]) -> Statements:
    """Machanavajjhala et al. 2006, Definition 4.4: every protected value fills at least this share of the class."""
    for s in protected:
        yield counts[s] >= share * sum(counts)


def within_bounds(counts: Counts, bounds: Sequence[Any]) -> Statements:
    """p_s ≤ b_s, one bound a value: β-likeness with b_s = q_s·(1 + β), or enhanced q_s·(1 + min(β, −ln q_s))."""
    for count, bound in zip(counts, bounds, strict=True):
        yield count <= bound * sum(counts)


def between(counts: Counts, low: Sequence[Any], high: Sequence[Any], *, strict: bool = False) -> Statements:
    """Each share lies between two bounds of its value's own.

    With low = q_s/e and high = q_s·e that is exp(ε)-closeness, e = exp(ε); with `strict` (< for ≤) it is δ-disclosure
    privacy, e = exp(δ).
    """
    n = sum(counts)
    for count, least, most in zip(counts, low, high, strict=True):
        for smaller, larger in ((least * n, count), (count, most * n)):
            yield smaller < larger if strict else smaller <= larger


def _either(a: Any, b: Any) -> Any:
    if isinstance(a, Truth) or isinstance(b, Truth):
        return Truth(z3.Or(*(x.term if isinstance(x, Truth) else z3.BoolVal(bool(x)) for x in (a, b))))
    return a or b


def union(*classes: Counts) -> list[Any]:
    """The counts of the union of classes."""
    return [sum(counts) for counts in zip(*classes, strict=True)]


def holds(statements: Statements) -> bool:
    """Whether all hold, for known counts."""
    return all(bool(s) for s in statements)


def stated(statements: Statements) -> Truth:
    """That all hold, for symbols."""
    return Truth(every(statements))


def no_class_is_empty(*classes: Sequence[Symbol]) -> list[Truth]:
    """Counts ≥ 0, and some record in each class."""
    sizes: list[Any] = [sum(counts) for counts in classes]
    return [c >= 0 for counts in classes for c in counts] + [n > 0 for n in sizes]
