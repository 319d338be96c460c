"""Speed of the methods that group near records of Adult, beside a plain compiled loop in doubles for MDAV."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from experiments import adult
from experiments.timing import Row, medians, shown_seconds
from tcloseness.anonymize import closeness_first, mdav, sabre, swapping
from tcloseness.exact import IntArray
from tcloseness.microdata import Microdata
from tcloseness.models import KAnonymity, TCloseness

__all__ = ["grouping", "plain_mdav"]

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


def grouping() -> list[Row]:
    """The classes that four methods make of Adult's records by four numbers, exact, in CPU time."""
    frame = adult.load("train-complete")
    table = Microdata.from_frame(frame, quasi_identifiers=NUMBERS, sensitive="occupation")
    x = frame[NUMBERS].to_numpy(float)
    x = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
    x = np.array(x[np.lexsort(x.T[::-1])])
    close = KAnonymity(5) & TCloseness("0.15", ground="equal")
    methods: dict[str, Callable[..., Any]] = {"SABRE": sabre, "closeness-first": closeness_first, "swapping": swapping}
    ways: dict[str, Callable[[], object]] = {
        "plain": partial(plain_mdav, x, 5),
        "MDAV": partial(mdav, table, KAnonymity(5), seed=1),
        **{name: partial(method, table, close, seed=1) for name, method in methods.items()},
    }
    found = medians(ways, 1, time.process_time)
    plain = found.pop("plain")
    asked = {"MDAV": "k = 5"}
    return [
        (
            f"{name} of {len(frame):,} records by {len(NUMBERS)} numbers, "
            f"{asked.get(name, 'k = 5 and t = 0.15, equal distance')}, exact and verified; CPU time",
            shown_seconds(seconds),
            f"the classes of MDAV by a plain compiled loop in doubles: {shown_seconds(plain)}",
            f"{seconds / plain:.2f}",
        )
        for name, seconds in found.items()
    ]
