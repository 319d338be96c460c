"""Checks of Soria-Comas and Domingo-Ferrer, "Connecting Privacy Models" (2013). The paper prints no table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations

from experiments.claims import Outcome, check
from experiments.studies.worked_examples.tables import example, k_of, one_class, probabilities
from tcloseness.exact import log_of
from tcloseness.lattice import RollUp, exhaustive, incognito
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import KAnonymity, TCloseness

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


@check("CM-5", "TC-47")
def _a_procedure() -> dict[str, Outcome]:
    """Li et al. 2007, §4 and §6, puts t-closeness into Incognito; run on its own Table 3, that finds a table."""
    original = example("li_table3")
    names = list(original.quasi_identifiers)
    codes, ages = (sorted(set(original.frame[name])) for name in names)
    masks = [
        {code[:kept] + "*" * (5 - kept): [c for c in codes if c[:kept] == code[:kept]] for code in codes}
        for kept in (4, 3)
    ]
    table = RollUp(
        FrequencySet.from_frame(original.frame, quasi_identifiers=names, sensitive="Disease"),
        {
            names[0]: Hierarchy.from_groups([*masks], name=names[0]),
            names[1]: Hierarchy.from_groups(
                [{"<=40": [a for a in ages if int(a) <= 40], ">40": [a for a in ages if int(a) > 40]}], name=names[1]
            ),
        },
    )
    model = KAnonymity(3) & TCloseness("0.5", ground="equal")
    found = incognito(table, model)
    right = set(found.satisfying) == set(exhaustive(table, model).satisfying)
    remark = (
        f"on the {len(original.frame)} records of its Table 3, Incognito finds {len(found.minimal)} minimal "
        f"table{'s' * (len(found.minimal) != 1)} with k = 3 and t = 0.5, the same as looking at all "
        f"{len(table.lattice)} tables"
    )
    return {
        "CM-5": Outcome(
            not (right and bool(found.minimal)),
            detail="Li et al. 2007, §4: the two properties guarantee that t-closeness can be incorporated into "
            f"Incognito, and §6 runs it; {remark}",
        ),
        "TC-47": Outcome(right and bool(found.minimal), detail=remark),
    }


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
