"""What is decided for each cell of a release's classes, done to records that are drawn among those of the cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.exact import IntArray
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.domain import value_text
from tcloseness.release.counting import require_plain
from tcloseness.release.draws import Draws
from tcloseness.release.release import Release
from tcloseness.release.rows import texts_of

__all__ = ["hiding", "keeping", "showing"]


def keeping(release: Release, kept: IntArray, draws: Draws, sensitive: str | None = None) -> Release:
    """Return the release with only so many records of each cell, the others suppressed; which is drawn.

    Labels may be those of records that are suppressed, so they are no longer said to be tight.

    Parameters
    ----------
    kept
        How many records of each cell of `classes` stay, shape (cells,).
    draws
        What draws them.
    sensitive
        The sensitive attribute; may be left out if there is one.
    """
    rows = release.on_rows()
    gone = _beyond(rows, kept, draws, sensitive)
    if not gone.any():
        return rows
    recodings = {name: each.of_fewer_records() for name, each in rows.recodings.items()}
    return replace(rows, recodings=recodings, withheld=rows.withheld | gone)


def hiding(release: Release, hidden: IntArray, draws: Draws, sensitive: str | None = None) -> Release:
    """Return the release with so many sensitive values of each cell hidden; of which records is drawn.

    A hidden value is an empty cell, or where empty cells mean missing values one with stars.
    """
    rows, name = release.on_rows(), release.original.sensitive_name(sensitive)
    gone = _beyond(rows, rows.class_counts(name, reference="all").counts - hidden, draws, name)
    texts, marker = set(texts_of(rows.original.domains[name], name).tolist()), ""
    while marker in texts:  # an empty cell is a missing value, which is not hidden
        marker += "*"
    return replace(rows, shown={**rows.shown, name: _cells(gone, marker)})


def showing(
    release: Release,
    shown: Sequence[Mapping[tuple[int, int], int]],
    tree: Ancestors,
    draws: Draws,
    sensitive: str | None = None,
) -> Release:
    """Return the release with sensitive values shown as nodes of their hierarchy; for which records is drawn.

    Parameters
    ----------
    shown
        For each class, how many records of each value are shown at which node, by value and node.
    tree
        The nodes.
    draws
        What draws which records of a cell show the value itself, and which a node.
    sensitive
        The sensitive attribute; may be left out if there is one.
    """
    rows, name = release.on_rows(), release.original.sensitive_name(sensitive)
    order, _ = _by_cell(rows, draws, name)
    runs = [(node, records) for one in shown for (_, node), records in sorted(one.items())]
    used, codes = np.unique(rows.original.codes[name], return_inverse=True)
    own = tree.leaf_nodes[tree.places(rows.original.domains[name].subset(used))][codes.reshape(-1)]
    nodes = own.copy()
    nodes[order] = np.repeat([node for node, _ in runs], [records for _, records in runs])
    labels = np.array([*map(value_text, tree.labels), None], dtype=object)
    return replace(rows, shown={**rows.shown, name: _cells(nodes != own, labels[nodes])})


def _beyond(release: Release, kept: IntArray, draws: Draws, sensitive: str | None) -> npt.NDArray[np.bool_]:
    """Return which rows come after the first so many of their cell, in a drawn order; none that is suppressed."""
    order, cells = _by_cell(release, draws, sensitive)
    starts = np.searchsorted(cells, np.arange(len(kept)))
    gone = np.zeros(len(release.original), dtype=bool)
    gone[order] = np.arange(len(cells)) - starts[cells] >= kept[cells]
    return gone


def _by_cell(release: Release, draws: Draws, sensitive: str | None) -> tuple[IntArray, IntArray]:
    """Return the released rows by cell of `classes`, drawn within it, and the cell of each."""
    codes, _ = release.original.sensitive_values(release.original.sensitive_name(sensitive))
    require_plain(release.rows_of)
    rows = draws.any_order(release.rows_of)
    rows = rows[~release.withheld[rows]]
    key = release.class_of[rows] * (int(codes.max(initial=0)) + 1) + codes[rows]
    cells = np.unique(key, return_inverse=True)[1].reshape(-1)
    order = np.argsort(cells, kind="stable")
    return rows[order], cells[order]


def _cells(chosen: npt.NDArray[np.bool_], texts: Any) -> npt.NDArray[Any]:
    """Return the texts of chosen rows, and None for the others."""
    found = np.full(len(chosen), None, dtype=object)
    found[chosen] = texts if isinstance(texts, str) else texts[chosen]
    return found
