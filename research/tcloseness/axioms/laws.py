"""Laws about a measure, written once for known numbers and for symbols.

A law is a claim about a few distributions: a comparison of two weighted sums of distances. With known masses the claim
is computed; with symbols it is a statement for a prover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from tcloseness.axioms.amounts import DOUBLE_TOLERANCE, Amount, amount, difference_sign, is_exact, text, weighted
from tcloseness.axioms.subject import Masses, Scene, shown
from tcloseness.axioms.verdict import Counterexample
from tcloseness.exact import ExactReal, number_text

__all__ = [
    "ONE",
    "ZERO",
    "Call",
    "Claim",
    "Law",
    "Named",
    "counterexample_of",
    "found_wrong",
    "mixture",
    "side",
    "violated",
]

ONE, ZERO = Fraction(1), Fraction(0)

Relation = Literal["≤", "=", "<"]


@dataclass(frozen=True)
class Named:
    """A distribution with the name that it has in a counterexample; its masses are Fractions or symbols."""

    name: str
    masses: tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    """D(P, Q) under one ground distance."""

    scene: Scene
    p: Named
    q: Named

    def __str__(self) -> str:
        return f"{self.scene.letter}({self.p.name}, {self.q.name})"

    @property
    def code(self) -> str:
        """The call in a test; an exact real number becomes a double there."""
        found = self.scene.outcome(self.p.masses, self.q.masses)
        written = self.scene.code(self.p.name, self.q.name, (self.p.masses, self.q.masses))
        return f"float({written})" if isinstance(found, Amount) and isinstance(found.value, ExactReal) else written


Part = tuple[Fraction, Call | None]
Side = tuple[Part, ...]


def side(*parts: Call | Fraction | int | tuple[Fraction, Call]) -> Side:
    """Return a sum: calls, calls with a share, and constants."""
    made: list[Part] = []
    for part in parts:
        match part:
            case Call():
                made.append((ONE, part))
            case (share, call):
                made.append((share, call))
            case _:
                made.append((Fraction(part), None))
    return tuple(made)


def mixture(name: str, shares: Sequence[Fraction], vectors: Sequence[Named]) -> Named:
    """Return Σ share·P: the distribution of the union of classes with these shares of the records."""
    columns = zip(*(v.masses for v in vectors), strict=True)
    mixed = [sum((s * x for s, x in zip(shares, c, strict=True)), 0 * c[0]) for c in columns]
    return Named(name, Masses(mixed))


@dataclass(frozen=True)
class Claim:
    """left ≤ right, left = right or left < right."""

    left: Side
    relation: Relation
    right: Side

    @property
    def calls(self) -> list[Call]:
        """All calls, each once."""
        found: dict[tuple[int, str], Call] = {}
        for _, call in (*self.left, *self.right):
            if call is not None:
                found.setdefault((id(call.scene), str(call)), call)
        return list(found.values())


@dataclass(frozen=True)
class Law:
    """A claim about all distributions over the same values.

    Attributes
    ----------
    names
        Of the distributions.
    claim
        ``claim(scene, case, *vectors)`` makes the claim.
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
    cases: Callable[[Scene], Iterable[Any]] = lambda scene: (None,)
    needs: Callable[..., bool] | None = None
    given: Callable[..., list[Any]] | None = None
    most: int = 4
    least: int = 2


def _computed(part_side: Side) -> Amount | None:
    parts: list[tuple[Fraction, Amount]] = []
    for share, call in part_side:
        if call is None:
            found: Any = amount(share)
            parts.append((ONE, found))
            continue
        outcome = call.scene.outcome(call.p.masses, call.q.masses)
        if not isinstance(outcome, Amount):
            return None
        parts.append((share, outcome))
    if any(share < 0 for share, _ in parts):
        raise ArithmeticError("shares are not negative")
    return weighted(parts)


def violated(claim: Claim) -> bool | None:
    """Say whether a claim about known masses is false; None where the measure gives no number."""
    left, right = _computed(claim.left), _computed(claim.right)
    if left is None or right is None:
        return None
    sign = difference_sign(left, right)
    if claim.relation == "<":  # a strict order of doubles is read as it stands: no tolerance can grant it
        return sign >= 0 if is_exact(left) and is_exact(right) else left.double >= right.double
    return sign > 0 if claim.relation == "≤" else sign != 0


def found_wrong(scene: Scene, p: Named, q: Named, wrong: str, assertion: str) -> Counterexample:
    """Write down two distributions for which one call shows what is wrong.

    Parameters
    ----------
    wrong
        What is wrong, after ``D(P, Q)``.
    assertion
        What a test asserts; ``{call}`` stands for the call.
    """
    subject = scene.subject
    call = subject.call_code(p.name, q.name, scene.ground)
    outcome = scene.outcome(p.masses, q.masses)
    body = [f"{v.name} = {subject.vector_code(v.masses)}" for v in (p, q)]
    body.append(f"assert {assertion.replace('{call}', call)}")
    maths = ["import math"] if "math." in assertion else []
    return Counterexample(
        inputs={v.name: tuple(number_text(x) for x in v.masses) for v in (p, q)},
        ground=f"{scene.ground.name}, m = {scene.m}",
        values={f"D({p.name}, {q.name})": shown(outcome)},
        finding=f"D({p.name}, {q.name}) {wrong}",
        code=(*maths, *subject.imports("\n".join(body)), *body),
    )


def counterexample_of(claim: Claim, vectors: Sequence[Named]) -> Counterexample:
    """Write down a claim that is false."""
    named: dict[str, Named] = {v.name: v for v in vectors}
    for call in claim.calls:
        named.setdefault(call.p.name, call.p)
        named.setdefault(call.q.name, call.q)
    scenes = list(dict.fromkeys(call.scene for call in claim.calls if call.scene.letter == "D"))
    subject, ground = scenes[0].subject, scenes[0].ground
    values = {str(call): call.scene.outcome(call.p.masses, call.q.masses) for call in claim.calls}
    written = {name: text(v) for name, v in values.items() if isinstance(v, Amount)}
    exact = all(is_exact(v) and not isinstance(v.value, ExactReal) for v in values.values() if isinstance(v, Amount))
    left, right = _code(claim.left), _code(claim.right)
    body = [f"{v.name} = {subject.vector_code(v.masses)}" for v in named.values()]
    body.append(f"assert {_assertion(left, claim.relation, right, exact)}")
    return Counterexample(
        inputs={name: tuple(number_text(x) for x in v.masses) for name, v in named.items()},
        ground="; ".join(f"{s.ground.name}, m = {s.ground.m}" for s in scenes) or ground.name,
        values=written,
        finding=f"{_words(claim.left)} {_broken(claim.relation)} {_words(claim.right)}: "
        + ", ".join(f"{name} = {value}" for name, value in written.items()),
        code=(*subject.imports("\n".join(body)), *body),
    )


def _broken(relation: Relation) -> str:
    return {"≤": ">", "=": "≠", "<": "≥"}[relation]


def _words(parts: Side) -> str:
    return " + ".join(
        number_text(share) if call is None else str(call) if share == 1 else f"{number_text(share)}·{call}"
        for share, call in parts
    )


def _code(parts: Side) -> str:
    def number(share: Fraction) -> str:
        return str(share) if share.denominator == 1 else f"F({share.numerator}, {share.denominator})"

    return " + ".join(
        number(share) if call is None else call.code if share == 1 else f"{number(share)} * {call.code}"
        for share, call in parts
    )


def _assertion(left: str, relation: Relation, right: str, exact: bool) -> str:
    slack = repr(DOUBLE_TOLERANCE)
    match relation:
        case "=":
            return f"{left} == {right}" if exact else f"abs({left} - ({right})) <= {slack}"
        case "≤":
            return f"{left} <= {right}" if exact else f"{left} <= {right} + {slack}"
    return f"{left} < {right}"
