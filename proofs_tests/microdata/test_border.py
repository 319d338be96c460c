"""Every public verb names a table object of another shape than it takes, and says how to get the right one."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from tcloseness.errors import DomainError, InputError, TableError, TClosenessError
from tcloseness.ground import GROUNDS, OrderedByValue
from tcloseness.lattice import RollUp
from tcloseness.microdata import ClassCounts, FrequencySet, Microdata, border
from tcloseness.release.published import Published

FRAME = pd.DataFrame({"q": list("aabb"), "s": list("xyxy")})
TABLE = tc.Microdata.from_frame(FRAME, quasi_identifiers="q", sensitive="s")
COUNTED = tc.FrequencySet.of(TABLE)
CLASSES = COUNTED.class_counts()
HIERARCHIES = {"q": tc.Hierarchy.suppression("ab", name="q")}
ROLLED = tc.RollUp(COUNTED, HIERARCHIES)
RELEASE = tc.Release.full_domain(COUNTED, HIERARCHIES, {"q": 1})
FOUND = tc.mondrian(TABLE, tc.KAnonymity(2))

OBJECTS: dict[str, Any] = {
    "DataFrame": FRAME,
    "Series": FRAME["q"],
    "Microdata": TABLE,
    "FrequencySet": COUNTED,
    "ClassCounts": CLASSES,
    "RollUp": ROLLED,
    "Release": RELEASE,
    "Anonymized": FOUND,
    "Partition": FOUND.partition,
    "AnonymizedTable": FOUND.table,
    "None": None,
    "path": "table.csv",
    "list": [1, 2],
    "dict": {"q": ["a"]},
}


def shapes(text: str) -> set[str]:
    """The classes that an annotation names, read without the code that is tested; empty if it names others too."""
    words = {word.strip().removeprefix("pd.") for word in text.split("|")} - {"None", "FullTable"}
    known = {"Microdata", "FrequencySet", "ClassCounts", "RollUp", "Release", "Partition"}
    if words == {"Source"}:
        return {"ClassCounts", "Release"}
    return words if words and words <= known else set()


def public_calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each public function, class and method, with its name."""
    rooms = [
        getattr(tc, name)
        for name in tc.__all__
        if name not in ("errors", "exact") and inspect.ismodule(getattr(tc, name))
    ]
    public = {name: getattr(home, name) for home in (tc, *rooms) for name in home.__all__}
    for name, exported in sorted(public.items()):
        if inspect.isfunction(exported):
            yield name, exported
        if inspect.isclass(exported) and not getattr(exported, "_is_protocol", False):
            yield name, exported
            for method in vars(exported):
                if not method.startswith("_") and callable(getattr(exported, method, None)):
                    yield f"{name}.{method}", getattr(exported, method)


def verbs() -> Iterator[tuple[str, Callable[..., Any], str, set[str], list[str]]]:
    """Each public function and method that takes a table: name, itself, parameter, shapes, all parameters."""
    for what, call in public_calls():
        signature = inspect.signature(call)
        for parameter in signature.parameters.values():
            wanted = shapes(str(parameter.annotation))
            if wanted:
                yield what, call, parameter.name, wanted, list(signature.parameters)


VERBS = list(verbs())


def test_there_are_as_many_verbs_as_one_would_think() -> None:
    assert len(VERBS) > 60
    assert {"check", "mondrian", "KAnonymity.evaluate", "RollUp", "losses", "optimal_suppression"} <= {
        v[0] for v in VERBS
    }


@pytest.mark.parametrize(("what", "call", "parameter", "wanted", "names"), VERBS, ids=[f"{v[0]}-{v[2]}" for v in VERBS])
def test_a_table_of_another_shape_is_named(
    what: str, call: Callable[..., Any], parameter: str, wanted: set[str], names: list[str]
) -> None:
    """Whatever the other arguments are: the table is looked at first."""
    for kind, given in OBJECTS.items():
        if kind in wanted or (
            given is None and "None" in str(inspect.signature(call).parameters[parameter].annotation)
        ):
            continue
        if isinstance(given, Published) and "Release" in wanted and not inspect.isclass(call):
            continue  # its release is meant
        arguments = {name: given for name in names if name == parameter}
        if names[0] == "self":
            arguments["self"] = object()
        with pytest.raises(TableError) as caught:
            call(**arguments)
        message = str(caught.value)
        assert " or ".join(sorted(wanted)) in message or all(each in message for each in wanted)
        assert (type(given).__name__ in message) if given is not None else "None" in message
        assert "; " in message  # the way out


def test_of_an_answer_its_release_is_taken() -> None:
    made = OBJECTS["Anonymized"]
    assert isinstance(made, Published)
    assert tc.losses(made).keys() == tc.losses(made.release).keys() > tc.losses(made.classes).keys()
    assert {each.value for each in tc.losses(made).values()} == {each.value for each in made.losses().values()}
    assert made.check(k=2).answer() == tc.check(made.release.released, k=2, reference="all").answer()


TAKEN = {"Microdata", "FrequencySet", "ClassCounts", "RollUp", "Release"}
"""The shapes that a `tc.Table` has."""


def test_what_takes_a_full_table_says_so() -> None:
    """Every function, and every model's `evaluate`, of one of the shapes that a `tc.Table` has: the border gives it."""
    said: dict[str, bool] = {}
    for what, call, parameter, wanted, _ in VERBS:
        function = "." not in what and not inspect.isclass(call)
        if wanted & TAKEN and (function or (what.endswith(".evaluate") and ".models." in call.__module__)):
            annotation = str(inspect.signature(call).parameters[parameter].annotation)
            said[what] = said.get(what, False) or "FullTable" in annotation
    assert len(said) > 40
    assert all(said.values()), [what for what, says in said.items() if not says]


WAYS = {
    ("Microdata", "FrequencySet"): lambda: tc.FrequencySet.of(TABLE),
    ("Microdata", "ClassCounts"): lambda: tc.FrequencySet.of(TABLE).class_counts(),
    ("FrequencySet", "ClassCounts"): COUNTED.class_counts,
    ("Microdata", "RollUp"): lambda: tc.RollUp(tc.FrequencySet.of(TABLE), HIERARCHIES),
    ("FrequencySet", "RollUp"): lambda: tc.RollUp(COUNTED, HIERARCHIES),
    ("Anonymized", "ClassCounts"): lambda: FOUND.class_counts,
    ("Anonymized", "Partition"): lambda: FOUND.partition,
    ("RollUp", "FrequencySet"): lambda: ROLLED.frequencies,
    ("Release", "ClassCounts"): RELEASE.class_counts,
    ("FrequencySet", "Release"): lambda: tc.Release.full_domain(COUNTED, HIERARCHIES, {"q": 1}),
}


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_the_way_that_a_message_names_leads_there(way: tuple[str, str]) -> None:
    given, wanted = way
    assert type(WAYS[way]()).__name__ == wanted
    assert given in border._WAYS[wanted]


def test_a_table_where_none_is_taken_is_named_too() -> None:
    for call in (
        lambda: tc.emd(CLASSES, CLASSES, tc.Equal(2)),
        lambda: tc.ClassCounts.from_mapping(COUNTED),  # type: ignore[arg-type]
        lambda: tc.Domain.of(TABLE),  # type: ignore[arg-type]
        lambda: tc.Release.full_domain(COUNTED, HIERARCHIES, TABLE),  # type: ignore[arg-type]
        lambda: tc.Hierarchy.intervals(CLASSES, [10]),  # type: ignore[arg-type]
    ):
        with pytest.raises(TableError, match=r"takes .* and was given one of class"):
            call()


def test_what_is_right_passes_and_keeps_its_name() -> None:
    assert tc.KAnonymity(2).evaluate(CLASSES).status == "satisfied"
    assert (tc.mondrian.__name__, tc.mondrian.__module__) == ("mondrian", "tcloseness.anonymize.mondrian")
    assert list(inspect.signature(tc.mondrian).parameters)[:2] == ["table", "model"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert issubclass(TableError, TClosenessError)


def listeners() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Each public function that reports its progress."""
    for what, call in public_calls():
        if inspect.isfunction(call) and "progress" in inspect.signature(call).parameters:
            yield what, call, "progress"


LISTENERS = list(listeners())


def test_what_is_called_can_be_called() -> None:
    """Whatever the other arguments are; None, where it may be left out, is not looked at."""
    assert len(LISTENERS) > 8
    for what, call, parameter in LISTENERS:
        for odd in (3, "print", [print], True):
            with pytest.raises(InputError, match=rf"calls what is given as {parameter}, and was given .*; give a func"):
                call(**({"measure": None} if what == "check_distance" else {}), **{parameter: odd})
        with pytest.raises(TypeError, match="required"):
            call(**{parameter: None})


ODD_PLACES: list[Any] = [-1, 4, 10**30, 0.0, 1.5, "0", None, True, np.float64(1)]


def test_a_number_of_a_class_or_a_code_that_there_is_not_is_refused() -> None:
    """Negative ones too: Python counts them from the end."""
    classes = ClassCounts.from_matrix([[1, 2], [3, 4]])
    calls: list[Callable[[Any], Any]] = [
        classes.row,
        classes.vector,
        classes.label,
        classes.describe,
        lambda place: classes.domain.subset([place]),
        lambda place: classes.domain.cells(np.array([place], dtype=object)),
    ]
    for call in calls:
        for place in (*ODD_PLACES, 2):
            with pytest.raises(InputError, match="must be a whole number from 0 to 1"):
                call(place)
        for place in (0, 1, np.int64(1)):
            call(place)
    with pytest.raises(InputError, match="must ascend"):
        classes.domain.subset([0, 0])


@pytest.mark.parametrize("kind", GROUNDS, ids=lambda kind: kind.name)
def test_no_ground_distance_answers_for_a_code_outside_its_domain(kind: Any) -> None:
    tree = tc.Hierarchy.from_groups([{"x": ["a", "b"], "y": ["c", "d"]}])
    built = {
        "ordered-by-value": lambda: OrderedByValue((1, 2, 4, 8)),  # type: ignore[arg-type]
        "hierarchical": lambda: kind(tree, tc.Domain.of("abcd")),
        "matrix": lambda: tc.Matrix([[int(i != j) for j in range(4)] for i in range(4)]),
        "laminar": lambda: kind(tc.Ordered(4).cuts),
        "product": lambda: kind([tc.Equal(2), tc.Equal(2)], [(0, 0), (0, 1), (1, 0), (1, 1)]),
    }
    ground = built.get(kind.name, lambda: kind(4))()
    calls = [ground.row, lambda i: ground.distance(i, 0), lambda j: ground.distance(0, j)]
    for call in [*calls, *([lambda i: ground.cuts.distance(0, i)] if ground.cuts is not None else [])]:
        for place in ODD_PLACES:
            with pytest.raises(DomainError, match="must be a whole number from 0 to 3"):
                call(place)
        assert all(call(place) is not None for place in (0, 3, np.int64(2)))


class Named:
    """A path by its own word, as `os.fspath` asks for it."""

    def __init__(self, name: Any) -> None:
        self._name = name

    def __fspath__(self) -> Any:
        return self._name


def test_what_is_refused_for_its_value_is_refused_after_another_of_its_class_was_taken(tmp_path: Path) -> None:
    """Classes of arguments are remembered; a count, the shape of an array and a path are not known by them."""
    result, file = tc.KAnonymity(2).evaluate(CLASSES), tmp_path / "levels.csv"
    HIERARCHIES["q"].to_csv(file)
    calls: list[tuple[Callable[[Any], Any], Any, Any]] = [
        (lambda given: result.to_dict(worst=given), 2, -1),
        (
            lambda given: tc.FrequencySet.from_frame(FRAME, quasi_identifiers=given, sensitive="s"),
            np.array(["q"]),
            np.array("q"),
        ),
        (tc.Hierarchy.from_csv, Named(str(file)), Named(bytes(file))),
    ]
    for call, good, bad in calls:
        for _ in range(2):
            assert call(good) is not None
            with pytest.raises(InputError, match="and was given"):
                call(bad)


@pytest.mark.parametrize(
    ("annotation", "alone"),
    [
        ("str", True),
        ("Sequence[str | int]", True),
        ("Mapping[str, Sequence[int | None]]", True),
        ("Mapping[str, Sequence[int | None]] | str", False),
        ("str | Sequence[int]", False),
        ("Sequence[int] | Sequence[str]", False),
    ],
)
def test_an_annotation_is_of_one_type_whatever_is_inside_of_its_brackets(annotation: str, alone: bool) -> None:
    assert border._is_alone(annotation) == alone


Progress = Callable[[int, int], None]


def verb(
    table: Microdata,
    maybe: RollUp | None,
    either: FrequencySet | str,
    make: Callable[[int], str],
    progress: Progress | None,
    names: Sequence[str],
    many: int | Callable[[int], str],
) -> Callable[[], None]:
    """A verb with a parameter of each kind that the border knows."""
    return lambda: None


def test_a_parameter_is_looked_at_by_what_its_annotation_says() -> None:
    """Made anew here: the border of a room is made when the room is loaded."""
    assert border._shapes_of(verb) == {"table": (("Microdata",), False), "maybe": (("RollUp",), True)}
    assert border._mixed_of(verb) == {"either": ("FrequencySet",)}
    assert border._called_of(verb) == {"make": False, "progress": True}
    assert border._plain_of(verb) == {"names": "Sequence[str]", "many": "int | Callable[[int], str]"}
    right = {"table": TABLE, "maybe": ROLLED, "either": "x", "make": str, "progress": None, "names": ["q"], "many": str}
    guarded = border._guard(verb, "verb()")
    assert guarded(**right)() is None
    wrong = {
        "table": [COUNTED, FRAME, None],
        "maybe": [TABLE],
        "either": [TABLE, CLASSES],
        "make": [None, 3],
        "progress": [3],
        "names": [TABLE, pd.NA],
    }
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(InputError, match=r"^verb\(\) "):
                guarded(**right | {name: value})
