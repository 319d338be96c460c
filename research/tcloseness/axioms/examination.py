"""One examination of a measure: its laws are tried on examples, then proved if they can be."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tcloseness.axioms import symbolic
from tcloseness.axioms.laws import Call, Claim, Law, Named, Side, counterexample_of, violated
from tcloseness.axioms.search import drawn, grid, reduced
from tcloseness.axioms.subject import OutOfTime, Scene, Subject, Vector
from tcloseness.axioms.verdict import Counterexample, Fails, Holds, NotApplicable, Undecided, Verdict
from tcloseness.measures.emd import BoundEMD
from tcloseness.transport.closed_forms import cut_work

__all__ = ["Examination", "Trial", "Vectors"]

DRAWN = 20
"""So many examples of a law are drawn, past the small ones that are all tried."""

PROOF_SECONDS = 8.0
"""After so long no further proof of a law is sought. The prover's own measure of work ends it long before."""

Vectors = tuple[Vector, ...]
Trial = Callable[[Vectors], tuple[int, Counterexample | None]]
Broken = Callable[[Vectors], Counterexample | None]

_WHOLE = Fraction(1)

_NO_Z3 = "no proof was tried: z3 is not installed (the extra 'proofs')"


@dataclass
class Examination:
    """A measure under examination.

    Attributes
    ----------
    subject
        The measure.
    m
        The least and the greatest number of values.
    budget
        Seconds for each check. They are looked at between two calls of the measure, so a call that hangs is not ended.
    proofs
        Whether proofs are tried.
    claims_emd
        Whether the measure is said to be an Earth Mover's Distance.
    effort
        How many examples are tried, as a share of the usual number.
    found
        The verdicts so far, by check.
    """

    subject: Subject
    m: tuple[int, int] = (2, 6)
    budget: float = 20.0
    proofs: bool = True
    claims_emd: bool = False
    effort: Fraction = Fraction(1)
    found: dict[str, Verdict] = field(default_factory=dict)
    _unprovable: str | None = None
    _cases: dict[tuple[Law, Scene], list[Any]] = field(default_factory=dict)

    @property
    def sizes(self) -> list[int]:
        """The numbers of values that are looked at."""
        return self.subject.sizes(*self.m)

    def some(self, usual: int) -> int:
        """Return how many examples to try where this many are usual."""
        return math.ceil(self.effort * usual)

    def scene(self, m: int) -> Scene:
        """Return the measure over m values."""
        return self.subject.at(m)

    def start(self) -> None:
        """Begin a check: its seconds run from now."""
        self.subject.deadline = time.monotonic() + self.budget

    def settle(self, law: Law, *, remark: str = "") -> Verdict:
        """Try a law on examples, and prove it if no example breaks it."""
        sizes = [m for m in self.sizes if m >= law.least]

        def trial(vectors: Vectors) -> tuple[int, Counterexample | None]:
            return self._broken(law, vectors)

        cases = max((len(self._cases_of(law, self.scene(m))) for m in sizes), default=1)
        answer = self.tried(trial, len(law.names), sizes, remark=remark, share=Fraction(1, max(1, cases // 2)))
        if not isinstance(answer, Holds):
            return answer
        return self._proved(law, sizes, answer.examples, remark, lambda v: trial(v)[1])

    def tried(
        self, trial: Trial, arity: int, sizes: Sequence[int], *, remark: str = "", share: Fraction = _WHOLE
    ) -> Verdict:
        """Look for distributions that a trial finds wrong: on the grid, then among drawn ones.

        Parameters
        ----------
        trial
            Returns how many examples some distributions are, and the counterexample that they are, if they are one.
        arity
            Of how many distributions it speaks.
        sizes
            The numbers of values.
        share
            What share of the grid is gone through.
        """
        if not sizes:
            return NotApplicable(f"there is nothing to ask over {', '.join(map(str, self.sizes))} values")
        tried = 0

        def broken(vectors: Vectors) -> Counterexample | None:
            nonlocal tried
            counted, found = trial(vectors)
            tried += counted
            return found

        try:
            for m in sizes:
                for vectors in grid(m, arity, share * self.effort):
                    if found := broken(vectors):
                        return Fails(found, remark)
            if found := self._drawn(arity, sizes, broken):
                return Fails(found, remark)
        except OutOfTime:
            return Undecided(f"{self.budget:g} s were over after {tried} examples; give it more (budget)")
        if not tried:
            return Undecided(f"no example gave a number: {self._why_none()}")
        return Holds(tried, None, remark)

    def _broken(self, law: Law, vectors: Vectors) -> tuple[int, Counterexample | None]:
        if law.needs is not None and not law.needs(*vectors):
            return 0, None
        scene = self.scene(len(vectors[0]))
        named = [Named(name, v) for name, v in zip(law.names, vectors, strict=True)]
        counted = 0
        for case in self._cases_of(law, scene):
            claim = law.claim(scene, case, *named)
            answer = violated(claim)
            counted += answer is not None
            if answer:
                return counted, counterexample_of(claim, named)
        return counted, None

    def _cases_of(self, law: Law, scene: Scene) -> list[Any]:
        if (law, scene) not in self._cases:
            self._cases[law, scene] = list(law.cases(scene))
        return self._cases[law, scene]

    def _drawn(self, arity: int, sizes: Sequence[int], broken: Broken) -> Counterexample | None:
        out_of_time = False

        def breaks(vectors: Vectors) -> bool:
            nonlocal out_of_time
            try:
                return not out_of_time and broken(vectors) is not None
            except OutOfTime:
                out_of_time = True
                return False

        vectors = drawn(sizes, arity, breaks, self.some(DRAWN))
        if out_of_time and vectors is None:
            raise OutOfTime
        return None if vectors is None else broken(reduced(vectors, breaks, sizes))

    def _why_none(self) -> str:
        m = self.sizes[0]
        p, q = tuple([Fraction(1, m)] * m), (Fraction(1), *[Fraction(0)] * (m - 1))
        return str(self.scene(m).call(p, q))

    # ------------------------------------------------------------------ proofs

    def prove(self, law: Law, held: Holds) -> Verdict:
        """Seek a proof of a law that held on examples."""
        sizes = [m for m in self.sizes if m >= law.least]
        return self._proved(law, sizes, held.examples, held.remark, lambda v: self._broken(law, v)[1])

    def _proved(self, law: Law, sizes: Sequence[int], tried: int, remark: str, broken: Broken) -> Verdict:
        if not self.proofs or not law.most:
            return Holds(tried, None, remark)
        if not symbolic.available():
            return Holds(tried, None, _joined(remark, _NO_Z3))
        if self._unprovable is not None:
            return Holds(tried, None, _joined(remark, f"no proof: {self._unprovable}"))
        proved, until = None, time.monotonic() + PROOF_SECONDS
        why = ""
        for m in [m for m in sizes if m <= law.most]:
            try:
                vectors = self._refuted(law, m, until - time.monotonic())
            except symbolic.Unprovable as reason:
                why = str(reason)
                break
            if vectors is not None:
                smaller = reduced(vectors, lambda v: broken(v) is not None, sizes)
                found = broken(smaller)
                if found is None:  # what holds of real numbers may be broken by symbols only if the two runs differ
                    return Holds(tried, None, _joined(remark, "z3's counterexample is none for the measure itself"))
                return Fails(found, remark)
            proved = m
        if proved is None and why.startswith("it "):
            self._unprovable = why
        return Holds(tried, proved, _joined(remark, f"no proof: {why}" if proved is None and why else ""))

    def _refuted(self, law: Law, m: int, seconds: float) -> Vectors | None:
        """Return distributions that break the law for some case; None if it is proved for all cases."""
        scene = self.scene(m)
        if seconds <= 0:
            raise symbolic.Unprovable("the seconds for a proof were over")
        until = time.monotonic() + seconds
        for case in self._cases_of(law, scene):

            def claim(*vectors: list[Any], case: Any = case) -> Any:
                named = [Named(name, tuple(v)) for name, v in zip(law.names, vectors, strict=True)]
                return self._stated(law.claim(scene, case, *named))

            found = symbolic.counterexample_or_proof(
                claim, m, law.names, given=law.given, seconds=until - time.monotonic()
            )
            if found is not None:
                return tuple(found)
        return None

    def _stated(self, claim: Claim) -> Any:
        left, right = self._sum(claim.left), self._sum(claim.right)
        answer = left <= right if claim.relation == "≤" else left == right if claim.relation == "=" else left < right
        return answer if isinstance(answer, symbolic.Truth) else bool(answer)

    def _sum(self, parts: Side) -> Any:
        total: Any = Fraction(0)
        for share, call in parts:
            value = share if call is None else self._symbolic(call)
            if call is not None and share != 1:
                value = value * share
            total = value if _is_zero(total) else total + value
        return total

    def _symbolic(self, call: Call) -> Any:
        """Run the measure on symbols: an EMD by the closed form that the package ships, anything else as it is."""
        p, q, scene = list(call.p.masses), list(call.q.masses), call.scene
        subject = scene.subject
        if subject.kind in ("Measure", "bound measure"):
            bound = subject.over(scene.ground) if subject.kind == "Measure" else subject.measure
            if isinstance(bound, BoundEMD):
                if bound.ground.cuts is None:
                    raise symbolic.Unprovable("it has no closed form under this ground distance")
                return cut_work([a - b for a, b in zip(p, q, strict=True)], bound.ground.cuts) * Fraction(
                    1, bound.ground.cuts.denominator
                )
        function = symbolic.without_branches(subject.bound(scene.ground))
        if subject.form == "array":
            import numpy as np

            return _single(function(np.array(p, dtype=object), np.array(q, dtype=object)))
        return _single(function(p, q))


def _single(value: Any) -> Any:
    if isinstance(value, float):
        return Fraction(value)
    return value


def _is_zero(value: Any) -> bool:
    return isinstance(value, Fraction) and value == 0


def _joined(*remarks: str) -> str:
    return "; ".join(remark for remark in remarks if remark)
