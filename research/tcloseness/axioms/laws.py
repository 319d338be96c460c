"""Laws about a distance, written once for known numbers and for symbols.

A law is a claim about a few distributions: a comparison of two weighted sums of distances. With known masses the claim
is computed; with symbols it is a statement for a prover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from tcloseness.axioms.symbolic import Truth
from tcloseness.axioms.values import DOUBLE_TOLERANCE, NoNumber, Value, difference_sign, weighted_sum
from tcloseness.axioms.verdict import Counterexample
from tcloseness.exact import ExactReal, nearest_double, number_text

if TYPE_CHECKING:
    from tcloseness.axioms.function import BoundFunction

__all__ = [
    "ONE",
    "ZERO",
    "Claim",
    "Law",
    "Masses",
    "Named",
    "Sum",
    "Vector",
    "counterexample",
    "mixture",
    "wrong_value",
]

ONE, ZERO = Fraction(1), Fraction(0)

Relation = Literal["≤", "=", "<"]

Vector = tuple[Fraction, ...]
"""A distribution: its masses by code."""


class Masses(tuple[Fraction, ...]):
    """A vector that keeps its hash: Fractions are slow to hash, and values are looked up by their inputs."""

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("known")
        if known is None:
            known = self.__dict__["known"] = super().__hash__()
        return known


@dataclass(frozen=True)
class Named:
    """A distribution with the name that it has in a counterexample; its masses are Fractions or symbols."""

    name: str
    masses: tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    """D(P, Q) under one ground distance."""

    function: BoundFunction
    p: Named
    q: Named

    def __str__(self) -> str:
        return f"{self.function.letter}({self.p.name}, {self.q.name})"

    @property
    def value(self) -> Value | NoNumber:
        """What the function returns."""
        return self.function.value(self.p.masses, self.q.masses)

    @property
    def code(self) -> str:
        """The call in a test; an exact real number becomes a double there."""
        found, written = self.value, self.function.code(self.p, self.q)
        return f"float({written})" if isinstance(found, Value) and isinstance(found.number, ExactReal) else written


@dataclass(frozen=True, eq=False)
class Sum:
    """A weighted sum of distances and constants; a comparison of two is a `Claim`.

    Attributes
    ----------
    parts
        Shares ≥ 0 with their calls; without a call the share is a constant.
    """

    parts: tuple[tuple[Fraction, Call | None], ...]

    def __add__(self, other: Sum) -> Sum:
        return Sum((*self.parts, *other.parts))

    def __rmul__(self, share: Fraction) -> Sum:
        return Sum(tuple((share * own, call) for own, call in self.parts))

    def __le__(self, other: Sum | Fraction) -> Claim:
        return Claim(self, "≤", _sum(other))

    def __lt__(self, other: Sum | Fraction) -> Claim:
        return Claim(self, "<", _sum(other))

    def __ge__(self, other: Fraction) -> Claim:
        return Claim(_sum(other), "≤", self)

    def __gt__(self, other: Fraction) -> Claim:
        return Claim(_sum(other), "<", self)

    def equals(self, other: Sum | Fraction) -> Claim:
        """Return the claim that the two are equal."""
        return Claim(self, "=", _sum(other))

    def __str__(self) -> str:
        return self._written(str, number_text, "·")

    @property
    def code(self) -> str:
        """The sum in a test."""

        def number(share: Fraction) -> str:
            return str(share) if share.denominator == 1 else f"F({share.numerator}, {share.denominator})"

        return self._written(lambda call: call.code, number, " * ")

    def _written(self, call_text: Callable[[Call], str], number: Callable[[Fraction], str], times: str) -> str:
        return " + ".join(
            number(share)
            if call is None
            else call_text(call)
            if share == 1
            else number(share) + times + call_text(call)
            for share, call in self.parts
        )

    def on_symbols(self) -> Any:
        """Return the sum with the distances as terms of symbols."""
        total: Any = ZERO
        for share, call in self.parts:
            value: Any = share
            if call is not None:
                value = call.function.on_symbols(call.p.masses, call.q.masses)
                value = value if share == 1 else value * share
            total = value if isinstance(total, Fraction) and total == 0 else total + value
        return total


def _sum(given: Sum | Fraction) -> Sum:
    return given if isinstance(given, Sum) else Sum(((Fraction(given), None),))


def mixture(name: str, shares: Sequence[Fraction], vectors: Sequence[Named]) -> Named:
    """Return Σ share·P: the distribution of the union of classes with these shares of the records."""
    columns = zip(*(v.masses for v in vectors), strict=True)
    mixed = [sum((s * x for s, x in zip(shares, c, strict=True)), 0 * c[0]) for c in columns]
    return Named(name, Masses(mixed))


@dataclass(frozen=True)
class Claim:
    """left ≤ right, left = right or left < right."""

    left: Sum
    relation: Relation
    right: Sum

    @property
    def calls(self) -> list[Call]:
        """All calls, each once."""
        calls = [call for _, call in (*self.left.parts, *self.right.parts) if call is not None]
        return list({(id(call.function), str(call)): call for call in calls}.values())

    def violated(self) -> bool | None:
        """Say whether the claim about known masses is false; None where the function gives no number."""
        sides: list[Value | None] = []
        for side in (self.left, self.right):
            parts = []
            for share, call in side.parts:
                if call is None:
                    parts.append((ONE, Value(share, nearest_double(share))))
                    continue
                found = call.function.value(call.p.masses, call.q.masses)
                if isinstance(found, NoNumber):
                    return None
                parts.append((share, found))
            sides.append(weighted_sum(parts))
        left, right = sides
        if left is None or right is None:
            return None
        sign = difference_sign(left, right)
        if self.relation == "<":  # a strict order of doubles is read as it is: no tolerance can grant it
            return sign >= 0 if left.exact and right.exact else left.double >= right.double
        return sign > 0 if self.relation == "≤" else sign != 0

    def on_symbols(self) -> Truth | bool:
        """Return the claim as a statement about symbols."""
        left, right = self.left.on_symbols(), self.right.on_symbols()
        answer = left <= right if self.relation == "≤" else left == right if self.relation == "=" else left < right
        return answer if isinstance(answer, Truth) else bool(answer)

    def counterexample(self, vectors: Sequence[Named] = ()) -> Counterexample:
        """Write down the claim, which is false, after the distributions that it is made from."""
        named = {v.name: v for v in vectors}
        for call in self.calls:
            named.setdefault(call.p.name, call.p)
            named.setdefault(call.q.name, call.q)
        functions = list(dict.fromkeys(call.function for call in self.calls if call.function.letter == "D"))
        found = {str(call): call.value for call in self.calls}
        written = {name: str(value) for name, value in found.items() if isinstance(value, Value)}
        exact = all(v.exact and not isinstance(v.number, ExactReal) for v in found.values() if isinstance(v, Value))
        broken = {"≤": ">", "=": "≠", "<": "≥"}[self.relation]
        return counterexample(
            functions[0],
            list(named.values()),
            f"{self.left} {broken} {self.right}: " + ", ".join(f"{name} = {value}" for name, value in written.items()),
            f"assert {self._assertion(exact)}",
            values=written,
            ground="; ".join(f.ground_text for f in functions),
        )

    def _assertion(self, exact: bool) -> str:
        left, right = self.left.code, self.right.code
        match self.relation:
            case "=":
                return f"{left} == {right}" if exact else f"abs({left} - ({right})) <= {DOUBLE_TOLERANCE!r}"
            case "≤":
                return f"{left} <= {right}" if exact else f"{left} <= {right} + {DOUBLE_TOLERANCE!r}"
        return f"{left} < {right}"


@dataclass(frozen=True)
class Law:
    """A claim about all distributions over the same values.

    Attributes
    ----------
    names
        Of the distributions.
    claim
        ``claim(d, case, *vectors)`` makes the claim about the function d.
    cases
        What else it is made for: shares, relabellings, …
    needs
        Which known masses it speaks of (all by default).
    given
        The same for symbols.
    most
        The greatest m that a proof is tried for; 0 for none.
    least
        The least m that there is something to say about.
    """

    names: tuple[str, ...]
    claim: Callable[..., Claim]
    cases: Callable[[BoundFunction], Iterable[Any]] = lambda function: (None,)
    needs: Callable[..., bool] | None = None
    given: Callable[..., list[Any]] | None = None
    most: int = 4
    least: int = 2


def counterexample(
    function: BoundFunction,
    vectors: Sequence[Named],
    finding: str,
    *lines: str,
    values: Mapping[str, str] | None = None,
    ground: str | None = None,
) -> Counterexample:
    """Write down distributions that show what is wrong, with the lines of a test that fails for it.

    Parameters
    ----------
    lines
        Of the test, after the definitions of the distributions.
    values
        By expression, what the function returned.
    ground
        Where it is not the function's alone.
    """
    body = [f"{v.name} = {function.under_test.vector_code(v.masses)}" for v in vectors]
    body += lines
    return Counterexample(
        inputs={v.name: tuple(number_text(x) for x in v.masses) for v in vectors},
        ground=ground or function.ground_text,
        values=values or {},
        finding=finding,
        code=(*imports("\n".join(body)), *body),
    )


def imports(code: str) -> list[str]:
    """Return the imports that lines of a test need besides `Fraction`."""
    needed = {
        "math.": "import math",
        "replace(": "from dataclasses import replace",
        "np.": "import numpy as np",
        "tc.": "import tcloseness as tc",
    }
    return [line for word, line in needed.items() if word in code]


def wrong_value(function: BoundFunction, p: Vector, q: Vector, wrong: str, assertion: str) -> Counterexample:
    """Write down two distributions for which one call shows what is wrong.

    Parameters
    ----------
    wrong
        What is wrong, after ``D(P, Q)``.
    assertion
        What a test asserts; ``{call}`` stands for the call.
    """
    named = Named("P", p), Named("Q", q)
    line = f"assert {assertion.replace('{call}', function.code(*named))}"
    values = {"D(P, Q)": str(function.value(p, q))}
    return counterexample(function, named, f"D(P, Q) {wrong}", line, values=values)
