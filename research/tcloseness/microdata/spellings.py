"""Values of a column that look the same: reported with counts, and merged only where the caller asks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable
from fractions import Fraction

import numpy as np

from tcloseness.exact import IntArray
from tcloseness.microdata.combinations import rows_of
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.microdata.normal_form import normal_forms

__all__ = ["look_alikes", "look_alikes_text", "merged_spellings"]

_SHOWN = 3
"""So many groups are shown in a message; the others are counted."""


def look_alikes(domain: Domain) -> list[list[int]]:
    """Return the groups of codes whose values have one normal form, each of two or more.

    Examples
    --------
    >>> look_alikes(Domain.of(["<=50K", "<=50K.", ">50K"]))
    [[0, 1]]
    """
    if domain.order == "natural" or all(type(value) in (int, Fraction) for value in domain.found):
        return []  # different numbers or dates, exactly
    forms = normal_forms(domain.found)
    if forms is None or len(set(forms)) == len(forms):
        return []
    frequent = {form for form, n in Counter(forms).items() if n > 1}
    groups: dict[Hashable, list[int]] = {}
    for code, form in enumerate(normal_forms(domain.values) or ()):
        if form in frequent:
            groups.setdefault(form, []).append(code)
    return list(groups.values())


def look_alikes_text(name: object, domain: Domain, codes: IntArray, counts: IntArray | None = None) -> str | None:
    """Return the warning about a column's values that look the same; None if there are none.

    Parameters
    ----------
    name, domain, codes, counts
        The column, its values, the code of each line's value, and how many rows each line stands for, if not one.
    """
    groups = look_alikes(domain)
    if not groups:
        return None
    rows = rows_of(codes, len(domain), counts).tolist()
    shown = "; ".join(
        " and ".join(f"{domain.values[code]!r} ({rows[code]:,} row(s))" for code in group) for group in groups[:_SHOWN]
    )
    more = f"; and {len(groups) - _SHOWN:,} more such groups" if len(groups) > _SHOWN else ""
    return (
        f"column {name!r} has {len(groups):,} group(s) of values that look the same and count as different values: "
        f"{shown}{more}; if those of a group are one value, clean the column or give merge_spellings={name!r}"
    )


def merged_spellings(
    domain: Domain, codes: IntArray, declared: Collection[object] = (), counts: IntArray | None = None
) -> tuple[Domain, IntArray, int, int]:
    """Return a column with one value in place of all that look the same, and how many spellings and rows changed.

    The value that stays is one that the caller declared, if there is one; else the one of most rows, else the first of
    the domain. The missing value is never merged. `counts` says how many rows each line stands for, if not one.

    Examples
    --------
    >>> merged_spellings(Domain.of(["a", "A", "b"]), np.array([0, 1, 1, 2]))
    (<Domain: 2 values, no order>, array([0, 0, 0, 1]), 1, 1)
    """
    rows = rows_of(codes, len(domain), counts)
    target = np.arange(len(domain))
    for group in look_alikes(domain):
        members = [code for code in group if domain.values[code] is not MISSING]
        named = [code for code in members if domain.values[code] in declared] or members
        kept = max(named, key=lambda code: (rows[code], -code))
        target[members] = kept
    changed = np.flatnonzero(target != np.arange(len(domain)))
    if not len(changed):
        return domain, codes, 0, 0
    values = [domain.values[code] for code in np.unique(target)]
    merged = Domain.of(values)
    return (
        merged,
        merged.codes(domain.values[code] for code in target)[codes],
        len(changed),
        int(rows[changed].sum()),
    )
