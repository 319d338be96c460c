"""Speed of searches: every node of a lattice, minimal nodes, optima with and without suppression, large lattices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import pandas as pd

from experiments import adult, adult_lattices, arx_example
from experiments.adult_hierarchies import occupation_groups
from experiments.bench.distances import QUASI_IDENTIFIERS
from experiments.bench.timing import Curve, Row, groupby, medians, program
from tcloseness.lattice import (
    RollUp,
    SearchResult,
    exhaustive,
    exhaustive_each,
    incognito,
    minimal_generalizations,
    optimum,
)
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness

__all__ = ["halved", "measure"]

_SUPPRESSION = Fraction(4, 100)
_GOALS_OF_SUPPRESSION = {
    "k = 5": 90.0,
    "ordered t = 0.2": 50.0,
    "ordered t = 0.15": 50.0,
    "entropy l = 5": 40.0,
    "recursive (4,4)": 36.0,
}


def measure(peers: bool) -> tuple[list[Row], list[Curve]]:
    """Searches of Adult's lattices, in one group-by of its columns; none of the other packages searches in Python."""
    large, curves = _large()
    return [*_from_frame(), *_suppressed(), *large, *_threads(), *_many_rows(), *_sweeps(), *_minimal()], curves


def _from_frame() -> list[Row]:
    """Frequency set, roll-up and optimum of a table that nothing is known of: nine questions, each anew."""
    names = list(arx_example.rolled().lattice.quasi_identifiers)
    hierarchies = arx_example.rolled().lattice.hierarchies
    frame = adult.load("train-complete").astype(str)[[*names, "occupation"]]
    text = {name: _of_texts(hierarchies[name]) for name in names}
    yardstick, one = groupby()

    def run(model: Any) -> Callable[[], object]:
        def work() -> object:
            table = FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive="occupation", orders=orders)
            return optimum(RollUp(table, text), model, loss=arx_example.ArxLoss())

        return work

    orders: dict[str, Sequence[Hashable]] = {"occupation": sorted(frame["occupation"].unique())}
    questions = arx_example.nine_questions()
    found = medians({name: run(model) for name, model in questions.items()} | {"one": one}, 7)
    return [
        Row(
            f"from a frame of text to the optimum of 2,160 nodes, {name}",
            found[name],
            yardstick,
            found["one"],
            0.5,
            1.3,
        )
        for name in questions
    ]


def _of_texts(hierarchy: Hierarchy) -> Hierarchy:
    return Hierarchy([tuple(map(str, path)) for path in hierarchy.paths], name=hierarchy.name)


def _suppressed() -> list[Row]:
    """The nodes of least ARX loss, from the compressed table, also where 4 % of the records may be suppressed."""
    table = arx_example.rolled()
    yardstick, one = groupby()

    def run(model: Any, suppression: Fraction) -> Callable[[], object]:
        def work() -> object:
            table.forget()
            return optimum(table, model, loss=arx_example.ArxLoss(), suppression=suppression)

        return work

    questions = arx_example.nine_questions()
    ways = {
        (name, share): run(model, share) for share in (Fraction(0), _SUPPRESSION) for name, model in questions.items()
    }
    found = medians({f"{name} {share}": way for (name, share), way in ways.items()} | {"one": one}, 7)
    rows = []
    for name, share in ways:
        before = _GOALS_OF_SUPPRESSION.get(name) if share else None
        what = f"optimum of 2,160 nodes, {name}" + (", 4 % may be suppressed" if share else "")
        seconds = found[f"{name} {share}"]
        rows.append(Row(what, seconds, yardstick, found["one"], None if before is None else 2, before))
    return rows


def halved(frame: pd.DataFrame, name: str) -> Hierarchy:
    """Return the hierarchy that halves the sorted values of a column again and again."""
    values = sorted(frame[name].unique())
    height = (len(values) - 1).bit_length()
    return Hierarchy(
        [
            (value, *(f"{level}.{place >> level}" for level in range(1, height + 1)))
            for place, value in enumerate(values)
        ],
        name=name,
    )


def _large() -> tuple[list[Row], list[Curve]]:
    frame = adult.load("train-complete")
    yardstick, one = groupby()
    tables = {}
    for names in (QUASI_IDENTIFIERS[:4], QUASI_IDENTIFIERS[:6], QUASI_IDENTIFIERS, (*QUASI_IDENTIFIERS, "class")):
        table = FrequencySet.from_frame(frame, quasi_identifiers=list(names), sensitive="occupation")
        rolled = RollUp(table, {name: halved(frame, name) for name in names})
        tables[len(rolled.lattice)] = rolled

    def run(rolled: RollUp) -> Callable[[], object]:
        def work() -> object:
            rolled.forget()
            return optimum(rolled, KAnonymity(5), loss=arx_example.ArxLoss())

        return work

    found = medians({f"{nodes}": run(rolled) for nodes, rolled in tables.items()} | {"one": one}, 7)
    *_, less, most = tables
    rows = []
    for nodes, goal, before in ((less, 2.5, 9), (most, 5, 36)):
        what = f"optimum of {nodes:,} nodes (halving hierarchies), k = 5"
        rows.append(Row(what, found[f"{nodes}"], yardstick, found["one"], goal, before))
    seconds = tuple(found[f"{nodes}"] for nodes in tables)
    return rows, [Curve("Optimum of a lattice of n nodes", "Adult, k = 5, halving hierarchies", tuple(tables), seconds)]


_OPTIMUM_OF_A_LARGE_LATTICE = """
import time
from experiments.bench.lattices import QUASI_IDENTIFIERS, halved
from experiments import adult, arx_example
from tcloseness.lattice import RollUp, optimum
from tcloseness.microdata import FrequencySet
from tcloseness.models import KAnonymity
frame = adult.load("train-complete")
names = list(QUASI_IDENTIFIERS[:6])
table = FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive="occupation")
times = []
for turn in range(6):
    rolled = RollUp(table, {name: halved(frame, name) for name in names})
    begun = time.process_time()
    optimum(rolled, KAnonymity(5), loss=arx_example.ArxLoss())
    times.append(time.process_time() - begun)
print(sorted(times[1:])[2])
"""


def _threads() -> list[Row]:
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    (default,), (single,) = program(_OPTIMUM_OF_A_LARGE_LATTICE), program(_OPTIMUM_OF_A_LARGE_LATTICE, **one)
    return [Row("optimum of a lattice, threads of BLAS as they come", default, "with one thread", single, 1.25)]


_ROLL_UP_OF_MANY_ROWS = """
import resource, time
import numpy as np, pandas as pd
from tcloseness.lattice import RollUp
from tcloseness.microdata import FrequencySet, Hierarchy
rng = np.random.default_rng(2007)
n, sizes = 4_591_581, {"a": 1000, "b": 100, "c": 100, "d": 20, "e": 10, "f": 5}
places = rng.choice(np.prod(list(sizes.values())), n, replace=False)
frame = {}
for name, size in sizes.items():
    frame[name] = places % size
    places = places // size
frame["s"] = rng.integers(0, 100, n)
frame = pd.DataFrame(frame)
trees = {}
for name, size in sizes.items():
    height = (size - 1).bit_length()
    trees[name] = Hierarchy([(v, *(f"{l}.{v >> l}" for l in range(1, height + 1))) for v in range(size)], name=name)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
begun = time.process_time()
table = FrequencySet.from_frame(frame, quasi_identifiers=list(sizes), sensitive="s")
counted = time.process_time() - begun
before = peak()
begun = time.process_time()
rolled = RollUp(table, trees)
classes = rolled.classes(tuple(0 for _ in sizes))
print(counted, time.process_time() - begun, before, peak())
"""


def _many_rows() -> list[Row]:
    counted, rolled, _, peak = program(_ROLL_UP_OF_MANY_ROWS)
    what = "roll-up of 4,591,581 distinct rows, 6 attributes"
    return [
        Row(f"{what}, and its most specific classes", rolled, "their frequency set", counted, 2),
        Row(f"{what}: memory of the process at its peak", peak, "rows included", None, 1.5e9, 10.7e9, unit="bytes"),
    ]


FIVE = "k = 6, distinct l = 3, entropy l = 2, recursive (4,3), hierarchical t = 0.2"


def _five(k: int) -> tuple[Any, ...]:
    close = TCloseness("0.2", ground=occupation_groups("S1"))
    return KAnonymity(k), DistinctLDiversity(3), EntropyLDiversity(2), RecursiveCLDiversity(3, c=4), close


def _sweeps() -> list[Row]:
    """Every node of the seven-attribute lattice decided for five models, and the same of ten times the records."""
    table = adult_lattices.rolled("T1")
    frame = adult.load("train-complete")
    repeated = pd.concat([frame] * 10, ignore_index=True)
    names = list(table.lattice.quasi_identifiers)
    orders: dict[str, Sequence[Hashable]] = {"occupation": sorted(frame["occupation"].unique())}
    many = FrequencySet.from_frame(repeated, quasi_identifiers=names, sensitive="occupation", orders=orders)
    ten = RollUp(many, table.lattice.hierarchies)

    def sweep(of: RollUp, k: int) -> Callable[[], object]:
        def work() -> object:
            of.forget()
            return exhaustive_each(of, _five(k))

        return work

    columns = [*names, "occupation"]
    found = medians(
        {"once": sweep(table, 6), "ten": sweep(ten, 60), "groupby": lambda: frame.groupby(columns).size()}, 5
    )
    nodes = len(table.lattice)
    return [
        Row(
            f"all {nodes:,} nodes of Adult's lattice decided for five models ({FIVE}), each by itself",
            found["once"],
            "one pandas groupby(…).size() of the columns",
            found["groupby"],
        ),
        Row("the same for Adult × 10 (301,620 records, k = 60)", found["ten"], "for Adult", found["once"]),
    ]


def _minimal() -> list[Row]:
    """All minimal generalizations, from the compressed table: our search beside the exhaustive one and Incognito."""
    table = adult_lattices.rolled("T1")
    models = {
        "k = 5": KAnonymity(5),
        "k = 5 and hierarchical t = 0.2": KAnonymity(5) & TCloseness("0.2", ground=occupation_groups("S1")),
        "entropy l = 2": EntropyLDiversity(2),
        "recursive (4,2)": RecursiveCLDiversity(2, c=4),
    }

    def run(search: Callable[..., SearchResult], model: Any) -> Callable[[], object]:
        def work() -> object:
            table.forget()
            return search(table, model)

        return work

    rows = []
    ways: dict[str, Callable[..., SearchResult]] = {
        "ours": minimal_generalizations,
        "exhaustive": exhaustive,
        "Incognito": incognito,
    }
    for name, model in models.items():
        found = medians({way: run(search, model) for way, search in ways.items()}, 5)
        checked = {way: search(table, model).work.checked for way, search in ways.items()}
        rows += [
            Row(
                f"all minimal nodes of {len(table.lattice):,}, {name}: {checked['ours']} nodes checked",
                found["ours"],
                f"{other}, {checked[other]:,} nodes checked",
                found[other],
            )
            for other in ("exhaustive", "Incognito")
        ]
    return rows
