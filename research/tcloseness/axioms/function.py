"""The function under test: which inputs it takes, and what it returns. No exception of it escapes.

It is a callable of two distributions, a callable of two distributions and a ``ground`` (a `GroundDistance`), an object
of the `Measure` protocol, or one that is bound to its domain already (it has ``distance``).
"""

from __future__ import annotations

import dataclasses
import inspect
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from tcloseness.axioms.grounds import Family, ground_code
from tcloseness.axioms.laws import ONE, Call, Named, Sum, Vector
from tcloseness.axioms.symbolic import Unprovable, without_branches
from tcloseness.axioms.values import NoNumber, Value, as_value
from tcloseness.errors import ProtocolError
from tcloseness.exact import shown_value
from tcloseness.ground import BY_SIZE, GroundDistance
from tcloseness.measures import Measure, Variational
from tcloseness.measures.emd import BoundEMD
from tcloseness.microdata import Domain

__all__ = ["FORMS", "BoundFunction", "BudgetSpent", "Form", "FunctionUnderTest", "Reference", "variational"]

Form = Literal["fractions", "floats", "array"]
FORMS: tuple[Form, ...] = ("fractions", "floats", "array")
"""How distributions can be handed over: a list of Fractions, a list of doubles, a NumPy array of doubles."""

_LONGEST = 120
"""A longer text of an exception is cut."""


class BudgetSpent(Exception):  # noqa: N818 (it ends a check and never leaves this room)
    """The seconds for a check are over."""


class FunctionUnderTest:
    """A distance, and how it is called.

    Attributes
    ----------
    measure
        What the caller gave.
    family
        The ground distances that it is judged by.
    kind
        ``"callable"``, ``"callable of a ground distance"``, ``"Measure"`` or ``"bound measure"``.
    accepted
        The forms of input that it answers for.
    form
        The one that is used: the most exact.
    """

    def __init__(self, measure: Any, family: Family, name: str | None = None) -> None:
        self.measure, self.family = measure, family
        self.kind = _kind(measure)
        self.name = name or _name(measure)
        self.deadline = float("inf")
        self._sized: dict[int, BoundFunction] = {}
        self._bound: dict[int, BoundFunction] = {}
        self.accepted = tuple(form for form in FORMS if self._answers(form))
        self.form: Form = self.accepted[0] if self.accepted else "fractions"

    @property
    def is_measure(self) -> bool:
        """Whether it measures classes of a table too (``per_class``)."""
        return self.kind in ("Measure", "bound measure")

    @property
    def takes_ground(self) -> bool:
        """Whether it can be asked about other ground distances than its own."""
        return self.kind == "callable of a ground distance" or (
            self.kind == "Measure"
            and dataclasses.is_dataclass(self.measure)
            and any(field.name == "ground" for field in dataclasses.fields(self.measure))
        )

    def sizes(self, least: int, most: int) -> list[int]:
        """Return the numbers of values that it can be asked about."""
        largest = self.family.largest
        if largest is None:
            return list(range(least, most + 1))
        if self.kind in ("callable", "bound measure"):  # it has its ground distance inside
            return [largest]
        return list(range(least, min(most, largest) + 1))

    def over(self, m: int) -> BoundFunction:
        """Return the function over m values under the family's ground distance."""
        if m not in self._sized:
            ground = self.family.over(m)
            assert ground is not None
            self._sized[m] = self.under(ground)
        return self._sized[m]

    def under(self, ground: GroundDistance) -> BoundFunction:
        """Return the function under another ground distance."""
        if id(ground) not in self._bound:  # one of the user's own may have no hash
            self._bound[id(ground)] = BoundFunction(self, ground)
        return self._bound[id(ground)]

    def convert(self, vector: Sequence[Fraction], form: Form | None = None) -> Any:
        """Return a distribution as it is handed over; always a fresh object."""
        if (form or self.form) == "fractions":
            return list(vector)
        doubles = [float(x) for x in vector]
        return doubles if (form or self.form) == "floats" else np.array(doubles)

    def call_code(self, p: str, q: str, ground: GroundDistance) -> str:
        """Return the call as a test writes it."""
        match self.kind:
            case "callable":
                return f"measure({p}, {q})"
            case "callable of a ground distance":
                return f"measure({p}, {q}, ground={ground_code(ground)})"
            case "bound measure":
                return f"measure.distance({p}, {q})"
        measure = f"replace(measure, ground={ground_code(ground)})" if self.takes_ground else "measure"
        return f"{measure}.over(tc.Domain.declare(range({ground.m}))).distance({p}, {q})"

    def vector_code(self, vector: Sequence[Fraction]) -> str:
        """Return a distribution as a test writes it."""
        if self.form == "fractions":
            return _exact_code(vector)
        masses = "[" + ", ".join(f"{x.numerator} / {x.denominator}" if x % 1 else f"{x}.0" for x in vector) + "]"
        return f"np.array({masses})" if self.form == "array" else masses

    def _answers(self, form: Form) -> bool:
        m = self.sizes(2, 2)[0]
        p = [Fraction(1, m)] * m
        q = [Fraction(2 * (i + 1), m * (m + 1)) for i in range(m)]
        return isinstance(self.over(m).value_anew(p, q, form), Value)

    def describe(self) -> dict[str, Any]:
        """Return what was found about the calling."""
        return {
            "kind": self.kind,
            "accepts": list(self.accepted),
            "called_with": self.form,
            "takes_ground_distance": self.takes_ground,
        }


class BoundFunction:
    """The function under test over one ground distance. Values are kept; ``d(p, q)`` is the distance in a claim."""

    letter = "D"

    def __init__(self, under_test: FunctionUnderTest, ground: GroundDistance) -> None:
        self.under_test, self.ground = under_test, ground
        self._known: dict[tuple[Vector, Vector], Value | NoNumber] = {}
        self._function: Callable[[Any, Any], Any] | None = None

    def __call__(self, p: Named, q: Named) -> Sum:
        """Return the distance as a part of a claim."""
        return Sum(((ONE, Call(self, p, q)),))

    @property
    def m(self) -> int:
        """The number of values."""
        return self.ground.m

    @property
    def ground_text(self) -> str:
        """The ground distance as text."""
        return f"{self.ground.name}, m = {self.m}"

    def code(self, p: Named, q: Named) -> str:
        """Return the call as a test writes it, by the names of two distributions."""
        return self.under_test.call_code(p.name, q.name, self.ground)

    def value(self, p: Vector, q: Vector) -> Value | NoNumber:
        """Return D(P, Q), as it was when it was first asked.

        Raises
        ------
        BudgetSpent
            When the check's seconds are over.
        """
        found = self._known.get((p, q))
        if found is None:
            if time.monotonic() > self.under_test.deadline:
                raise BudgetSpent
            found = self._known[p, q] = self.ask(self.under_test.convert(p), self.under_test.convert(q))
        return found

    def value_anew(self, p: Sequence[Fraction], q: Sequence[Fraction], form: Form | None = None) -> Value | NoNumber:
        """Ask the function again, with the distributions in some form."""
        return self.ask(self.under_test.convert(p, form), self.under_test.convert(q, form))

    def ask(self, left: Any, right: Any) -> Value | NoNumber:
        """Ask the function about two objects as they are."""
        try:
            with np.errstate(all="ignore"):
                answer = self.function(left, right)
            found = as_value(answer)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a measure raises is an answer to report)
            return NoNumber(_shortened(raised(error)))
        if found is not None:
            return found
        return NoNumber(_shortened(f"returns {shown_value(answer, _LONGEST)}, which is not a real number"))

    @property
    def function(self) -> Callable[[Any, Any], Any]:
        """The function of two distributions; may raise what the measure raises."""
        if self._function is None:
            measure = self.under_test.measure
            match self.under_test.kind:
                case "callable":
                    self._function = measure
                case "callable of a ground distance":
                    self._function = partial(measure, ground=self.ground)
                case _:
                    self._function = self.measure.distance
        assert self._function is not None
        return self._function

    @property
    def measure(self) -> Any:
        """The bound measure: what has ``distance`` and ``per_class``."""
        measure = self.under_test.measure
        if self.under_test.kind == "bound measure":
            return measure
        if self.under_test.takes_ground:
            measure = dataclasses.replace(measure, ground=self.ground)
        return measure.over(Domain.declare(range(self.m)))

    def on_symbols(self, p: Sequence[Any], q: Sequence[Any]) -> Any:
        """Run the function on symbols: a measure by its closed form if it has one, anything else as it is."""
        if self.under_test.is_measure and hasattr(bound := self.measure, "closed_form"):
            return _of_closed_form(bound, p, q)
        function = without_branches(self.function)
        if self.under_test.form == "array":
            value = function(np.array(p, dtype=object), np.array(q, dtype=object))
        else:
            value = function(list(p), list(q))
        return Fraction(value) if isinstance(value, float) else value


class Reference(BoundFunction):
    """The EMD under a ground distance, for a law that compares with it."""

    def __init__(self, ground: GroundDistance, letter: str = "EMD") -> None:
        self.ground, self.letter = ground, letter
        self._known = {}

    @property
    def measure(self) -> BoundEMD:
        """The EMD."""
        return BoundEMD(self.ground)

    def value(self, p: Vector, q: Vector) -> Value | NoNumber:
        """Return the distance, exact."""
        found = self._known.get((p, q))
        if found is None:
            value = as_value(self.measure.distance(p, q))
            assert value is not None
            found = self._known[p, q] = value
        return found

    def code(self, p: Named, q: Named) -> str:
        """Return the call with exact masses, whatever form the function takes."""
        return f"tc.emd({_exact_code(p.masses)}, {_exact_code(q.masses)}, {ground_code(self.ground)})"

    def on_symbols(self, p: Sequence[Any], q: Sequence[Any]) -> Any:
        """Return the EMD of symbols by its closed form."""
        return _of_closed_form(self.measure, p, q)


def variational(m: int) -> Reference:
    """Return the variational distance over m values: the EMD under the equal distance."""
    return Reference(BY_SIZE[Variational.ground](m), "V")


def _of_closed_form(measure: Any, p: Sequence[Any], q: Sequence[Any]) -> Any:
    found = measure.closed_form(p, q)
    if found is None:
        raise Unprovable("it has no closed form under this ground distance")
    return found


def _exact_code(vector: Sequence[Fraction]) -> str:
    return "[" + ", ".join(f"F({x.numerator}, {x.denominator})" if x % 1 else f"F({x})" for x in vector) + "]"


def raised(error: BaseException) -> str:
    """Return what was raised, for a message."""
    try:
        return f"raises {type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 (an exception that cannot write itself)
        return f"raises {type(error).__name__}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _kind(measure: Any) -> str:
    if isinstance(measure, type):
        raise ProtocolError(f"{measure.__name__} is a class; give an object of it, such as {measure.__name__}()")
    if isinstance(measure, Measure):
        return "Measure"
    if callable(measure):
        try:
            parameters = inspect.signature(measure).parameters
        except (TypeError, ValueError):  # compiled functions have none
            return "callable"
        return "callable of a ground distance" if "ground" in parameters else "callable"
    if callable(getattr(measure, "distance", None)):
        return "bound measure"
    raise ProtocolError(
        f"{shown_value(measure)} is not a measure; give a callable of two distributions, or an object with name, "
        "convex, over and to_dict (the Measure protocol)"
    )


def _name(measure: Any) -> str:
    name = getattr(measure, "name", None) or getattr(measure, "__name__", None)
    return str(name) if name else type(measure).__name__
