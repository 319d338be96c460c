"""One example of every public result, asked of some records of Adult."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import tcloseness as tc
from experiments import adult
from tcloseness import attacks, axioms, ground, lattice, loss, models, optimal, release, transport
from tcloseness.attacks import Column, Columns, ColumnSet, KeySet
from tcloseness.audit import AttributeAudit, Audit, Distance, Undefined
from tcloseness.certificates import Checked, Envelope, composition, verify
from tcloseness.comparison import Comparison, Measured
from tcloseness.conformance.assessment import Assessment
from tcloseness.conformance.protocol import Implementation
from tcloseness.conformance.runner import PartialReport, Record, Report
from tcloseness.conformance.vectors import load
from tcloseness.lattice.results import PartialOptimum, PartialSearch
from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer
from tcloseness.microdata.canonical import canonical_lines
from tcloseness.sweeps import Cell, Sweep
from tcloseness.transport import Transformation

__all__ = ["EXAMPLES", "LABELS", "PRIVATE", "again", "every_example", "example", "frame"]

_QUASI = ["age", "sex", "race"]
_JOBS = {
    "white collar": ["Adm-clerical", "Sales", "Exec-managerial", "Prof-specialty", "Tech-support"],
    "blue collar": [
        *("Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving"),
        *("Other-service", "Protective-serv"),
    ],
}


PRIVATE = tuple(sorted(job for group in _JOBS.values() for job in group))
"""The values of the sensitive attribute, which nothing shows unasked."""

LABELS = ("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Female", "Other", "White")
"""Values of quasi-identifiers ("Male" is in "Female"), which no repr shows."""


@cache
def frame() -> pd.DataFrame:
    """The first 48 records of Adult without missing values."""
    found = adult.load("train-complete")[[*_QUASI, "occupation"]].head(48)
    assert set(found["race"]) | {"Female"} == set(LABELS)
    assert set(found["occupation"]) <= set(PRIVATE)
    return found


@cache
def hierarchies() -> dict[str, tc.Hierarchy]:
    return {
        "age": tc.Hierarchy.intervals(frame()["age"], [10, 30], name="age"),
        "sex": tc.Hierarchy.suppression(["Female", "Male"], name="sex"),
        "race": tc.Hierarchy.suppression(set(frame()["race"]), name="race"),
    }


@cache
def jobs() -> tc.Hierarchy:
    return tc.Hierarchy.from_groups([_JOBS], name="occupation")


@cache
def table() -> tc.Table:
    return tc.Table(frame(), quasi_identifiers=_QUASI, sensitive="occupation", ground=jobs(), hierarchies=hierarchies())


@cache
def audit() -> Audit:
    return table().check(k=3, t="1/2", recursive=(2, 2), entropy_l=2)


@cache
def classes() -> tc.ClassCounts:
    return table().frequencies.class_counts()


def audited_counts() -> bytes:
    """The canonical text of the counts, which a checker reads in place of a file."""
    return b"".join(canonical_lines(table().frequencies, [*_QUASI, "occupation"]))


@cache
def search() -> SearchAnswer:
    return table().search(k=4, t="9/10", suppression="1/10")


@cache
def best() -> SearchAnswer:
    return table().search(k=4, wanted="optimum", loss="ncp")


@cache
def generalized() -> release.Release:
    return release.Release.full_domain(table().frequencies, hierarchies(), {"age": 2, "sex": 0, "race": 1})


@cache
def card() -> axioms.ReportCard:
    return axioms.check_distance(
        tc.measures.EMD(tc.Ordered(3)), m=(3, 3), only=["symmetric", "convex", "triangle"], proofs=False, effort="1/10"
    )


@cache
def linked() -> attacks.ComplementaryAttack:
    return attacks.complementary_release_attack(list(releases()), fewer_than=4)


@cache
def releases() -> tuple[attacks.LinkedRelease, attacks.LinkedRelease]:
    """Two releases of the same persons, who are named by the numbers of their rows."""
    rows = frame()
    one, other = rows["race"], (rows["age"] // 20).astype(str) + rows["sex"]
    made = []
    for labels in (one, other):
        cells = pd.DataFrame({"label": labels, "occupation": rows["occupation"]})
        counted = tc.FrequencySet.from_frame(cells, quasi_identifiers="label", sensitive="occupation").class_counts()
        made.append(attacks.LinkedRelease(counted, dict(enumerate(labels))))
    return made[0], made[1]


@cache
def minimality() -> attacks.MinimalityAttack:
    return attacks.minimality_attack(table().frequencies, hierarchies(), {"age": 2, "sex": 0, "race": 1}, K)


@cache
def persons() -> attacks.PersonsAttack:
    found = generalized().classes
    return attacks.known_persons_attack(found, {"Bob": attacks.Person(found.label(0), ("Sales",))}, fewer_than=9)


@cache
def beliefs() -> attacks.ObservedBeliefs:
    return attacks.observed_beliefs(attacks.Population.from_classes(classes()), classes())


@cache
def suppressed() -> Any:
    return optimal.optimal_suppression(generalized(), models.FrequencyLDiversity(4))


@cache
def stopped() -> PartialSearchAnswer:
    found = partly(lattice.search_lattice, K, ground="equal")
    assert isinstance(found, PartialSearchAnswer)
    return found


def partly(question: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Ask, and let no time be left once the table is prepared."""
    return question(table().rolled, *arguments, partial=True, time_limit=1e-9, **options)


@cache
def report() -> Report:
    vectors = load(algorithms=["k-anonymity"])[:3]
    verdicts = (Assessment("right"), Assessment("wrong, unsafe side", got="3"), Assessment("skipped"))
    records = tuple(Record(vector, verdict) for vector, verdict in zip(vectors, verdicts, strict=True))
    return Report(Implementation("mine", "1", "Python", ("k-anonymity",)), records)


def microaggregated() -> Any:
    ages = tc.Table(frame(), quasi_identifiers="age", sensitive="occupation")
    return ages.optimal("microaggregation", k=5)


def emd_certificate() -> tc.Certificate:
    counts = classes()
    first = [counts.row(0).get(code, 0) for code in range(len(counts.domain))]
    over, labels = ground.Hierarchical(jobs(), counts.domain), [str(value) for value in counts.domain.values]
    return tc.certify(first, counts.reference.tolist(), over, counts=True, labels=labels)


def squared(p: Any, q: Any) -> Any:
    return sum((a - b) ** 2 for a, b in zip(p, q, strict=True))


@cache
def tracked() -> list[models.TrackedRelease]:
    return [models.TrackedRelease(each.classes, dict(each.places)) for each in releases()]


def query() -> loss.CountQuery:
    return loss.CountQuery({"race": frozenset({"White"}), "occupation": frozenset({"Sales"})})


@cache
def disclosed() -> attacks.LabelDisclosure:
    return attacks.label_disclosure(table().anonymize("mondrian", k=4))


def halves(given: tc.Microdata) -> list[int]:
    """A method of one's own: the first half of the records is a class, unless it has one value."""
    jobs_of_all = given.sensitive[0].codes.tolist()
    return [int(i >= 3 and len(set(jobs_of_all[:3])) > 1) for i in range(len(given))]


@cache
def consistent() -> attacks.ConsistentOriginals:
    few = tc.Table(frame().iloc[[0, 1, 2, 3, 4, 7]], quasi_identifiers=_QUASI, sensitive="occupation")
    return attacks.consistent_originals(few, halves, most=1000)


@cache
def columns() -> Columns:
    return table().columns()


@cache
def compared() -> Comparison:
    return table().compare({"by levels": generalized()}, k=3)


@cache
def swept() -> Sweep:
    return tc.sweep(table(), method=["mondrian", "mdav"], k=[4, 50], seed=1, processes=1)


K = models.KAnonymity(4)
PRODUCT = ground.ProductGround([ground.Ordered(3), ground.Equal(2)], [(0, 0), (1, 0), (2, 1)])


@cache
def counted() -> attacks.CountedBeliefs:
    frame = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 5, "ill": ["hiv"] * 2 + ["flu"] * 5})
    few = tc.FrequencySet.of(tc.Microdata.from_frame(frame, quasi_identifiers="q", sensitive="ill"))
    shown = tc.Release.full_domain(few, {"q": tc.Hierarchy.suppression(["q1", "q2"])}, {"q": 1})
    return attacks.ruled_out_steps(shown, models.AlphaKAnonymity("1/2", 1, values=["hiv"]))


@cache
def two_tables() -> Any:
    return tc.anonymize.anatomy(table().microdata, models.FrequencyLDiversity(2), seed=1)


def list_halves(few: tc.Microdata) -> release.Partition:
    return release.Partition.of(few, [range(5), range(5, 10)])


def ordered() -> attacks.OrderedDraws:
    people = pd.DataFrame({"age": [24, 31, 37, 45], "class": [0, 1, 1, 0]})
    values = pd.DataFrame({"class": [0, 0, 1, 1], "disease": ["cold", "flu", "flu", "gout"], "count": 1})
    return attacks.ordered_draw_attack(people, values, l=2)


def refused() -> attacks.RefusedCuts:
    """Of one class, of which a cut was refused: so both at 0 have hiv."""
    rows = pd.DataFrame({"x": [0, 0, 1, 1, 1, 1], "ill": ["hiv", "hiv", "flu", "flu", "cold", "cold"]})
    model = models.AlphaKAnonymity("1/2", 2, values=["hiv"])
    made = tc.Table(rows, quasi_identifiers="x", sensitive="ill").anonymize("mondrian", models=[model])
    return attacks.refused_cuts(made, model)


class Line:
    """Distances of records that stand in a line, as `filled_classes_attack` asks for them."""

    def between(self, record: int, rows: Any) -> Any:
        return (rows - record) ** 2

    def sums(self, members: Any, rows: Any) -> Any:
        return ((rows[:, None] - members[None, :]) ** 2).sum(axis=1)


def filled(known: dict[int, str]) -> attacks.Candidates:
    release = np.array([0, 0]), [["low", "high"]], np.array([[1, 1]])
    return attacks.filled_classes_attack(*release, Line(), np.arange(2), known=known)


EXAMPLES: dict[type, Callable[[], Any]] = {
    Audit: audit,
    AttributeAudit: lambda: audit().attributes[0],
    Distance: lambda: audit().attributes[0].distances[0],
    Undefined: lambda: Undefined("t-closeness", "occupation", "the values have no order"),
    tc.Table: table,
    # the waist
    tc.Microdata: lambda: table().microdata,
    tc.microdata.Column: lambda: table().microdata.quasi_identifiers[0],
    tc.FrequencySet: lambda: table().frequencies,
    tc.ClassCounts: classes,
    tc.microdata.ClassKeys: lambda: classes().keys,
    tc.Domain: lambda: classes().domain,
    tc.Hierarchy: jobs,
    tc.microdata.TreeNode: lambda: jobs().tree(),
    # ground distances
    ground.Cuts: lambda: ground.Ordered(4).cuts,
    ground.Equal: lambda: ground.Equal(12),
    ground.Ordered: lambda: ground.Ordered(12),
    ground.OrderedByValue: lambda: ground.OrderedByValue((14, 27, 88)),  # type: ignore[arg-type]
    ground.Hierarchical: lambda: ground.Hierarchical(jobs(), classes().domain),
    ground.Laminar: lambda: ground.Laminar(ground.Ordered(4).cuts),
    ground.Matrix: lambda: ground.Matrix([[0, 1], [1, 0]]),
    ground.LabelledMatrix: lambda: ground.LabelledMatrix({v: dict.fromkeys(PRIVATE, 0) for v in PRIVATE}),
    ground.ProductGround: lambda: PRODUCT,
    # transport
    transport.Certificate: emd_certificate,
    transport.Move: lambda: transport.moves_of(emd_certificate())[0],
    transport.Crossing: lambda: transport.crossings([1, 0, 0], ["1/3"] * 3, ground.Ordered(3))[0],
    Transformation: lambda: table().emd(by="sex"),
    transport.TransportProblem: lambda: transport.TransportProblem.of(["1/2", "1/2"], [1, 0], ground.Equal(2)),
    # models
    models.ModelResult: lambda: audit().attributes[0].results[-1],
    models.MInvarianceResult: lambda: models.MInvariance(2).evaluate(tracked()),
    models.TrackedRelease: lambda: tracked()[0],
    models.PopulationCounts: lambda: models.PopulationCounts((50,), 3),
    models.SurveyResult: lambda: models.survey_results(
        frame().assign(weight="775.16"),
        [models.EntropyLDiversity("1.5")],
        weight="weight",
        quasi_identifiers="sex",
        sensitive="occupation",
    )[0],
    # what a release costs
    loss.LossResult: lambda: audit().losses[0],
    loss.CountQuery: query,
    loss.QueryAnswer: lambda: loss.QueryError([query()]).answers(generalized())[0],
    # releases
    release.Release: generalized,
    release.UnalignedRelease: lambda: table().read_release(pd.DataFrame(generalized().rows().published().columns)),
    release.Anonymized: lambda: table().anonymize("mondrian", k=4),
    release.AnonymizedTable: lambda: table().anonymize("mondrian", k=4).rows,
    release.Partition: lambda: table().anonymize("mdav", k=4).partition,
    release.Regions: lambda: release.Regions.of(
        table().anonymize("mondrian", k=4).partition, table().anonymize("mondrian", k=4).attributes
    ),
    release.Recoding: lambda: generalized().recodings["age"],
    tc.anonymize.Anatomized: lambda: table().anonymize("anatomy", distinct_l=3),
    # searches
    lattice.Lattice: lambda: table().rolled.lattice,
    lattice.RollUp: lambda: table().rolled,
    lattice.SearchResult: lambda: search().result,
    lattice.Work: lambda: search().work,
    lattice.Optimum: lambda: best().optimum,
    lattice.OptimalNode: lambda: best().optimum.nodes[0],
    lattice.MeasuredNode: lambda: search().listed[0],
    PartialSearch: lambda: partly(lattice.exhaustive, K),
    PartialOptimum: lambda: partly(lattice.optimum, K, loss=loss.NormalizedCertaintyPenalty()),
    SearchAnswer: search,
    PartialSearchAnswer: stopped,
    # programs
    optimal.Optimal: suppressed,
    optimal.Suppression: lambda: suppressed().solution,
    optimal.Feasible: lambda: optimal.Feasible(
        suppressed().objective, "records", suppressed().solution, suppressed().objective / 2, "a solver's word"
    ),
    optimal.Infeasible: lambda: table().optimal("suppression", k=1000),
    optimal.Progress: lambda: optimal.Progress(1.5, None, None),
    optimal.Cut: lambda: table().optimal("cut", k=4).solution,
    optimal.Hiding: lambda: optimal.optimal_hiding(generalized(), models.FrequencyLDiversity(4)).solution,
    optimal.Microaggregation: lambda: microaggregated().solution,
    optimal.SensitiveGeneralization: lambda: (
        optimal.optimal_sensitive_generalization(generalized(), models.TCloseness("3/10", jobs()), jobs()).solution
    ),
    # attacks
    attacks.AttackResult: lambda: attacks.homogeneity_attack(classes()),
    attacks.Finding: lambda: attacks.homogeneity_attack(classes()).findings[0],
    attacks.SkewFinding: lambda: attacks.skewness_attack(classes()).findings[0],
    attacks.Belief: lambda: beliefs()[0],
    attacks.ObservedBeliefs: beliefs,
    attacks.Population: lambda: beliefs().population,
    attacks.ComplementaryAttack: linked,
    attacks.LinkedPerson: lambda: linked().revealed[0],
    composition.Fact: lambda: linked().facts[0],
    attacks.LinkedRelease: lambda: releases()[0],
    attacks.DamagingKnowledge: lambda: attacks.damaging_knowledge(classes()),
    attacks.MinimalityAttack: minimality,
    attacks.Specialization: lambda: minimality().specializations[0],
    attacks.Person: lambda: attacks.Person(("Female", "White"), ("Sales",)),
    attacks.PersonInference: lambda: persons().inferences[0],
    attacks.PersonsAttack: persons,
    attacks.Disclosure: lambda: attacks.complementary_release_attack(list(releases())).disclosure,
    attacks.LabelDisclosure: disclosed,
    attacks.ConsistentOriginals: consistent,
    attacks.CountedBeliefs: counted,
    attacks.BeliefChange: lambda: counted().changes[0],
    attacks.Enclosure: lambda: counted().changes[0].after[0],
    attacks.Candidates: lambda: filled({0: "low"}),
    attacks.OrderedDraws: ordered,
    attacks.RefusedCuts: refused,
    attacks.FittedGuesses: lambda: attacks.fitted_guesses(two_tables().partition),
    axioms.DependenceCard: lambda: axioms.dependence_card(list_halves, name="halves", tables=1),
    attacks.Fact: lambda: disclosed().facts[0],
    attacks.StatusCounts: lambda: disclosed().counts["cells"],
    Columns: columns,
    ColumnSet: lambda: columns().sets[3],
    KeySet: lambda: columns().key_sets[0],
    Column: lambda: columns().key_sets[0].columns[1],
    # several at once
    Comparison: compared,
    Measured: lambda: compared()["by levels"],
    Sweep: swept,
    Cell: lambda: swept().cells[0],
    # report cards, certificates, conformance
    axioms.ReportCard: card,
    axioms.CheckResult: lambda: card().results[0],
    axioms.Check: lambda: card().results[0].check,
    axioms.Counterexample: lambda: (
        axioms.check_distance(squared, m=(2, 2), only=["triangle"], proofs=False).results[0].counterexample
    ),
    Envelope: lambda: search().certificate(),
    Checked: lambda: verify(audit().certificate().to_json(), audited_counts(), {}),
    Report: report,
    Record: lambda: report().records[0],
    PartialReport: lambda: PartialReport(report().implementation, report().records[:1], 3),
}


@cache
def example(kind: type) -> Any:
    return EXAMPLES[kind]()


def again(given: Any) -> Any:
    """Return a result as another process sees it; it is asked something first."""
    assert repr(given)
    return given


def every_example() -> Iterator[Any]:
    """Go through an example of each class, and through others that have more or less to say."""
    yield from map(example, EXAMPLES)
    measured = [table().check(), table().check(k=1), tc.Table(frame(), quasi_identifiers=[], sensitive="race").check()]
    several = tc.Table(frame(), quasi_identifiers=["sex"], sensitive=["occupation", "race"])
    weighted = tc.Table(frame(), quasi_identifiers=["sex"], sensitive="race", weight="age")
    for audit_ in [*measured, several.check(k=2), weighted.check(k=30)]:
        yield audit_
        for attribute in audit_.attributes:
            yield attribute
            yield from (*attribute.results, *attribute.distances, *attribute.attacks)
        yield from (*audit_.losses, *audit_.undefined)
    yield weighted.columns()
    yield filled({0: "low", 1: "low"})  # which cannot be
    yield attacks.refused_cuts(table().anonymize("mondrian", k=4), models.KAnonymity(4))
    yield attacks.ordered_draw_attack(two_tables().quasi_identifier_table(), two_tables().sensitive_table(), 2)
    sizes = tc.Table(frame(), quasi_identifiers=_QUASI, hierarchies=hierarchies())
    of_sizes, found = sizes.check(k=2), sizes.search(k=4)
    yield from (
        of_sizes,
        *of_sizes.attributes,
        of_sizes.certificate(),
        sizes,
        sizes.class_counts(),
        found,
        sizes.search(k=49),
        *found.listed,
        *best().listed,
    )
    combined = models.AlphaKAnonymity("1/2", k=3).evaluate(classes())
    yield from (combined, *combined.parts)
    yield from (models.MInvariance().evaluate(tracked()), best(), search().optimum or best())
    yield from (table().search(k=49), table().search("all", k=4, losses=["lm"]), table().search(k=4).result)
    yield from (table().optimal("hiding", distinct_l=2), table().anonymize("datafly", k=4), table().frequencies)
    yield from (tc.Domain.of([1, 2]), tc.Domain.declare("ba"), ground.ProductGround([ground.Ordered(2)], [(0,)]))
    yield ground.ProductGround([ground.Ordered(2)], [(0,)], combine="max")
    yield optimal.Progress(0.5, tc.exact.as_fraction("1/2"), tc.exact.as_fraction("1/3"))
    yield from axioms.check_distance(squared, m=(2, 2), only=["symmetric", "triangle"], proofs=False)
    yield from report().records
