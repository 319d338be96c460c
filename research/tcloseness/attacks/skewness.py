"""The skewness attack: a class in which a value is far more common than in the table (Li et al. 2007, §3).

Li, Li, Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity", ICDE 2007.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tcloseness.attacks.result import AttackResult, Finding, class_text
from tcloseness.displayed import counted
from tcloseness.errors import InputError
from tcloseness.exact import IntArray, Number, Rationals, fits_int64, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text
from tcloseness.models.thresholds import at_least, whole

__all__ = ["SkewFinding", "skewness_attack"]


@dataclass(frozen=True)
class SkewFinding(Finding):
    """How much more is believed about a class's records than before: one value in one class.

    Attributes
    ----------
    prior, posterior
        Q(s) and P_g(s), exact.
    ratio
        P_g(s) / Q(s); infinite where Q(s) = 0.
    """

    prior: Fraction
    posterior: Fraction
    ratio: Fraction | float

    @property
    def difference(self) -> Fraction:
        """P_g(s) − Q(s)."""
        return self.posterior - self.prior

    def to_dict(self, classes: ClassCounts | None = None) -> dict[str, Any]:
        """Return the finding as JSON-ready data, with the class described if `classes` is given."""
        return {
            **super().to_dict(classes),
            "prior": number_text(self.prior),
            "posterior": number_text(self.posterior),
            "ratio": number_text(self.ratio),
            "difference": number_text(self.difference),
        }


def skewness_attack(
    classes: ClassCounts | FullTable,
    values: Iterable[Hashable] | None = None,
    *,
    by: Literal["ratio", "difference"] = "ratio",
    ratio: Number = 1,
    difference: Number = 0,
    top: int | None = 5,
) -> AttackResult:
    """Return where belief rises most from the prior Q(s) = C_s/N to the posterior P_g(s) = n_(g,s)/n_g.

    Parameters
    ----------
    classes
        The released counts; their reference is Q.
    values
        The values of interest, such as the positive result of a test; None: all.
    by
        What orders the findings: the ratio P_g(s)/Q(s) (the rise of a rare value counts much) or the difference
        P_g(s) − Q(s).
    ratio, difference
        A rise counts if it is greater than both, strictly: ratio ≥ 1 and difference ≥ 0. By default every rise does.
    top
        How many findings are listed; None: all. `affected` and `records` count every class with a rise that counts.

    Returns
    -------
    AttackResult
        Its findings are `SkewFinding`, one a class and value; a class's records all count: anyone in it is believed
        to have the value with probability P_g(s).

    Raises
    ------
    InputError
        For thresholds out of range, or no value of interest.
    DomainError
        For a value of interest that does not occur.

    References
    ----------
    Li et al. 2007, §3, "Skewness Attack" and Example 2. P against Q are the beliefs B₂ and B₁ of Li et al. 2007, §4:
    what is learned about the population as a whole is not held against the release.

    Examples
    --------
    Of 10,000 people 1 % are positive; in one class 49 of 50 are:

    >>> classes = ClassCounts.from_mapping({"a": {"+": 49, "-": 1}, "b": {"+": 51, "-": 9899}})
    >>> found = skewness_attack(classes, ["+"]).findings[0]
    >>> found.prior, found.posterior, found.ratio
    (Fraction(1, 100), Fraction(49, 50), Fraction(98, 1))
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("the skewness attack")
    classes.require_records("the skewness attack")
    least_ratio, least_difference = at_least(ratio, "ratio", 1), at_least(difference, "difference", 0)
    if by not in ("ratio", "difference"):
        raise InputError(f"by={by!r} is unknown; it is 'ratio' or 'difference'")
    listed = None if top is None else whole(top, "top")
    if isinstance(values, str):
        raise InputError(f"the values of interest are the text {values!r}; give a list, such as [{values!r}]")
    codes = None if values is None else np.unique(classes.domain.codes(values))
    if codes is not None and not len(codes):
        raise InputError("no value of interest is given; name at least one, or leave them out for all")

    total, first_class, first_cell = int(classes.reference.sum()), 0, 0
    of_parts: list[IntArray] = []
    best: list[tuple[Fraction | float, int]] = []
    for part in classes.in_parts():
        ratios, rises = _rises(part, total)
        counts = (ratios.compare(least_ratio) > 0) & (rises.compare(least_difference) > 0)
        if codes is not None:
            counts &= np.isin(part.values, codes)
        ordered, cells = ratios if by == "ratio" else rises, np.flatnonzero(counts)
        of_parts.append(first_class + part.class_of_cell[cells[_fresh(part.class_of_cell[cells])]])
        best += [(ordered[cell], first_cell + cell) for cell in _largest(ordered, cells, listed)]
        first_class, first_cell = first_class + len(part), first_cell + len(part.counts)
    affected = np.concatenate(of_parts)
    records = int(classes.class_sizes[affected].sum())
    best.sort(key=lambda pair: (-pair[0], pair[1]))
    findings = tuple(_finding(classes, cell, total) for _, cell in best[:listed])
    return AttackResult(
        "skewness",
        "Li et al. 2007, §3",
        {
            "values": "all" if codes is None else ", ".join(value_text(classes.domain.value(i)) for i in codes),
            "by": by,
            "ratio above": number_text(least_ratio),
            "difference above": number_text(least_difference),
        },
        affected,
        records,
        classes.records,
        findings,
        _sentence(classes, affected, records, findings, by),
        classes.conventions,
    )


def _rises(classes: ClassCounts, total: int) -> tuple[Rationals, Rationals]:
    """Return P(s)/Q(s) and P(s) − Q(s), where that is a rise, of each cell."""
    c, n, reference = classes.counts, classes.class_sizes[classes.class_of_cell], classes.reference[classes.values]
    if not fits_int64(int(classes.class_sizes.max()), total):
        c, n, reference = (a.astype(object) for a in (c, n, reference))
    own, expected = c * total, n * reference
    return Rationals(own, expected), Rationals(np.maximum(own - expected, 0), n * total)


def _fresh(ascending: IntArray) -> IntArray:
    """Return where a number differs from the one before it."""
    return np.flatnonzero(np.diff(ascending, prepend=-1))


def _largest(values: Rationals, cells: IntArray, top: int | None) -> list[int]:
    """Return the cells with the greatest values, greatest first, ties in the classes' order; exact."""
    if top is not None:  # ties are common (one record of each value), so that all of a value are taken at once
        found: list[int] = []
        while len(cells) and len(found) < top:
            _, best = Rationals(values.numerators[cells], values.denominators[cells]).largest()
            found += cells[best].tolist()
            cells = np.delete(cells, best)
        return found[:top]
    exact = [(values[cell], cell) for cell in cells.tolist()]
    return [cell for _, cell in sorted(exact, key=lambda pair: (-pair[0], pair[1]))]


def _finding(classes: ClassCounts, cell: int, total: int) -> SkewFinding:
    g, code = int(classes.class_of_cell[cell]), int(classes.values[cell])
    size, count, value = int(classes.class_sizes[g]), int(classes.counts[cell]), classes.domain.value(code)
    prior, posterior = Fraction(int(classes.reference[code]), total), Fraction(count, size)
    ratio = posterior / prior if prior else math.inf
    times = f"{float(ratio):.4g} times as likely as" if prior else "though nobody has it"
    sentence = (
        f"Whoever is in the class {class_text(classes, g)} has {value_text(value)} with probability "
        f"{number_text(posterior)} ({count} of {counted(size, 'record')}), {times} in the reference "
        f"({number_text(prior)})."
    )
    return SkewFinding(g, size, (value,), sentence, prior, posterior, ratio)


def _sentence(
    classes: ClassCounts, affected: IntArray, records: int, findings: tuple[SkewFinding, ...], by: str
) -> str:
    if not findings:
        return "In no class does the belief in such a value rise by so much."
    first = findings[0]
    most = (
        f"by the factor {number_text(first.ratio)}"
        if by == "ratio"
        else f"by {number_text(first.difference)}, that is {float(100 * first.difference):.4g} percentage points"
    )
    return (
        f"For {records} of {counted(classes.records, 'record')}, in {counted(len(affected), 'class')} of "
        f"{len(classes)}, the belief in such a value rises; most of all {most}, to {number_text(first.posterior)}."
    )
