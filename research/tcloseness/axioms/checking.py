"""`check_distance`: a distance in, its report card out; `distance_checks`: one pytest test for each check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from tcloseness.axioms import symbolic
from tcloseness.axioms.card import CheckResult, ReportCard
from tcloseness.axioms.checker import Checker
from tcloseness.axioms.checks import CHECKS
from tcloseness.axioms.function import FunctionUnderTest
from tcloseness.axioms.grounds import Family
from tcloseness.axioms.verdict import Check, CheckVerdict, ExpectedFailure, Fails, Holds, UnexpectedPass
from tcloseness.errors import InputError, did_you_mean
from tcloseness.exact import Number, as_fraction, shown_value
from tcloseness.microdata import Domain
from tcloseness.microdata.border import require_callable

__all__ = ["check_distance", "distance_checks"]

MOST_VALUES = 100
"""Of at most so many values all laws are tried."""

Test = Callable[..., Any]


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
    """Check a distance between distributions, and say what it satisfies.

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
        Whether proofs by z3 are tried (the extra ``validate``).
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
    measures that compute with + − × abs min max; doubles round besides. *N examples* is not a proof, however many.

    References
    ----------
    Li et al. 2007, §4 and §8; Li et al. 2010 for the five desiderata.

    Examples
    --------
    >>> def half_l1(p, q):
    ...     return sum(abs(a - b) for a, b in zip(p, q)) / 2
    >>> card = check_distance(half_l1, ground="equal", only=["symmetric", "bounded-by-1", "probability-scaling"])
    >>> [f"{result.name}: {result.verdict}" for result in card]
    ['bounded-by-1: holds (proved, m ≤ 6)', 'symmetric: holds (proved, m ≤ 6)', 'probability-scaling: fails']
    """
    if progress is not None:
        require_callable(progress, "progress", "check_distance()")
    checks = _chosen_checks(only)
    expected = _expected(expected_failures)
    least, most = _sizes(m)
    number = isinstance(budget, Real) and not isinstance(budget, bool)
    if not number or not budget > 0:
        raise InputError(f"budget = {shown_value(budget)}; it must be a positive number of seconds for each check")
    for what, given in (("proofs", proofs), ("claims_emd", claims_emd or False)):
        if not isinstance(given, bool):
            raise InputError(f"{what} = {shown_value(given)}; it must be True or False")
    share = as_fraction(effort, "effort")
    if share <= 0:
        raise InputError(f"effort = {effort!r}; it must be > 0, a share of the usual number of examples")
    if domain is not None and not isinstance(domain, Domain):
        domain = Domain.declare(domain)
    spec = ground if ground is not None else getattr(measure, "ground", None)
    family = Family.of("ordered" if spec is None else spec, domain)
    function = FunctionUnderTest(measure, family, name)
    if claims_emd is None:
        claims_emd = bool(getattr(measure, "is_emd", False))
    checker = Checker(function, (least, most), budget, proofs, claims_emd, share)
    if not checker.sizes:
        raise InputError(f"m = {m!r}: the ground distance {family.name!r} has {family.largest} values, none of these")
    for size in checker.sizes:
        checker.over(size)  # what is wrong with a ground distance of the user's own is said before anything is asked
    results = []
    for check in checks:
        if progress is not None:
            progress(check.name)
        results.append(CheckResult(check, _as_expected(checker.run(check), expected.get(check.name))))
    return ReportCard(function.name, tuple(results), _assumed(checker))


def _chosen_checks(only: Iterable[str] | None) -> tuple[Check, ...]:
    """Return the checks with these names, in their own order; all by default."""
    if only is None:
        return CHECKS
    wanted = [only] if isinstance(only, str) else list(only) if isinstance(only, Iterable) else []
    if not wanted:
        raise InputError(f"only = {shown_value(only)} names no check; leave it out for all of them")
    for name in wanted:
        _refuse_unknown(name)
    return tuple(check for check in CHECKS if check.name in wanted)


def _refuse_unknown(name: str) -> None:
    names = [check.name for check in CHECKS]
    if name not in names:
        hint = did_you_mean(name, names, f"they are {', '.join(names)}")
        raise InputError(f"check {name!r} is unknown; {hint}")


def _expected(given: Mapping[str, str] | None) -> dict[str, str]:
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"expected_failures = {shown_value(given)}; it must be a dict of reasons by check")
    expected = dict(given or {})
    for name, reason in expected.items():
        _refuse_unknown(name)
        if not isinstance(reason, str) or not reason.strip():
            raise InputError(f"check {name!r} is expected to fail for the reason {reason!r}; give one in words")
    return expected


def _sizes(m: tuple[int, int]) -> tuple[int, int]:
    try:
        least, most = (x if isinstance(x, Integral) else 0 for x in m)
    except (TypeError, ValueError):
        least, most = 0, 0
    if not 2 <= least <= most <= MOST_VALUES:
        raise InputError(
            f"m = {shown_value(m)}; give the least and the greatest number of values, 2 to {MOST_VALUES}, such "
            "as (2, 6)"
        )
    return int(least), int(most)


def _as_expected(verdict: CheckVerdict, reason: str | None) -> CheckVerdict:
    if reason is None:
        return verdict
    if isinstance(verdict, Fails):
        return ExpectedFailure(reason, verdict.counterexample, verdict.remark)
    return UnexpectedPass(reason, verdict) if isinstance(verdict, Holds) else verdict


def _assumed(checker: Checker) -> dict[str, Any]:
    return {
        "ground_distance": checker.function.family.name,
        "m": f"{checker.sizes[0]} to {checker.sizes[-1]}",
        **checker.function.describe(),
        "claims_emd": checker.claims_emd,
        "proofs": "z3, in real arithmetic" if checker.proofs and symbolic.available() else "none",
        "seconds_for_each_check": f"{checker.budget:g}, looked at between two calls",
    }


# ---------------------------------------------------------------------- one test a check


def distance_checks(measure: Any, **options: Any) -> Callable[[Test], Test]:
    """Turn a test function into one test for each check.

    Parameters
    ----------
    measure, **options
        As for `check_distance`. The card is made once, when the first test runs.

    Returns
    -------
    A decorator. The function takes ``result``, a `CheckResult`, and may do with it what it likes; it is called only if
    the check passed. A check that fails, or passes against expectation, fails its test with the counterexample and the
    code that reproduces it; one that is undecided or not applicable is skipped, and an expected failure is an xfail.

    Examples
    --------
    In a test file::

        @tc.axioms.distance_checks(my_distance, ground="ordered", expected_failures={"symmetric": "a divergence"})
        def test_my_distance(result): ...
    """
    import pytest

    checks = _chosen_checks(options.get("only"))
    made: list[ReportCard] = []

    def result_of(name: str) -> CheckResult:
        if not made:
            made.append(check_distance(measure, **options))
        return made[0][name]

    def decorate(test: Test) -> Test:
        def checked(check: str) -> None:
            result = result_of(check)
            verdict = result.verdict
            match verdict:
                case Fails(counterexample):
                    code = counterexample.as_test(result.name)
                    pytest.fail(f"{result.check.statement}: {counterexample.finding}\n\n{code}", pytrace=False)
                case UnexpectedPass():
                    pytest.fail(f"{verdict}; {verdict.remark}", pytrace=False)
                case ExpectedFailure(reason):
                    pytest.xfail(reason)
            if result.status in ("undecided", "not applicable"):
                pytest.skip(f"{verdict}: {verdict.remark}")
            test(result)

        checked.__name__, checked.__doc__, checked.__module__ = test.__name__, test.__doc__, test.__module__
        return pytest.mark.parametrize("check", [check.name for check in checks])(checked)

    return decorate
