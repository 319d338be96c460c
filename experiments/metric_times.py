"""Speed of EMDs by a metric that is a matrix: one distance, all classes of a table, and searches of a lattice."""

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
from experiments.timing import POT, Row, medians, peer, shown_seconds
from tcloseness.exact import IntArray
from tcloseness.ground import Matrix
from tcloseness.lattice import optimum
from tcloseness.measures import EMD
from tcloseness.microdata import FrequencySet
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.transport import certify, emd
from tcloseness.writing import write_files

__all__ = ["any_metric"]

QUASI_IDENTIFIERS = ("age", "workclass", "education", "native-country", "marital-status", "race", "sex")


def any_metric() -> list[Row]:
    """EMDs by a metric that is a matrix, exact and proved, beside POT's emd2 in doubles; and searches by one."""
    rng = np.random.default_rng(2007)

    def metric(m: int) -> IntArray:
        places = rng.integers(0, 1_000_000, (m, 3))
        return np.asarray(np.abs(places[:, None] - places[None]).sum(axis=2))

    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.json"

        def pot(p: IntArray, q: IntArray, d: IntArray, repeats: int) -> float:
            arrays = {"p": p.tolist(), "q": q.tolist(), "d": d.tolist()}
            write_files({problem: json.dumps(arrays).encode()}, force=True)
            return float(
                peer(
                    "import json, statistics, time, numpy as np, ot\n"
                    f"z = {{name: np.array(x, float) for name, x in json.load(open({str(problem)!r})).items()}}\n"
                    "d = z['d']; q = z['q'] / z['q'].sum()\n"
                    "ps = z['p'] / z['p'].sum(axis=1, keepdims=True); times = []\n"
                    f"for turn in range({repeats} + 1):\n"
                    "    begun = time.process_time()\n"
                    "    for p in ps: ot.emd2(p, q, d)\n"
                    "    times.append(time.process_time() - begun)\n"
                    "print(statistics.median(times[1:]))\n"
                )
            )

        for m in (41, 100, 300, 1000):
            d, p, q = metric(m), rng.integers(1, 1000, m), rng.integers(1, 1000, m)
            ground, repeats = Matrix(d), max(3000 // m, 5)
            ways: dict[str, Callable[[], object]] = {
                "EMD": partial(emd, p, q, ground, counts=True),  # type: ignore[arg-type]
                "written certificate": partial(certify, p, q, ground, counts=True),  # type: ignore[arg-type]
            }
            found = {name: medians({name: way}, repeats, time.process_time)[name] for name, way in ways.items()}
            theirs = pot(p[None], q, d, repeats)
            rows += [
                (
                    f"{way}, random metric, {m:,} values, exact and proved; CPU time",
                    shown_seconds(seconds),
                    f"POT {POT}, ot.emd2 in doubles: {shown_seconds(theirs)}",
                    f"{seconds / theirs:.2f}",
                )
                for way, seconds in found.items()
            ]
        frame = adult.load("train-complete")
        for sensitive in ("occupation", "age"):
            names = [name for name in QUASI_IDENTIFIERS if name != sensitive]
            classes = FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive=sensitive).class_counts()
            d = metric(len(classes.domain))
            measure = EMD(Matrix(d)).over(classes.domain)
            ours = medians({"ours": partial(measure.per_class, classes)}, 9, time.process_time)
            counts = classes.matrix.T
            distinct = np.unique(counts // np.gcd.reduce(counts, axis=1)[:, None], axis=0)
            theirs = pot(distinct, classes.reference, d, 3)
            rows.append(
                (
                    f"t of Adult, {sensitive} ({len(classes.domain)} values), matrix metric, all {len(classes):,} "
                    "classes, proved; CPU time",
                    shown_seconds(ours["ours"]),
                    f"POT {POT}, ot.emd2 of the {len(distinct):,} distinct distributions: {shown_seconds(theirs)}",
                    f"{ours['ours'] / theirs:.3f}",
                )
            )
    return rows + _searches_by_a_metric(Matrix(metric(14)))


def _searches_by_a_metric(ground: Matrix) -> list[Row]:
    table = arx_example.rolled()
    farthest = ground.greatest

    def run(model: Any) -> Callable[[], object]:
        def work() -> object:
            table.forget()
            return optimum(table, model, loss=arx_example.ArxLoss())

        return work

    rows: list[Row] = []
    for t in (Fraction(1, 5), Fraction(3, 20)):
        assert farthest is not None
        by_matrix = KAnonymity(5) & TCloseness(t * farthest, ground=ground)
        found = medians(
            {"matrix": run(by_matrix), "equal": run(KAnonymity(5) & TCloseness(t, ground="equal"))},
            9,
            time.process_time,
        )
        rows.append(
            (
                f"optimum of {len(table.lattice):,} nodes, k = 5 and t = {float(t):g} of the greatest distance of a "
                "matrix metric; CPU time",
                shown_seconds(found["matrix"]),
                f"the same with the equal distance: {shown_seconds(found['equal'])}",
                f"{found['matrix'] / found['equal']:.1f}",
            )
        )
    return rows
