"""All losses at once, as far as the inputs allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from tcloseness.errors import InputError
from tcloseness.loss.ambiguity import Ambiguity
from tcloseness.loss.certainty import GlobalCertaintyPenalty, LossMetric, NormalizedCertaintyPenalty
from tcloseness.loss.class_size import AverageClassSize
from tcloseness.loss.classification import ClassificationMetric
from tcloseness.loss.discernibility import Discernibility
from tcloseness.loss.divergence import KLUtility
from tcloseness.loss.entropy import NonUniformEntropy
from tcloseness.loss.height import GeneralizationHeight, Precision
from tcloseness.loss.per_class import require_loss
from tcloseness.loss.protocol import Loss, LossResult, Source
from tcloseness.loss.queries import CountQuery, QueryError
from tcloseness.loss.risk import AverageRisk, MaximalRisk
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.release.release import Release

__all__ = ["by_name", "losses"]


def losses(
    source: Source | FullTable,
    *,
    k: int | None = None,
    label: str | None = None,
    numeric: Collection[str] | None = None,
    queries: Sequence[CountQuery] = (),
    also: Sequence[Loss] = (),
) -> dict[str, LossResult]:
    """Return every loss that the inputs allow, each in its default variant, by name.

    Parameters
    ----------
    source
        Class counts give the losses that need class sizes only; a `Release` gives all.
    k
        The k that was aimed at, for C_AVG; left out without it.
    label
        The sensitive attribute for the classification metric; left out where a release has several and none is named.
    numeric
        The quasi-identifiers whose cells are intervals, for NCP, GCP and LM; by default those that the release shows
        as intervals of numbers.
    queries
        A workload for the query error; left out without one.
    also
        Further losses, of your own for instance.

    Notes
    -----
    What a table has no answer to is left out: means over classes where every record is suppressed, losses of
    quasi-identifiers where there is none, and the classification metric where persons of several values are counted.

    Examples
    --------
    >>> found = losses(ClassCounts.from_matrix([[1, 1, 2, 3]]))
    >>> [(name, str(found[name].value)) for name in found][:2]
    [('discernibility', '15'), ('average class size', '7/4')]
    """
    source = in_shape(source, ClassCounts)
    chosen: list[Loss] = [Discernibility()]
    if len(source.class_sizes):
        chosen += [AverageClassSize(), MaximalRisk(), AverageRisk(), AverageRisk(over="classes")]
        if k is not None:
            chosen.append(AverageClassSize(k=k))
    if (
        source.persons is None and source.has_values
        if isinstance(source, ClassCounts)
        else label or len(source.original.sensitive) == 1
    ):
        chosen.append(ClassificationMetric(label=label))
    if isinstance(source, Release):
        if numeric is None:
            numeric = [name for name, recoding in source.recodings.items() if recoding.numeric]
        if source.recodings:
            chosen += [
                *([] if None in source.levels.values() else [GeneralizationHeight()]),
                Precision(),
                NormalizedCertaintyPenalty(numeric=numeric),
                GlobalCertaintyPenalty(numeric=numeric),
                LossMetric(numeric=numeric),
                NonUniformEntropy(),
                Ambiguity(),
            ]
        if not source.locally_recoded:
            chosen.append(KLUtility())
        if queries:
            chosen.append(QueryError(queries))
    return {name: loss.evaluate(source) for name, loss in by_name([*chosen, *also]).items()}


def by_name(losses: Iterable[Loss]) -> dict[str, Loss]:
    """Return losses by their names; two of one name, and what is not a loss, raise an `InputError`."""
    found = list(map(require_loss, losses))
    for name, times in Counter(loss.name for loss in found).items():
        if times > 1:
            raise InputError(f"{times} losses are named {name!r}; results are told apart by their names")
    return {loss.name: loss for loss in found}
