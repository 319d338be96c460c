"""`distance_checks`: one pytest test for each check of a measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tcloseness.axioms.card import CheckResult, ReportCard
from tcloseness.axioms.judge import check_distance, chosen_checks
from tcloseness.axioms.verdict import ExpectedFailure, Fails, UnexpectedPass

__all__ = ["distance_checks"]

Test = Callable[..., Any]


def distance_checks(measure: Any, **options: Any) -> Callable[[Test], Test]:
    """Turn a test function into one test for each check.

    Parameters
    ----------
    measure, options
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

    checks = chosen_checks(options.get("only"))
    made: list[ReportCard] = []

    def result_of(name: str) -> CheckResult:
        if not made:
            made.append(check_distance(measure, **options))
        return made[0][name]

    def decorate(test: Test) -> Test:
        def examined(check: str) -> None:
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

        examined.__name__, examined.__doc__, examined.__module__ = test.__name__, test.__doc__, test.__module__
        return pytest.mark.parametrize("check", [check.name for check in checks])(examined)

    return decorate
