"""No tie is broken by which sensitive value it is: of equally good optima each value's is as probable as the other's.

Let π rename sensitive values such that the model asks the same of them as before (any renaming for most models, that
which turns an order round for t-closeness by it, a symmetry of the tree for a hierarchy). Then everything that is
released from the renamed table has the probability of what it renames, over all orders of the values that are drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import pandas as pd
import pytest

from proofs_tests.anonymize.drawn import distribution, drawing, release_of, tie_orders
from proofs_tests.optimal.cases import LINEAR, counts_of, title
from tcloseness.errors import InputError
from tcloseness.ground import Matrix
from tcloseness.lattice import RollUp
from tcloseness.lattice.searches import minimal_generalizations
from tcloseness.microdata import Domain, FrequencySet, Hierarchy, Microdata
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    Combination,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.optimal import (
    optimal_cut,
    optimal_hiding,
    optimal_microaggregation,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
)
from tcloseness.optimal.linear_constraints import ClassVariables, Setting, require
from tcloseness.optimal.program import Program
from tcloseness.release.draws import Draws

TREE = Hierarchy.from_groups([{"left": [0, 1], "right": [2, 3]}])

SQUARE = Matrix([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])

BY_GROUND = (
    TCloseness("1/4", ground=TREE),
    TCloseness("1/4", ground=SQUARE),
    TCloseness("1/6", ground="ordered"),
    KAnonymity(2) & TCloseness("1/6", ground=SQUARE) & RecursiveCLDiversity(2, c=3),
)


def renamings(model: Any, m: int) -> list[tuple[int, ...]]:
    """Every π, value → its new name, that leaves to a model what it asks."""
    everything = list(permutations(range(m)))
    back = [tuple(range(m)), tuple(reversed(range(m)))]
    parts = model.models if isinstance(model, Combination) else (model,)
    for part in parts:
        if isinstance(part, AlphaKAnonymity) and part.values is not None:
            everything = [p for p in everything if all(p[v] == v for v in part.values)]
        ground = getattr(getattr(part, "distance", None), "ground", None)
        if isinstance(ground, str) and ground.startswith("ordered"):
            everything = [p for p in everything if p in back]
        if isinstance(ground, Hierarchy):
            everything = [p for p in everything if {p[0], p[1]} in ({0, 1}, {2, 3})]
        if isinstance(ground, Matrix):
            everything = [
                p
                for p in everything
                if all(ground.row(i)[j] == ground.row(p[i])[p[j]] for i in range(m) for j in range(m))
            ]
    return everything


def by_shape(model: Any) -> bool:
    """Whether a model's ground distance is one of those over four values."""
    parts = model.models if isinstance(model, Combination) else (model,)
    return any(
        isinstance(getattr(getattr(part, "distance", None), "ground", None), (Hierarchy, Matrix)) for part in parts
    )


def renamed(vector: Sequence[int], pi: Sequence[int]) -> list[int]:
    found = [0] * len(vector)
    for v, count in enumerate(vector):
        found[pi[v]] = count
    return found


def orders(m: int) -> list[dict[str, Sequence[int]]]:
    return [{"order of the values": order} for order in permutations(range(m))]


def written(model: Any, row: Sequence[int], reference: Sequence[int], order: Sequence[int]) -> Any:
    """The program that asks a model of what is kept of one class."""
    program = Program()
    setting = Setting(Domain.declare(range(len(reference))), reference, order)
    opened = program.add(0, 1)
    present = setting.in_order(v for v, count in enumerate(row) if count)
    counts = {v: {program.add(0, row[v]): 1} for v in present}
    require(program, model, ClassVariables(counts, {v: row[v] for v in present}, {opened: 1}), setting)
    return program.variables, [(list(each.terms.items()), each.most) for each in program.rows], program.costs


@pytest.mark.parametrize(
    "model", [*LINEAR, *BY_GROUND], ids=lambda model: title(model) if model in LINEAR else "ground"
)
def test_the_program_of_renamed_values_is_the_same_to_the_letter(model):
    """So whatever a solver makes of it, it makes of both; also where rows and variables stand is the same."""
    rng = random.Random(0)
    for _ in range(6):
        row = [rng.choice([0, 1, 2, 2, 3]) for _ in range(4)]
        reference = [count + rng.choice([1, 1, 2]) for count in row]
        for pi in rng.sample(renamings(model, 4), min(len(renamings(model, 4)), 6)):
            order = rng.sample(range(4), 4)
            other = [pi[v] for v in order]
            assert written(model, row, reference, order) == written(
                model, renamed(row, pi), renamed(reference, pi), other
            )


def test_there_is_a_renaming_for_every_model_that_is_tried():
    assert min(len(renamings(model, 4)) for model in (*LINEAR, *BY_GROUND)) == 2


def shown(found: Any) -> Any:
    """What a release of class counts shows."""
    solution = found.solution
    if hasattr(solution, "kept"):
        return tuple(solution.kept.tolist())
    if hasattr(solution, "hidden"):
        return tuple(solution.hidden.tolist())
    return tuple(frozenset(one.items()) for one in solution.shown)


def cells(counts: Any, found: Any, pi: Sequence[int]) -> Any:
    """The same by class and value, with the old names of values in place of the new ones."""
    old = {new: v for v, new in enumerate(pi)}
    release = shown(found)
    if isinstance(release[0], frozenset):
        tree = found.solution.labels

        def named(node: int) -> Any:
            label = tree[node]
            if label in old:
                return old[label]
            below = {"left": {0, 1}, "right": {2, 3}}.get(label, {0, 1, 2, 3})
            return frozenset(old[v] for v in below)

        return tuple(frozenset((old[v], named(node), often) for (v, node), often in one) for one in release)
    owner, values = counts.class_of_cell.tolist(), counts.values.tolist()
    return frozenset((g, old[v], count) for g, v, count in zip(owner, values, release, strict=True))


TASKS = {
    "suppression": optimal_suppression,
    "hiding": optimal_hiding,
    "sensitive generalization": lambda counts, model, **how: optimal_sensitive_generalization(
        counts, model, TREE, **how
    ),
}

MODELS = (
    FrequencyLDiversity(2),
    RecursiveCLDiversity(2, c=1),
    BasicBetaLikeness("1/4"),
    EnhancedBetaLikeness("1/4"),
    DeltaDisclosure("3/4"),
    DeltaDisclosure("1/2", absent="skipped"),
    AlphaKAnonymity("2/5", 2),
    KAnonymity(2) & DistinctLDiversity(3),
    TCloseness("1/6", ground="equal"),
    TCloseness("1/8", ground="ordered"),
    TCloseness("1/8", ground=TREE),
    TCloseness("1/8", ground=SQUARE),
)


def asked() -> Iterator[Any]:
    for task in TASKS:
        for model in MODELS:
            if task == "suppression" or isinstance(model, TCloseness):
                marks = [pytest.mark.slow] if by_shape(model) and task != "suppression" else []
                yield pytest.param(task, model, id=f"{task}, {model.name}", marks=marks)


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.parametrize(("task", "model"), list(asked()))
def test_every_release_is_as_probable_as_that_of_the_renamed_values(task, model):
    """Exactly: over all orders of three or four values, for a class with equally frequent values, and another."""
    rng = random.Random(f"{task} {model.name}")
    m = 3 if task != "sensitive generalization" and not by_shape(model) else 4
    while True:
        vectors = [[rng.choice([0, 1, 2, 2, 4]) for _ in range(m)] for _ in range(2)]
        reference = [sum(column) for column in zip(*vectors, strict=True)]
        if not all(map(sum, vectors)) or not all(reference):
            continue
        choices = renamings(model, m)
        if task == "sensitive generalization":
            choices = [p for p in choices if {p[0], p[1]} in ({0, 1}, {2, 3})]
        pi = rng.choice([p for p in choices if p != tuple(range(m))])

        def made(vectors: Any, reference: Any, pi: Any) -> Any:
            counts = counts_of(vectors, reference)
            found = TASKS[task](counts, model)
            return "infeasible" if not hasattr(found, "solution") else cells(counts, found, pi)

        one = distribution(lambda v=vectors, r=reference: made(v, r, range(m)), orders(m))
        if set(one) == {"infeasible"}:
            continue
        other = distribution(
            lambda v=vectors, r=reference, pi=pi: made([renamed(x, pi) for x in v], renamed(r, pi), pi), orders(m)
        )
        assert one == other
        return


@pytest.mark.long
@pytest.mark.solver
def test_of_two_values_of_which_either_may_go_each_goes_as_often():
    """Of xxxyyyzw, 1/4 from Q, one x or one y must go, or be shown otherwise: if the order were not drawn, always the
    same."""
    counts, model = counts_of([[3, 3, 1, 1]], [9, 9, 9, 9]), TCloseness("7/32", ground="equal")
    for task in sorted(TASKS):
        often = distribution(lambda task=task: shown(TASKS[task](counts, model)), orders(4))
        assert len(often) > 1, task
        if task != "sensitive generalization":
            assert all(often[x, y, z, w] == often[y, x, z, w] for x, y, z, w in often)


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.parametrize("formulation", ["set-partitioning", "column-generation", "assignment"])
@pytest.mark.parametrize(
    "model",
    [
        KAnonymity(2) & DistinctLDiversity(2),
        KAnonymity(2) & TCloseness("1/3", ground="equal"),
        KAnonymity(2) & TCloseness("1/3", ground="ordered"),
    ],
    ids=["distinct", "equal", "ordered"],
)
def test_every_partition_is_as_probable_as_that_of_the_renamed_values(formulation, model):
    """Exactly: over all orders of the values and of the records with equal quasi-identifiers."""
    pi = {"a": "c", "b": "b", "c": "a"}
    for ages, secret in (([0, 0, 1, 1], "abcb"), ([0, 0, 1, 2], "acbc")):
        tables = [
            Microdata.from_frame(
                pd.DataFrame({"x": ages, "s": values}), quasi_identifiers="x", sensitive="s", orders={"s": list("abc")}
            )
            for values in (list(secret), [pi[value] for value in secret])
        ]
        made = [
            distribution(
                lambda t=t: release_of(optimal_partition(t, model, formulation=formulation).solution.grouped.class_of),
                [{**ties, **order} for ties in tie_orders(t) for order in orders(3)],
            )
            for t in tables
        ]
        assert made[0] == made[1]


@pytest.mark.solver
@pytest.mark.parametrize("loss", ["ncp", "dm"])
def test_cuts_and_nodes_do_not_depend_on_the_names_of_values(loss):
    """These draw nothing: of equally good cuts one is taken by quasi-identifiers alone, and all nodes are listed."""
    rng = random.Random("cuts")
    towns = {name: Hierarchy.from_groups([{f"{name}1": [0, 1], f"{name}2": [2, 3]}], name=name) for name in ("x", "y")}
    models = (KAnonymity(2) & DistinctLDiversity(2), KAnonymity(2) & TCloseness("1/3", ground="equal"))
    for _ in range(8):
        columns = {name: rng.choices(range(4), k=8) for name in towns}
        secret, names, model = rng.choices("abc", k=8), rng.sample("abc", 3), rng.choice(models)
        seen = set()
        for values in (secret, [names["abc".index(value)] for value in secret]):
            table = Microdata.from_frame(
                pd.DataFrame({**columns, "s": values}), quasi_identifiers=["x", "y"], sensitive="s"
            )
            found = optimal_cut(table, model, loss, hierarchies=towns)
            roll_up = RollUp(FrequencySet.of(table), towns)
            searched = minimal_generalizations(roll_up, model)
            seen.add(
                (
                    tuple(sorted(found.solution.nodes.items())) if hasattr(found, "solution") else found.reason,
                    tuple(searched.minimal),
                )
            )
        assert len(seen) == 1


@pytest.mark.solver
@pytest.mark.parametrize("task", sorted(TASKS))
def test_without_a_seed_the_order_is_drawn_and_with_one_it_is_the_same_again(task):
    counts, model = counts_of([[3, 3, 1, 1]], [9, 9, 9, 9]), TCloseness("7/32", ground="equal")
    assert len({shown(TASKS[task](counts, model, seed=seed)) for seed in range(12)}) > 1
    assert len({shown(TASKS[task](counts, model, seed=3)) for _ in range(3)}) == 1
    found = TASKS[task](counts, model, seed=3).solution
    verdict = found.verdict if task == "suppression" else found.verdicts[-1]
    assert verdict.conventions["draws"] == "seed 3 given: repeatable, not for publication"
    secret = TASKS[task](counts, model).solution
    verdict = secret.verdict if task == "suppression" else secret.verdicts[-1]
    assert verdict.conventions["draws"] == "drawn at random with a secret seed"
    with pytest.raises(InputError, match=r"the seed is -1; it must be a whole number from 0 to 2¹²⁸ − 1, or be left"):
        TASKS[task](counts, model, seed=-1)


def test_which_of_equal_numbers_goes_into_which_group_is_drawn():
    """0, 1, 1, 1, 5 in groups of two or more: which two of the ones join the zero is not who stands first."""
    joins = {optimal_microaggregation([0, 1, 1, 1, 5], 2, seed=seed).solution.groups[0][1:] for seed in range(40)}
    assert len({optimal_microaggregation([0, 1, 1, 1, 5], 2, seed=3).solution.groups for _ in range(3)}) == 1
    assert joins == {(1, 2), (1, 3), (2, 3)}
    found = optimal_microaggregation([0, 1, 1, 1, 5], 2, seed=3)
    assert found.to_dict()["solution"]["draws"] == "seed 3 given: repeatable, not for publication"


def test_every_order_of_the_values_is_drawn():
    assert len({tuple(Setting.drawn(Domain.declare("abc"), [1, 1, 1], Draws(seed)).order) for seed in range(60)}) == 6
    with drawing({"order of the values": [2, 0, 1]}):
        setting = Setting.drawn(Domain.declare("abc"), [1, 1, 1], Draws(0))
    assert (list(setting.order), setting.place, setting.in_order([0, 1, 2])) == ([2, 0, 1], [1, 2, 0], [2, 0, 1])
