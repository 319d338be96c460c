"""Every public result: a short repr without values of the table, equality, pickling; laws of `Displayed`."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import multiprocessing
import pickle
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

import tcloseness as tc
from proofs_tests import every_result, schemas
from proofs_tests.every_result import EXAMPLES, LABELS, PRIVATE, every_example, example
from tcloseness import attacks, ground, loss, models
from tcloseness.displayed import Displayed
from tcloseness.errors import InputError, NotPicklable
from tcloseness.models.certified import CertifiedTable


def of_file(file: Path, name: str) -> tuple[str, ...]:
    """Return a constant of a file that is not imported, since it needs what draws the site."""
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
            return tuple(ast.literal_eval(statement.value))
    raise LookupError(name)


KINDS = pytest.mark.parametrize("kind", list(EXAMPLES), ids=lambda kind: kind.__name__)
ROOMS = [room for room, home in tc._HOME.items() if home == "tcloseness"]
MODULES = (*ROOMS, *of_file(Path(__file__).parents[1] / "docs" / "references.py", "FURTHER"))
"""The modules that have pages of the reference."""

QUESTIONS = "a question and not an answer: its repr is the call that makes it, and it has no values of a table"
EXEMPT = {
    "errors": "an exception is shown by its message",
    "exact": "a number, or numbers: they are compared, and shown by those who hold them",
    "measures": QUESTIONS,
    "models.Monotone": "two truth values",
    "models.Combination": QUESTIONS,
    "estimator.Anonymizer": "a transformer of scikit-learn, which shows itself as its others do",
    "lattice.OverRows": "two numbers of `MeasuredNode`, which shows them",
    "release.AtCut": "how one attribute is generalized; `Release` shows it",
    "release.AtLevel": "how one attribute is generalized; `Release` shows it",
    "release.Categorical": "how one attribute is generalized; `Release` shows it",
    "release.Hierarchical": "how one attribute is generalized; `Release` shows it",
    "release.Numeric": "how one attribute is generalized; `Release` shows it",
    "release.OnGrid": "how one attribute is generalized; `Release` shows it",
    "certificates.Nodes": "a checker's working copy of a table, which is read anew",
    "certificates.Reading": "a part of `Envelope`, which shows it",
    "certificates.Counts": "a checker's working copy of a table, which is read anew",
}
"""By room or name, why a public class shows nothing by itself."""

PARTS = {
    "attacks.Composition": "what `ComplementaryAttack` was computed from",
    "attacks.Decided": "what `ComplementaryAttack` was computed from",
    "attacks.Findings": "a sequence of what shows itself",
    "attacks.LinkedCells": "what `ComplementaryAttack` was computed from",
    "attacks.Step": "what `ComplementaryAttack` was computed from",
    "axioms.Holds": "a part of `CheckResult`, which shows it",
    "axioms.Law": "a part of `Check`, which shows it",
    "certificates.Bounds": "what `ComplementaryAttack` was computed from",
    "conformance.Answer": "a part of `Record`, which shows it",
    "conformance.Assessment": "a part of `Record`, which shows it",
    "conformance.Implementation": "a part of `Report`, which shows it",
    "conformance.Refused": "a part of `Record`, which shows it",
    "conformance.Table": "a part of `Record`, which shows it",
    "conformance.Vector": "a part of `Record`, which shows it",
    "conventions.Conventions": "a mapping of texts, which every result shows",
    "lattice.LevelCodes": "what `RollUp` was computed from",
    "lattice.Tags": "what `SearchResult` has found out of each node",
    "limits.Clock": "how much time a search has left",
    "microdata.Ancestors": "the nodes of a hierarchy by number; `Hierarchy` shows it",
    "microdata.Origin": "a part of `FrequencySet`, which shows it",
    "models.LeastRecords": QUESTIONS,
    "models.MostDistance": QUESTIONS,
    "models.Option": QUESTIONS,
    "models.ShareBounds": QUESTIONS,
    "models.UsualValues": "three numbers of `MeasuredNode`, which shows them",
    "optimal.Kept": "what proves `Suppression`; its certificate shows it",
    "release.LabelCodes": "arrays by attribute",
    "transport.PosedProblem": "arrays that `TransportProblem` was posed in",
}
"""By room and name, why what a result consists of shows nothing by itself."""

QUESTION = ("evaluate", "asked", "class_cost", "penalty", "loss_of")
"""What models and losses have, and no result."""


def public_classes() -> Iterator[tuple[str, type]]:
    for room in MODULES:
        module = importlib.import_module(f"tcloseness.{room}")
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found):
                yield f"{room}.{name}", found


def is_exempt(name: str, kind: type) -> bool:
    asks = any(hasattr(kind, each) for each in QUESTION) or "LossOf" in str(inspect.get_annotations(kind))
    return name in EXEMPT or name.partition(".")[0] in EXEMPT or getattr(kind, "_is_protocol", False) or asks


@pytest.mark.parametrize(
    ("name", "kind"), list(public_classes()), ids=lambda each: each if isinstance(each, str) else ""
)
def test_every_public_class_shows_itself_or_is_said_not_to(name: str, kind: type) -> None:
    if not is_exempt(name, kind):
        assert issubclass(kind, Displayed), f"{name} has no features of a result; inherit Displayed, or say why not"
        assert kind in EXAMPLES, f"add an example of {name} to proofs_tests/every_result.py"


def test_every_result_has_a_public_name_and_so_a_page_in_the_reference() -> None:
    public = {kind for _, kind in public_classes()}
    assert not [kind for kind in EXAMPLES if kind not in public]


def test_what_is_exempt_is_there() -> None:
    known = {name for name, _ in public_classes()}
    assert {each for each in EXEMPT if "." in each} <= known


# ---------------------------------------------------------------------- frames and schemas

ROWS = {
    **dict.fromkeys(("Audit", "AttributeAudit", "Measured", "Comparison", "SurveyResult"), "one quantity or more"),
    **dict.fromkeys(("Table", "Microdata", "Column", "FrequencySet", "Partition", "AnonymizedTable"), "a record"),
    **dict.fromkeys(("ClassCounts", "ClassKeys", "Regions", "Recoding", "Anatomized"), "a class"),
    **dict.fromkeys(("Release", "UnalignedRelease", "Anonymized", "Microaggregation"), "a class"),
    **dict.fromkeys(("Domain", "Hierarchy", "TreeNode", "Population", "BeliefChange", "ObservedBeliefs"), "a value"),
    **dict.fromkeys(("Equal", "Ordered", "OrderedByValue", "Hierarchical", "Laminar", "Matrix"), "a value"),
    **dict.fromkeys(("LabelledMatrix", "ProductGround", "TransportProblem", "Certificate"), "a value"),
    **dict.fromkeys(("Lattice", "Cut", "Columns", "KeySet"), "a quasi-identifier"),
    **dict.fromkeys(("MeasuredNode", "Optimal", "Feasible", "Counterexample", "Fact"), "itself"),
    **dict.fromkeys(("ReportCard", "Report", "PartialReport", "Sweep"), "a question that was asked"),
    "PersonsAttack": "a person",
}
"""What the frame of a result has a row of, of which there is always one."""


@KINDS
def test_a_frame_has_its_columns_also_where_it_has_no_row(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    made = example(kind)
    whole = made.to_frame()
    assert len(whole)
    if kind._frame_rows is Displayed._frame_rows or kind.__name__ in ROWS:  # type: ignore[attr-defined]
        assert not made._columns
    else:
        monkeypatch.setattr(kind, "_frame_rows", lambda self: [])
        assert made.to_frame().dtypes.to_dict() == whole.dtypes.to_dict()


@KINDS
def test_a_frame_has_one_type_a_column(kind: type) -> None:
    frame = example(kind).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame.columns)
    assert {str(each) for each in frame.dtypes} <= {"string", "int64", "Int64", "float64", "Float64", "bool", "boolean"}
    assert set(example(kind)._withheld) <= set(frame.columns)


@KINDS
def test_a_dictionary_survives_json_and_keeps_to_its_schema(kind: type) -> None:
    schema = kind.schema()  # type: ignore[attr-defined]
    Draft202012Validator.check_schema({**schema, "$defs": {}})  # which all classes share; the next test checks them
    record = example(kind).to_dict()
    assert json.loads(json.dumps(record)) == record
    Draft202012Validator(schema).validate(record)


def test_all_classes_share_definitions_that_are_schemas() -> None:
    shared = json.loads(schemas.FILE.read_text(encoding="utf-8"))["$defs"]
    Draft202012Validator.check_schema({"$defs": shared})
    assert all(kind.schema()["$defs"] == shared for kind in EXAMPLES)  # type: ignore[attr-defined]


@KINDS
def test_a_schema_refuses_a_key_that_is_gone_or_new(kind: type) -> None:
    record, validator = example(kind).to_dict(), Draft202012Validator(kind.schema())  # type: ignore[attr-defined]
    required = schemas.required(kind.schema_name())  # type: ignore[attr-defined]
    assert required
    for key in required:
        assert not validator.is_valid({name: value for name, value in record.items() if name != key}), key
    assert not validator.is_valid({**record, "another key": 1})


def test_every_example_keeps_to_its_schema() -> None:
    for made in every_example():
        Draft202012Validator(made.schema()).validate(made.to_dict())


def test_the_schemas_are_those_of_what_is_returned() -> None:
    assert schemas.FILE.read_text(encoding="utf-8") == schemas.made(), "run: python -m proofs_tests.schemas"


def test_no_schema_names_a_value_of_the_examples() -> None:
    """What is keyed by values may have any keys: else the results of other tables would not keep to their schema."""
    text = schemas.FILE.read_text(encoding="utf-8")
    assert not [name for name in (*PRIVATE, *LABELS, *every_result.frame().columns) if f'"{name}"' in text]
    assert re.findall(r'"\d+":', text) == []


def nothing_found() -> Iterator[Any]:
    few = tc.ClassCounts.from_matrix([[1, 1], [1, 1]])
    zips = tc.Hierarchy([(1, "x", "*"), (2, "x", "*"), (3, "y", "*"), (4, "y", "*")], name="zip")
    rows = pd.DataFrame({"zip": [1, 2, 3, 4], "ill": list("abab")})
    table = tc.Table(rows, quasi_identifiers="zip", sensitive="ill", hierarchies={"zip": zips})
    yield from (ground.Ordered(1).cuts, loss.CountQuery({}), attacks.Person(label=(1,), excluded=()))
    yield attacks.homogeneity_attack(few)
    yield from (table.search(k=5), table.search(k=5).result, table.search(k=5, loss="precision").optimum)
    yield attacks.minimality_attack(table.frequencies, table.hierarchies, {"zip": 0}, models.KAnonymity(1))
    yield attacks.what_it_gives_away(tc.Release.full_domain(table.frequencies, table.hierarchies, {"zip": 2}))
    yield tc.emd_of(["a"], ["a"], ground="equal")


def test_what_found_nothing_has_a_frame_of_its_columns() -> None:
    for made in nothing_found():
        frame = made.to_frame()
        assert len(frame.columns), made
        assert not len(frame), made


# ---------------------------------------------------------------------- what results consist of

ITEMS = 4
"""So many items of a sequence, and objects of a class within one result, are looked at."""


def consists_of(found: Any) -> Iterator[Any]:
    """Go through the public attributes of an object of the package, and the items of a collection."""
    if isinstance(found, Mapping):
        yield from (each for pair in islice(found.items(), ITEMS) for each in pair)
    elif isinstance(found, Sequence | Set) and not isinstance(found, str | bytes):
        yield from islice(found, ITEMS)
    if of_package(found):
        for name in {*dir(type(found)), *getattr(found, "__dict__", ())}:
            held = inspect.getattr_static(type(found), name, None)
            if not name.startswith("_") and not callable(held) and not isinstance(held, classmethod | staticmethod):
                try:
                    yield getattr(found, name)
                except InputError:  # what the table does not have
                    continue


def of_package(found: Any) -> bool:
    return type(found).__module__.startswith("tcloseness.")


@cache
def reached() -> dict[str, list[Any]]:
    """Return the objects of the package that examples lead to, by room and class."""
    seen: dict[int, Any] = {}
    by_name: dict[str, list[Any]] = {}
    for kind in EXAMPLES:
        waiting = [example(kind)]
        looked: Counter[type] = Counter()
        while waiting:
            found = waiting.pop()
            if id(found) in seen:
                continue
            seen[id(found)] = found  # kept, so that no other object has its id
            looked[type(found)] += 1
            if not of_package(found):
                waiting += consists_of(found)
            elif looked[type(found)] <= ITEMS:
                _, room, *_ = type(found).__module__.split(".")
                by_name.setdefault(f"{room}.{type(found).__name__}", []).append(found)
                waiting += consists_of(found)
    return by_name


@pytest.mark.long
def test_whatever_a_result_consists_of_shows_itself_or_is_said_not_to() -> None:
    for name, found in reached().items():
        kind = type(found[0])
        if name not in PARTS and not is_exempt(name, kind):
            assert issubclass(kind, Displayed), f"a result leads to {name}, which does not show itself; say why not"
            assert kind in EXAMPLES, f"a result leads to {name}; add an example to proofs_tests/every_result.py"


@pytest.mark.long
def test_what_is_said_to_be_a_part_of_a_result_is_one() -> None:
    assert set(PARTS) <= set(reached())
    assert not [name for name in PARTS if issubclass(type(reached()[name][0]), Displayed)]


@pytest.mark.long
def test_whatever_a_result_consists_of_has_a_short_repr_without_values_of_the_table() -> None:
    for name, several in reached().items():
        for found in several:
            shown = repr(found)
            assert len(shown) < 300, name
            assert not [value for value in (*PRIVATE, *LABELS) if value in shown], name


UNPICKLED = {
    "axioms.Law": "a claim that a function decides; a check is pickled by its name",
    "limits.Clock": "it goes on",
    "models.ShareBounds": "what a function decides; the model that asks it is pickled",
}


@pytest.mark.long
def test_whatever_a_result_consists_of_is_equal_once_pickled() -> None:
    for name, several in reached().items():
        for found in several if name not in UNPICKLED else ():
            assert Held(pickle.loads(pickle.dumps(found))) == Held(found), name


BY_IDENTITY = {"exact.Filtered", "exact.Rationals"}
"""Columns of numbers, which are measured by their own methods: equality of theirs says nothing of the numbers."""


@pytest.mark.long
def test_whatever_a_result_consists_of_equals_its_copy_and_then_has_its_hash() -> None:
    """As `==` says it, which of a tuple of arrays raises an error."""
    for name, several in reached().items():
        for found in several if name not in UNPICKLED else ():
            again = pickle.loads(pickle.dumps(found))
            assert (again == found) is (name not in BY_IDENTITY), name
            if again == found and _hashable(found):
                assert hash(again) == hash(found), name


def _hashable(found: Any) -> bool:
    try:
        hash(found)
    except TypeError:  # it has a mapping or a list
        return False
    return True


def test_a_checkers_working_copy_shows_no_value_either() -> None:
    made = CertifiedTable.of(every_result.table().frequencies, "occupation", every_result.hierarchies())
    shown = repr(made) + repr(made.counts)
    assert len(shown) < 600
    assert not [value for value in (*PRIVATE, *LABELS) if value in shown]


@KINDS
def test_the_example_is_of_its_class(kind: type) -> None:
    assert type(example(kind)) is kind


@KINDS
def test_a_repr_is_short_and_holds_no_value_of_the_table(kind: type) -> None:
    shown = repr(example(kind))
    assert len(shown) < 300
    assert shown.isprintable()
    assert not [value for value in (*PRIVATE, *LABELS) if value in shown]


@KINDS
def test_a_pickled_result_equals_itself(kind: type) -> None:
    made = example(kind)
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert repr(again) == repr(made)


@KINDS
def test_equality_asks_for_the_class_and_every_field(kind: type) -> None:
    made = example(kind)
    others = [example(each) for each in EXAMPLES if each is not kind]
    assert all(made != other for other in others)
    assert made != repr(made)
    changed = pickle.loads(pickle.dumps(made))
    for name, value in vars(changed).items():
        if isinstance(value, int) and not isinstance(value, bool) and name in made._state():
            object.__setattr__(changed, name, value + 1)
            assert changed != made, name
            object.__setattr__(changed, name, value)


@pytest.mark.long
def test_results_come_back_from_other_processes() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(every_result.again, [example(tc.Audit), example(tc.Release)]) == [
            example(tc.Audit),
            example(tc.Release),
        ]


def test_a_certificate_can_be_made_of_a_pickled_answer() -> None:
    for kind in (tc.Audit, tc.optimal.Optimal, tc.optimal.Infeasible):
        made = example(kind)
        assert pickle.loads(pickle.dumps(made)).certificate().to_json() == made.certificate().to_json()


# ---------------------------------------------------------------------- what cannot be pickled


@dataclass(frozen=True, eq=False)
class Held(Displayed):
    value: Any
    note: Any = field(default=None, compare=False)

    def _said(self) -> str:
        return str(self.value)

    def to_dict(self) -> dict[str, Any]:
        return {"value": str(self.value)}


def local() -> Any:
    class Local:
        pass

    return Local()


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (lambda p, q: 0, "the function proofs_tests.test_displayed.<lambda>"),
        ([{"deep": partial(max, lambda: 0)}], "the function proofs_tests.test_displayed.<lambda>"),
        (local(), "an object of the class proofs_tests.test_displayed.local.<locals>.Local"),
        ((n for n in range(3)), "generator"),
    ],
)
def test_what_no_process_can_be_given_is_named(value: Any, named: str) -> None:
    with pytest.raises(NotPicklable, match="cannot be pickled: its 'value' holds") as caught:
        pickle.dumps(Held(value))
    assert named in str(caught.value)
    assert isinstance(caught.value, pickle.PicklingError)
    assert isinstance(caught.value, InputError)


def test_a_connection_stays_in_its_process() -> None:
    import duckdb

    connection = duckdb.connect()
    frame = every_result.frame()
    connection.register("people", frame)
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "occupation"}
    counted = tc.FrequencySet.read(connection.sql("select * from people"), **roles)
    with pytest.raises(NotPicklable, match=r"FrequencySet.*'reader' holds.*DuckDB"):
        pickle.dumps(counted)
    connection.close()


# ---------------------------------------------------------------------- laws

NASTY = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["<script>alert(1)</script>", "\x1b[31m", "\u202e", "\ud800", "a\nb", "&amp;", "x" * 10_000, "\x00"]
    ),
    st.floats(),
    st.integers(),
)


@pytest.mark.long
@given(st.lists(NASTY, min_size=1), st.text(min_size=1, max_size=5))
def test_a_repr_is_printable_and_short_whatever_it_says(values: list[Any], name: str) -> None:
    shown = repr(Held("".join(map(str, values)) * 3 + name))
    assert len(shown) < 300
    assert shown.isprintable()


@given(
    st.recursive(
        NASTY | st.none(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    )
)
def test_equality_is_reflexive_and_survives_pickling_also_of_what_is_not_a_number(value: Any) -> None:
    assert Held(value) == Held(value)
    assert pickle.loads(pickle.dumps(Held(value))) == Held(value)


@given(st.lists(st.floats(), min_size=1, max_size=5), st.data())
def test_arrays_are_equal_by_their_items(numbers: list[float], data: st.DataObject) -> None:
    array = np.array(numbers)
    assert Held(array) == Held(array.copy())
    place = data.draw(st.integers(0, len(numbers) - 1))
    other = array.copy()
    other[place] = 0.5 if array[place] != 0.5 else 0.25
    assert Held(array) != Held(other)
    assert Held(array) != Held(array.astype(object).reshape(1, -1))
    assert Held(array) != Held(numbers)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(0, 2) | st.floats() | st.sampled_from(["a", "b"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=20).map(tuple)
            | st.dictionaries(st.sampled_from("abc"), inner)
            | st.lists(st.floats(), max_size=12).map(np.array)
            | st.lists(st.integers(0, 9), max_size=12).map(lambda items: np.array(items, dtype=np.int64))
            | inner.map(lambda item: partial(max, item))
            | inner.map(Held)
        ),
        max_leaves=12,
    )
)
def test_what_is_equal_has_one_hash(value: Any) -> None:
    one, other = Held(value), Held(otherwise(value))
    assert one == other
    assert hash(one) == hash(other)


class Plain:
    """An object of attributes without an equality of its own."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def method(self) -> None:
        """Be bound."""


ITEM = st.sampled_from(
    [
        None,
        False,
        True,
        0,
        1,
        0.0,
        -0.0,
        1.0,
        float("nan"),
        Fraction(1),
        Decimal(1),
        np.float64(1),
        np.int8(1),
        "a",
        max,
    ]
)
ARRAY = st.builds(
    lambda items, kind: np.array(items, dtype=kind),
    st.lists(st.sampled_from([0, 1]), max_size=2),
    st.sampled_from(["int8", "int64", "uint8", "float32", "float64", "bool", "object", "datetime64[D]"]),
)


@pytest.mark.long
@given(
    st.lists(
        st.recursive(
            ITEM | ARRAY,
            lambda inner: (
                st.lists(inner, max_size=2)
                | st.lists(inner, max_size=2).map(tuple)
                | st.lists(st.tuples(st.sampled_from([0, False, 0.0, "a"]), inner), max_size=2).map(dict)
                | st.integers(0, 1).map(lambda n: {(i + n * 5) % 10: i for i in range(10)})
                | st.lists(ITEM, max_size=2).map(frozenset)
                | st.lists(ITEM, max_size=2).map(lambda cells: pd.Series(cells, dtype=object))
                | inner.map(lambda item: partial(max, item))
                | inner.map(Plain)
                | inner.map(lambda item: Plain(item).method)
                | inner.map(Held)
            ),
            max_leaves=3,
        ),
        min_size=12,
        max_size=24,
    )
)
def test_whatever_of_many_things_are_equal_have_one_hash(values: list[Any]) -> None:
    """Drawn from few, so that many are: numbers of other types, keys of other types, mappings in another order."""
    held = list(map(Held, values))
    assert [each for each in held if each != each] == []
    for one in held:
        for other in held:
            assert one != other or hash(one) == hash(other)


@KINDS
def test_a_result_made_again_is_equal_and_has_one_hash(kind: type) -> None:
    one, other = example(kind), pickle.loads(pickle.dumps(example(kind)))
    assert one == other
    assert hash(one) == hash(other)


def in_circles(last: Any, length: int) -> Plain:
    """An object that holds itself, so many objects further."""
    first = each = Plain(None)
    for _ in range(length - 1):
        each.value = Plain(None)
        each = each.value
    each.value = [first, last]
    return first


def test_what_holds_itself_is_compared_hashed_and_pickled() -> None:
    """As a part of a model of one's own that knows its parent."""
    for length in (1, 2, 40):
        one, alike, other = (Held(in_circles(last, length)) for last in "aab")
        assert one == alike != other
        assert hash(one) == hash(alike)
        assert pickle.loads(pickle.dumps(one)) == one
    assert Held(pd.DataFrame) != Held(pd.Series)


def otherwise(value: Any) -> Any:
    """The same, made in another way: mappings in another order, zeros of another sign, whole numbers of fewer bits."""
    if isinstance(value, Held):
        return Held(otherwise(value.value))
    if isinstance(value, partial):
        return partial(value.func, *map(otherwise, value.args))
    if isinstance(value, np.ndarray):
        return value.astype(np.int32) if value.dtype.kind == "i" else np.array([-x if x == 0 else x for x in value])
    if isinstance(value, dict):
        return {key: otherwise(value[key]) for key in reversed(value)}
    if isinstance(value, list | tuple):
        return type(value)(map(otherwise, value))
    return -value if isinstance(value, float) and value == 0 else float("nan") if value != value else value


@pytest.mark.parametrize(
    "shape", [lambda n: n, lambda n: [n, {}], lambda n: {"at": np.array([0, n])}, lambda n: ((n,),)]
)
def test_different_results_seldom_have_one_hash(shape: Any) -> None:
    """Else sets and dictionaries of many are slow: each is compared with all."""
    assert len({hash(Held(shape(n))) for n in range(1000)}) > 990


def test_what_is_not_compared_changes_nothing() -> None:
    assert Held(1, note=2) == Held(1, note=3)
    assert hash(Held(1, note=2)) == hash(Held(1, note=3))


@pytest.mark.long
@given(
    st.text(min_size=1, max_size=20).filter(str.strip),
    st.lists(st.sampled_from(["flu", "<b>", "x" * 300, "\x1b[0m", "a\tb"]), min_size=2, max_size=6),
)
def test_no_column_name_or_value_makes_a_repr_long(name: str, cells: list[str]) -> None:
    long = name * (10_000 // len(name))
    frame = pd.DataFrame({long: cells, "q": range(len(cells))})
    counted = tc.FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=long)
    audit = tc.check(counted, k=2, distinct_l=2)
    for found in (counted, audit, audit.attributes[0], *audit.attributes[0].results, counted.class_counts()):
        assert len(repr(found)) < 300
        assert repr(found).isprintable()
        assert not any(cell in repr(found) for cell in cells)


@given(st.lists(st.integers() | st.floats(allow_nan=False) | st.none(), min_size=1, max_size=5))
def test_numbers_in_a_frame_are_those_that_were_given(cells: list[Any]) -> None:
    class Numbers(Held):
        def _frame_rows(self) -> Any:
            return [{"x": cell} for cell in cells]

    for given_, shown in zip(cells, Numbers(0).to_frame()["x"], strict=True):
        assert pd.isna(shown) if given_ is None else (shown == given_ or shown == str(given_))
