"""The lattices of the Adult studies: counts and optima that independent brute force found.

The counts of the presets and of the eight-attribute lattice were computed with integer counts and Fractions by
programs that share no line with this package; six of the DM* optima, and the nine optima of ARX's score, are also the
constants or the output of ARX (arx-deidentifier/arx, its own unit tests and runs). Hierarchies of the presets: see
`experiments.adult_hierarchies`; L1, T1 and T2 are fitted to published counts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from experiments import adult, arx_example
from experiments.adult_hierarchies import QUASI_IDENTIFIERS, occupation_groups, preset
from experiments.arx_example import ArxLoss, printed
from tcloseness.lattice import Lattice, Node, RollUp, exhaustive, incognito, minimal_generalizations, optimum
from tcloseness.lattice.decide import Decider
from tcloseness.loss import AverageClassSize, Discernibility, GeneralizationHeight
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)


@cache
def frequencies(rows: Any, names: tuple[str, ...], sensitive: str = "occupation") -> FrequencySet:
    table = adult.load(rows)
    return FrequencySet.from_frame(
        table,
        quasi_identifiers=list(names),
        sensitive=sensitive,
        orders={"occupation": sorted(set(table["occupation"]) - {None})} if sensitive == "occupation" else None,
    )


@cache
def rolled(name: str, rows: Any = "train-complete", sensitive: str = "occupation") -> RollUp:
    return RollUp(frequencies(rows, QUASI_IDENTIFIERS[name], sensitive), preset(name))


@cache
def eight() -> RollUp:
    """The eight attributes of ARX's files, salary class among them. 4,320 nodes."""
    names = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "class")
    given = preset("ARX+race") | preset("ARX") | {"class": Hierarchy.suppression(["<=50K", ">50K"], name="class")}
    return RollUp(frequencies("train-complete", names), {name: given[name] for name in names})


def nodes(text: str) -> set[Node]:
    return {tuple(map(int, node)) for node in text.split()}


# ---------------------------------------------------------------------- the t-closeness paper's lattices

SATISFYING_MINIMAL = {  # entropy 2; recursive (4,2), (4,3), (4,4); t = 0.2 equal, S1; t = 0.15 equal, S1
    "T1": [(86, 21), (97, 26), (73, 18), (63, 22), (4, 3), (9, 4), (3, 2), (4, 3)],
    "T2": [(93, 21), (107, 26), (66, 19), (56, 19), (5, 2), (11, 6), (3, 2), (4, 3)],
    "ARX+race": [(76, 23), (84, 25), (53, 14), (41, 13), (3, 2), (6, 3), (3, 2), (3, 2)],
}
MODELS = (
    EntropyLDiversity(2),
    RecursiveCLDiversity(2, c=4),
    RecursiveCLDiversity(3, c=4),
    RecursiveCLDiversity(4, c=4),
    TCloseness("0.2", ground="equal"),
    TCloseness("0.2", ground=occupation_groups("S1")),
    TCloseness("0.15", ground="equal"),
    TCloseness("0.15", ground=occupation_groups("S1")),
)


@pytest.mark.parametrize("name", SATISFYING_MINIMAL)
@pytest.mark.slow
def test_the_counts_of_satisfying_and_minimal_nodes(name: str) -> None:
    table = rolled(name)
    assert len(table.lattice) == 3240
    found = [minimal_generalizations(table, model) for model in MODELS]
    assert [(len(f.satisfying), len(f.minimal)) for f in found] == SATISFYING_MINIMAL[name]
    assert max(f.work.checked for f in found) < 150


MINIMAL = {
    (
        "T1",
        0,
    ): "1222221 1232121 1232220 2212221 2222220 2232211 3132221 3212121 3212220 3222120 3222211 3231220 4032220 "
    "4211120 4212101 4212110 4212200 4221021 4222020 4222100 4231210",
    ("T1", 5): "2232221 4231121 4232021 4232201",
    (
        "T2",
        3,
    ): "1232121 1232220 3222121 3231121 3231220 3232120 4032221 4221121 4221211 4221220 4222111 4222120 4222201 "
    "4222210 4231020 4231101 4231110 4231200 4232100",
    ("ARX+race", 2): "1232121 1232220 2222211 3232201 4032220 4212121 4212211 4221220 4222020 4222111 4222201 4222210 "
    "4231120 4232100",
    ("ARX+race", 7): "4232121 4232211",
}


@pytest.mark.parametrize(("name", "model"), MINIMAL)
def test_the_minimal_nodes_themselves(name: str, model: int) -> None:
    assert set(minimal_generalizations(rolled(name), MODELS[model]).minimal) == nodes(MINIMAL[name, model])


def test_the_exact_distance_of_a_minimal_node() -> None:
    """t of 2232221 on T1 under S1 is 44488/256377."""
    classes = rolled("T1").classes((2, 2, 3, 2, 2, 2, 1))
    assert TCloseness(ground=occupation_groups("S1")).evaluate(classes).value == Fraction(44488, 256377)


@pytest.mark.parametrize("name", ["T1", "ARX+race"])
@pytest.mark.parametrize(
    "model", [KAnonymity(5) & TCloseness("0.2", ground=occupation_groups("S1")), EntropyLDiversity(2)]
)
@pytest.mark.slow
def test_incognito_and_the_exhaustive_search_agree_with_the_fast_one(name: str, model: Any) -> None:
    fast = minimal_generalizations(rolled(name), model)
    every, published = exhaustive(rolled(name), model), incognito(rolled(name), model)
    assert every.satisfying == published.satisfying == fast.satisfying
    assert every.work.checked == 3240 > published.work.checked > fast.work.checked
    assert published.work.by_subset[-1][1] >= len(fast.minimal)  # each minimal node is checked, not tagged
    assert sum(checked for _, checked, _ in published.work.by_subset) == published.work.checked
    assert published.work.by_subset[0][0] == sum(fast.lattice.shape)
    assert published.work.by_subset[0][2] == len(fast.lattice.shape)  # one root each
    assert published.work.table_scans == sum(scans for *_, scans in published.work.by_subset)


# ---------------------------------------------------------------------- the l-diversity paper's lattices

SIX_ANONYMOUS = {
    "L1": (44, "10123 11113 11122 20122 21112 31023 40012 40103 40111 40120 41011 41110"),
    "L2": (32, "10123 21113 31023 40013 40103 40111 40120 41021 41102"),
    "ARX": (34, "10123 11113 31023 40013 40103 40111 40120 41021 41102 41110"),
}


@pytest.mark.parametrize("name", SIX_ANONYMOUS)
def test_the_minimal_6_anonymous_nodes_of_the_45222_records(name: str) -> None:
    table = rolled(name, "both-complete")
    satisfying, minimal = SIX_ANONYMOUS[name]
    for search in (minimal_generalizations, incognito, exhaustive):
        found = search(table, KAnonymity(6))
        assert (len(found.satisfying), set(found.minimal)) == (satisfying, nodes(minimal))


def test_one_of_the_twelve_tables_has_a_homogeneous_class_of_ten_records() -> None:
    """The l-diversity paper's 12 minimal tables, one vulnerable, under preset L1."""
    table = rolled("L1", "both-complete")
    found = minimal_generalizations(table, KAnonymity(6)).minimal
    lost = [DistinctLDiversity(2).evaluate(table.classes(node)).records_at_risk for node in found]
    assert sorted(lost) == [0] * 11 + [10]


@pytest.mark.parametrize(
    ("name", "counts"),
    [("L1", "12 12 13 13 12 11 13 11"), ("L2", "9 11 10 9 9 7 8 7"), ("ARX", "10 11 10 10 10 8 8 8")],
)
def test_the_number_of_minimal_k_anonymous_nodes(name: str, counts: str) -> None:
    table = rolled(name, "both-complete")
    found = [len(minimal_generalizations(table, KAnonymity(k)).minimal) for k in (2, 3, 4, 5, 6, 7, 8, 10)]
    assert found == [int(n) for n in counts.split()]


# ---------------------------------------------------------------------- suppression: eight attributes

K, EQUAL, ORDERED = KAnonymity(5), TCloseness("0.2", ground="equal"), TCloseness("0.2", ground="ordered")


@pytest.mark.parametrize(
    ("model", "share", "satisfying", "minimal", "height"),
    [
        (K, 0, 60, 18, 12),
        (K, "0.04", 2277, 394, 7),
        (KAnonymity(100), 0, 15, 4, 13),
        (K & EQUAL, 0, 2, 1, 15),
        (K & EQUAL, "0.04", 5, 2, 14),
        (K & ORDERED, 0, 45, 16, 12),
        (K & TCloseness("0.1", ground="ordered"), 0, 23, 8, 13),
        (K & ORDERED, "0.04", 1703, 339, 7),
    ],
)
@pytest.mark.slow
def test_the_counts_with_and_without_suppression(
    model: Any, share: Any, satisfying: int, minimal: int, height: int
) -> None:
    found = minimal_generalizations(eight(), model, suppression=share)
    assert (len(found.satisfying), len(found.minimal), found.least_height) == (satisfying, minimal, height)


@pytest.mark.long
def test_two_edges_of_the_lattice_are_not_monotone_under_suppression() -> None:
    """k = 5, ordered t = 0.2, 4 %: a node satisfies and a parent does not, twice; one edge is known."""
    found = minimal_generalizations(eight(), K & ORDERED, suppression="0.04")
    satisfying = set(found.satisfying)
    broken = {(v, up) for v in satisfying for up in found.lattice.parents(v) if up not in satisfying}
    assert len(broken) == 2
    assert ((1, 4, 1, 1, 0, 2, 1, 0), (1, 4, 1, 2, 0, 2, 1, 0)) in broken
    assert found.algorithm == "two-phase"


BEFORE, WHOLE = Discernibility("before-suppression"), Discernibility()
KAND = {"k": K, "equal": K & EQUAL, "ordered": K & ORDERED, "100 ordered": KAnonymity(100) & ORDERED}


@pytest.mark.parametrize(
    ("model", "share", "loss", "value", "node", "suppressed"),
    [
        ("k", 0, BEFORE, 55_170_356, "11113221", 0),
        ("k", "0.04", BEFORE, 2_689_984, "00111221", 813),
        ("k", "0.04", WHOLE, 9_268_952, "00123220", 60),
        ("equal", 0, WHOLE, 456_853_172, "14113221", 0),
        ("equal", "0.04", BEFORE, 311_880_088, "14103221", 848),
        ("equal", "0.04", WHOLE, 336_773_094, "14103221", 848),
        ("ordered", "0.04", BEFORE, 2_712_340, "00112220", 1188),
        ("ordered", "0.04", WHOLE, 9_841_905, "00123220", 79),
        ("100 ordered", "0.04", BEFORE, 19_937_246, "10123221", 618),
        ("100 ordered", "0.04", WHOLE, 38_545_780, "10123221", 618),
        ("100 ordered", 0, BEFORE, 162_312_130, "14111221", 0),
    ],
)
@pytest.mark.slow
def test_the_optima_of_discernibility(
    model: str, share: Any, loss: Any, value: int, node: str, suppressed: int
) -> None:
    found = optimum(eight(), KAND[model], loss=loss, suppression=share)
    assert [(best.node, best.suppressed) for best in found.nodes] == [(tuple(map(int, node)), suppressed)]
    assert found.value == value
    assert found.nodes[0].verdict.satisfied
    assert sum(found.excluded.values()) == 4319


# ---------------------------------------------------------------------- ARX's optima


BELOW, GENDER, TOP = (4, 2, 3, 2, 1, 0, 0), (4, 2, 3, 2, 1, 1, 0), (4, 2, 3, 2, 1, 1, 1)
ARX_OPTIMA = {
    "k = 5": (44, 13, BELOW, 0.56439),
    "hierarchical t = 0.2": (5, 2, GENDER, 0.72723),
    "hierarchical t = 0.15": (2, 1, TOP, 0.90701),
    "ordered t = 0.2": (35, 12, BELOW, 0.56439),
    "ordered t = 0.15": (26, 9, BELOW, 0.56439),
    "equal t = 0.2": (2, 1, TOP, 0.90701),
    "equal t = 0.15": (2, 1, TOP, 0.90701),
    "entropy l = 5": (25, 9, BELOW, 0.56439),
    "recursive (4,4)": (32, 10, BELOW, 0.56439),
}


@pytest.mark.parametrize("name", ARX_OPTIMA)
def test_the_nine_optima_of_arx(name: str) -> None:
    satisfying, minimal, node, loss = ARX_OPTIMA[name]
    model, table = arx_example.nine_questions()[name], arx_example.rolled()
    found = minimal_generalizations(table, model)
    assert (len(found.satisfying), len(found.minimal)) == (satisfying, minimal)
    best = optimum(table, model, loss=ArxLoss())
    assert [each.node for each in best.nodes] == [node]
    assert round(printed(best.value, 7), 5) == loss
    assert sum(best.excluded.values()) == len(table.lattice) - 1 == 2159
    assert best.work.checked < 70


@pytest.mark.parametrize(
    ("name", "height", "dm", "mean"),
    [
        ("k = 5", 11, 55_170_356, "942.5625"),
        ("hierarchical t = 0.2", 13, 290_180_796, "6032.4"),
        ("ordered t = 0.2", 11, 55_170_356, "1005.4"),
        ("equal t = 0.2", 14, 456_853_172, "15081"),
        ("entropy l = 5", 11, 55_170_356, "1005.4"),
        ("recursive (4,4)", 11, 55_170_356, "1005.4"),
    ],
)
def test_the_optima_of_other_losses(name: str, height: int, dm: int, mean: str) -> None:
    model, table = arx_example.nine_questions()[name], arx_example.rolled()
    assert optimum(table, model, loss=GeneralizationHeight()).value == height
    assert optimum(table, model, loss=Discernibility()).value == dm
    assert optimum(table, model, loss=AverageClassSize()).value == Fraction(mean)


def test_the_exact_distances_at_arx_optima() -> None:
    """0.199783 is barely below 0.2."""
    at = arx_example.rolled().classes(GENDER)
    assert TCloseness(ground=arx_example.occupations()).evaluate(at).value == Fraction(49954411, 250042980)
    at = arx_example.rolled().classes(TOP)
    assert TCloseness(ground="equal").evaluate(at).value == Fraction(27943967, 212430966)


def test_distinct_5_diversity_beside_5_anonymity() -> None:
    assert len(minimal_generalizations(arx_example.rolled(), KAnonymity(5) & DistinctLDiversity(5)).satisfying) == 38


@pytest.mark.long
def test_compiled_and_plain_code_agree_on_a_sample_of_nodes() -> None:
    """Random nodes, and those on both sides of where the models' verdicts change."""
    table = rolled("T1")
    plain = RollUp(table.frequencies, preset("T1"), compiled=False)
    assert table.compiled
    assert not plain.compiled
    everything = [*MODELS, KAnonymity(6), DistinctLDiversity(3), KAnonymity(5) & MODELS[2] & MODELS[3] & MODELS[5]]
    random = Random(1)
    for model in everything:
        edge = minimal_generalizations(table, model).minimal
        near = random.sample(sorted({*edge, *(v for node in edge for v in table.lattice.children(node))}), 4)
        for node in [*near, *random.sample(list(table.lattice), 4)]:
            for limit in (0, 40, 1500):
                ours, theirs = Decider(table, model, limit), Decider(plain, model, limit)
                assert ours(node) == theirs(node)
                if ours(node) == "satisfied":
                    assert labels(table, node, ours) == labels(plain, node, theirs)


def labels(table: RollUp, node: Node, decide: Decider) -> set[tuple[Any, ...]]:
    """The classes to be suppressed, by their labels."""
    classes = table.unsorted(node)
    return {classes.label(int(i)) for i in np.flatnonzero(decide.violating(node))}


def test_the_lattices_have_the_papers_sizes() -> None:
    sizes = {name: len(Lattice(preset(name))) for name in QUASI_IDENTIFIERS}
    assert sizes == dict.fromkeys(["L1", "L2", "ARX"], 240) | dict.fromkeys(["T1", "T2", "ARX+race"], 3240)
