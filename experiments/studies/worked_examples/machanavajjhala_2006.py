"""Checks of Machanavajjhala et al., "ℓ-Diversity: Privacy Beyond k-Anonymity" (ICDE 2006): tables, sections 1 to 4."""

from __future__ import annotations

from fractions import Fraction

from experiments.claims import Outcome, Value, check
from experiments.studies.worked_examples.tables import (
    TABLES,
    distinct_l,
    entropy_l,
    exactly_one_label,
    example,
    k_of,
    recursive_bound,
)
from tcloseness.attacks import Population, observed_beliefs
from tcloseness.microdata import ClassCounts

__all__ = ["posterior"]

BOB = {"Zip Code": "13053", "Age": 31, "Nationality": "American"}
UMEKO = {"Zip Code": "13068", "Age": 21, "Nationality": "Japanese"}


@check("LD-1a", "LD-1b", "LD-1c", "LD-5b")
def _attacks() -> dict[str, Outcome]:
    second, third = example("machanavajjhala_figure2"), example("machanavajjhala_figure3")
    bob, umeko = ({table: set(table.values(table.class_of(who))) for table in (second, third)} for who in (BOB, UMEKO))
    left = {table: umeko[table] - {"Heart Disease"} for table in (second, third)}
    return {
        "LD-1a": Outcome(k_of(second.counts())),
        "LD-1b": Outcome(len(bob[second]), detail=", ".join(bob[second])),
        "LD-1c": Outcome(len(left[second]), detail=", ".join(left[second])),
        "LD-5b": Outcome(
            len(bob[third]) > 1 and len(left[third]) > 1,
            detail=f"Bob: {', '.join(sorted(bob[third]))}; Umeko: {', '.join(sorted(left[third]))}",
        ),
    }


@check("LD-1d")
def _figure_2_partitions() -> Outcome:
    released, original = example("machanavajjhala_figure2"), example("machanavajjhala_figure1")
    values = {name: list(original.frame[name]) for name in released.quasi_identifiers} | {"Age": list(range(121))}
    return Outcome(
        all(exactly_one_label(released.frame[name], occurring) for name, occurring in values.items()),
        detail="; ".join(f"{name}: {', '.join(dict.fromkeys(released.frame[name]))}" for name in values),
    )


@check("LD-2a", "LD-2b", "LD-3", "LD-4")
def _back_of_the_envelope() -> dict[str, Outcome]:
    groups = Fraction(60_000, 5)
    without_diversity = 3 * Fraction(1, 3) ** 5
    expected = groups * without_diversity
    return {
        "LD-2a": Outcome(groups),
        "LD-2b": Outcome(without_diversity),
        "LD-3": Outcome(expected, detail=f"{float(expected):.2f}"),
        "LD-4": Outcome(5 * round(expected), {"the number of groups is not rounded first": 5 * expected}),
    }


@check("LD-5a", "LD-6")
def _figure_3() -> dict[str, Outcome]:
    counts = example("machanavajjhala_figure3").counts()
    entropy = entropy_l(counts)
    others: dict[str, Value] = {"entropy l-diversity is meant": entropy}
    return {
        "LD-5a": Outcome(distinct_l(counts), others, f"recursive (c,3) for c > {recursive_bound(counts, 3)}"),
        "LD-6": Outcome(entropy),
    }


@check("LD-8", "LD-9a", "LD-9b", "LD-9c", "LD-9d")
def _two_sensitive_attributes() -> dict[str, Outcome]:
    block = example("machanavajjhala_section4_3")
    s, v = block.counts("S"), block.counts("V")
    bound = recursive_bound(s, 3)
    left = set(block.frame.loc[block.frame["S"] != "s1", "V"])
    joint = [
        distinct_l(block.counts("V", quasi_identifiers=("Q", "S"))),
        distinct_l(block.counts("S", quasi_identifiers=("Q", "V"))),
    ]
    return {
        "LD-8": Outcome(
            bound < 2, {"Definition 4.2 is read with ≤ in place of <": bound <= 2}, f"it needs c > {bound}"
        ),
        "LD-9a": Outcome(distinct_l(s)),
        "LD-9b": Outcome(distinct_l(v)),
        "LD-9c": Outcome(len(left), detail=", ".join(left)),
        "LD-9d": Outcome(
            min(distinct_l(s), distinct_l(v)) == 3 and min(joint) < 3,
            detail=f"distinct l is {joint[0]} and {joint[1]} once the other attribute joins the quasi-identifiers",
        ),
    }


@check("LD-10")
def _posterior_belief() -> Outcome:
    """A belief is a distribution: over the sensitive values it must sum to 1."""
    counts = [2, 1]
    given_q = [Fraction(1, 4), Fraction(3, 4)]
    given_block = [(a + b) / 2 for a, b in zip(given_q, (Fraction(1, 16), Fraction(15, 16)), strict=True)]
    printed, mended = (sum(posterior(counts, given_q, given_block, printed=way)) for way in (True, False))
    return Outcome(
        printed == 1,
        {"f(s'|q) stands over f(s'|q*) in the denominator": mended == 1},
        f"in a block with counts (2, 1), f(s|q) = {given_q[0]} and f(s|q*) = {given_block[0]} the printed beliefs sum "
        f"to {printed}",
    )


def posterior(
    counts: list[int], given_q: list[Fraction], given_block: list[Fraction], *, printed: bool
) -> list[Fraction]:
    """Return the posterior beliefs of Theorem 3.1: n(s)·f(s|q)/f(s|q*) over the sum, mended or as printed."""
    terms = [n * a / b for n, a, b in zip(counts, given_q, given_block, strict=True)]
    total = Fraction(sum(counts)) if printed else sum(terms, Fraction(0))
    return [term / total for term in terms]


@check("LD-40", "LD-47", "LD-54")
def _homogeneous_blocks() -> dict[str, Outcome]:
    people = Population.from_mapping({"a": {"x": "1/8", "y": "3/8"}, "b": {"x": "1/4", "y": "1/4"}})
    homogeneous = ClassCounts.from_mapping({"ab": {"x": 3}})
    beliefs = observed_beliefs(people, homogeneous, blocks={"a": "ab", "b": "ab"})
    certain = {belief.posterior for who in ("a", "b") for belief in beliefs.about(who) if belief.value == "x"}
    priors = {who: Fraction(n) for who, n in (("a", Fraction(1, 4)), ("b", Fraction(1, 2)))}
    flagged = {
        rho: {
            str(label)
            for belief in beliefs.breaches(rho, Fraction(15, 16))
            for label in belief.q
            if belief.value == "x"
        }
        for rho in (Fraction(1, 8), Fraction(3, 8), Fraction(3, 4))
    }
    right = all(flagged[rho] == {who for who, prior in priors.items() if prior < rho} for rho in flagged)
    second = example("machanavajjhala_figure2")
    umeko = second.values(second.class_of(UMEKO))
    return {
        "LD-40": Outcome(
            certain == {Fraction(1)},
            detail="three records of one value, two people of different priors; equation (1) as it should read",
        ),
        "LD-47": Outcome(right, detail="flagged for every rho1 above the prior, for rho1 = 1/8, 3/8 and 3/4"),
        "LD-54": Outcome("Cancer" not in umeko, detail=", ".join(sorted(set(umeko)))),
    }


@check("LD-44")
def _discernibility() -> Outcome:
    released = [example(name) for name in TABLES if name != "machanavajjhala_section4_3"]
    sums = []
    for table in released:
        of_record = table.frame.groupby(list(table.quasi_identifiers))[table.quasi_identifiers[0]].transform("size")
        sums.append(int(of_record.sum()) == int((table.counts().class_sizes ** 2).sum()))
    return Outcome(all(sums), detail=f"records' costs added up one by one in {len(released)} tables")
