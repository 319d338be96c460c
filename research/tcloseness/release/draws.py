"""`Draws`: what a method draws at random, from a secret seed or a given one, and the order by which ties are broken.

A release may depend on the sensitive values only where its model asks for it. So ties between records are broken by
their quasi-identifiers and then by a drawn number, and what a paper draws at random is drawn at random: whoever knows
the code, its parameters and everybody's quasi-identifiers must not be able to draw the same again.

X. Xiao, Y. Tao, N. Koudas, "Transparent Anonymization: Thwarting Adversaries Who Know the Algorithm", TODS 35(2), 2010.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import cached_property

import numpy as np
import pandas as pd

from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.microdata import Microdata
from tcloseness.release.rows import cell_text, ranked

__all__ = ["GREATEST_SEED", "NOTHING_DRAWN", "Draws", "numbered_by_first_record", "seeded"]

GREATEST_SEED = 2**128 - 1
"""The greatest seed that can be given."""

NOTHING_DRAWN = "nothing is drawn: records of equal quasi-identifiers are treated alike"
"""What a method without draws says of them."""

_BYTES = 16
"""How many drawn bytes order one thing: two of a million are equal, and then not in drawn order, once in 2⁸⁹ draws."""


def seeded(seed: int | None) -> int | None:
    """Return a seed that may be given.

    Raises
    ------
    InputError
        Unless it is a whole number from 0 to `GREATEST_SEED`, or None.
    """
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed <= GREATEST_SEED:
        raise InputError(
            f"the seed is {_shown(seed)}; it must be a whole number from 0 to 2¹²⁸ − 1, or be left out: then a secret "
            "one is drawn"
        )
    return int(seed)


def _shown(seed: object) -> str:
    large = isinstance(seed, int) and not isinstance(seed, bool) and seed.bit_length() > 10_000  # repr would refuse
    return "too large" if large else repr(seed)


class Draws:
    """All draws of one run.

    Parameters
    ----------
    seed
        None (default): 256 secret bits of the operating system (`secrets.token_bytes`), which are kept nowhere but in
        this object. A whole number ≥ 0 makes the same draws again, for experiments and tests; what was drawn with it
        can be drawn again by whoever learns or guesses it, so a release that is made with it is not for publication.

    Attributes
    ----------
    seed
        The seed that was given; None for a secret one.

    Raises
    ------
    InputError
        For a seed that cannot be given.

    Notes
    -----
    The generator is SHAKE-256 (FIPS 202) of the seed and the name of the draw: from what was drawn nothing can be
    concluded about the seed or other draws. It is the same in every version of Python and numpy.

    Examples
    --------
    >>> Draws(7).permutation(5, "records").tolist() == Draws(7).permutation(5, "records").tolist()
    True
    >>> Draws().text
    'drawn at random with a secret seed'
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seeded(seed)

    def __repr__(self) -> str:
        return "Draws()" if self.seed is None else f"Draws({self.seed})"

    @cached_property
    def _key(self) -> bytes:
        return b"secret" + secrets.token_bytes(32) if self.seed is None else b"given %x" % self.seed

    @property
    def text(self) -> str:
        """How was drawn, for the record; a secret seed is not in it."""
        if self.seed is None:
            return "drawn at random with a secret seed"
        return f"seed {self.seed} given: repeatable, not for publication"

    def permutation(self, things: int, name: str) -> IntArray:
        """Return 0 … things − 1 in a drawn order, each order equally probable; a draw of the same name is the same."""
        drawn = hashlib.shake_256(self._key + b"\0" + name.encode("utf-8", "surrogatepass")).digest(_BYTES * things)
        return np.lexsort(np.frombuffer(drawn, dtype=">u8").reshape(things, 2).T[::-1])

    def order(self, table: Microdata) -> IntArray:
        """Return the records by their quasi-identifiers in the table's order, equal ones in a drawn order.

        Given the quasi-identifiers, each order of the records with equal ones is equally probable, whatever their
        sensitive values are. With a given seed the order of the rows changes nothing: only records that are equal in
        everything are distinguished by it.
        """
        keys = [column.codes for column in table.quasi_identifiers]
        sorted_rows = np.lexsort([column.codes for column in (*table.quasi_identifiers, *table.sensitive)][::-1])
        drawn = self.permutation(len(table), "order of equal records")
        return sorted_rows[np.lexsort((drawn, *(codes[sorted_rows] for codes in reversed(keys))))]

    def order_of_rows(self, frame: pd.DataFrame) -> IntArray:
        """Return a frame's rows in a drawn order, each equally probable; with a given seed theirs changes nothing."""
        ranks = [_ranks(frame.iloc[:, place]) for place in range(frame.shape[1])]
        alike = np.lexsort(ranks[::-1]) if ranks else np.arange(len(frame))
        return alike[self.permutation(len(frame), "order of the rows")]

    def any_order(self, table: Microdata) -> IntArray:
        """Return the records in a drawn order, each equally probable; with a given seed their order changes nothing."""
        alike = np.lexsort([column.codes for column in (*table.quasi_identifiers, *table.sensitive)])
        return alike[self.permutation(len(table), "order of the records")]

    def places(self, table: Microdata) -> IntArray:
        """Return the place of each record in `order`."""
        places = np.empty(len(table), dtype=np.int64)
        places[self.order(table)] = np.arange(len(table))
        return places


def _ranks(column: pd.Series) -> IntArray:
    """Return the place of each cell's text among those of the column."""
    if not isinstance(column.dtype, pd.StringDtype):  # equal values may have different texts, as 1 and True
        return ranked([cell_text(value) for value in column])
    codes, values = pd.factorize(column, use_na_sentinel=False)
    return ranked([cell_text(value) for value in values])[codes]


def numbered_by_first_record(class_of: IntArray, order: IntArray) -> IntArray:
    """Return the classes numbered in the order of their first records, which go in the given order; −1 stays."""
    found = np.full(len(class_of), -1, dtype=np.int64)
    rows = order[class_of[order] >= 0]
    _, first, numbers = np.unique(class_of[rows], return_index=True, return_inverse=True)
    found[rows] = np.argsort(np.argsort(first))[numbers.reshape(-1)]
    return found
