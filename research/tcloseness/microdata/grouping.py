"""Codes of several columns as one key, and what is grouped by such keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tcloseness.exact import INT64_MAX, IntArray

__all__ = ["combined_codes", "grouped", "packed", "taken", "unpacked"]


def grouped(key: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return for each different key ≥ 0, in ascending order, where it first occurs and the sum of its counts."""
    if (key[1:] > key[:-1]).all():  # what was grouped before
        return np.arange(len(key)), counts
    rising, order = _sorted(key)
    fresh = np.flatnonzero(np.append(True, rising[1:] != rising[:-1]))
    return order[fresh], np.add.reduceat(counts[order], fresh)


def _sorted(key: IntArray) -> tuple[IntArray, IntArray]:
    """Return keys ≥ 0 in ascending order and where each was; equal ones stay in their order."""
    top, order = int(key.max(initial=0)), None
    for shift in range(0, max(top.bit_length(), 1), 16):  # NumPy sorts 16 bits by counting
        digits = (key if order is None else key[order]) >> shift
        ascending = np.argsort(digits.astype(np.uint16), kind="stable")
        order = ascending if order is None else order[ascending]
    assert order is not None
    return key[order], order


def combined_codes(codes: Sequence[IntArray], radices: Sequence[int], *, rows: int = 0) -> IntArray:
    """Combine several code arrays into one, so that equal tuples get equal codes and codes sort as the tuples do.

    Mixed radix as long as it fits int64; where it does not, what was combined so far is renumbered first.
    """
    if not codes:
        return np.zeros(rows, dtype=np.int64)
    combined, size = codes[0], radices[0]
    for code, radix in zip(codes[1:], radices[1:], strict=True):
        if size * radix > INT64_MAX:
            uniques, combined = np.unique(combined, return_inverse=True)
            size = len(uniques)
        combined, size = combined * radix + code, size * radix
    return combined


def packed(
    columns: Iterable[IntArray], sizes: Sequence[int], counts: IntArray, largest: int
) -> tuple[IntArray, IntArray]:
    """Return each combination of codes once, as a number in ascending order, and the sums of its counts, by one sort.

    Parameters
    ----------
    columns, sizes
        The codes, and how many each column may have; see `unpacked`.
    counts, largest
        The counts, and a number above all of them; the product of it and all sizes fits int64.

    Notes
    -----
    What is sorted are whole numbers, each a combination and its count, from which both are read back.
    """
    key = np.zeros(len(counts), dtype=np.int64)
    for codes, size in zip(columns, sizes, strict=True):
        key *= size
        key += codes
    if not (key[1:] > key[:-1]).all():  # what was grouped before ascends
        key *= largest
        key += counts
        key.sort()
        key, counts = _divided(key, largest)
        fresh = np.flatnonzero(np.diff(key, prepend=-1))
        if len(fresh) < len(key):
            key, counts = key[fresh], np.add.reduceat(counts, fresh)
    return key, counts


def unpacked(key: IntArray, sizes: Sequence[int]) -> list[IntArray]:
    """Return the codes of combinations that `packed` made numbers."""
    found = []
    for size in reversed(sizes):
        key, codes = _divided(key, size)
        found.append(codes)
    return found[::-1]


def _divided(numbers: IntArray, divisor: int) -> tuple[IntArray, IntArray]:
    """Return what `np.divmod` does, for numbers ≥ 0, at a fraction of its cost."""
    quotients = numbers // divisor
    return quotients, numbers - quotients * divisor


def taken(array: IntArray, places: IntArray) -> IntArray:
    """Return what an array has at places; itself, not a copy, where these are all of it in order."""
    whole = len(places) == len(array) and (places[1:] > places[:-1]).all()
    return array if whole else array[places]
