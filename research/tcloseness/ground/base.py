"""What the package's own ground distances share: how each says what it is, and what follows from its cuts alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property, wraps
from typing import Any, ClassVar

import numpy as np

from tcloseness.displayed import Pictured, counted
from tcloseness.errors import DomainError
from tcloseness.exact import INT64_MAX, IntArray, number_text
from tcloseness.ground.cuts import Cuts
from tcloseness.ground.protocol import GroundDistance, farthest
from tcloseness.microdata.border import place_in

__all__ = ["PackageGround", "Read", "WithCuts"]

Read = Callable[[object], GroundDistance]
"""Rebuilds a ground distance from its record."""


class PackageGround(Pictured):
    """A ground distance of this package: it names itself, is built from what people give, and reads its own record.

    What others may ask of it beside the protocol's members is here once; the classes of `tcloseness.ground.catalogue`
    answer it.
    """

    name: Any
    m: Any
    metric: Any
    cuts: Any
    denominator: Any
    distance: Any
    row: Any
    to_dict: Any
    of: Any
    """Makes it of ``(spec, domain)``, a spec that it `reads`."""
    from_dict: Any
    """Rebuilds it from ``(record, work, read)``: a record that has its keys; `read` rebuilds a distance inside it."""
    from_file: Any
    """Reads ``(kind, file, separator=…, …)``, a file of the form KIND:FILE, as a spec."""

    forms: ClassVar[Mapping[str, str]] = {}
    """How it is written: in Python the name alone, on the command line also one with a FILE; and what that means."""
    needs_values: ClassVar[bool] = False
    """Whether it depends on what the values are, and not only on how many they are."""
    by_size: ClassVar[bool] = False
    """Whether a number of values makes it: ``cls(m)``."""
    value_order: ClassVar[str] = "none"
    """The order of the values, as text."""
    keys: ClassVar[tuple[str, ...]] = ()
    """The keys of its record, beside the name."""

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        for i in range(self.m):
            for j in range(self.m):
                distance = self.distance(i, j)
                yield {"from": i, "to": j, "distance": number_text(distance), "decimal": float(distance)}

    def _said(self) -> str:
        return f"{self.name}, {counted(self.m, 'value')}{'' if self.metric else ', not a metric'}"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in {"distance", "row"} & vars(cls).keys():
            setattr(cls, name, _of_codes(vars(cls)[name]))

    @classmethod
    def reads(cls, spec: Any) -> bool:
        """Say whether a spec means this distance."""
        return isinstance(spec, str) and spec in cls.forms

    @property
    def greatest(self) -> Fraction | None:
        """A number that no distance of two values exceeds."""
        return farthest(self)

    def unchanged_by(self, order: IntArray) -> bool:
        """Say whether it is known to be the same after value order[k] became value k, and to hold no value itself."""
        return False

    @property
    def row_work(self) -> float:
        """About how much work one row is for each of its values, in units of `Work`; more for long numbers."""
        return 4.0 if self.by_size or self.row(0).dtype != object else 200.0

    @property
    def entry_work(self) -> float:
        """About how much work one distance is, asked by itself."""
        return float(2000 + (self.denominator.bit_length() / 64) ** 2)


def _of_codes(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a ground distance that refuses codes outside the domain: arithmetic has an answer for any."""

    @wraps(method)
    def checked(self: Any, *codes: Any, **named: Any) -> Any:
        m = self.m
        for code in (*codes, *named.values()):
            place_in(code, m, f"a code of the {self.name} distance", DomainError)
        return method(self, *codes, **named)

    return checked


class WithCuts(PackageGround):
    """A distance that is a weighted sum of laminar cuts, hence a metric: rows and distances follow from the cuts."""

    metric = True

    @property
    def denominator(self) -> int:
        """The denominator of the weights."""
        cuts: Cuts = self.cuts
        return cuts.denominator

    def distance(self, i: int, j: int) -> Fraction:
        """Return the weight of the sets that part i from j."""
        cuts: Cuts = self.cuts
        return cuts.distance(i, j)

    @cached_property
    def _weight_around(self) -> IntArray:
        """Shape (m,): by place, the weight of the sets that hold it."""
        return self._spread(np.ones(len(self.cuts), dtype=bool))

    def _spread(self, chosen: IntArray) -> IntArray:
        """Return, by place, the weight of the chosen sets that hold it."""
        cuts: Cuts = self.cuts
        weights = cuts.weights[chosen].astype(np.int64 if 2 * cuts.total_weight <= INT64_MAX else object)
        steps = np.zeros(self.m + 1, dtype=weights.dtype)
        np.add.at(steps, cuts.low[chosen], weights)
        np.subtract.at(steps, cuts.high[chosen], weights)
        return np.asarray(np.cumsum(steps)[:-1])

    def row(self, i: int) -> IntArray:
        """Return the distances from value i times `denominator`.

        They weigh the sets around either value, less twice those around both.
        """
        cuts: Cuts = self.cuts
        place, around = int(cuts.place[i]), self._weight_around
        both = self._spread((cuts.low <= place) & (place < cuts.high))
        return np.asarray((around[place] + around - 2 * both)[cuts.place])
