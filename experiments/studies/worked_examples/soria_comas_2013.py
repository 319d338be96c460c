"""Checks of Soria-Comas and Domingo-Ferrer, "Connecting Privacy Models" (2013). The paper prints no table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations, product

from experiments.claims import Outcome, check
from experiments.studies.worked_examples.small_tables import blocks
from experiments.studies.worked_examples.tables import example, k_of, one_class, probabilities
from tcloseness.exact import log_of

__all__ = ["ratio"]


def ratio(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction | float:
    """Return max over all sets S of P(S)/Q(S) and Q(S)/P(S) (Definition 5); 0/0 counts as 0, x/0 as infinite."""
    found: list[Fraction | float] = []
    for chosen in chain.from_iterable(combinations(range(len(p)), n) for n in range(len(p) + 1)):
        a, b = (sum((x[i] for i in chosen), Fraction(0)) for x in (p, q))
        for above, below in ((a, b), (b, a)):
            found.append(above / below if below else (float("inf") if above else Fraction(0)))
    return max(found)


@check("CM-4")
def _which_epsilon() -> Outcome:
    """With ε = ln 2 the allowed factor exp(ε) is 2; differential privacy with the parameter 2 would allow exp(2)."""
    p, q = [Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]
    factor = ratio(p, q)
    needed = log_of(Fraction(factor))  # the least parameter of differential privacy that allows the factor
    return Outcome(
        needed == 2,
        {"eps-differential privacy is meant": needed == log_of(Fraction(2))},
        f"eps = ln 2: a factor {factor} needs the parameter ln 2; exp(eps) = 2 would allow a factor {math.exp(2):.3f}",
    )


@check("CM-6")
def _is_the_ratio_a_distance() -> Outcome:
    some = [probabilities(counts) for counts in blocks(2, 3)]
    own = {ratio(p, p) for p in some}
    pairs = list(product(some, repeat=2))
    symmetric = all(ratio(p, q) == ratio(q, p) for p, q in pairs)
    zero = {"as it is": own == {0}, "logarithm": all((ratio(p, q) == 1) == (p == q) for p, q in pairs)}
    triples = [(ratio(p, r), ratio(p, q), ratio(q, r)) for p, q, r in product(some, repeat=3)]
    return Outcome(
        symmetric and zero["as it is"] and all(a <= b + c for a, b, c in triples),
        {"its logarithm is taken": symmetric and zero["logarithm"] and all(a <= b * c for a, b, c in triples)},
        f"d(P, P) = {', '.join(map(str, own))}; tried on all counts up to 3 of 2 values",
    )


@check("CM-7")
def _one_in_k() -> Outcome:
    distinct, repeated = example("li_table4"), example("li_table2")
    shares = {}
    for table in (distinct, repeated):
        counts = table.counts()
        shares[table] = {
            share * k_of(counts) for i in range(len(counts)) for share in probabilities(counts.row(i).values())
        }
    return Outcome(
        shares[distinct] == {1},
        {"values may repeat within a class": shares[repeated] == {1}},
        "Tables 4 and 2 of Li 2007, k = 3",
    )


@check("CM-9")
def _homogeneous_groups() -> Outcome:
    groups = [one_class({"flu": k}) for k in (2, 3, 10, 100, 1000)]
    certain = {max(probabilities(group.row(0).values())) for group in groups}
    return Outcome(min(certain), detail="k = 2, 3, 10, 100 and 1000")
