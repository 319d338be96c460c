"""What the labels of a published table stand for, where the table that it was made of is not known.

A label is a node of the attribute's hierarchy; without one it is a value, a closed or open interval of numbers, a set
of values or ``*``, see `tcloseness.release.labels`. The values are then those that labels name, and of an interval that
does not name both of its ends one more, so that no label stands for fewer values than it could.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd

from tcloseness.errors import HierarchyError, TableError
from tcloseness.exact import as_fraction
from tcloseness.microdata import ClassCounts, ClassKeys, Domain, FrequencySet, Hierarchy
from tcloseness.release.labels import BRACKETS, ENDLESS, ITEM, Labels, text_of
from tcloseness.release.recoding import Recoding
from tcloseness.release.release import Release

__all__ = ["is_written_as", "labels_alone", "require_ends"]


def labels_alone(
    released: FrequencySet, hierarchies: Mapping[str, Hierarchy]
) -> tuple[ClassCounts, dict[str, Recoding]]:
    """Return the classes of a published table, with its labels as keys, and what each label stands for.

    Parameters
    ----------
    released
        The published table; suppressed records are marked in it.
    hierarchies
        Whose nodes the labels are, by attribute.

    Raises
    ------
    TableError
        For a label with stars of an attribute without a hierarchy, since it is not known what it stands for; for a
        hierarchy of what is not an attribute; if every record is suppressed.
    HierarchyError
        For a label that is not a node of the hierarchy.
    """
    for name in hierarchies:
        if name not in released.quasi_identifiers:
            raise TableError(f"{name!r} is not a quasi-identifier of this table; it has {released.quasi_identifiers}")
    if released.suppressed.all():
        raise TableError("every record of the release is suppressed, so there is no class")
    classes = released.class_counts(reference="all")
    assert classes.keys is not None
    recodings, codes = {}, {}
    for name, domain in zip(classes.keys.names, classes.keys.domains, strict=True):
        carried, numbers = np.unique(classes.keys.codes[name], return_inverse=True)
        texts = [text_of(domain.values[code]) for code in carried.tolist()]
        hierarchy = hierarchies.get(name)
        values = Domain.of(hierarchy.values) if hierarchy is not None else Domain.of(_named(name, texts))
        cells = np.array(texts, dtype=object)
        reader = Labels(name, values, hierarchy)
        recodings[name], of_text = reader.read_alone(cells, np.ones(len(cells), dtype=bool), spare=False)
        codes[name] = of_text[numbers]
    keys = ClassKeys(classes.keys.names, tuple(each.labels for each in recodings.values()), codes)
    return replace(classes, keys=keys), recodings


def require_ends(recodings: Mapping[str, Recoding], names: Collection[str]) -> None:
    """Raise `TableError` for a label that cannot be tight: one for all values, or an interval without one of its ends.

    Raises
    ------
    TableError
        For such a label of one of these attributes, or a name that is not one of them.
    """
    for name in names:
        if name not in recodings:
            raise TableError(f"{name!r} is not a quasi-identifier of this table; it has {tuple(recodings)}")
        if recodings[name].hierarchy is not None:
            continue
        for label in recodings[name].labels.values:
            bracketed = BRACKETS.fullmatch(text_of(label).strip())
            if label == "*" or (bracketed and (bracketed[1], bracketed[4]) != ("[", "]")):
                raise TableError(
                    f"the label {label!r} of {name!r} does not say which values are its least and its greatest, so it "
                    f"is not tight; leave {name!r} out"
                )


def is_written_as(release: Release, published: pd.DataFrame) -> bool:
    """Return whether a published table has the rows of a release, in any order."""
    columns = release.rows().columns
    if not set(columns) <= set(published.columns):
        return False
    cells = [[*map(text_of, published[name].tolist())] for name in columns]
    return Counter(zip(*columns.values(), strict=True)) == Counter(zip(*cells, strict=True))


def _named(name: str, texts: Iterable[str]) -> Iterable[str]:
    """Return the values that labels without a hierarchy name."""
    found: dict[str, None] = {}
    unbounded = False
    for text in texts:
        ends = _ends(text)
        if text == "*" or ends == ():
            unbounded = True
        elif ends is not None:
            found |= dict.fromkeys(ends)
        elif text.startswith("{") and text.endswith("}") and (items := _items(text[1:-1])):
            found |= dict.fromkeys(items)
        elif "*" in text:
            raise HierarchyError(
                f"the published table shows {text!r} as {name!r}, and what that stands for is not known; give the "
                f"hierarchy of {name!r}, or the marker of suppressed records"
            )
        else:
            found[text] = None
    if unbounded:  # a label for all values stands for several, whatever others name
        numbers = [_number(text) for text in found]
        known = [number for number in numbers if number is not None]
        whole = len(known) == len(numbers)
        more = [_decimal(max(known, default=Fraction(0)) + i) for i in (1, 2)] if whole else ["(any)", "(other)"]
        found |= dict.fromkeys(more)
    return found


def _ends(text: str) -> tuple[str, ...] | None:
    """Return the values that an interval names, more if it is open, () if it has no end; None for other texts."""
    bracketed = BRACKETS.fullmatch(text.strip())
    ways = (
        [bracketed.groups()]
        if bracketed
        else [("[", text[:at], text[at + 1 :], "]") for at, sign in enumerate(text) if sign in "-–" and at]
    )
    for left, low, high, right in ways:
        a, b = _number(low), _number(high)
        if bracketed and {low.strip(), high.strip()} <= ENDLESS.keys():
            return ()
        if a is None and b is None:
            continue
        if (a is None or b is None) and not bracketed:
            continue
        if a is not None and b is not None and left + right == "[]":
            return low.strip(), high.strip()
        a, b = (b - 2 if a is None and b is not None else a), (a + 2 if b is None and a is not None else b)
        assert a is not None
        assert b is not None
        return tuple(map(_decimal, (a, a + (b - a) / 4, a + (b - a) / 2, b)))
    return None


def _decimal(number: Fraction) -> str:
    return str(Decimal(number.numerator) / Decimal(number.denominator))


def _number(text: str) -> Fraction | None:
    try:
        return as_fraction(text.strip())
    except ValueError:  # also an InputError
        return None


def _items(inner: str) -> list[str]:
    """Return the values of a set's text; none if it is not one."""
    found, at = [], 0
    while at < len(inner):
        item = ITEM.match(inner, at)
        word = item.group(1).strip() if item else ""
        try:
            found.append(str(ast.literal_eval(word)) if word[:1] in ("'", '"') else word)
        except (SyntaxError, ValueError):
            return []
        if item is None or not word:
            return []
        at = item.end()
    return found
