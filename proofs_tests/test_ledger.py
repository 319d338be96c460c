"""The ledger of mathematical claims says nothing that is not there, and nothing stale."""

from __future__ import annotations

import ast

import pytest

from proofs_tests import ledger
from proofs_tests.ledger import Claim, claims, stamp, theorem_statements, with_table

CLAIMS = claims()


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_claim_has_the_evidence_that_its_status_needs(claim) -> None:
    assert not list(claim.faults())


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_every_test_and_theorem_that_a_claim_names_exists(claim) -> None:
    assert not [test for test in claim.tests if not ledger.has_test(test)]
    assert not [name for name in claim.coq if name not in theorem_statements()]


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_the_code_is_what_it_was_when_the_claim_was_confirmed(claim) -> None:
    stale = {name: stamp(name) for name, confirmed in claim.code.items() if stamp(name) != confirmed}
    assert not stale, (
        f"the code of {claim.id} changed since the claim was confirmed; look whether claim and evidence still speak of "
        f"it, then run: python -m proofs_tests.ledger confirm {claim.id}"
    )


def test_the_page_has_the_table_of_the_ledger() -> None:
    page = ledger.PAGE.read_text(encoding="utf-8")
    assert ledger.BEGIN in page
    assert with_table(page) == page, "run: python -m proofs_tests.ledger table"


def test_every_audited_theorem_serves_a_claim() -> None:
    named = {name for claim in CLAIMS.values() for name in claim.coq}
    assert not set(theorem_statements()) - named


# ---------------------------------------------------------------------- what would be found


def text_of(source: str) -> str:
    return ledger._text(ast.parse(source).body[0])


BEFORE = 'def f(a, b):\n    """Say."""\n    return a + 2 * b\n'


@pytest.mark.parametrize(
    "after",
    [
        "def f(a, b):\n    return a - 2 * b\n",
        "def f(a, b):\n    return a + 3 * b\n",
        "def f(a, b):\n    return a + b\n",
        "def f(b, a):\n    return a + 2 * b\n",
        "def f(a, b=1):\n    return a + 2 * b\n",
        "def f(a, b):\n    return a <= 2 * b\n",
    ],
)
def test_a_changed_sign_weight_term_argument_or_comparison_changes_the_stamp(after) -> None:
    assert text_of(after) != text_of(BEFORE)


@pytest.mark.parametrize(
    "after",
    [
        'def f(a, b):\n    """Say something else."""\n    # why\n    return a + 2 * b\n',
        "def f(a, b):\n    return (a +\n        2 * b)\n",
    ],
)
def test_words_and_layout_do_not(after) -> None:
    assert text_of(after) == text_of(BEFORE)


def test_a_name_that_is_gone_is_an_error() -> None:
    for name in ("tcloseness.nothing:f", "tcloseness.exact:no_such_function", "tcloseness.exact:as_fraction.inner"):
        with pytest.raises((LookupError, ModuleNotFoundError)):
            stamp(name)


def test_a_test_that_is_gone_is_found() -> None:
    assert ledger.has_test("proofs_tests/test_ledger.py::test_a_test_that_is_gone_is_found")
    assert not ledger.has_test("proofs_tests/test_ledger.py::test_of_yesterday")
    assert not ledger.has_test("proofs_tests/no_such_file.py::test_of_yesterday")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"status": "proved for all sizes"}, "without a theorem"),
        ({"status": "proved for m ≤ 8"}, "without an SMT test"),
        ({"status": "tested", "tests": ()}, "without a test"),
        ({"status": "counterexample", "tests": ()}, "without one"),
        ({"status": "proved"}, "unknown status"),
        ({"status": "tested", "smt": "m ≤ 8"}, "for which sizes"),
        ({"status": "tested", "code": {}}, "no code"),
    ],
)
def test_a_status_beyond_its_evidence_is_a_fault(given, fault) -> None:
    record = {"tests": ("a.py::test_b",), "code": {"m:f": "0"}, **given}
    assert any(fault in text for text in Claim("x", "s", "here", **record).faults())
