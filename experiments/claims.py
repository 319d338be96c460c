"""The claims ledger: what the papers say that can be checked, what we compute for it, and how the two compare.

``claims.toml`` holds what a paper says and nothing that we found. What we find is computed at each run by *checks*,
functions of the study modules that are registered with `check`, and compared with the paper by `verdict`.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from experiments.adult_hierarchies import FITTED
from experiments.verdicts import Kind, Verdict
from tcloseness.errors import InputError, StudyError
from tcloseness.exact import as_fraction, number_text

__all__ = [
    "COMPARED",
    "LEDGER",
    "PAPERS",
    "Claim",
    "Outcome",
    "check",
    "checked_ids",
    "load_checks",
    "load_ledger",
    "matches",
    "outcomes",
    "outcomes_of",
    "settled",
    "value_text",
    "verdict",
]

LEDGER = Path(__file__).resolve().parent / "claims.toml"

PAPERS = {
    "Li 2007": "Li et al. 2007",
    "Machanavajjhala 2006": "Machanavajjhala et al. 2006",
    "Dosselmann 2019": "Dosselmann et al. 2019",
    "Kantarcioglu": "Kantarcioglu, slides",
    "Soria-Comas 2013": "Soria-Comas and Domingo-Ferrer 2013",
}
"""How a paper of the ledger is cited, by its key; as in ``data/papers/README.md``."""

Value = Fraction | int | float | bool

ABOUT = "about "

SETTLED = ("study", "proof", "contested", "unchecked")
"""What settles a claim: a study, or what is known without one."""

COMPARED = ("stated", "reading", "theorem", "misprint")
"""What a claim is compared by: a result is about a claim while these are as they were."""


@dataclass(frozen=True)
class Claim:
    """One thing that a paper says.

    Attributes
    ----------
    id
        Two letters for the paper and a number; a letter where one sentence makes several claims.
    paper, place
        Which of `PAPERS`, and where in it.
    statement
        What it says, in our words.
    quote
        The paper's own sentence, or the part of it that says so, where our words are not enough.
    stated
        The number as it is printed: ``"0.167"``, ``"3"``, ``"1/81"``; ``"about 148"`` where the paper rounds it. None
        for a statement without a number.
    reading
        What had to be read into the claim before anything could be computed, or None.
    study
        The study that checks it.
    theorem
        The theorem of ``proofs_tests/coq`` that proves it, such as ``Tables.t_close_merge``; the study that checks it
        then looks at instances.
    misprint
        What it should read, where the paper has a slip.
    our_copy
        Why the slip may be one of the text that we have, and not of the paper.
    proof, contested, unchecked
        For a claim without a study: where it is proved, what contests it, or why it cannot be checked. A claim has a
        study or one of these.
    """

    id: str
    paper: str
    place: str
    statement: str
    quote: str | None = None
    stated: str | None = None
    reading: str | None = None
    study: str | None = None
    theorem: str | None = None
    misprint: str | None = None
    our_copy: str | None = None
    proof: str | None = None
    contested: str | None = None
    unchecked: str | None = None

    @property
    def cited(self) -> str:
        """How the claim's paper is cited."""
        return PAPERS[self.paper]

    def to_dict(self) -> dict[str, str | None]:
        """Return the claim as JSON-ready data."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class Outcome:
    """What we compute for a claim.

    Attributes
    ----------
    ours
        The value under the paper's own definition, or under the claim's reading; a truth value for a statement.
    alternatives
        What comes out under other assumptions: assumption in words → value.
    detail
        A computed remark: which record, which class, which other number.
    presets
        The hierarchies that `ours` rests on, where the paper does not publish its own.
    rare
        Where these were searched or chosen for the number: how rare it is under others. None where they were not.
    """

    ours: Value
    alternatives: Mapping[str, Value] = field(default_factory=dict)
    detail: str = ""
    presets: tuple[str, ...] = ()
    rare: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready data; every value is text."""
        return {
            "ours": value_text(self.ours),
            "alternatives": {why: value_text(value) for why, value in self.alternatives.items()},
            "detail": self.detail,
        }


def value_text(value: Value) -> str:
    """Write a value for a person: ``yes`` or ``no``, a fraction, a double by ten digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    return number_text(value)


# ---------------------------------------------------------------------- the ledger


def load_ledger(path: Path = LEDGER) -> dict[str, Claim]:
    """Read the ledger: the claims by id, in its order.

    Raises
    ------
    StudyError
        For a file that is not a ledger, an unknown or missing key, an id that occurs twice, an unknown paper, a stated
        number that cannot be read, or a claim without exactly one of `SETTLED`.
    """
    try:
        return dict(_ledger(path.read_text(encoding="utf-8"), path.name))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StudyError(f"the claims ledger {path.name} cannot be read: {error}") from error


@lru_cache(maxsize=1)  # it is read some hundred times in a run of all studies
def _ledger(text: str, name: str) -> dict[str, Claim]:
    content = tomllib.loads(text)
    if set(content) != {"claim"} or not isinstance(content["claim"], list):
        raise StudyError(f"the claims ledger {name} must hold [[claim]] tables and nothing else")
    ledger: dict[str, Claim] = {}
    for number, record in enumerate(content["claim"], 1):
        claim = _claim(record, f"claim {number} of {name} ({record.get('id', 'without id')})")
        if claim.id in ledger:
            raise StudyError(f"claim {claim.id!r} occurs twice in {name}; each id must stand once")
        ledger[claim.id] = claim
    return ledger


def _claim(record: Mapping[str, Any], where: str) -> Claim:
    known = {f.name for f in fields(Claim)}
    for key, value in record.items():
        if key not in known:
            raise StudyError(f"{where} has the unknown key {key!r}; the keys are {', '.join(sorted(known))}")
        if not isinstance(value, str) or not value.strip():
            raise StudyError(f"{where}: {key} is {value!r}; it must be a text, numbers included")
    for key in ("id", "paper", "place", "statement"):
        if key not in record:
            raise StudyError(f"{where} has no {key}; every claim needs one")
    if record["paper"] not in PAPERS:
        raise StudyError(f"{where}: paper {record['paper']!r} is unknown; it is one of {', '.join(PAPERS)}")
    if sum(key in record for key in SETTLED) != 1:
        raise StudyError(
            f"{where} must have a study that checks it or, in {', '.join(SETTLED[1:-1])} or {SETTLED[-1]}, what is "
            "known without one; one of these"
        )
    for key, needed in (("theorem", "study"), ("misprint", "study"), ("our_copy", "misprint")):
        if key in record and needed not in record:
            raise StudyError(f"{where} has {key} and no {needed}; what is said there is checked, so it needs both")
    if "stated" in record and "study" in record:
        _printed(record["stated"], where)
    return Claim(**record)


def _printed(stated: str, where: str = "a claim") -> tuple[Fraction, int | None]:
    """Read a printed number: its value, and the digits that it was rounded to (None: it is exact)."""
    text = stated.removeprefix(ABOUT)
    try:
        value = as_fraction(text, "the stated number")
    except InputError as error:
        raise StudyError(f"{where} states {stated!r}: {error}") from error
    _, point, decimals = text.partition(".")
    return value, len(decimals) if point else (0 if stated != text else None)


# ---------------------------------------------------------------------- comparing


def matches(stated: str, exact: Value) -> bool:
    """Say whether a printed number is the exact one.

    A whole number and a fraction must be equal to it. A printed decimal, and a whole number printed as *about*, must be
    equal to it or be what it rounds to at the printed digits, ties away from zero or to the even digit.

    Parameters
    ----------
    stated
        The printed number, as in `Claim`.
    exact
        What it should be. A double counts as the rational number that it is.

    Examples
    --------
    >>> matches("0.167", Fraction(1, 6)), matches("0.5", Fraction(4, 9)), matches("about 148", Fraction(4000, 27))
    (True, False, True)
    """
    if isinstance(exact, bool):
        raise StudyError(f"the number {stated!r} cannot be compared with {exact!r}; the check must compute a number")
    if isinstance(exact, float) and not math.isfinite(exact):
        return False
    printed, digits = _printed(stated)
    value = Fraction(exact)
    if digits is None or value == printed:
        return value == printed
    scale = 10**digits if value >= 0 else -(10**digits)
    return printed * scale in (math.floor(value * scale + Fraction(1, 2)), round(value * scale))


def settled(claim: Claim) -> Verdict | None:
    """Return the verdict on a claim that needs no study; None for one that has a study."""
    if claim.proof:
        return Verdict(Kind.PROVED, f"{claim.proof}, not by us")
    if claim.contested:
        return Verdict(Kind.CONTESTED, claim.contested)
    return Verdict(Kind.UNCHECKABLE, claim.unchecked) if claim.unchecked else None


def verdict(claim: Claim, outcome: Outcome) -> Verdict:
    """Compare what a paper says with what we compute.

    A claim with a number agrees if the number `matches` ours; a statement without one, if ours is True. One that agrees
    is proved if it has a theorem, fitted if the outcome rests on hierarchies that were searched or chosen for it, and
    holds otherwise, under its reading if it has one. One that does not agree is a misprint if the ledger says what it
    should read and the check finds that this agrees; otherwise it does not hold, and the assumptions among the
    outcome's alternatives are named under which it would.

    Raises
    ------
    StudyError
        If the kinds do not fit: a number stated and a truth value computed, or the reverse. If the outcome rests on
        fitted hierarchies alone and does not say how rare it is.
    """
    if _agrees(claim, outcome.ours):
        if claim.theorem:
            return Verdict(Kind.PROVED, claim.theorem)
        if outcome.rare is not None:
            return Verdict(Kind.FITTED, outcome.rare)
        if outcome.presets and set(outcome.presets) <= set(FITTED):
            raise StudyError(
                f"the outcome of claim {claim.id} rests on {', '.join(outcome.presets)}, which was searched for the "
                "printed numbers; it confirms nothing, and must say how rare the number is under other hierarchies"
            )
        return Verdict(Kind.READ, claim.reading) if claim.reading else Verdict(Kind.HOLDS)
    found = [why for why, value in outcome.alternatives.items() if _agrees(claim, value)]
    if claim.misprint and found:
        copy = f" (in our copy: {claim.our_copy})" if claim.our_copy else ""
        return Verdict(Kind.MISPRINT, f"it should read {claim.misprint}{copy}")
    return Verdict(Kind.FAILS, ", or if ".join(found) or None)


def _agrees(claim: Claim, value: Value) -> bool:
    if claim.stated is not None:
        return matches(claim.stated, value)
    if not isinstance(value, bool):
        raise StudyError(
            f"claim {claim.id} states no number, and its check computes {value!r}; it must be True or False"
        )
    return value


# ---------------------------------------------------------------------- checks

Check = Callable[[], Outcome | Mapping[str, Outcome]]
C = TypeVar("C", bound=Check)

_CHECKS: dict[str, Check] = {}


def check(*ids: str) -> Callable[[C], C]:
    """Register a function as the check of claims.

    It takes nothing and returns an `Outcome`, the same for all its claims, or one for each id.

    Raises
    ------
    StudyError
        If another function checks one of the claims already.
    """

    def register(function: C) -> C:
        for key in ids:
            other = _CHECKS.get(key)
            if other is not None and _name(other) != _name(function):
                raise StudyError(
                    f"claim {key!r} is checked by {_name(other)} and by {_name(function)}; one check is enough"
                )
            _CHECKS[key] = function
        return function

    return register


def _name(function: Check) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def load_checks() -> None:
    """Import every module of `experiments.studies`, so that all checks are registered."""
    from experiments import studies

    for module in pkgutil.iter_modules(studies.__path__):
        importlib.import_module(f"{studies.__name__}.{module.name}")


def checked_ids() -> frozenset[str]:
    """Return the ids of the claims that have a check."""
    load_checks()
    return frozenset(_CHECKS)


def outcomes(ids: Iterable[str]) -> dict[str, Outcome]:
    """Compute the outcomes of claims; a check of several claims runs once.

    Raises
    ------
    StudyError
        For a claim without a check, or a check that gives no outcome for one of its claims.
    """
    load_checks()
    computed: dict[str, Mapping[str, Outcome]] = {}
    found: dict[str, Outcome] = {}
    for key in ids:
        if key not in _CHECKS:
            raise StudyError(f"claim {key!r} has no check; register one with @check({key!r})")
        function = _CHECKS[key]
        if _name(function) not in computed:
            answer = function()
            if isinstance(answer, Outcome):
                answer = {other: answer for other, its in _CHECKS.items() if its is function}
            computed[_name(function)] = answer
        answers = computed[_name(function)]
        if key not in answers:
            raise StudyError(f"{_name(function)} is the check of claim {key!r} and gives no outcome for it")
        found[key] = answers[key]
    return found


def outcomes_of(study: str) -> dict[str, Outcome]:
    """Compute the outcomes of all claims of the ledger that a study checks."""
    return outcomes(claim.id for claim in load_ledger().values() if claim.study == study)
