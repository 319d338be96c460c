"""`check_distance`: a measure in, its report card out."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tcloseness.axioms import symbolic
from tcloseness.axioms.card import CheckResult, ReportCard
from tcloseness.axioms.check import Check
from tcloseness.axioms.checks import CHECKS
from tcloseness.axioms.examination import Examination
from tcloseness.axioms.grounds import Family
from tcloseness.axioms.subject import Subject, own_ground
from tcloseness.axioms.verdict import ExpectedFailure, Fails, Holds, UnexpectedPass, Verdict
from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction
from tcloseness.microdata import Domain

__all__ = ["check_distance", "chosen_checks"]


def check_distance(
    measure: Any,
    *,
    domain: Domain | Sequence[object] | None = None,
    ground: Any = None,
    expected_failures: Mapping[str, str] | None = None,
    m: tuple[int, int] = (2, 6),
    only: Iterable[str] | None = None,
    claims_emd: bool | None = None,
    proofs: bool = True,
    budget: float = 20.0,
    effort: Number = 1,
    name: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> ReportCard:
    """Examine a distance between distributions, and say what it satisfies.

    Parameters
    ----------
    measure
        A callable of two distributions P (of a class) and Q (of the reference); one that also takes ``ground``, a
        `GroundDistance`; or an object of the `Measure` protocol. The card says which inputs it accepted: lists of
        Fractions, lists of doubles, or NumPy arrays, the first of which is used.
    domain
        The values, where the ground distance depends on them.
    ground
        By which ground distance it is judged: ``"ordered"``, ``"equal"``, or whatever `ground_distance` reads. By
        default the measure's own, else ``"ordered"``.
    expected_failures
        ``{check: reason}``: what the measure does not claim. A check that passes against expectation is reported.
    m
        The least and the greatest number of values to look at.
    only
        Names of checks, if not all are wanted.
    claims_emd
        Whether it claims to be an Earth Mover's Distance, and must agree with one. By default as its type says.
    proofs
        Whether proofs by z3 are tried (the extra ``proofs``).
    budget
        Seconds for each check. They are looked at between two calls of the measure: a single call is never cut off.
    effort
        How many examples are tried, as a share of the usual number: 1/10 for a quick look, 10 for a long one.
    name
        The name on the card.
    progress
        Called with the name of each check before it is made.

    Returns
    -------
    ReportCard
        The same whenever it is made, but for two limits of time: a check that reaches its budget is undecided, and on a
        slow machine a proof may reach fewer values.

    Raises
    ------
    InputError
        For an unknown check, a check expected to fail without a reason, or sizes that make no sense.
    DomainError
        If the ground distance does not fit the domain.
    ProtocolError
        If the measure can be called in none of these ways.

    Notes
    -----
    *Proved* means: by z3, for all distributions over 2 to the given number of values, in real arithmetic. It is had for
    measures that compute with + − × abs min max; doubles round besides. *N examples* is no proof, however many.

    References
    ----------
    TC §4 and §8; TKDE (Li, Li, Venkatasubramanian, "Closeness", 2010) for the five wishes.

    Examples
    --------
    >>> def half_l1(p, q):
    ...     return sum(abs(a - b) for a, b in zip(p, q)) / 2
    >>> card = check_distance(half_l1, ground="equal", only=["symmetric", "bounded-by-1", "probability-scaling"])
    >>> [f"{result.name}: {result.verdict}" for result in card]
    ['bounded-by-1: holds (proved, m ≤ 6)', 'symmetric: holds (proved, m ≤ 6)', 'probability-scaling: fails']
    """
    checks = chosen_checks(only)
    expected = _expected(expected_failures)
    least, most = _sizes(m)
    if not budget > 0:
        raise InputError(f"budget = {budget!r}; it must be a positive number of seconds for each check")
    share = as_fraction(effort, "effort")
    if share <= 0:
        raise InputError(f"effort = {effort!r}; it must be > 0, a share of the usual number of examples")
    if domain is not None and not isinstance(domain, Domain):
        domain = Domain.declare(domain)
    spec = ground if ground is not None else own_ground(measure)
    family = Family.of("ordered" if spec is None else spec, domain)
    subject = Subject(measure, family, name)
    examination = Examination(
        subject,
        (least, most),
        budget,
        proofs,
        subject.claims_emd if claims_emd is None else claims_emd,
        share,
    )
    if not examination.sizes:
        raise InputError(f"m = {m!r}: the ground distance {family.name!r} has {family.largest} values, none of these")
    results = []
    for check in checks:
        if progress is not None:
            progress(check.name)
        examination.start()
        verdict = check.run(examination)
        examination.found[check.name] = verdict
        results.append(CheckResult(check, _against(verdict, expected.get(check.name))))
    return ReportCard(subject.name, tuple(results), _assumed(examination))


def chosen_checks(only: Iterable[str] | None) -> tuple[Check, ...]:
    """Return the checks with these names, in their own order; all by default.

    Raises
    ------
    InputError
        For an unknown name.
    """
    if only is None:
        return CHECKS
    wanted = [only] if isinstance(only, str) else list(only)
    for name in wanted:
        _known(name)
    return tuple(check for check in CHECKS if check.name in wanted)


def _known(name: str) -> None:
    names = [check.name for check in CHECKS]
    if name not in names:
        close = difflib.get_close_matches(str(name), names, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"they are {', '.join(names)}"
        raise InputError(f"check {name!r} is unknown; {hint}")


def _expected(given: Mapping[str, str] | None) -> dict[str, str]:
    expected = dict(given or {})
    for name, reason in expected.items():
        _known(name)
        if not isinstance(reason, str) or not reason.strip():
            raise InputError(f"check {name!r} is expected to fail for the reason {reason!r}; give one in words")
    return expected


def _sizes(m: tuple[int, int]) -> tuple[int, int]:
    try:
        least, most = (int(x) for x in m)
    except (TypeError, ValueError):
        least, most = 0, 0
    if not 2 <= least <= most:
        raise InputError(f"m = {m!r}; give the least and the greatest number of values, 2 or more, such as (2, 6)")
    return least, most


def _against(verdict: Verdict, reason: str | None) -> Verdict:
    if reason is None:
        return verdict
    if isinstance(verdict, Fails):
        return ExpectedFailure(reason, verdict.counterexample, verdict.remark)
    return UnexpectedPass(reason, verdict) if isinstance(verdict, Holds) else verdict


def _assumed(examination: Examination) -> dict[str, Any]:
    subject = examination.subject
    return {
        "ground_distance": subject.family.name,
        "m": f"{examination.sizes[0]} to {examination.sizes[-1]}",
        **subject.describe(),
        "claims_emd": examination.claims_emd,
        "proofs": "z3, in real arithmetic" if examination.proofs and symbolic.available() else "none",
        "seconds_for_each_check": f"{examination.budget:g}, looked at between two calls",
    }
