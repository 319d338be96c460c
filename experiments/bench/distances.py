"""Speed of EMDs: by a metric that is a matrix, and by the closed forms over all classes of a table."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments import adult, arx_example
from experiments.bench.timing import PEERS, Curve, Row, medians, peer
from tcloseness.exact import IntArray
from tcloseness.ground import Cuts, Equal, Hierarchical, Matrix, Ordered
from tcloseness.lattice import optimum
from tcloseness.measures import EMD
from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.transport import certify, emd
from tcloseness.transport.batched import class_emds
from tcloseness.writing import write_files

__all__ = ["QUASI_IDENTIFIERS", "measure"]

QUASI_IDENTIFIERS = ("age", "workclass", "education", "native-country", "marital-status", "race", "sex")

_BEFORE = {41: 44.0, 300: 34.0, 1000: 34.0}
_CERTIFIED_BEFORE = {41: 49.0, 300: 34.0, 1000: 34.0}


def measure(peers: bool) -> tuple[list[Row], list[Curve]]:
    """EMDs by a matrix, beside POT in doubles; all classes by the closed forms, beside one addition of the counts."""
    rng = np.random.default_rng(2007)
    found, curves = _one_distance(rng, peers)
    return [*found, *_classes_of_adult(rng, peers), *_searches(rng), *_batched(), *_sparse()], curves


def _metric(rng: np.random.Generator, m: int) -> IntArray:
    places = rng.integers(0, 1_000_000, (m, 3))
    return np.asarray(np.abs(places[:, None] - places[None]).sum(axis=2))


def _theirs(way: str, p: IntArray, q: IntArray, d: IntArray, repeats: int) -> float:
    """Return the median CPU seconds in which another package computes the distances of several P from Q."""
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.json"
        write_files({problem: json.dumps({"p": p.tolist(), "q": q.tolist(), "d": d.tolist()}).encode()})
        (seconds,) = peer(
            "import json, statistics, time, numpy as np\n"
            f"z = {{name: np.array(x, float) for name, x in json.load(open({str(problem)!r})).items()}}\n"
            "d = z['d']; q = z['q'] / z['q'].sum(); ps = z['p'] / z['p'].sum(axis=1, keepdims=True)\n"
            f"{_WAYS[way]}\n"
            "times = []\n"
            f"for turn in range({repeats} + 1):\n"
            "    begun = time.process_time()\n"
            "    for p in ps: work(p)\n"
            "    times.append(time.process_time() - begun)\n"
            "print(statistics.median(times[1:]))\n"
        )
    return seconds


_WAYS = {
    "POT": "import ot\nwork = lambda p: ot.emd2(p, q, d)",
    "pyemd": "import pyemd\nwork = lambda p: pyemd.emd(p, q, d)",
    "OR-tools": (
        "from ortools.graph.python.min_cost_flow import SimpleMinCostFlow\n"
        "m = len(q); n, k = int(z['p'].sum()), int(z['q'].sum()); cost = d.astype(np.int64).ravel()\n"
        "tails = np.repeat(np.arange(m, dtype=np.int32), m); heads = np.tile(np.arange(m, 2 * m, dtype=np.int32), m)\n"
        "supply = np.concatenate([z['p'][0].astype(np.int64) * k, -z['q'].astype(np.int64) * n])\n"
        "many = np.full(m * m, n * k, dtype=np.int64)\n"
        "def work(p):\n"
        "    flow = SimpleMinCostFlow()\n"
        "    flow.add_arcs_with_capacity_and_unit_cost(tails, heads, many, cost)\n"
        "    flow.set_nodes_supplies(np.arange(2 * m, dtype=np.int32), supply)\n"
        "    assert flow.solve() == flow.OPTIMAL\n"
    ),
}


def _one_distance(rng: np.random.Generator, peers: bool) -> tuple[list[Row], list[Curve]]:
    sizes = (41, 100, 300, 1000)
    ours: dict[str, list[float]] = {"tc.emd": [], "tc.certify": [], "tc.certify, networkx": []}
    theirs: dict[str, list[float]] = {name: [] for name in _WAYS}
    for m in sizes:
        d, p, q = _metric(rng, m), rng.integers(1, 1000, m), rng.integers(1, 1000, m)
        ground, repeats = Matrix(d), max(3000 // m, 5)
        ways: dict[str, Callable[[], object]] = {
            "tc.emd": partial(emd, p, q, ground, counts=True),  # type: ignore[arg-type]
            "tc.certify": partial(certify, p, q, ground, counts=True),  # type: ignore[arg-type]
        }
        for name, way in ways.items():
            ours[name].append(medians({name: way}, repeats)[name])
        if m <= sizes[2]:
            flow = partial(certify, p, q, ground, counts=True, solver="networkx")  # type: ignore[arg-type]
            ours["tc.certify, networkx"].append(medians({"networkx": flow}, 1)["networkx"])
        for name, seconds in theirs.items() if peers else ():
            if name == "POT" or m <= sizes[2]:
                seconds.append(_theirs(name, p[None], q, d, repeats if name == "POT" else 3))
    panel = "EMD by a random metric of m values"
    curves = [
        Curve(panel, name, sizes[: len(seconds)], tuple(seconds))
        for name, seconds in {**ours, **theirs}.items()
        if seconds
    ]
    rows = []
    for i, m in enumerate(sizes if peers else ()):
        of_pot = f"ot.emd2 of POT {PEERS['POT']}, in doubles", theirs["POT"][i]
        what = f"random metric, {m:,} values"
        rows.append(Row(f"`tc.emd`, {what}", ours["tc.emd"][i], *of_pot, 1 / 2, _BEFORE.get(m)))
        goal = 2 if m >= sizes[1] else None
        rows.append(
            Row(
                f"`tc.certify`, {what}",
                ours["tc.certify"][i],
                *of_pot,
                goal,
                _CERTIFIED_BEFORE.get(m) if goal else None,
            )
        )
    return rows, curves


def _classes_of_adult(rng: np.random.Generator, peers: bool) -> list[Row]:
    frame = adult.load("train-complete")
    rows = []
    for sensitive, goal, before in (("occupation", 1 / 20, 11.0), ("age", 1 / 5, 37.0)):
        names = [name for name in QUASI_IDENTIFIERS if name != sensitive]
        classes = FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive=sensitive).class_counts()
        d = _metric(rng, len(classes.domain))
        measured = EMD(Matrix(d)).over(classes.domain)
        ours = medians({"ours": partial(measured.per_class, classes)}, 9)["ours"]
        counts = classes.matrix.T
        distinct = np.unique(counts // np.gcd.reduce(counts, axis=1)[:, None], axis=0)
        if peers:
            rows.append(
                Row(
                    f"t of Adult, {sensitive} ({len(classes.domain)} values), matrix metric, {len(classes):,} classes, "
                    "proved",
                    ours,
                    f"ot.emd2 of POT {PEERS['POT']} for the {len(distinct):,} distinct distributions",
                    _theirs("POT", distinct, classes.reference, d, 3),
                    goal,
                    before,
                )
            )
    return rows


def _searches(rng: np.random.Generator) -> list[Row]:
    table, ground = arx_example.rolled(), Matrix(_metric(rng, 14))
    farthest = ground.greatest

    def run(model: Any) -> Callable[[], object]:
        def work() -> object:
            table.forget()
            return optimum(table, model, loss=arx_example.ArxLoss())

        return work

    rows = []
    for t in (Fraction(1, 5), Fraction(3, 20)):
        assert farthest is not None
        by_matrix = KAnonymity(5) & TCloseness(t * farthest, ground=ground)
        by_equal = KAnonymity(5) & TCloseness(t, ground="equal")
        found = medians({"matrix": run(by_matrix), "equal": run(by_equal)}, 9)
        rows.append(
            Row(
                f"optimum of {len(table.lattice):,} nodes, k = 5 and t = {float(t):g} of a matrix metric's diameter",
                found["matrix"],
                "the same with the equal distance",
                found["equal"],
                3,
                30,
            )
        )
    return rows


def _batched() -> list[Row]:
    rng = np.random.default_rng(0)
    m, g = 14, 1_000_000
    counts = rng.poisson(rng.dirichlet(np.ones(m))[:, None] * 40, size=(m, g)).astype(np.int64)
    counts[0] += 1
    classes = ClassCounts.from_matrix(counts)
    groups = Hierarchy.from_groups([{"a": range(5), "b": range(5, 10), "c": range(10, 14)}])
    grounds: dict[str, Ordered | Equal | Hierarchical] = {
        "ordered": Ordered(m),
        "equal": Equal(m),
        "hierarchical": Hierarchical(groups, Domain.declare(range(m))),
    }
    out = np.empty_like(counts)

    def work(cuts: Cuts) -> Callable[[], object]:
        return lambda: class_emds(classes, cuts)

    candidates: dict[str, Callable[[], object]] = {"np.add": lambda: np.add(counts, counts, out=out)}
    found = medians(candidates | {name: work(ground.cuts) for name, ground in grounds.items()}, 9, time.perf_counter)
    add = "one np.add over the same int64 counts", found["np.add"]
    return [
        Row(f"EMD of 1,000,000 classes × 14 values, {name} distance, exact", found[name], *add, unit="s")
        for name in grounds
    ]


def _sparse() -> list[Row]:
    rng = np.random.default_rng(1)
    g, per_class = 100_000, 5
    rows = []
    for name, ground in (("ordered", Ordered), ("equal", Equal)):
        candidates: dict[str, Callable[[], object]] = {}
        for m in (1_000, 100_000):
            values = np.sort(
                rng.integers(0, m // per_class, size=(g, per_class)) + np.arange(per_class) * (m // per_class)
            )
            classes = ClassCounts.from_cells(
                Domain.declare(range(m)),
                np.arange(0, g * per_class + 1, per_class),
                values.ravel(),
                rng.integers(1, 4, size=g * per_class),
            )
            candidates[f"{m:,}"] = partial(class_emds, classes, ground(m).cuts)
        found = medians(candidates, 3)
        what = f"EMD of 100,000 classes over 100,000 values, 500,000 cells, {name} distance"
        rows.append(Row(what, found["100,000"], "the same cells over 1,000 values", found["1,000"]))
    return rows
