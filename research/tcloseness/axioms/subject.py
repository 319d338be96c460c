"""The measure under examination: which inputs it takes, and what it answers. No exception of it escapes.

A measure is a callable of two distributions, a callable of two distributions and a ``ground`` (a `GroundDistance`), an
object of the `Measure` protocol, or one that is bound to its domain already (it has ``distance``).
"""

from __future__ import annotations

import dataclasses
import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tcloseness.axioms.amounts import Amount, amount, text
from tcloseness.axioms.grounds import Family, ground_code
from tcloseness.errors import ProtocolError
from tcloseness.ground import GroundDistance, GroundSpec
from tcloseness.measures import EMD, Measure, Variational
from tcloseness.measures.emd import BoundEMD
from tcloseness.microdata import Domain

__all__ = ["FORMS", "Form", "Masses", "NoNumber", "OutOfTime", "Scene", "Subject", "Vector", "own_ground", "shown"]

Vector = tuple[Fraction, ...]
"""A distribution: its masses by code."""


class Masses(tuple[Fraction, ...]):
    """A vector that keeps its hash: Fractions are slow to hash, and answers are looked up by their inputs."""

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("known")
        if known is None:
            known = self.__dict__["known"] = super().__hash__()
        return known


Form = Literal["fractions", "floats", "array"]
FORMS: tuple[Form, ...] = ("fractions", "floats", "array")
"""How distributions can be handed over: a list of Fractions, a list of doubles, a NumPy array of doubles."""

_LONGEST = 120
"""A longer text of an exception is cut."""


class OutOfTime(Exception):  # noqa: N818 (a state of the examination; it never leaves this room)
    """The seconds for a check are over."""


@dataclass(frozen=True)
class NoNumber:
    """The measure raised, or returned something that is no real number."""

    what: str

    def __str__(self) -> str:
        return self.what


Outcome = Amount | NoNumber


class Subject:
    """A measure, and how it is called.

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
        self._scenes: dict[Any, Scene] = {}
        self.accepted = tuple(form for form in FORMS if self._answers(form))
        self.form: Form = self.accepted[0] if self.accepted else "fractions"

    @property
    def takes_ground(self) -> bool:
        """Whether it can be asked about other ground distances than its own."""
        return self.kind == "callable of a ground distance" or (
            self.kind == "Measure" and dataclasses.is_dataclass(self.measure) and hasattr(self.measure, "ground")
        )

    @property
    def claims_emd(self) -> bool:
        """Whether it says by its type that it is an Earth Mover's Distance."""
        return isinstance(self.measure, (EMD, BoundEMD, Variational))

    def sizes(self, least: int, most: int) -> list[int]:
        """Return the numbers of values that it can be asked about."""
        largest = self.family.largest
        if largest is None:
            return list(range(least, most + 1))
        if self.kind in ("callable", "bound measure"):  # it has its ground distance inside
            return [largest]
        return list(range(least, min(most, largest) + 1))

    def at(self, m: int) -> Scene:
        """Return the measure over m values under the family's ground distance."""
        ground = self.family.over(m)
        if ground is None:
            raise OutOfTime(f"there is no ground distance over {m} values")
        return self.under(ground, key=m)

    def under(self, ground: GroundDistance, *, key: Any = None) -> Scene:
        """Return the measure under a ground distance."""
        at = ground if key is None else key
        if at not in self._scenes:
            self._scenes[at] = Scene(self, ground)
        return self._scenes[at]

    def bound(self, ground: GroundDistance) -> Callable[[Any, Any], Any]:
        """Return the measure as a function of two distributions; may raise what the measure raises."""
        match self.kind:
            case "callable":
                return self.measure  # type: ignore[no-any-return]
            case "callable of a ground distance":
                return lambda p, q: self.measure(p, q, ground=ground)
            case "bound measure":
                return self.measure.distance  # type: ignore[no-any-return]
        return self.over(ground).distance  # type: ignore[no-any-return]

    def over(self, ground: GroundDistance) -> Any:
        """Return the bound measure of a `Measure`."""
        measure = dataclasses.replace(self.measure, ground=ground) if self.takes_ground else self.measure
        return measure.over(Domain.declare(range(ground.m)))

    def convert(self, vector: Sequence[Fraction], form: Form | None = None) -> Any:
        """Return a distribution as it is handed over; always a fresh object."""
        match form or self.form:
            case "fractions":
                return list(vector)
            case "floats":
                return [float(x) for x in vector]
        return np.array([float(x) for x in vector])

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
            return "[" + ", ".join(f"F({x.numerator}, {x.denominator})" if x % 1 else f"F({x})" for x in vector) + "]"
        masses = "[" + ", ".join(f"{x.numerator} / {x.denominator}" if x % 1 else f"{x}.0" for x in vector) + "]"
        return f"np.array({masses})" if self.form == "array" else masses

    def imports(self, code: str) -> list[str]:
        """Return the imports that lines of a test need besides `Fraction`."""
        lines = []
        if "replace(" in code:
            lines.append("from dataclasses import replace")
        if "np." in code:
            lines.append("import numpy as np")
        if "tc." in code:
            lines.append("import tcloseness as tc")
        return lines

    def _answers(self, form: Form) -> bool:
        m = self.sizes(2, 2)[0]
        ground = self.family.over(m)
        assert ground is not None
        p = [Fraction(1, m)] * m
        q = [Fraction(2 * (i + 1), m * (m + 1)) for i in range(m)]
        scene = Scene(self, ground)
        return isinstance(scene.call(p, q, form), Amount)

    def describe(self) -> dict[str, Any]:
        """Return what was found about the calling."""
        return {
            "kind": self.kind,
            "accepts": list(self.accepted),
            "called_with": self.form,
            "takes_ground_distance": self.takes_ground,
        }


@dataclass(eq=False)
class Scene:
    """A measure over one ground distance. Answers are kept."""

    subject: Subject
    ground: GroundDistance
    calls: int = 0
    _known: dict[tuple[Vector, Vector], Outcome] = field(default_factory=dict)
    _function: Callable[[Any, Any], Any] | NoNumber | None = None
    letter: str = "D"

    def code(self, p: str, q: str, vectors: tuple[Vector, Vector]) -> str:
        """Return a call as a test writes it, by the names of two distributions."""
        return self.subject.call_code(p, q, self.ground)

    @property
    def m(self) -> int:
        """The number of values."""
        return self.ground.m

    def outcome(self, p: Vector, q: Vector) -> Outcome:
        """Return D(P, Q), as it was when it was first asked.

        Raises
        ------
        OutOfTime
            When the check's seconds are over.
        """
        key = (p, q)
        if key not in self._known:
            if time.monotonic() > self.subject.deadline:
                raise OutOfTime
            self._known[key] = self.call(p, q)
        return self._known[key]

    def call(self, p: Sequence[Fraction], q: Sequence[Fraction], form: Form | None = None) -> Outcome:
        """Ask the measure anew."""
        return self.call_with(self.subject.convert(p, form), self.subject.convert(q, form))

    def call_with(self, left: Any, right: Any) -> Outcome:
        """Ask the measure about two objects as they are."""
        self.calls += 1
        try:
            if self._function is None:
                self._function = self.subject.bound(self.ground)
            if isinstance(self._function, NoNumber):
                return self._function
            with np.errstate(all="ignore"):
                answer = self._function(left, right)
            found = amount(answer)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a measure raises is an answer to report)
            return NoNumber(_shortened(f"raises {type(error).__name__}: {error}"))
        return NoNumber(_shortened(f"returns {answer!r}, which is no real number")) if found is None else found


def shown(outcome: Outcome) -> str:
    """Write an outcome."""
    return text(outcome) if isinstance(outcome, Amount) else outcome.what


def _shortened(words: str) -> str:
    line = " ".join(words.split())
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
        f"{measure!r} is no measure; give a callable of two distributions, or an object with name, convex, over and "
        "to_dict (the Measure protocol)"
    )


def _name(measure: Any) -> str:
    name = getattr(measure, "name", None) or getattr(measure, "__name__", None)
    return str(name) if name else type(measure).__name__


def own_ground(measure: Any) -> GroundSpec | None:
    """Return the ground distance that a measure carries, None if it names none."""
    if isinstance(measure, Variational):
        return "equal"
    ground: GroundSpec | None = getattr(measure, "ground", None)
    return ground
