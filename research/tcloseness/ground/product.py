"""The product of ground distances: how far apart two tuples of sensitive values are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tcloseness.errors import DomainError, InputError
from tcloseness.exact import (
    INT64_MAX,
    IntArray,
    Number,
    as_fraction,
    common_denominator,
    fits_int64,
    number_text,
    shown_value,
)
from tcloseness.ground.base import PackageGround, Read
from tcloseness.ground.checking import checked, ground_record
from tcloseness.ground.protocol import GroundDistance, definition_of, greatest_distance
from tcloseness.microdata.domain import Domain
from tcloseness.strict_records import Work, canonical_fractions, common_bits, listed, shown, whole

if TYPE_CHECKING:
    from tcloseness.ground import GroundSpec

__all__ = ["LONG_ROW", "ProductGround"]

Combine = Literal["mean", "max"]

LONG_ROW = 16
"""A component's row may be so many times longer than there are tuples; of a longer one, only entries are asked."""

_MOST_COMPONENTS = 100
"""Of a product that is read from a record."""


class ProductGround(PackageGround):
    """The distance of two tuples, from the distances of their components over the tuples that occur.

        d(x, y) = Σ_k w_k·d_k(x_k, y_k)  (mean, Σ w_k = 1)   or   max_k d_k(x_k, y_k)  (max)

    Parameters
    ----------
    components
        One ground distance a component.
    tuples
        For each value of the joint attribute its component codes.
    combine
        ``"mean"`` or ``"max"``.
    weights
        Non-negative weights of the mean, read exactly and divided by their sum; equal weights by default.

    Raises
    ------
    DomainError
        For no component or no tuple, a tuple of another length or with an unknown code, or weights that are negative,
        all 0, of another number, or given with ``"max"``.

    Notes
    -----
    A metric if every component is one (two tuples that differ only in a component of weight 0 are at distance 0).
    At most 1 if the components are. It is not a sum of laminar cuts, since the components' cuts cross, so its EMD is a
    transportation problem for a solver. Its value is at least the components' EMDs, weighted (mean) or greatest (max).

    Examples
    --------
    >>> from tcloseness.ground import Equal, Ordered
    >>> ProductGround([Ordered(3), Equal(2)], [(0, 0), (1, 0), (2, 1)]).distance(0, 1)
    Fraction(1, 4)
    """

    name = "product"
    cuts = None
    keys = ("components", "tuples", "combine", "weights")

    def __init__(
        self,
        components: Sequence[GroundDistance],
        tuples: Sequence[Sequence[int]],
        *,
        combine: Combine = "mean",
        weights: Sequence[Number] | None = None,
    ) -> None:
        self.components = tuple(map(checked, components))
        self.combine = combine
        if combine not in ("mean", "max"):
            raise DomainError(f"combine={combine!r} is unknown; a product ground distance is a 'mean' or a 'max'")
        self.weights = self._read_weights(weights)
        self.tuples = tuple(map(_codes_of, tuples))
        if not self.components or not self.tuples:
            raise DomainError("a product ground distance needs at least one component and one tuple of values")
        for row in self.tuples:
            inside = len(row) == len(self.components)
            if not inside or any(not 0 <= code < d.m for code, d in zip(row, self.components, strict=True)):
                sizes = tuple(d.m for d in self.components)
                raise DomainError(f"tuple {row!r} does not fit components of {sizes!r} values; give one code each")

    def _read_weights(self, weights: Sequence[Number] | None) -> tuple[Fraction, ...]:
        n = len(self.components)
        if weights is None:
            return (Fraction(1, n),) * n if n else ()
        if self.combine == "max":
            raise DomainError("weights are given for the greatest distance; only the mean has weights")
        read = tuple(as_fraction(w, "weight") for w in weights)
        if len(read) != n or any(w < 0 for w in read) or not any(read):
            raise DomainError(f"weights {shown_value(weights)} do not fit {n} components; give one ≥ 0 each, not all 0")
        return tuple(w / sum(read) for w in read)

    @classmethod
    def over(
        cls,
        domain: Domain,
        grounds: Sequence[GroundSpec],
        domains: Sequence[Domain],
        *,
        combine: Combine = "mean",
        weights: Sequence[Number] | None = None,
    ) -> ProductGround:
        """Build over a domain whose values are tuples.

        Parameters
        ----------
        domain
            The joint attribute's domain, as that of `tcloseness.models.joint_class_counts`.
        grounds
            Per component what its ground distance is, see `tcloseness.ground.ground_distance`.
        domains
            Per component its domain; it may have values that no tuple has.
        combine, weights
            As for the class.
        """
        from tcloseness.ground import ground_distance

        if len(grounds) != len(domains):
            raise DomainError(f"{len(grounds)} ground distances are given for {len(domains)} domains; one each")
        components = [ground_distance(spec, part) for spec, part in zip(grounds, domains, strict=True)]
        tuples = []
        for value in domain.values:
            if not isinstance(value, tuple) or len(value) != len(domains):
                raise DomainError(f"value {value!r} is not a tuple of {len(domains)} values; count a joint attribute")
            tuples.append([part.code(x) for part, x in zip(domains, value, strict=True)])
        return cls(components, tuples, combine=combine, weights=weights)

    @property
    def m(self) -> int:
        """The number of tuples."""
        return len(self.tuples)

    @property
    def metric(self) -> bool:
        """Whether every component is a metric."""
        return all(d.metric for d in self.components)

    def distance(self, i: int, j: int) -> Fraction:
        """Return the combined distance of the tuples i and j."""
        pairs = zip(self.components, self.tuples[i], self.tuples[j], strict=True)
        parts = [d.distance(a, b) for d, a, b in pairs]
        if self.combine == "max":
            return max(parts)
        return sum((w * x for w, x in zip(self.weights, parts, strict=True)), Fraction(0))

    @cached_property
    def _scales(self) -> list[Fraction]:
        """Per component what one unit of its whole distances is worth."""
        weights = self.weights if self.combine == "mean" else (Fraction(1),) * len(self.components)
        return [w / d.denominator for w, d in zip(weights, self.components, strict=True)]

    @cached_property
    def denominator(self) -> int:
        """A common denominator of all distances."""
        return common_denominator(self._scales)

    @cached_property
    def _codes(self) -> IntArray:
        return np.array(self.tuples, dtype=np.int64).T

    def row(self, i: int) -> IntArray:
        """Return the distances from tuple i times `denominator`, as whole numbers."""
        parts = []
        for d, scale, codes in zip(self.components, self._scales, self._codes, strict=True):
            whole = _row_at(d, int(codes[i]), codes)
            factor = int(scale * self.denominator)
            fits = fits_int64(2, int(whole.max()), factor, len(self.components))
            parts.append(whole.astype(np.int64 if fits else object) * factor)
        combined = parts[0]
        for part in parts[1:]:
            combined = combined + part if self.combine == "mean" else np.maximum(combined, part)
        return np.asarray(combined)

    def to_dict(self) -> dict[str, Any]:
        """Return the name, the components' records, the tuples and how they are combined."""
        return {
            "name": self.name,
            "components": [ground_record(d) for d in self.components],
            "tuples": [list(row) for row in self.tuples],
            "combine": self.combine,
            "weights": [number_text(w) for w in self.weights] if self.combine == "mean" else None,
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any], work: Work, read: Read) -> ProductGround:
        """Rebuild it from its components' records and the tuples."""
        parts = listed(record["components"], "components", least=1)
        if len(parts) > _MOST_COMPONENTS:
            raise InputError(f"a product has {len(parts)} components; at most {_MOST_COMPONENTS} are read")
        components = list(map(read, parts))
        tuples = []
        for i, row in enumerate(listed(record["tuples"], "tuples", least=1)):
            codes = listed(row, f"tuples[{i}]", length=len(parts))
            tuples.append([whole(code, f"tuples[{i}][{k}]") for k, code in enumerate(codes)])
        combine, weights = record["combine"], record["weights"]
        if type(combine) is not str or combine not in ("mean", "max"):
            raise InputError(f"combine is {shown(combine)}; it must be 'mean' or 'max'")
        if weights is not None:
            weights = canonical_fractions(weights, "weights", length=len(parts))
            common_bits(weights, "weights")
        return cls(components, tuples, combine=combine, weights=weights)  # type: ignore[arg-type]

    @property
    def definition(self) -> str:
        """How which components are combined, and the tuples."""
        weights = f" with weights {', '.join(map(number_text, self.weights))}" if self.combine == "mean" else ""
        parts = ", ".join(f"({d.name}: {definition_of(d)})" for d in self.components)
        tuples = "; ".join(", ".join(map(str, row)) for row in self.tuples)
        return f"{self.combine}{weights} of {parts} over the tuples {tuples}"

    @property
    def greatest(self) -> Fraction | None:
        """The greatest distances of the components, combined; None where one is not known."""
        parts = list(map(greatest_distance, self.components))
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if self.combine == "max":
            return max(known)
        return sum((w * part for w, part in zip(self.weights, known, strict=True)), Fraction(0))

    @property
    def row_work(self) -> float:
        """That of the components; of one that is much longer than the product only entries are asked, one by one."""
        return sum(
            part.entry_work if part.m > LONG_ROW * self.m else part.row_work * max(part.m / self.m, 1)
            for part in self.components
            if isinstance(part, PackageGround)
        )

    @property
    def entry_work(self) -> float:
        """That of the components."""
        return 2000.0 + sum(part.entry_work for part in self.components if isinstance(part, PackageGround))


def _codes_of(row: Sequence[int]) -> tuple[int, ...]:
    """Return a tuple's codes as ints; what is only like one (True, 0.9, "0") is not one."""
    plain = isinstance(row, Iterable) and not isinstance(row, str)
    if not plain or any(isinstance(code, bool) or not isinstance(code, Integral) for code in row):
        raise DomainError(f"tuple {shown_value(row)} must hold codes, the whole numbers of the components' values")
    return tuple(map(int, row))


def _row_at(d: GroundDistance, i: int, codes: IntArray) -> IntArray:
    """Return the whole distances from i to these codes, without a component's whole row where that is much longer."""
    if d.m <= LONG_ROW * len(codes):
        return np.asarray(d.row(i))[codes]
    each = [int(d.distance(i, int(code)) * d.denominator) for code in codes]
    return np.array(each, dtype=np.int64 if max(each) <= INT64_MAX else object)
