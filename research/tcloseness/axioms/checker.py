"""`Checker`: the laws of one function are tried on examples, then proved if they can be."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tcloseness.axioms import symbolic
from tcloseness.axioms.function import BoundFunction, BudgetSpent, FunctionUnderTest
from tcloseness.axioms.laws import Law, Named, Vector
from tcloseness.axioms.search import drawn, grid, reduced
from tcloseness.axioms.verdict import Check, CheckVerdict, Counterexample, Fails, Holds, NotApplicable, Undecided
from tcloseness.errors import DomainError
from tcloseness.extras import install

__all__ = ["Checker", "Trial", "Vectors"]

DRAWN = 20
"""So many examples of a law are drawn, past the small ones that are all tried."""

PROOF_SECONDS = 8.0
"""After so long no further proof of a law is sought. The prover's own measure of work ends it long before."""

Vectors = tuple[Vector, ...]
Trial = Callable[[Vectors], Counterexample | None]
"""Tries some distributions, counts the examples in `Checker.tried`, and returns the counterexample that they are."""

_NO_Z3 = f"no proof was tried: z3 is not installed ({install('validate')})"


@dataclass
class Checker:
    """A function and how it is checked.

    Attributes
    ----------
    function
        The function under test.
    m
        The least and the greatest number of values.
    budget
        Seconds for each check. They are looked at between two calls of the function, so a call that hangs is not ended.
    proofs
        Whether proofs are tried.
    claims_emd
        Whether the function is said to be an Earth Mover's Distance.
    effort
        How many examples are tried, as a share of the usual number.
    found
        The verdicts so far, by check.
    tried
        How many examples of the check at hand were tried.
    """

    function: FunctionUnderTest
    m: tuple[int, int] = (2, 6)
    budget: float = 20.0
    proofs: bool = True
    claims_emd: bool = False
    effort: Fraction = Fraction(1)
    found: dict[str, CheckVerdict] = field(default_factory=dict)
    tried: int = 0
    _unprovable: str | None = None
    _cases: dict[tuple[Law, BoundFunction], list[Any]] = field(default_factory=dict)

    @property
    def sizes(self) -> list[int]:
        """The numbers of values that are looked at."""
        return self.function.sizes(*self.m)

    def some(self, usual: int) -> int:
        """Return how many examples to try where this many are usual."""
        return math.ceil(self.effort * usual)

    def over(self, m: int) -> BoundFunction:
        """Return the function over m values."""
        return self.function.over(m)

    def run(self, check: Check) -> CheckVerdict:
        """Make a check: its seconds run from now."""
        self.function.deadline = time.monotonic() + self.budget
        self.tried = 0
        try:
            verdict = self.test(check.question) if isinstance(check.question, Law) else check.question(self)
        except BudgetSpent:
            verdict = Undecided(f"{self.budget:g} s were over after {self.tried} examples; give it more (budget)")
        except DomainError as error:  # of the user's own ground distance, over more or fewer values than were asked for
            verdict = Undecided(str(error))
        self.found[check.name] = verdict
        return verdict

    def holds(self, remark: str = "") -> Holds | Undecided:
        """Return that all examples passed; undecided if there was none."""
        if self.tried:
            return Holds(self.tried, None, remark)
        m = self.sizes[0]
        p, q = tuple([Fraction(1, m)] * m), (Fraction(1), *[Fraction(0)] * (m - 1))
        return Undecided(f"no example gave a number: {self.over(m).value_anew(p, q)}")

    def test(self, law: Law, *, remark: str = "") -> CheckVerdict:
        """Try a law on examples, and prove it if no example breaks it."""
        sizes = self._sizes_of(law)
        cases = max((len(self._cases_of(law, self.over(m))) for m in sizes), default=1)
        share = Fraction(1, max(1, cases // 2))
        answer = self.search(self._trial(law), len(law.names), sizes, remark=remark, share=share)
        return self.prove(law, answer) if isinstance(answer, Holds) else answer

    def search(
        self, trial: Trial, arity: int, sizes: Sequence[int], *, remark: str = "", share: Fraction = Fraction(1)
    ) -> CheckVerdict:
        """Look for distributions that a trial finds wrong: on the grid, then among drawn ones.

        Parameters
        ----------
        arity
            Of how many distributions it speaks.
        sizes
            The numbers of values.
        share
            What share of the grid is gone through.
        """
        if not sizes:
            return NotApplicable(f"there is nothing to ask over {', '.join(map(str, self.sizes))} values")
        for m in sizes:
            for vectors in grid(m, arity, share * self.effort):
                if found := trial(vectors):
                    return Fails(found, remark)
        if found := self._drawn(arity, sizes, trial):
            return Fails(found, remark)
        return self.holds(remark)

    def _sizes_of(self, law: Law) -> list[int]:
        return [m for m in self.sizes if m >= law.least]

    def _cases_of(self, law: Law, function: BoundFunction) -> list[Any]:
        if (law, function) not in self._cases:
            self._cases[law, function] = list(law.cases(function))
        return self._cases[law, function]

    def _trial(self, law: Law) -> Trial:
        def trial(vectors: Vectors) -> Counterexample | None:
            if law.needs is not None and not law.needs(*vectors):
                return None
            function = self.over(len(vectors[0]))
            named = [Named(name, v) for name, v in zip(law.names, vectors, strict=True)]
            for case in self._cases_of(law, function):
                claim = law.claim(function, case, *named)
                violated = claim.violated()
                self.tried += violated is not None
                if violated:
                    return claim.counterexample(named)
            return None

        return trial

    def _drawn(self, arity: int, sizes: Sequence[int], trial: Trial) -> Counterexample | None:
        over = False

        def breaks(vectors: Vectors) -> bool:
            nonlocal over
            try:
                return not over and trial(vectors) is not None
            except BudgetSpent:
                over = True
                return False

        vectors = drawn(sizes, arity, breaks, self.some(DRAWN))
        if over and vectors is None:
            raise BudgetSpent
        return None if vectors is None else trial(reduced(vectors, breaks, sizes))

    # ------------------------------------------------------------------ proofs

    def prove(self, law: Law, held: Holds) -> CheckVerdict:
        """Seek a proof of a law that held on examples."""

        def unproved(why: str) -> Holds:
            return Holds(held.examples, None, "; ".join(filter(None, (held.remark, why))))

        if not self.proofs or not law.most:
            return held
        if not symbolic.available():
            return unproved(_NO_Z3)
        if self._unprovable is not None:
            return unproved(f"no proof: {self._unprovable}")
        sizes, trial = self._sizes_of(law), self._trial(law)
        proved, until = None, time.monotonic() + PROOF_SECONDS
        why = ""
        for m in [m for m in sizes if m <= law.most]:
            try:
                vectors = self._refuted(law, m, until)
            except symbolic.Unprovable as reason:
                why = str(reason)
                break
            if vectors is not None:
                found = trial(reduced(vectors, lambda v: trial(v) is not None, sizes))
                if found is None:  # what holds of real numbers may be broken by symbols only if the two runs differ
                    return unproved("z3's counterexample is none for the measure itself")
                return Fails(found, held.remark)
            proved = m
        if proved is not None:
            return Holds(held.examples, proved, held.remark)
        if why.startswith("it "):
            self._unprovable = why
        return unproved(why and f"no proof: {why}")

    def _refuted(self, law: Law, m: int, until: float) -> Vectors | None:
        """Return distributions that break the law for some case; None if it is proved for all cases."""
        function = self.over(m)
        for case in self._cases_of(law, function):

            def claim(*vectors: list[Any], case: Any = case) -> Any:
                named = [Named(name, tuple(v)) for name, v in zip(law.names, vectors, strict=True)]
                return law.claim(function, case, *named).on_symbols()

            found = symbolic.counterexample_or_proof(
                claim, m, law.names, given=law.given, seconds=until - time.monotonic()
            )
            if found is not None:
                return tuple(found)
        return None
