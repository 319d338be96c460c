"""`optimal_microaggregation`: numbers in groups of k or more with the least variability within groups.

The optimum is a shortest path, exact and fast (`tcloseness.release.univariate`); no solver is needed.

S. Hansen, S. Mukherjee, "A Polynomial Algorithm for Optimal Univariate Microaggregation", TKDE 15(4), 2003.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from tcloseness.certificates.cut import INFEASIBLE
from tcloseness.certificates.microaggregation import MICROAGGREGATION, require_path
from tcloseness.displayed import counted
from tcloseness.errors import InputError, NotCertified
from tcloseness.exact import Number, as_fraction, number_text
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import FrequencySet, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import natural_position
from tcloseness.models.certified import CertifiedTable
from tcloseness.models.thresholds import whole
from tcloseness.optimal.answers import Infeasible, OfClasses, Optimal, Prover, Watched, refusing, sealing
from tcloseness.release import Partition, Release
from tcloseness.release.attributes import Means
from tcloseness.release.draws import Draws
from tcloseness.release.univariate import shortest_path, within_groups

__all__ = ["Microaggregation", "optimal_microaggregation"]


@dataclass(frozen=True)
class Microaggregation(OfClasses):
    """Groups of numbers, each shown as its mean.

    Attributes
    ----------
    groups
        The places of each group's numbers, groups ascending by value.
    means
        The mean of each group.
    draws
        How it was drawn which of equal numbers go into which group.
    """

    groups: tuple[tuple[int, ...], ...]
    means: tuple[Fraction, ...]
    draws: str

    _withheld = ("mean",)

    def _frame_rows(self) -> list[dict[str, Any]]:
        pairs = zip(self.groups, self.means, strict=True)
        return [{"size": len(group), "mean": number_text(mean)} for group, mean in pairs]

    def _said(self) -> str:
        return f"{counted(len(self.groups), 'group')} of {counted(sum(map(len, self.groups)), 'number')}"

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        return {
            "groups": [list(group) for group in self.groups],
            "means": [number_text(mean) for mean in self.means],
            "draws": self.draws,
        }


def optimal_microaggregation(
    values: Sequence[Number] | Microdata | FullTable,
    k: int,
    *,
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> Optimal[Microaggregation] | Infeasible:
    """Return the groups of at least k numbers that minimize SSE = Σ over groups of Σ (value − mean)².

    Parameters
    ----------
    values
        Numbers, read exactly; or a table of one quasi-identifier with numbers, and the answer has a release then.
    k
        The least size, ≥ 1.
    seed
        For the draw by which of equal numbers those are chosen that go into one group and not the next, so that the
        order in which they are given decides nothing; None (default): a secret one. A given seed makes the same choice
        again; it is not for publication.
    time_limit
        Seconds.
    memory_limit
        Bytes; by default half of what is free.

    Returns
    -------
    Optimal or Infeasible
        Infeasible for fewer than k numbers.

    Raises
    ------
    InputError
        For a k that is not a whole number ≥ 1, a value that is not a number, or a seed that cannot be given.
    LimitReached
        If a limit is reached: a path that is not at its end is not a solution.

    Examples
    --------
    >>> found = optimal_microaggregation([1, 2, 3, 4, 20, 21, 22], 3)
    >>> found.objective, found.solution.groups
    (Fraction(7, 1), ((0, 1, 2, 3), (4, 5, 6)))
    """
    clock, draws = Clock.of(time_limit, memory_limit), Draws(seed)
    values = in_shape(values, Microdata)
    table, numbers = (values, _numbers_of(values)) if isinstance(values, Microdata) else (None, values)
    about = None if table is None else _certified(table)
    if len(numbers) < whole(k, "k"):
        return Infeasible(f"{len(numbers)} values make no group of k = {k}", prover=_prover(about, k, INFEASIBLE, {}))
    exact = [as_fraction(v, f"values[{i}]") for i, v in enumerate(numbers)]
    order = draws.permutation(len(exact), "order of equal values").tolist()
    found, labels = shortest_path([exact[i] for i in order], k, clock=clock)
    sizes, value = [len(group) for group in found], labels[-1]
    by = "shortest path in exact numbers"
    try:
        require_path(sorted(exact), k, sizes, value, labels, Watched(clock))
        by += ", checked"
    except InputError as error:  # larger than what a checker reads
        about = NotCertified(f"not certified: {error}")
        by += f"; {about}"
    groups = tuple(tuple(sorted((order[place] for place in group), key=lambda i: (exact[i], i))) for group in found)
    means = tuple(sum((exact[i] for i in group), Fraction(0)) / len(group) for group in groups)
    proof = {"groups": sizes, "value": number_text(value), "labels": list(map(number_text, labels))}
    return Optimal(
        within_groups(exact, groups),
        "sum of squared errors within groups",
        Microaggregation(groups, means, draws.text, published=None if table is None else _published(table, groups)),
        by,
        prover=_prover(about, k, MICROAGGREGATION, proof),
    )


def _certified(table: Microdata) -> CertifiedTable | NotCertified:
    if len(table.sensitive) != 1:
        return NotCertified("not certified: a table that a checker reads has one sensitive attribute; name it")
    return CertifiedTable.of(FrequencySet.of(table), table.sensitive[0].name)


def _prover(about: CertifiedTable | NotCertified | None, k: int, task: str, proof: Mapping[str, Any]) -> Prover:
    if about is None:
        return refusing(NotCertified("not certified: a list of numbers was given, which name no table; give a table"))
    if isinstance(about, NotCertified):
        return refusing(about)
    asked = [{"condition": "records", "least": k}]
    return sealing(about, task, asked, proof)


def _numbers_of(table: Microdata) -> list[Fraction | int]:
    if len(table.quasi_identifiers) != 1:
        names = ", ".join(column.name for column in table.quasi_identifiers) or "none"
        raise InputError(f"microaggregation shows one column as means, and the quasi-identifiers are {names}; name one")
    (column,) = table.quasi_identifiers
    values = column.domain.values
    places = [None if isinstance(value, date) else natural_position(value) for value in values]
    if None in places:
        odd = values[places.index(None)]
        raise InputError(
            f"microaggregation needs numbers, and {column.name!r} has the value {odd!r}; name another column"
        )
    return [place for place in (places[code] for code in column.codes.tolist()) if place is not None]


def _published(table: Microdata, groups: Sequence[Sequence[int]]) -> Release:
    (column,) = table.quasi_identifiers
    return Release.of_partition(Partition.of(table, groups), [Means(column.name, column.domain)])
