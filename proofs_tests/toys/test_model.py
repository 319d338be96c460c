"""A model of the user's own works in every verb, sentence, page, record and option, with no change to the package.

Three are defined here, and nowhere else. *Half representation* says of itself what it asks of a class, so searches and
programs read it; of *even classes* nothing but the required members is known; *even classes, each alone* says in
addition that it judges class by class. What each should answer is written here once more, on rows.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.cli.commands import run
from tcloseness.errors import InputError, ProtocolError, SolverError
from tcloseness.exact import Rationals
from tcloseness.lattice import RollUp, exhaustive, minimal_generalizations
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.models import Combination, KAnonymity, ModelResult, Monotone, PrivacyModel
from tcloseness.models.conditions import ByEvaluation, ShareBounds
from tcloseness.models.protocol import result
from tcloseness.optimal import Infeasible, Optimal, optimal_cut, optimal_partition, optimal_suppression

F = Fraction


class HalfRepresentation:
    """In every class every value is at least half as frequent as in the whole table."""

    name = "half representation"
    monotone = Monotone(generalization=True, suppression=False)
    class_conditions = (ShareBounds(least=lambda p, q: 2 * p >= q),)

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        total = int(classes.reference.sum())
        least = []
        for row, n in zip(map(classes.row, range(len(classes))), classes.class_sizes.tolist(), strict=True):
            shares = [F(row.get(v, 0) * total, n * int(c)) for v, c in enumerate(classes.reference) if c]
            least.append(min(shares))
        numerators, denominators = ([getattr(x, part) for x in least] for part in ("numerator", "denominator"))
        values = Rationals(np.array(numerators, dtype=object), np.array(denominators, dtype=object))
        return result(
            self,
            classes,
            values,
            citation="proofs_tests/toys",
            parameters={"share": "1/2"},
            threshold=F(1, 2),
            worst_is="smallest",
            threshold_name="share",
            bounds=(0, 1),
            reading="of a value's share of the table, what is left in the class that has least of it",
        )


class EvenClasses:
    """Every class has an even number of records: two such classes together have one too."""

    name = "even classes"
    monotone = Monotone(generalization=True, suppression=True)

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        odd = classes.class_sizes % 2
        return ModelResult(
            model=self.name,
            citation="proofs_tests/toys",
            parameters={"like": "flu"},  # a value of the table, which a redacted report must not show
            status="violated" if odd.any() else "satisfied",
            value=int(odd.max()),
            margin=-int(odd.max()),
            values=Rationals(odd, np.ones_like(odd)),
            worst=np.flatnonzero(odd == odd.max()),
            violating=np.flatnonzero(odd),
            records_at_risk=int(classes.class_sizes[odd == 1].sum()),
            monotone=self.monotone,
            notes=("flu is counted twice",),
            threshold=F(0),
            relation="<=",
            reading="records too many for pairs",
        )


class EvenAlone(EvenClasses):
    """The same, and it says that it judges each class by itself."""

    name = "even classes, each alone"
    class_conditions = (ByEvaluation("evenness is not linear in the counts of a class"),)


class Lying(HalfRepresentation):
    """Its condition asks less than its evaluation."""

    name = "lying"
    class_conditions = (ShareBounds(most=lambda p, _: p <= 1),)


class NoMajority(EvenClasses):
    """No class holds more than half of the released records: of a class it depends on the others."""

    name = "no majority"
    monotone = Monotone(generalization=False, suppression=False)

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        sizes = classes.class_sizes
        return result(
            self,
            classes,
            Rationals(sizes, np.full_like(sizes, classes.records)),
            citation="proofs_tests/toys",
            parameters={},
            threshold=F(1, 2),
            worst_is="largest",
        )


HALF, EVEN, ALONE = HalfRepresentation(), EvenClasses(), EvenAlone()
TOYS = (HALF, EVEN, ALONE)
ROWS = [("aa", "flu"), ("aa", "gout"), ("ab", "flu"), ("ab", "flu"), ("ba", "gout"), ("ba", "flu"), ("bb", "flu")]
ROWS += [("bb", "gout"), ("bb", "flu"), ("ca", "gout"), ("ca", "flu"), ("cb", "flu")]


def holds(model: PrivacyModel, classes: list[Counter[str]]) -> bool:
    """Say what the model asks, on counts by value."""
    everyone = sum(classes, Counter())
    if isinstance(model, EvenClasses):
        return all(row.total() % 2 == 0 for row in classes)
    return all(2 * row[v] * everyone.total() >= n * row.total() for row in classes for v, n in everyone.items())


def grouped(rows: list[tuple[str, str]], prefix: int) -> list[Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for q, s in rows:
        found[q[:prefix]][s] += 1
    return list(found.values())


def frame(rows: list[tuple[str, str]] = ROWS) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["q", "s"])


def hierarchy() -> Hierarchy:
    return Hierarchy.prefixes(sorted({q for q, _ in ROWS}), name="q")


# ---------------------------------------------------------------------- in Python


@pytest.mark.parametrize("model", TOYS, ids=lambda model: model.name)
def test_check_answers_for_it(model):
    for rows in (ROWS, ROWS[:2], ROWS[:9]):
        audit = tc.check(FrequencySet.from_frame(frame(rows), quasi_identifiers="q", sensitive="s"), models=[model])
        found = audit.attributes[0].results[-1]
        assert (found.model, found.satisfied) == (model.name, holds(model, grouped(rows, 2)))
        assert audit.status == found.status


@pytest.mark.parametrize("model", [*TOYS, HALF & KAnonymity(5), EVEN & KAnonymity(5)], ids=lambda model: model.name)
@pytest.mark.parametrize("suppression", [0, 3, 6])
def test_searches_agree_with_and_without_compiled_code(model, suppression):
    table = FrequencySet.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    answers = []
    for compiled in (False, True):
        rolled = RollUp(table, {"q": hierarchy()}, compiled=compiled)
        answers.append(minimal_generalizations(rolled, model, suppression=suppression).minimal)
        answers.append(exhaustive(rolled, model, suppression=suppression).minimal)
    assert len(set(answers)) == 1
    if not suppression and model in TOYS:
        assert answers[0] == tuple((2 - p,) for p in (2, 1, 0) if holds(model, grouped(ROWS, p)))[:1]


@pytest.mark.parametrize("other", ["k", KAnonymity, HalfRepresentation, 5])
def test_what_is_not_a_model_is_refused_by_name(other):
    table = FrequencySet.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    for ask in (
        lambda: tc.check(table, models=[other]),
        lambda: exhaustive(RollUp(table, {"q": hierarchy()}), other),
        lambda: optimal_suppression(table.class_counts(), other),
        lambda: KAnonymity(2) & KAnonymity(3) & other if isinstance(other, type) else Combination((other,)),
    ):
        with pytest.raises(ProtocolError, match="is not a privacy model; give an object with name"):
            ask()


def test_what_depends_on_other_classes_is_asked_again_of_those_that_are_left():
    """Once more of the released classes, after those that violate are suppressed."""
    rows, seen = [*(("aa", "flu"),) * 7, *(("ab", "flu"),) * 3, ("ba", "flu"), ("bb", "flu"), ("bb", "flu")], set()
    table = FrequencySet.from_frame(frame(rows), quasi_identifiers="q", sensitive="s")
    rolled = RollUp(table, {"q": Hierarchy.prefixes(["aa", "ab", "ba", "bb"], name="q")})
    for limit in range(len(rows)):
        found = set(exhaustive(rolled, NoMajority(), suppression=limit).satisfying)
        for prefix in (0, 1, 2):
            sizes = [row.total() for row in grouped(rows, prefix)]
            left = [n for n in sizes if 2 * n <= sum(sizes)]
            good = bool(left) and sum(sizes) - sum(left) <= limit and 2 * max(left) <= sum(left)
            assert ((2 - prefix,) in found) == good, (limit, sizes)
            seen.add((good, len(left) < len(sizes), bool(left) and 2 * max(left, default=0) > sum(left)))
    assert {(True, True, False), (False, True, True)} <= seen


@pytest.mark.parametrize("model", TOYS, ids=lambda model: model.name)
def test_heuristics_reach_it(model):
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    for method in (tc.mondrian, tc.mdav):
        found = method(table, model)
        values = found.frame()
        classes = [Counter(group["s"]) for _, group in values.groupby(list(values.columns[:1]))]
        assert holds(model, classes)
    with pytest.raises(InputError, match="one t-closeness"):
        tc.anonymize.sabre(table, model)


def least_suppressed(classes: list[dict[str, int]]) -> int:
    """Try every way to keep records: of each class the most that satisfies by itself, against the Q of all."""
    everyone = sum(map(Counter, classes), Counter())
    lost = 0
    for row in classes:
        kept = 0
        for some in product(*(range(row.get(v, 0) + 1) for v in everyone)):
            n = sum(some)
            good = all(2 * x * everyone.total() >= n * c for x, c in zip(some, everyone.values(), strict=True))
            kept = max(kept, n if good else 0)
        lost += sum(row.values()) - kept
    return lost


def test_an_optimum_is_that_of_every_way_tried_and_says_that_it_is_not_certified():
    for rows in ([{"x": 3, "y": 1}, {"x": 1, "y": 4}], [{"x": 5, "y": 1}, {"x": 2, "y": 2, "z": 2}, {"z": 3, "y": 3}]):
        classes = ClassCounts.from_mapping(dict(enumerate(rows)))
        found = optimal_suppression(classes, HALF)
        assert isinstance(found, Optimal)
        assert found.objective == least_suppressed(rows)
        assert "not certified: no checker for half representation" in found.proof
    assert "not certified" not in optimal_suppression(classes, KAnonymity(2)).proof


def test_a_partition_is_built_of_classes_that_it_judges_alone():
    table = Microdata.from_frame(frame(ROWS[:6]), quasi_identifiers="q", sensitive="s")
    for model in (HALF, ALONE):
        found = optimal_partition(table, model, "gcp")
        assert isinstance(found, Optimal)
        assert f"not certified: no checker for {model.name}" in found.proof
        shown = found.solution.frame()
        assert holds(model, [Counter(group["s"]) for _, group in shown.groupby("q")])
        values = table.quasi_identifiers[0].domain.values
        cut = optimal_cut(table, model, hierarchies={"q": Hierarchy.suppression(values)})
        assert f"not certified: no checker for {model.name}" in cut.proof
    none = optimal_partition(Microdata.from_frame(frame(ROWS[:5]), quasi_identifiers="q", sensitive="s"), ALONE, "gcp")
    assert isinstance(none, Infeasible)
    assert "not certified" in none.reason


def test_what_is_not_known_to_be_linear_is_refused_by_name():
    classes = ClassCounts.from_mapping({"a": {"x": 3}})
    with pytest.raises(InputError, match="even classes is not linear"):
        optimal_suppression(classes, EVEN)
    with pytest.raises(InputError, match="programs do not take even classes, each alone, since evenness is not linear"):
        optimal_suppression(classes, ALONE)
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    with pytest.raises(InputError, match="even classes is not known to judge each class by itself"):
        optimal_partition(table, EVEN, "gcp")


def test_a_model_whose_conditions_ask_less_than_it_does_is_found_out():
    """What a program proposes is decided by the model's own evaluation before it is an answer."""
    with pytest.raises(SolverError, match="lying"):
        optimal_suppression(ClassCounts.from_mapping({"a": {"x": 3}, "b": {"y": 1, "x": 1}}), Lying())


# ---------------------------------------------------------------------- on the command line


@pytest.fixture
def table(tmp_path: Path) -> str:
    file = tmp_path / "table.csv"
    frame().to_csv(file, index=False)
    return str(file)


@pytest.fixture(autouse=True)
def loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, Path(__file__).stem, raising=False)


def named(toy: type) -> tuple[str, str]:
    return "--model", f"{__file__}:{toy.__name__}"


class Failing(EvenClasses):
    name = "failing"

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        raise KeyError("flu")


class Mute(EvenClasses):
    name = "mute"

    def evaluate(self, classes: ClassCounts) -> bool:  # type: ignore[override]
        return True


@pytest.mark.parametrize("toy", [Failing, Mute], ids=lambda toy: toy.name)
def test_what_goes_wrong_in_it_is_said_to_be_its_fault(toy, table):
    for redact in ((), ("--redact",)):
        found = run("check", table, *ROLES, *named(toy), *redact)
        assert found.code == 2
        assert "--model" in found.err
        assert ("fails by itself" in found.err) == (toy is Failing)
        assert ("flu" in found.err) == (toy is Failing and not redact)


def test_the_module_that_it_is_in_is_not_overwritten(table, tmp_path, monkeypatch):
    module = tmp_path / "my_toy.py"
    module.write_bytes(Path(__file__).read_bytes())
    monkeypatch.delitem(sys.modules, "my_toy", raising=False)
    asked = ("anonymize", table, *ROLES, "--model", f"{module}:EvenClasses", "--method", "mondrian")
    found = run(*asked, "--output", str(module), "--force")
    assert (found.code, found.out) == (2, "")
    assert module.read_bytes() == Path(__file__).read_bytes()


ROLES = ("--quasi-identifiers", "q", "--sensitive", "s")


@pytest.mark.long
@pytest.mark.parametrize("toy", [HalfRepresentation, EvenClasses], ids=lambda toy: toy.name)
def test_check_takes_it_by_name_in_text_json_and_html(toy, table, tmp_path):
    page = tmp_path / "page.html"
    expected = "satisfied" if holds(toy(), grouped(ROWS, 2)) else "violated"
    found = run("check", table, *ROLES, *named(toy), "--format", "json", "--html", str(page))
    assert found.code == (0 if expected == "satisfied" else 1), found.err
    assert {r["model"]: r["status"] for r in found.record["summary"]}[toy.name] == expected
    assert found.record["status"] == expected
    reading = toy().evaluate(ClassCounts.from_matrix([[2, 1]])).reading
    assert toy.name in page.read_text("utf-8")
    assert reading in page.read_text("utf-8").replace("&#39;", "'")
    text = " ".join(run("check", table, *ROLES, *named(toy)).out.split())
    assert toy.name in text


@pytest.mark.long
def test_a_redacted_report_shows_no_text_of_it(table, tmp_path):
    page = tmp_path / "page.html"
    found = run("check", table, *ROLES, *named(EvenClasses), "--redact", "--format", "json", "--html", str(page))
    assert "flu" not in found.out
    assert "flu" not in page.read_text("utf-8")
    assert "even classes" in found.out


@pytest.mark.long
@pytest.mark.parametrize("toy", [HalfRepresentation, EvenClasses], ids=lambda toy: toy.name)
def test_search_and_anonymize_take_it_by_name_and_what_they_write_satisfies(toy, table, tmp_path):
    hierarchies = tmp_path / "hierarchies"
    hierarchies.mkdir()
    rows = sorted({q for q, _ in ROWS})
    (hierarchies / "q.csv").write_text("".join(f"{q},{q[0]}*,*\n" for q in rows), encoding="utf-8")
    asked = (*ROLES, *named(toy), "--hierarchies", str(hierarchies), "--format", "json")
    for command in (("search", table), ("anonymize", table, "--method", "mondrian")):
        output = tmp_path / f"{command[0]}.csv"
        found = run(*command, *asked, "--output", str(output))
        assert found.code == 0, found.err
        assert found.record["thresholds"] == {"model": f"{Path(__file__).name}:{toy.__name__}"}
        written = pd.read_csv(output, dtype=str)
        assert holds(toy(), [Counter(group["s"]) for _, group in written.groupby("q")])
    sidecar = json.loads((tmp_path / "search.json").read_text("utf-8"))
    assert "--model" in sidecar["check"]


def test_optimal_takes_it_by_name_and_answers_honestly(table, tmp_path):
    short = tmp_path / "short.csv"
    frame(ROWS[:6]).to_csv(short, index=False)
    asked = ("optimal", "partition", str(short), *ROLES, "--categorical", "q", "--format", "json")
    found = run(*asked, *named(HalfRepresentation), "--k", "2")
    assert found.code == 0, found.err
    assert "not certified: no checker for half representation" in found.record["proof"]
    refused = run(*asked, *named(EvenClasses))
    assert refused.code == 2
    assert "even classes is not known to judge each class by itself" in refused.err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("toys", "--model 'toys' must be MODULE:NAME"),
        (f"{__file__}:Nobody", "has no 'Nobody'"),
        (f"{__file__}:ROLES", "not a privacy model; it needs name, monotone and evaluate"),
        ("no_such_module_at_all:Toy", "cannot be imported"),
    ],
)
def test_a_name_that_is_not_a_models_is_wrong_usage(given, message, table):
    found = run("check", table, *ROLES, "--model", given)
    assert found.code == 2
    assert message in found.err.replace("\n", " ")
