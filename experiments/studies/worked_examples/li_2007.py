"""Checks of Li, Li, Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity" (ICDE 2007)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from experiments.claims import Outcome, check, value_text
from experiments.studies.data_facts.records import FIGURE_2, SENSITIVE
from experiments.studies.worked_examples.distances import (
    LEAVES,
    OWN,
    UNIFORM,
    Case,
    cases,
    four_ways,
    listed_cost,
    printed_formulas,
    solve,
    t_of,
)
from experiments.studies.worked_examples.tables import (
    disease_hierarchy,
    distinct_l,
    entropy_l,
    entropy_of,
    example,
    k_of,
    masked,
    one_class,
    probabilities,
    recursive_bound,
)
from tcloseness.errors import StudyError
from tcloseness.exact import LogSum, log_of, number_text
from tcloseness.ground import Hierarchical, Ordered
from tcloseness.measures import KullbackLeibler
from tcloseness.microdata import ClassCounts, Domain, TreeNode
from tcloseness.models import EntropyLDiversity, KAnonymity, TCloseness

__all__ = ["BOB", "IF_UNIFORM", "ONE_PERCENT", "literal_hierarchical_emd", "most_classes"]

BOB = {"ZIP Code": "47678", "Age": 27, "Zipcode": "47678"}
ONE_PERCENT = {"negative": 9900, "positive": 100}

IF_UNIFORM = "Q is uniform over the six diseases that occur, instead of the table's own distribution"
IF_LEAVES = "Q is uniform over the ten leaves of the hierarchy"


# ---------------------------------------------------------------------- §2 and §3: Tables 1 to 4


@check("TC-1a")
def _k_of_table_2() -> Outcome:
    return Outcome(k_of(example("li_table2").counts()))


@check("TC-1b", "TC-1c", "TC-5c", "TC-37")
def _attacks() -> dict[str, Outcome]:
    second, fourth, fifth = example("li_table2"), example("li_table4"), example("li_table5")
    bob = set(second.values(second.class_of(BOB)))
    carl = set(second.values(len(second.labels))) - {"Heart Disease"}
    pay = {table.name: sorted(map(int, table.values(table.class_of(BOB), "Salary"))) for table in (fourth, fifth)}
    organs = {table.name: _nodes_above(table.values(table.class_of(BOB), "Disease")) for table in (fourth, fifth)}
    seen = [pay["li_table4"][0] >= 3000 and pay["li_table4"][-1] <= 5000, organs["li_table4"] == {"stomach disease"}]
    still = [pay["li_table5"][-1] <= 5000, organs["li_table5"] == {"stomach disease"}]
    return {
        "TC-1b": Outcome(len(bob), detail=f"every record of Bob's class has {', '.join(bob)}"),
        "TC-1c": Outcome(len(carl), detail=f"left is {', '.join(carl)}"),
        "TC-5c": Outcome(all(seen), detail=f"salaries {pay['li_table4']}, all under {', '.join(organs['li_table4'])}"),
        "TC-37": Outcome(
            not any(still), detail=f"salaries {pay['li_table5']}, under {', '.join(sorted(organs['li_table5']))}"
        ),
    }


def _nodes_above(diseases: list[str]) -> set[str]:
    return {str(disease_hierarchy().label(disease, 1)) for disease in diseases}


@check("TC-1d")
def _releases_generalize() -> Outcome:
    pairs = [("li_table2", "li_table1"), ("li_table4", "li_table3")]
    covered = all(example(release).generalizes(example(original)) for release, original in pairs)
    levels = {
        f"{release}, {name}": {masked(label) for label in example(release).frame[name]}
        for release, _ in pairs
        for name in example(release).quasi_identifiers
    }
    mixed = [where for where, found in levels.items() if len(found) > 1]
    full_domain = {"all labels of a column must stand on one level": covered and not mixed}
    return Outcome(covered, full_domain, f"labels of several levels: {'; '.join(mixed)}")


@check("TC-2a", "TC-2b", "TC-3a", "TC-3d", "TC-3b", "TC-3c", "TC-4a", "TC-4b", "TC-4c")
def _skewness() -> dict[str, Outcome]:
    whole = one_class(ONE_PERCENT)
    mostly, hardly, even = (one_class({"positive": a, "negative": b}) for a, b in ((49, 1), (1, 49), (25, 25)))
    entropy = {c: entropy_of(c) for c in (whole, mostly, hardly)}
    bound = {c: recursive_bound(c, 2) for c in (whole, mostly, hardly, even)}
    effective = {c: f"{math.exp(value):.4f}" for c, value in entropy.items()}
    alike = (
        distinct_l(mostly) == distinct_l(hardly)
        and entropy[mostly] == entropy[hardly]
        and bound[mostly] == bound[hardly]
    )
    two = distinct_l(even) if distinct_l(even) == entropy_l(even) else Fraction(0)
    higher = Outcome(
        entropy[mostly] > entropy[whole], detail=f"exp(H) = {effective[mostly]} against {effective[whole]}"
    )
    return {
        "TC-2a": Outcome(most_classes(ONE_PERCENT)),
        "TC-2b": Outcome(not EntropyLDiversity(2).evaluate(whole).satisfied, detail=f"exp(H) = {effective[whole]}"),
        "TC-3a": higher,
        "TC-3b": Outcome(probabilities(mostly.row(0).values())[mostly.domain.code("positive")]),
        "TC-3c": Outcome(alike, detail="the same distinct l, entropy and bound of recursive (c,2)-diversity"),
        "TC-3d": higher,
        "TC-4a": Outcome(two),
        "TC-4b": Outcome(
            bound[even] <= bound[whole],
            detail=f"the class satisfies it for c > {bound[even]}, the whole table only for c > {bound[whole]}",
        ),
        "TC-4c": Outcome(probabilities(even.row(0).values())[even.domain.code("positive")]),
    }


def most_classes(counts: Mapping[str, int]) -> int:
    """Return how many classes a distinct 2-diverse table with two sensitive values can have at most.

    Each class needs a record of either value, so no more than there are records of the rarer one; that many are
    possible, which is tried.
    """
    most = min(counts.values())
    table = ClassCounts.from_matrix([[n // most] * most for n in counts.values()])
    if len(table) != most or distinct_l(table) != 2:
        raise StudyError(f"{most} classes of {dict(counts)} are not distinct 2-diverse")
    return most


@check("TC-5a", "TC-5b")
def _diversity_of_table_4() -> dict[str, Outcome]:
    both = [example("li_table4").counts(name) for name in ("Salary", "Disease")]
    return {"TC-5a": Outcome(min(map(distinct_l, both))), "TC-5b": Outcome(min(map(entropy_l, both)))}


# ---------------------------------------------------------------------- §4: distances


@check("TC-6", "TC-7a", "TC-7b")
def _distances_without_ground() -> dict[str, Outcome]:
    equal = [solve(case).value for case in cases("li_table4", "Salary", "equal")[:2]]
    pairs = [solve(case).certificates[0] for case in cases("li_table4", "Salary", "ordered")]
    kl = [KullbackLeibler().distance(c.p, c.q) for c in pairs]
    identity = [
        value == _plain_entropy(c.p, c.p).minus(_plain_entropy(c.p, c.q)) for c, value in zip(pairs, kl, strict=True)
    ]
    usual = [
        value == _plain_entropy(c.p, c.q).minus(_plain_entropy(c.p, c.p)) for c, value in zip(pairs, kl, strict=True)
    ]
    return {
        "TC-6": Outcome(equal[0] == equal[1], detail=f"both {number_text(equal[0])}"),
        "TC-7a": Outcome(all(identity), {"entropy and cross-entropy have their usual minus sign": all(usual)}),
        "TC-7b": Outcome(kl[0] == kl[1], detail=f"both {value_text(float(kl[0]))} nats"),
    }


def _plain_entropy(p: tuple[Fraction, ...], q: tuple[Fraction, ...]) -> LogSum:
    """Return Σ p_i·ln q_i, without a minus sign, as §4 prints entropy and cross-entropy."""
    total = LogSum({})
    for a, b in zip(p, q, strict=True):
        if a:
            total = total.minus(LogSum({base: -a * e for base, e in log_of(b).terms.items()}))
    return total


@check("TC-17a", "TC-17b", "TC-18a", "TC-18b")
def _information_gain() -> dict[str, Outcome]:
    found = {}
    for key, (before, after) in {"TC-17": ("0.01", "0.11"), "TC-18": ("0.4", "0.5")}.items():
        q, p = ([Fraction(x), 1 - Fraction(x)] for x in (before, after))
        found[f"{key}a"] = Outcome(four_ways(p, q, Ordered(2))[0].value)
        found[f"{key}b"] = Outcome(p[0] / q[0] - 1)
    return found


# ---------------------------------------------------------------------- §5: formulas and Table 5


@check("TC-8", "TC-9")
def _salaries() -> dict[str, Outcome]:
    first, second, _ = cases("li_table4", "Salary", "ordered")
    return {"TC-8": Outcome(solve(first).value), "TC-9": Outcome(solve(second).value)}


@check("TC-10a", "TC-10b")
def _footnote_4() -> dict[str, Outcome]:
    certificate = solve(Case("li_table4", 1, "Salary", "ordered")).certificates[0]
    listed = [(5, 11), (5, 10), (5, 9), (4, 8), (4, 7), (4, 6), (3, 5), (3, 4)]  # in thousands
    rank = {int(label) // 1000: place for place, label in enumerate(certificate.labels, 1)}
    cost = listed_cost(certificate, [(rank[a], rank[b], Fraction(1, 9)) for a, b in listed])
    return {"TC-10a": Outcome(cost), "TC-10b": Outcome(cost == certificate.value, detail="and no flow costs less")}


@check("TC-11a", "TC-11b", "TC-11c")
def _disease_distances() -> dict[str, Outcome]:
    domain = Domain.of(disease_hierarchy().values)
    ground = Hierarchical(disease_hierarchy(), domain)
    others = {"TC-11a": "bronchitis", "TC-11b": "pulmonary embolism", "TC-11c": "stomach cancer"}
    return {key: Outcome(ground.distance(domain.code("flu"), domain.code(other))) for key, other in others.items()}


@check("TC-12", "TC-13")
def _diseases() -> dict[str, Outcome]:
    found = {}
    for key, table in {"TC-12": "li_table4", "TC-13": "li_table5"}.items():
        value = {q: solve(Case(table, 1, "Disease", "hierarchical", q)).value for q in (OWN, UNIFORM, LEAVES)}
        found[key] = Outcome(value[OWN], {IF_UNIFORM: value[UNIFORM], IF_LEAVES: value[LEAVES]})
    return found


@check("TC-14a", "TC-14b", "TC-14c", "TC-14d", "TC-15a", "TC-15b", "TC-15c", "TC-15d")
def _closeness_of_table_5() -> dict[str, Outcome]:
    own, uniform = (t_of("li_table5", "Disease", "hierarchical", reference=q) for q in (OWN, UNIFORM))
    found = {
        "TC-14a": Outcome(t_of("li_table5", "Salary", "ordered")),
        "TC-15a": Outcome(own, {IF_UNIFORM: uniform}),
    }
    for letter, number in zip("bcd", (1, 2, 3), strict=True):
        salary = solve(Case("li_table5", number, "Salary", "ordered")).value
        disease, even = (solve(Case("li_table5", number, "Disease", "hierarchical", q)).value for q in (OWN, UNIFORM))
        found[f"TC-14{letter}"] = Outcome(salary <= Fraction("0.167"), detail=number_text(salary))
        found[f"TC-15{letter}"] = Outcome(
            disease <= Fraction("0.278"), {IF_UNIFORM: even <= Fraction("0.278")}, number_text(disease)
        )
    return found


@check("TC-16")
def _leaves_or_children() -> Outcome:
    wanted = [
        case
        for table in ("li_table4", "li_table5")
        for q in (OWN, UNIFORM)
        for case in cases(table, "Disease", "hierarchical", reference=q)
    ]
    literal = {case: literal_hierarchical_emd(case) for case in wanted}
    shown = Case("li_table5", 1, "Disease", "hierarchical", UNIFORM)
    return Outcome(
        all(literal[case] == solve(case).value for case in wanted),
        {"Child(N) are the nodes directly below N": all(map(_formula_is_least_work, wanted))},
        f"for {', '.join(example(shown.table).values(1, 'Disease'))} and Q uniform the leaves give "
        f"{number_text(literal[shown])}, the distance is {number_text(solve(shown).value)}",
    )


def literal_hierarchical_emd(case: Case) -> Fraction:
    """Return Σ height(N)/H·min(pos_extra(N), neg_extra(N)) with the leaves below N for Child(N), as §5.2 defines it."""
    certificate = solve(case).certificates[0]
    extra = {label: a - b for label, a, b in zip(certificate.labels, certificate.p, certificate.q, strict=True)}

    def cost(node: TreeNode) -> Fraction:
        if not node.children:
            return Fraction(0)
        extras = [extra.get(str(leaf), Fraction(0)) for leaf in node.leaves()]
        positive = sum((e for e in extras if e > 0), Fraction(0))
        negative = sum((-e for e in extras if e < 0), Fraction(0))
        return node.height * min(positive, negative) + sum(map(cost, node.children))

    root = disease_hierarchy().tree()
    return cost(root) / root.height


@check(*(f"TC-19{letter}" for letter in "abcdefghi"))
def _formulas_on_table_4() -> dict[str, Outcome]:
    wanted = [
        *cases("li_table4", "Salary", "ordered"),
        *cases("li_table4", "Disease", "hierarchical"),
        *cases("li_table4", "Disease", "hierarchical", reference=UNIFORM),
    ]
    return {
        f"TC-19{letter}": Outcome(_formula_is_least_work(case), detail=number_text(solve(case).value))
        for letter, case in zip("abcdefghi", wanted, strict=True)
    }


def _formula_is_least_work(case: Case) -> bool:
    """Say whether the printed formulas give what the certificates of every solver prove."""
    certificates = solve(case).certificates
    return {c.value for c in certificates} == set(printed_formulas(certificates[0]).values())


@check("TC-26e")
def _attributes_of_table_2() -> Outcome:
    there = example("li_table2").quasi_identifiers
    return Outcome(
        len(there) >= 7,
        {"Figure 2 is meant": len(set(FIGURE_2.values()) - set(SENSITIVE)) >= 7},
        f"Table 2 has the quasi-identifiers {', '.join(there)}",
    )


@check("TC-39")
def _identity_disclosure() -> Outcome:
    single = ClassCounts.from_mapping({"one": {"flu": 1}, "other": {"flu": 1}})
    t, k = TCloseness(ground="equal").evaluate(single).value, KAnonymity().evaluate(single).value
    return Outcome(t == 0 and k == 1, detail=f"two classes of one record with one common value: t = {t}, k = {k}")


@check("TC-44")
def _total_flow() -> Outcome:
    certificates = [c for case in cases("li_table4", "Salary", "ordered") for c in solve(case).certificates]
    total = {sum((mass for _, _, mass in c.coupling), Fraction(0)) for c in certificates}
    moved = {sum((mass for i, j, mass in c.coupling if i != j), Fraction(0)) for c in certificates}
    (whole,) = total
    return Outcome(whole, {"only the mass that moves is counted": max(moved)})
