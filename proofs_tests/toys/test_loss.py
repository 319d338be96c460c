"""A loss of the user's own works in every verb, sentence, page, record and option, with no change to the package.

Three are defined here, and nowhere else. *Squared uncertainty* says what the cell of a class costs and that its terms
are of levels, *cubes* what a class of a size costs; of *odd classes* nothing but the required members is known. What
each should answer is written here once more, on rows; three more say of themselves what is not so.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.cli.commands import run
from proofs_tests.optimal.partitions import set_partitions
from tcloseness.conventions import Conventions
from tcloseness.errors import InputError, ProtocolError
from tcloseness.lattice import RollUp, optimum
from tcloseness.loss import AverageClassSize, CellCost, LossResult, SizeCost, losses
from tcloseness.loss.protocol import loss_result
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.models import KAnonymity
from tcloseness.optimal import Optimal, optimal_cut, optimal_partition
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.release import Partition, Release, attributes_of

F = Fraction


def answer(loss: Any, value: Any, greatest: Any, terms: dict[str, Fraction] | None = None) -> LossResult:
    return LossResult(
        loss=loss.name,
        formula="see proofs_tests/toys",
        citation="proofs_tests/toys",
        value=F(value),
        bounds=(F(0), F(greatest)),
        terms=terms or {},
        conventions=Conventions({}),
    )


class SquaredUncertainty:
    """The mean over cells of ((values − 1)/(all − 1))²: sets and ancestors, no intervals."""

    name = "squared uncertainty"
    generalizing = "never lowers it"
    terms_are = "summed"
    class_cost = CellCost(
        lambda values, all_, _: (np.maximum(values - 1, 0) ** 2, max(all_ - 1, 1) ** 2),
        lambda total, records, attributes: total / (records * attributes),
    )

    def evaluate(self, source: ClassCounts | Release) -> LossResult:
        if not isinstance(source, Release):
            raise InputError("squared uncertainty needs a Release")
        terms = {}
        for name, recoding in source.recodings.items():
            left, size = recoding.leaf_counts("hierarchy"), recoding.size("hierarchy")
            cells = zip(source.label_counts(name).tolist(), left.tolist(), strict=True)
            lost = sum((n * F((values - 1) ** 2, max(size - 1, 1) ** 2) for n, values in cells), F(source.suppressed))
            terms[name] = lost / source.records
        return answer(self, sum(terms.values()) / len(terms), 1, terms)


class Cubes:
    """Σ_g n_g³; a suppressed record costs as many as there are."""

    name = "cubes"
    generalizing = "never lowers it"
    class_cost = SizeCost(lambda total, *_: total, of_size=lambda n: n**3, suppressed=lambda records: records)

    def evaluate(self, source: ClassCounts | Release) -> LossResult:
        sizes = source.class_sizes.tolist()
        n = sum(sizes) + source.suppressed
        return answer(self, sum(size**3 for size in sizes) + source.suppressed * n, n**3)


class OddClasses:
    """The number of classes of an odd size."""

    name = "odd classes"
    generalizing = "may do either"

    def evaluate(self, source: ClassCounts | Release) -> LossResult:
        return answer(self, int((source.class_sizes % 2).sum()), len(source.class_sizes))


class Lying(Cubes):
    """Its class cost is another's."""

    name = "lying"
    class_cost = SizeCost(lambda total, *_: total, of_size=lambda n: n * n, suppressed=lambda records: records)


class Concave(Cubes):
    name = "concave"
    class_cost = SizeCost(lambda total, *_: total, of_size=lambda n: 2 * n - (n > 1))


class Misspelt(OddClasses):
    """Its claim is none of those that there are."""

    name = "misspelt"
    generalizing = "never lowers"


class Rising(Cubes):
    name = "rising"
    generalizing = "may do either"


class Better(Cubes):
    name = "better"
    better = "higher"


class Dear(Cubes):
    """A suppressed record costs more than any class."""

    name = "dear"
    class_cost = SizeCost(lambda total, *_: total, of_size=lambda n: n**3, suppressed=lambda records: records**4)


class Ill(SquaredUncertainty):
    """Penalties that are not whole numbers in a unit."""

    def __init__(self, penalties: object) -> None:
        self.class_cost = CellCost(lambda *_: penalties, lambda total, *_: total)  # type: ignore[arg-type,return-value]


class Numbers(Cubes):
    """Its costs are NumPy's whole numbers."""

    class_cost = SizeCost(lambda total, *_: total, of_size=lambda n: np.int64(n) ** 3)  # type: ignore[arg-type,return-value]


SQUARED, CUBES, ODD = SquaredUncertainty(), Cubes(), OddClasses()
TOYS = (SQUARED, CUBES, ODD)
ROWS = [("aa", "flu"), ("ab", "flu"), ("ab", "gout"), ("ba", "flu"), ("bb", "gout"), ("bb", "flu"), ("bb", "flu")]
ROLES = ("--quasi-identifiers", "q", "--sensitive", "s")


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=["q", "s"])


def hierarchy() -> Hierarchy:
    return Hierarchy.prefixes(sorted({q for q, _ in ROWS}), name="q")


def by_hand(loss: Any, groups: list[list[str]], extent: Any) -> Fraction:
    """What the classes with these values cost; how many values a label stands for is a function of those shown."""
    if isinstance(loss, OddClasses):
        return F(sum(len(group) % 2 for group in groups))
    if isinstance(loss, Cubes):
        return F(sum(len(group) ** 3 for group in groups))
    return sum((F(len(group) * (extent(group) - 1) ** 2, 9) for group in groups), F(0)) / len(ROWS)


def at_level(level: int) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for q, _ in ROWS:
        found.setdefault(q[: 2 - level], []).append(q)
    return list(found.values())


def ancestor(group: list[str]) -> int:
    return 1 if len(set(group)) == 1 else 2 if len({q[0] for q in group}) == 1 else 4


# ---------------------------------------------------------------------- in Python


@pytest.mark.parametrize("loss", TOYS, ids=lambda loss: loss.name)
def test_it_is_measured_beside_the_others(loss):
    table = FrequencySet.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    release = Release.full_domain(table, {"q": hierarchy()}, {"q": 1})
    found = losses(release, also=[loss])
    assert found[loss.name].value == by_hand(loss, at_level(1), ancestor)
    assert len(found) == len(losses(release)) + 1
    with pytest.raises(InputError, match="2 losses are named"):
        losses(release, also=[loss, loss])


@pytest.mark.parametrize("loss", TOYS, ids=lambda loss: loss.name)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_optimum_of_a_search_is_that_of_every_node_measured(loss, k):
    table = FrequencySet.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    costs = {n: by_hand(loss, at_level(n), ancestor) for n in range(3) if min(map(len, at_level(n))) >= k}
    for compiled in (False, True):
        found = optimum(RollUp(table, {"q": hierarchy()}, compiled=compiled), KAnonymity(k), loss=loss)
        assert found.value == min(costs.values())
        assert {node.node for node in found.nodes} == {(n,) for n, cost in costs.items() if cost == found.value}


@pytest.mark.parametrize("loss", [SQUARED, CUBES], ids=lambda loss: loss.name)
@pytest.mark.parametrize("k", [2, 3])
def test_a_program_finds_the_partition_that_trying_all_finds(loss, k):
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    values = [q for q, _ in ROWS]
    for trees, extent in (({"q": hierarchy()}, ancestor), ({}, lambda group: len(set(group)))):
        ways = ([[values[i] for i in group] for group in way] for way in set_partitions(len(ROWS)))
        least = min(by_hand(loss, way, extent) for way in ways if min(map(len, way)) >= k)
        for formulation in ("set-partitioning", "column-generation", "assignment"):
            if loss is SQUARED and not trees and formulation == "assignment":
                continue
            found = optimal_partition(table, KAnonymity(k), loss, hierarchies=trees, formulation=formulation)
            assert isinstance(found, Optimal)
            assert found.objective == least
            assert (found.minimized, f"no checker for {loss.name}" in found.proof) == (loss.name, True)


@pytest.mark.parametrize("loss", [SQUARED, CUBES], ids=lambda loss: loss.name)
def test_a_program_finds_the_cut_that_trying_all_finds(loss):
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    found = optimal_cut(table, KAnonymity(3), loss, hierarchies={"q": hierarchy()})
    cuts = [{q: q for q in ["aa", "ab", "ba", "bb"]}, dict.fromkeys(["aa", "ab", "ba", "bb"], "*")]
    cuts += [{q: q[0] for q in cuts[0]}, {q: q if q[0] == "a" else "b" for q in cuts[0]}]
    cuts += [{q: q if q[0] == "b" else "a" for q in cuts[0]}]
    ways = []
    for cut in cuts:
        shown: dict[str, list[str]] = {}
        for q, _ in ROWS:
            shown.setdefault(cut[q], []).append(q)
        ways.append(list(shown.values()))
    least = min(by_hand(loss, way, ancestor) for way in ways if min(map(len, way)) >= 3)
    assert isinstance(found, Optimal)
    assert found.objective == least


def test_suppression_costs_what_it_says():
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    found = optimal_partition(table, KAnonymity(3), CUBES, suppress_at_most=1)
    assert isinstance(found, Optimal)
    assert found.objective == 2 * 3**3 + 7 < 3**3 + 4**3


@pytest.mark.long
def test_no_partition_costs_more_than_the_greatest_or_less_than_the_least():
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    for loss in (SQUARED, CUBES, Dear(), AverageClassSize()):
        costs = ClassCosts(loss, table, attributes_of(table, {"q": hierarchy()}))
        for gone in range(3):
            totals = [
                costs.total(Partition.of(table, [[i + gone for i in group] for group in way])) * costs.unit
                for way in set_partitions(len(ROWS) - gone)
            ]
            assert costs.least(len(ROWS)) <= min(totals)
            assert max(totals) <= costs.greatest(gone)


def test_what_it_lacks_or_says_wrongly_is_named():
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    for loss, error, message in (
        (ODD, InputError, "the loss odd classes has no class_cost"),
        (Lying(), ProtocolError, "the loss lying is 91 by its evaluate, and 25 by its class_cost"),
        (Concave(), ProtocolError, "must be convex"),
        (Rising(), InputError, "never lowers it"),
        (Better(), InputError, "lower values better"),
        (Misspelt(), ProtocolError, "'never lowers'; it is one of 'never lowers it', 'never raises it', 'may do"),
        (object(), InputError, "is not a loss; it needs name, generalizing and evaluate"),
    ):
        with pytest.raises(error, match=message):
            optimal_partition(table, KAnonymity(3), loss)  # type: ignore[arg-type]
    for penalties in ((np.array([0.5]), 1), (np.array([1]), 1.5), (np.array([1]), 0), np.array([1]), None):
        with pytest.raises(
            ProtocolError, match="the penalty of a CellCost is an array of whole numbers and a unit > 0"
        ):
            optimal_partition(table, KAnonymity(3), Ill(penalties))
    numbers, cubes = (ClassCosts(loss, table, ()).sizes.tolist() for loss in (Numbers(), CUBES))
    assert numbers == cubes
    with pytest.raises(ProtocolError, match="'class'; it is one of whole-table"):
        loss_result(ODD, table, 1, bounds=(0, 1), formula="", citation="", suppressed_as="class")
    with pytest.raises(InputError, match="not a straight line"):
        optimal_partition(table, KAnonymity(3), SQUARED, formulation="assignment")


# ---------------------------------------------------------------------- on the command line


@pytest.fixture
def table(tmp_path: Path) -> str:
    file = tmp_path / "table.csv"
    frame().to_csv(file, index=False)
    hierarchies = tmp_path / "hierarchies"
    hierarchies.mkdir()
    rows = "".join(f"{q},{q[0]}*,*\n" for q in sorted({q for q, _ in ROWS}))
    (hierarchies / "q.csv").write_text(rows, encoding="utf-8")
    return str(file)


@pytest.fixture(autouse=True)
def loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, Path(__file__).stem, raising=False)


def named(toy: Any) -> str:
    return f"{__file__}:{type(toy).__name__}"


@pytest.mark.long
@pytest.mark.parametrize("toy", [CUBES, ODD], ids=lambda toy: toy.name)
def test_check_takes_it_by_name_in_text_json_and_html(toy, table, tmp_path):
    page = tmp_path / "page.html"
    found = run("check", table, *ROLES, "--loss", named(toy), "--format", "json", "--html", str(page))
    expected = str(by_hand(toy, at_level(0), ancestor))
    assert found.code == 0, found.err
    assert {each["loss"]: each["value"] for each in found.record["losses"]}[toy.name] == expected
    assert toy.name in page.read_text("utf-8")
    assert toy.name in " ".join(run("check", table, *ROLES, "--loss", named(toy)).out.split())
    audit = tc.check(FrequencySet.from_frame(frame(), quasi_identifiers="q", sensitive="s"), losses=[toy])
    assert audit.losses[-1].loss == toy.name


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_search_and_anonymize_take_it_by_name(toy, table, tmp_path):
    trees = ("--hierarchies", str(tmp_path / "hierarchies"))
    asked = (table, *ROLES, *trees, "--k", "3")
    found = run("search", *asked, "--optimum", named(toy), "--loss", named(ODD), "--format", "json")
    assert found.code == 0, found.err
    best = {n: by_hand(toy, at_level(n), ancestor) for n in (1, 2)}
    assert found.record["optimum"]["value"]["value"] == str(min(best.values()))
    assert "odd classes" in json.dumps(found.record["nodes"])
    assert toy.name in " ".join(run("search", *asked, "--optimum", named(toy)).out.split())
    made = run("anonymize", *asked, "--method", "mondrian", "--loss", named(toy), "--format", "json")
    assert made.code == 0, made.err
    assert toy.name in made.record["losses"]
    assert toy.name in " ".join(run("anonymize", *asked, "--method", "mondrian", "--loss", named(toy)).out.split())


def test_optimal_takes_it_by_name_and_answers_honestly(table):
    asked = ("optimal", "partition", table, *ROLES, "--categorical", "q", "--k", "3", "--format", "json")
    found = run(*asked, "--loss", named(CUBES))
    assert found.code == 0, found.err
    assert found.record["objective"]["value"] == str(3**3 + 4**3)
    assert "not certified: no checker for cubes" in found.record["proof"]
    refused = run(*asked, "--loss", named(ODD))
    assert refused.code == 2
    assert "odd classes has no class_cost" in refused.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("cubes", "--loss 'cubes' is not one of ncp"),
        (f"{__file__}:Nobody", "has no 'Nobody'"),
        (f"{__file__}:Misspelt", "generalizing of the loss misspelt is 'never lowers'"),
        (f"{__file__}:ROLES", "is not a loss; it needs name, generalizing and evaluate"),
    ],
)
def test_a_name_that_is_not_a_losses_is_wrong_usage(given, message, table):
    found = run("optimal", "partition", table, *ROLES, "--categorical", "q", "--k", "3", "--loss", given)
    assert found.code == 2
    assert message in found.err.replace("\n", " ")


class Failing(OddClasses):
    name = "failing"

    def evaluate(self, source: ClassCounts | Release) -> LossResult:
        raise KeyError("flu")


class Mute(OddClasses):
    name = "mute"

    def evaluate(self, source: ClassCounts | Release) -> int:  # type: ignore[override]
        return 1


@pytest.mark.parametrize("toy", [Failing(), Mute()], ids=lambda toy: toy.name)
def test_what_goes_wrong_in_it_is_said_to_be_its_fault(toy, table):
    for redact in ((), ("--redact",)):
        found = run("check", table, *ROLES, "--loss", named(toy), *redact)
        assert found.code == 2
        assert "--loss" in found.err
        assert ("fails by itself" in found.err) == (toy.name == "failing")
        assert ("flu" in found.err) == (toy.name == "failing" and not redact)
