"""Datafly: generalize the attribute with the most different values, until few enough records are left to suppress.

L. Sweeney, "Achieving k-Anonymity Privacy Protection Using Generalization and Suppression", International Journal on
Uncertainty, Fuzziness and Knowledge-based Systems 10(5), 2002, §4 (Datafly's core). Any model takes the place of k.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tcloseness.anonymize.merging import asked_k, violating
from tcloseness.errors import NotReached, TableError
from tcloseness.exact import IntArray, Number
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.grouping import combined_codes
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized, verified
from tcloseness.release.counting import Counting, suppression_rows
from tcloseness.release.draws import NOTHING_DRAWN, seeded
from tcloseness.release.full_domain import AtLevel
from tcloseness.release.partition import Partition

__all__ = ["datafly"]


def datafly(
    table: Microdata | FullTable,
    model: PrivacyModel,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    suppression: Number | None = None,
    sensitive: str | None = None,
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> Anonymized:
    """Anonymize by full-domain generalization, one level of one attribute at a time, and suppression at the end.

    While the records of violating classes are more than may be suppressed, the attribute with the most different
    values goes one level up; then these records are suppressed.

    Parameters
    ----------
    table, model, sensitive, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`; Q counts the suppressed records too.
    hierarchies
        By quasi-identifier; those without one stay as they are.
    suppression
        How many records may be suppressed: a whole number, or a share rounded down. By default k, as in the paper: the
        k of k-anonymity, or of another model that asks for one, and 1 where none does.
    seed
        Taken as by every method; nothing is drawn.

    Raises
    ------
    NotReached
        If every hierarchy is at its root and still too many records, or all of them, would have to be suppressed.
    TableError
        For a hierarchy of an attribute that is not a quasi-identifier.
    LimitReached
        If a limit is reached before the levels are found.

    Notes
    -----
    Labels are those of the levels, not tight: the answer is a node of the generalization lattice, rarely a minimal one.
    Records of equal quasi-identifiers share a class or are suppressed together, so nothing is drawn, and the order of
    the records changes nothing. Ties go to the attribute that comes first.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import KAnonymity
    >>> frame = pd.DataFrame({"age": [21, 22, 31, 32, 45], "s": list("xyxyz")})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="s")
    >>> decades = {"age": Hierarchy.intervals(frame["age"], [10], name="age")}
    >>> datafly(table, KAnonymity(2), decades, suppression="0.2").frame()["age"].tolist()
    ['20-29', '20-29', '30-39', '30-39', '*']
    """
    table = in_shape(table, Microdata)
    clock = Clock.of(time_limit, memory_limit)
    seeded(seed)
    given = hierarchies or {}
    names = [column.name for column in table.quasi_identifiers]
    for name in given:
        if name not in names:
            raise TableError(f"{name!r} is not a quasi-identifier of this table; it has {tuple(names)!r}")
    counting = Counting(table, sensitive)
    limit = min(asked_k(model), len(table)) if suppression is None else suppression_rows(suppression, len(table))
    attributes = [AtLevel(c.name, c.domain, given.get(c.name), 0) for c in table.quasi_identifiers]
    while True:
        gone_up, steps = sum(a.level for a in attributes), sum(a.top for a in attributes)
        clock.check(f"generalizing: {gone_up} of at most {steps} steps were made")
        class_of = _classes(table, attributes)
        bad = violating(model, counting.of(class_of))
        lost = np.isin(class_of, bad)
        if lost.sum() <= limit and not lost.all():
            break
        values = [
            len(np.unique(a.label_of[c.codes])) if a.level < a.top else 0
            for a, c in zip(attributes, table.quasi_identifiers, strict=True)
        ]
        if not any(values):
            top = "Datafly reached the top of every hierarchy" if given else "Datafly was given no hierarchy to go up"
            raise NotReached(
                f"{top}, and {int(lost.sum())} of {len(table)} records still "
                f"violate {model.name}; at most {limit} may be suppressed, and never all: raise the limit, weaken the "
                "model, or give a hierarchy for every quasi-identifier"
            )
        place = int(np.argmax(values))
        raised = attributes[place]
        attributes[place] = AtLevel(raised.name, raised.domain, raised.hierarchy, raised.level + 1)
    class_of[lost] = -1
    numbers = np.unique(np.append(class_of, -1), return_inverse=True)[1].reshape(-1)[:-1] - 1  # 0, 1, …; −1 stays
    return verified(
        Partition(table, numbers),
        model,
        method="Datafly",
        attributes=tuple(attributes),
        sensitive=counting.sensitive,
        done={"levels": {a.name: a.level for a in attributes}, "suppression limit": limit},
        conventions={
            "recoding": "full-domain: one level for all values of an attribute",
            "choice of the attribute": "most different values",
            "last records": "suppressed once they are at most the limit",
            "ties": "the attribute that comes first in the table",
            "draws": NOTHING_DRAWN,
        },
    )


def _classes(table: Microdata, attributes: list[AtLevel]) -> IntArray:
    labels = [a.label_of[c.codes] for a, c in zip(attributes, table.quasi_identifiers, strict=True)]
    key = combined_codes(labels, [len(a.label_domain) for a in attributes], rows=len(table))
    return np.unique(key, return_inverse=True)[1].reshape(-1)
