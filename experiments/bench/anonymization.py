"""Speed of the methods that group near records of Adult, beside a plain compiled loop and beside anonypyx."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments import adult
from experiments.bench.timing import PEERS, Curve, Row, medians, peer
from tcloseness.anonymize import closeness_first, mdav, mondrian, sabre, swapping
from tcloseness.exact import IntArray
from tcloseness.microdata import Microdata
from tcloseness.models import KAnonymity, TCloseness

__all__ = ["measure", "plain_mdav"]

NUMBERS = ["age", "fnlwgt", "education-num", "hours-per-week"]


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def plain_mdav(x: npt.NDArray[np.float64], k: int) -> IntArray:
    """MDAV as one writes it down: rows of doubles, the mean of what is left, sums of squares, ties to the first row."""
    n, m = x.shape
    rows, class_of = np.arange(n), np.empty(n, np.int64)
    centre, made = np.empty(m), 0
    near, least = np.empty(k, np.int64), np.empty(k)
    while n >= 2 * k:
        centre[:] = 0.0
        for i in range(n):
            for a in range(m):
                centre[a] += x[rows[i], a]
        centre /= n
        for _ in range(2 if n >= 3 * k else 1):
            farthest, most = 0, -1.0
            for i in range(n):
                apart = 0.0
                for a in range(m):
                    apart += (x[rows[i], a] - centre[a]) ** 2
                if apart > most:
                    farthest, most = i, apart
            centre[:] = x[rows[farthest]]
            least[:] = np.inf
            for i in range(n):  # the k nearest so far, sorted
                apart = 0.0
                for a in range(m):
                    apart += (x[rows[i], a] - centre[a]) ** 2
                if apart < least[k - 1]:
                    place = k - 1
                    while place > 0 and least[place - 1] > apart:
                        least[place], near[place] = least[place - 1], near[place - 1]
                        place -= 1
                    least[place], near[place] = apart, i
            for place in range(k):
                class_of[rows[near[place]]], rows[near[place]] = made, -1
            made += 1
            left = 0
            for i in range(n):
                if rows[i] >= 0:
                    rows[left] = rows[i]
                    left += 1
            n = left
    class_of[rows[:n]] = made
    return class_of


def measure(peers: bool) -> tuple[list[Row], list[Curve]]:
    """The classes that five methods make of Adult's records by four numbers, exact; and how MDAV grows."""
    frame = adult.load("train-complete")
    table = Microdata.from_frame(frame, quasi_identifiers=NUMBERS, sensitive="occupation")
    x = _scaled(frame)
    close = KAnonymity(5) & TCloseness("0.15", ground="equal")
    methods: dict[str, Callable[..., Any]] = {"SABRE": sabre, "closeness-first": closeness_first, "swapping": swapping}
    ways: dict[str, Callable[[], object]] = {
        "plain": partial(plain_mdav, x, 5),
        "MDAV": partial(mdav, table, KAnonymity(5), seed=1),
        **{name: partial(method, table, close, seed=1) for name, method in methods.items()},
    }
    found = medians(ways, 1)
    plain = found["plain"]
    of = f"of {len(frame):,} records by {len(NUMBERS)} numbers"
    rows = [
        Row(f"MDAV {of}, k = 5", found["MDAV"], "a plain compiled loop in doubles, same classes", plain, 2, 33),
        *(
            Row(f"{name} {of}, k = 5 and t = 0.15, equal distance", found[name], "exact and verified", None, 5, before)
            for name, before in (("SABRE", 39), ("closeness-first", None), ("swapping", None))
        ),
    ]
    return rows + (_mondrian(frame) if peers else []), _growth(frame, plain, found["MDAV"])


def _scaled(frame: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the numbers over their ranges, sorted as the package sorts records."""
    x = frame[NUMBERS].to_numpy(float)
    x = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
    return np.array(x[np.lexsort(x.T[::-1])])


def _growth(frame: pd.DataFrame, plain: float, ours: float) -> list[Curve]:
    sizes = (1_000, 4_000, 12_000)
    seconds: dict[str, list[float]] = {"MDAV, exact": [], "a plain compiled loop in doubles": []}
    for size in sizes:
        part = frame.sample(size, random_state=0)
        table = Microdata.from_frame(part, quasi_identifiers=NUMBERS, sensitive="occupation")
        ways = partial(mdav, table, KAnonymity(5), seed=1), partial(plain_mdav, _scaled(part), 5)
        for (name, spent), way in zip(seconds.items(), ways, strict=True):
            spent.append(medians({name: way}, 1)[name])
    seconds["MDAV, exact"].append(ours)
    seconds["a plain compiled loop in doubles"].append(plain)
    panel = "MDAV of n records of Adult, four numbers, k = 5"
    return [Curve(panel, name, (*sizes, len(frame)), tuple(spent)) for name, spent in seconds.items()]


def _mondrian(frame: pd.DataFrame) -> list[Row]:
    names, path = [*NUMBERS, "occupation"], adult.write_csv()
    (theirs,) = peer(
        "import time, warnings; import pandas as pd; warnings.simplefilter('ignore')\n"
        "import anonypyx\n"
        f"frame = pd.read_csv({str(path)!r})[{names!r}]\n"
        f"method = anonypyx.Anonymiser(frame, k=5, feature_columns={NUMBERS!r})\n"
        "begun = time.process_time(); method.anonymise(); print(time.process_time() - begun)\n"
    )
    table = Microdata.from_frame(frame, quasi_identifiers=NUMBERS, sensitive="occupation")
    ours = medians({"ours": partial(mondrian, table, KAnonymity(5), seed=1)}, 3)["ours"]
    what = f"Mondrian of {len(frame):,} records by {len(NUMBERS)} numbers, k = 5"
    return [Row(what, ours, f"anonypyx {PEERS['anonypyx']}, one run", theirs)]
