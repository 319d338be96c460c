"""Every distance of the example tables, computed four ways that must agree.

The closed form over cuts, networkx, PuLP (each with a verified certificate), and the formula as the papers print it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from experiments.proofs import DISTANCE
from experiments.studies.worked_examples.tables import TABLES, disease_hierarchy, example, probabilities
from tcloseness.errors import StudyError
from tcloseness.exact import number_text
from tcloseness.ground import Equal, GroundDistance, Hierarchical, Ordered, ground_distance
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import value_text
from tcloseness.models import TCloseness
from tcloseness.transport import Certificate, certify
from tcloseness.transport.closed_forms import equal_emd, hierarchical_emd, ordered_emd, ordered_emd_double_sum

__all__ = [
    "FREQUENCY_ORDER",
    "LEAVES",
    "OWN",
    "SOLVERS",
    "UNIFORM",
    "VALUE_ORDER",
    "Case",
    "Solved",
    "all_cases",
    "cases",
    "counts_of",
    "four_ways",
    "listed_cost",
    "printed_formulas",
    "solve",
    "t_of",
]

SOLVERS = ("closed-form", "networkx", "pulp")

VALUE_ORDER = "by value"
FREQUENCY_ORDER = "by falling frequency"

OWN = "the table's own"
UNIFORM = "uniform over the values that occur"
LEAVES = "uniform over the hierarchy's leaves"


@dataclass(frozen=True)
class Case:
    """Which distance is meant.

    Attributes
    ----------
    table, number
        The table's file name, and which class of it, as printed, from 1.
    attribute
        The sensitive attribute.
    ground
        ``ordered``, ``ordered-by-value``, ``equal`` or ``hierarchical`` (Disease only).
    reference
        Whose distribution Q is: `OWN`, `UNIFORM` or `LEAVES`.
    order
        How the values are ordered: `VALUE_ORDER` or `FREQUENCY_ORDER` (most frequent value of the table first).
    """

    table: str
    number: int
    attribute: str
    ground: str
    reference: str = OWN
    order: str = VALUE_ORDER

    @property
    def slug(self) -> str:
        """A file name that is the case's own."""
        marks = {OWN: "", UNIFORM: "-uniform", LEAVES: "-leaves", VALUE_ORDER: "", FREQUENCY_ORDER: "-by-frequency"}
        attribute = self.attribute.lower().replace(" ", "_")
        return f"{self.table}-class{self.number}-{attribute}-{self.ground}{marks[self.reference]}{marks[self.order]}"


@dataclass(frozen=True, eq=False)
class Solved:
    """A distance and its certificates, one a solver; the printed formulas give the same number."""

    case: Case
    value: Fraction
    certificates: tuple[Certificate, ...]

    def row(self) -> dict[str, object]:
        """Return the line of ``distances.csv``."""
        return {
            "table": self.case.table,
            "class": " ".join(example(self.case.table).labels[self.case.number - 1]),
            "attribute": self.case.attribute,
            "ground distance": self.case.ground,
            "reference": self.case.reference,
            "order": self.case.order if self.case.ground.startswith("ordered") else "",
            "emd": number_text(self.value),
            "decimal": float(self.value),
            "agree": " = ".join((*SOLVERS, *printed_formulas(self.certificates[0]))),
            "certificates": f"{self.case.slug}.*{DISTANCE}",
        }


def counts_of(case: Case) -> ClassCounts:
    """Return the class counts of a case's table, with its reference distribution and order."""
    table = example(case.table)
    if case.reference == LEAVES:
        counts = table.counts(case.attribute, domain=disease_hierarchy().values)
        return counts.with_reference([1] * len(counts.domain), LEAVES)
    counts = table.counts(case.attribute)
    if case.order == FREQUENCY_ORDER:
        shares = list(zip(counts.reference.tolist(), counts.domain.values, strict=True))
        counts = table.counts(case.attribute, order=[value for _, value in sorted(shares, key=lambda pair: -pair[0])])
    return counts.with_uniform_reference() if case.reference == UNIFORM else counts


def four_ways(
    p: Sequence[Fraction], q: Sequence[Fraction], ground: GroundDistance, *, labels: Sequence[str] = ()
) -> tuple[Certificate, ...]:
    """Return a verified certificate of every solver.

    Raises
    ------
    StudyError
        If two solvers, or a solver and a printed formula, disagree.
    """
    certificates = tuple(certify(p, q, ground, solver=solver, labels=labels) for solver in SOLVERS)
    found = {c.method: c.value for c in certificates} | printed_formulas(certificates[0])
    if len(set(found.values())) != 1:
        raise StudyError(f"the ways to compute an EMD disagree: {found}")
    return certificates


def printed_formulas(certificate: Certificate) -> dict[str, Fraction]:
    """Return the EMD of a certificate's P and Q by the formulas that the papers print, where they print one."""
    p, q, ground = certificate.p, certificate.q, certificate.ground
    match ground:
        case Ordered():
            return {"Li §5.1": ordered_emd_double_sum(p, q), "Dosselmann Algorithm 1": ordered_emd(p, q)}
        case Equal():
            return {"Li §5.2, equal": equal_emd(p, q)}
        case Hierarchical():
            return {"Li §5.2, hierarchical": hierarchical_emd(p, q, *ground.nodes)}
    return {}


@cache
def solve(case: Case) -> Solved:
    """Compute one distance four ways."""
    counts = counts_of(case)
    ground = ground_distance(disease_hierarchy() if case.ground == "hierarchical" else case.ground, counts.domain)
    p = probabilities(counts.vector(example(case.table).index(counts, case.number)))
    certificates = four_ways(
        p, probabilities(counts.reference), ground, labels=[value_text(v) for v in counts.domain.values]
    )
    return Solved(case, certificates[0].value, certificates)


def cases(table: str, attribute: str, ground: str, *, reference: str = OWN, order: str = VALUE_ORDER) -> list[Case]:
    """Return the cases of all classes of a table."""
    return [Case(table, n, attribute, ground, reference, order) for n in range(1, len(example(table).labels) + 1)]


def t_of(table: str, attribute: str, ground: str, *, reference: str = OWN, order: str = VALUE_ORDER) -> Fraction:
    """Return the t of a table: by the model, which must be the greatest of the distances solved class by class."""
    wanted = cases(table, attribute, ground, reference=reference, order=order)
    found = (
        TCloseness(ground=disease_hierarchy() if ground == "hierarchical" else ground)
        .evaluate(counts_of(wanted[0]))
        .value
    )
    greatest = max(solve(case).value for case in wanted)
    if found != greatest:
        raise StudyError(
            f"{table}, {attribute}: the model measures t = {found}, and the classes' greatest EMD is {greatest}"
        )
    return greatest


def listed_cost(certificate: Certificate, moves: Sequence[tuple[int, int, Fraction]]) -> Fraction:
    """Return what a paper's list of movements costs: Σ mass·d(i, j) over triples (i, j, mass) of ranks from 1.

    Raises
    ------
    StudyError
        If the movements do not turn P into Q.
    """
    left = list(certificate.p)
    for i, j, mass in moves:
        left[i - 1] -= mass
        left[j - 1] += mass
    if tuple(left) != certificate.q:
        raise StudyError(f"the listed movements leave {[number_text(x) for x in left]}, which is not Q")
    return sum((mass * certificate.ground.distance(i - 1, j - 1) for i, j, mass in moves), Fraction(0))


@cache
def all_cases() -> tuple[Case, ...]:
    """Return the distances of all released tables of the papers."""
    found: list[Case] = []
    for table, (_, sensitive) in TABLES.items():
        if table in ("li_table1", "li_table3", "machanavajjhala_figure1"):
            continue  # original tables; their classes are single records
        for attribute in sensitive:
            numbers = attribute in ("Salary", "Value", "Merit Points")
            found += cases(table, attribute, "ordered" if numbers else "equal")
            if attribute == "Value":
                found += cases(table, attribute, "ordered-by-value")
            if attribute == "Merit Points":
                found += cases(table, attribute, "ordered", order=FREQUENCY_ORDER)
            if attribute == "Salary":
                found += cases(table, attribute, "equal")
            if "gastric ulcer" in set(example(table).frame[attribute]):  # the values of the hierarchy
                found += [
                    replace(case, reference=reference)
                    for reference in (OWN, UNIFORM, LEAVES)
                    for case in cases(table, attribute, "hierarchical")
                ]
    return tuple(found)
