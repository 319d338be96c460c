"""Query error: how wrong counts become when they are answered from the release.

Xiao and Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006 (workload and relative error);
LeFevre, DeWitt, Ramakrishnan, "Workload-Aware Anonymization", KDD 2006.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any, ClassVar, Literal

import numpy as np

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError
from tcloseness.exact import IntArray, LogSum, Number, as_fraction, number_text
from tcloseness.loss.protocol import Choices, Generalizing, LossResult, Source, loss_result, release_of
from tcloseness.loss.sums import sum_of_products
from tcloseness.microdata import FrequencySet
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.models.thresholds import at_least, whole
from tcloseness.release.recoding import LEAVES, Leaves, Recoding
from tcloseness.release.release import Release

__all__ = ["CountQuery", "QueryAnswer", "QueryError", "random_queries"]


@dataclass(frozen=True, eq=False)
class CountQuery(Displayed):
    """How many records have, in each named attribute, one of the listed values.

    Parameters
    ----------
    where
        Attribute → its admitted values. Attributes that are not named are free; no name at all counts all records.

    Examples
    --------
    >>> print(CountQuery({"sex": ["f"], "age": [31, 30]}))
    age in {30, 31} and sex in {f}
    """

    where: Mapping[str, Collection[Hashable]]

    def to_dict(self) -> dict[str, Any]:
        """Return the values that are admitted, by attribute, as texts."""
        return {"where": {name: sorted(map(value_text, values)) for name, values in self.where.items()}}

    _withheld = ("value",)

    _columns: ClassVar = {"attribute": "", "value": ""}

    def _frame_rows(self) -> list[dict[str, Any]]:
        admitted = self.to_dict()["where"].items()
        return [{"attribute": name, "value": value} for name, values in admitted for value in values]

    def _said(self) -> str:
        return f"of {counted(len(self.where), 'column')}"

    def __post_init__(self) -> None:
        for name, values in self.where.items():
            if isinstance(values, str) or not isinstance(values, Collection):
                raise InputError(f"the query admits {values!r} for {name!r}; list the admitted values")
        object.__setattr__(self, "where", {name: tuple(values) for name, values in self.where.items()})

    def __str__(self) -> str:
        parts = (f"{a} in {{{', '.join(sorted(map(value_text, v)))}}}" for a, v in sorted(self.where.items()))
        return " and ".join(parts) or "all records"


@dataclass(frozen=True)
class QueryAnswer(Displayed):
    """A query's true count on the original, its estimate from the release, and the relative error."""

    query: CountQuery
    true: int
    estimate: Fraction
    error: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Return the query and its answers as JSON-ready data."""
        found = {"estimate": number_text(self.estimate), "error": number_text(self.error)}
        return {**self.query.to_dict(), "true": self.true, **found}

    def _said(self) -> str:
        return f"{self.true} counted, {number_text(self.estimate):.60} estimated"


def random_queries(
    table: FrequencySet | FullTable, number: int, *, attributes: int, selectivity: Number = "1/20", seed: int
) -> list[CountQuery]:
    """Draw count queries as Xiao and Tao do.

    Each query names so many randomly drawn quasi-identifiers and one randomly drawn sensitive attribute, and admits b
    randomly drawn values of each: b is the least number with (b/size)^(attributes + 1) ≥ selectivity.

    Parameters
    ----------
    number
        How many.
    attributes
        How many quasi-identifiers each query names.
    selectivity
        The share of records that a query would select if all values were independent and equally frequent.
    seed
        The same seed draws the same queries from the same domains.

    References
    ----------
    Xiao and Tao 2006.
    """
    table = in_shape(table, FrequencySet)
    number, attributes = whole(number, "the number of queries"), whole(attributes, "attributes", least=0)
    share = at_least(selectivity, "selectivity", 0, above=True)
    if share > 1 or attributes > len(table.quasi_identifiers):
        raise InputError(
            f"queries over {attributes} quasi-identifiers with selectivity {number_text(share)} were asked for; the "
            f"table has {len(table.quasi_identifiers)} quasi-identifiers, and a selectivity is at most 1"
        )
    draw = random.Random(seed)
    queries = []
    for _ in range(number):
        names = [*draw.sample(table.quasi_identifiers, attributes), draw.choice(table.sensitive)]
        where = {}
        for name in sorted(names):
            values = table.domains[name].values
            size = len(values)
            b = next(b for b in range(1, size + 1) if Fraction(b, size) ** (attributes + 1) >= share)
            where[name] = [values[i] for i in sorted(draw.sample(range(size), b))]
        queries.append(CountQuery(where))
    return queries


@dataclass(frozen=True)
class QueryError(Choices):
    """Relative error of count queries, |estimate − true| / max(true, sanity): median or mean over a workload.

    An equivalence class answers with its records times Π_A (admitted leaves of its label / leaves of its label), as if
    they were spread evenly.

    Parameters
    ----------
    queries
        The workload; see `random_queries`.
    sanity
        The sanity bound, a number > 0: errors of smaller counts are taken relative to it.
    average
        ``"median"`` (default) or ``"mean"``: which is the value. Both, and the largest, are in the terms.
    leaves
        Which values a label stands for: ``"hierarchy"`` (default) or ``"table"``, as in `GlobalCertaintyPenalty`.
    suppressed
        ``"spread"`` (default): suppressed records keep their sensitive values and are spread over all combinations of
        quasi-identifiers; ``"excluded"``: they answer no query.

    Notes
    -----
    More generalization often raises the error and can lower it. Cost: one pass over the released combinations a query.

    References
    ----------
    Xiao and Tao 2006. The sanity bound: Garofalakis and Kumar, "Wavelet Synopses for General Error Metrics",
    TODS 2005.
    """

    queries: Sequence[CountQuery]
    sanity: Number = 1
    average: Literal["median", "mean"] = "median"
    leaves: Leaves = "hierarchy"
    suppressed: Literal["spread", "excluded"] = "spread"
    name = "query error"
    generalizing: ClassVar[Generalizing] = "may do either"

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", tuple(self.queries))
        object.__setattr__(self, "sanity", at_least(self.sanity, "the sanity bound", 0, above=True))
        super().__post_init__()
        if not self.queries or not all(isinstance(query, CountQuery) for query in self.queries):
            raise InputError(f"the workload is {self.queries!r}; give at least one CountQuery, and nothing else")

    def answers(self, release: Release) -> list[QueryAnswer]:
        """Return each query's true count, estimate and relative error.

        Raises
        ------
        InputError
            For an attribute or a value that the table does not have.
        """
        sanity = as_fraction(self.sanity)
        cells = _Cells(release, self.leaves)
        found = []
        for query in self.queries:
            true, kept, lost = cells.count(query)
            estimate = kept + lost if self.suppressed == "spread" else kept
            found.append(QueryAnswer(query, true, estimate, abs(estimate - true) / max(Fraction(true), sanity)))
        return found

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value is ≥ 0, and at most the number of records over the sanity bound."""
        release = release_of(source, self.name)
        errors = [answer.error for answer in self.answers(release)]
        terms: dict[str, Fraction | LogSum] = {
            "median": median(errors),
            "mean": sum(errors, Fraction(0)) / len(errors),
            "largest": max(errors),
        }
        workload = hashlib.sha256("\n".join(map(str, self.queries)).encode()).hexdigest()
        sanity = as_fraction(self.sanity)
        return loss_result(
            self,
            release,
            terms[self.average],
            bounds=(0, release.records / min(sanity, Fraction(1))),
            terms=terms,
            formula=f"{self.average} over queries of |estimate − true| / max(true, sanity)",
            citation="Xiao and Tao 2006",
            suppressed_as=self.suppressed,
            parameters={
                "queries": f"{len(self.queries)}, sha256 {workload[:16]}",
                "sanity": number_text(sanity),
                "average": self.average,
            },
            conventions={"leaves of a label": LEAVES[self.leaves]},
        )


class _Cells:
    """The released combinations, ready to be asked many times."""

    def __init__(self, release: Release, leaves: Leaves) -> None:
        self.release, self.leaves = release, leaves
        self.table, released = release.original, release.released
        kept = ~released.suppressed
        self.codes = {name: codes[kept] for name, codes in released.codes.items()}
        self.counts = released.counts[kept]

    def count(self, query: CountQuery) -> tuple[int, Fraction, Fraction]:
        """Return the true count, the released classes' estimate and that of the spread suppressed records."""
        matching = np.ones(len(self.table), dtype=bool)
        factors, divisor = [self.counts], 1
        lost_share, lost = Fraction(1), self.release.withheld.copy()
        for name, values in query.where.items():
            if name in self.release.recodings:
                recoding = self.release.recodings[name]
                admitted = self._leaves(recoding, values)
                weights, scale = self._weights(recoding, admitted)
                factors.append(weights[self.codes[name]])
                divisor *= scale
                lost_share *= Fraction(int(admitted.sum()), len(admitted))
                matching &= self._originals(recoding, admitted)[self.table.codes[name]]
            elif name in self.table.sensitive:
                chosen = np.zeros(len(self.table.domains[name]), dtype=bool)
                chosen[self.table.domains[name].codes(values)] = True
                factors.append(chosen[self.codes[name]].astype(np.int64))
                matching &= chosen[self.table.codes[name]]
                lost &= chosen[self.table.codes[name]]
            else:
                known = (*self.table.quasi_identifiers, *self.table.sensitive)
                raise InputError(f"a query asks for {name!r}, which is not an attribute of this table; it has {known}")
        true = int(self.table.counts[matching].sum())
        estimate = Fraction(sum_of_products(*factors), divisor)
        return true, estimate, lost_share * int(self.table.counts[lost].sum())

    def _leaves(self, recoding: Recoding, values: Collection[Hashable]) -> IntArray:
        admitted = np.zeros(recoding.size(self.leaves), dtype=bool)
        if len(values):
            admitted[recoding.leaf_places(values, self.leaves)] = True
        return admitted

    def _weights(self, recoding: Recoding, admitted: IntArray) -> tuple[IntArray, int]:
        """Return each label's share of admitted leaves, as whole numbers over one denominator."""
        sizes = recoding.leaf_counts(self.leaves).tolist()
        hits = recoding.leaf_sums(admitted, self.leaves).tolist()
        scale = math.lcm(*sizes)
        weights = [hit * (scale // size) for hit, size in zip(hits, sizes, strict=True)]
        return np.array(weights, dtype=np.int64 if scale < 2**62 else object), scale

    def _originals(self, recoding: Recoding, admitted: IntArray) -> IntArray:
        """Return which of the table's own values are admitted."""
        if self.leaves == "table" or recoding.hierarchy is None:
            return admitted
        return admitted[recoding.hierarchy.rows(recoding.values)]
