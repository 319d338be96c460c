"""Certificates: they prove their value without a solver, survive JSON, and break at any change."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import distributions, grounds, metrics, non_metrics
from tcloseness.certificates import seal
from tcloseness.errors import CertificateError, CertificateFormatError
from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import Certificate, certify

F = Fraction

TREE = Hierarchy([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*")])
METRIC = Matrix([[0, 2, 3], [2, 0, 1], [3, 1, 0]])
NO_METRIC = Matrix([[0, 1, 4], [1, 0, 1], [4, 1, 0]], allow_non_metric=True)
HALVES = (["1/2", "1/2", 0], [0, "1/2", "1/2"])

EXAMPLES = {
    "ordered": lambda: certify(["1/3"] * 3 + [0] * 6, ["1/9"] * 9, Ordered(9), labels=list("abcdefghi")),
    "ordered-by-value": lambda: certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, OrderedByValue((14, 27, 88, 101))),
    "equal": lambda: certify(["1/2", "1/2"], ["1/4", "3/4"], Equal(2)),
    "hierarchical": lambda: certify(["1/2", 0, "1/2"], ["1/3"] * 3, Hierarchical(TREE, Domain.of("xyz"))),
    "matrix": lambda: certify(*HALVES, METRIC, solver="networkx"),
    "non-metric": lambda: certify(*HALVES, NO_METRIC, solver="networkx"),
}


@pytest.fixture(params=EXAMPLES)
def certificate(request):
    return EXAMPLES[request.param]()


@st.composite
def certificates(draw):
    """A certificate of any ground distance that can be written, by the way that suits it."""
    m = draw(st.integers(1, 5))
    kind = draw(st.sampled_from(["papers", "metric", "non-metric"]))
    if kind == "papers":
        ground = draw(grounds(m, papers_only=True))
    elif kind == "metric" or m < 2:
        ground = Matrix(draw(metrics(m)))
    else:
        ground = Matrix(draw(non_metrics(m)), allow_non_metric=True)
    solver = "networkx" if ground.cuts is None else draw(st.sampled_from(["closed-form", "networkx"]))
    return certify(draw(distributions(m)), draw(distributions(m)), ground, solver=solver)


def resealed(record, **changes):
    """The record with changes and with a digest that fits them: what a forger would hand in."""
    body = {**record, **changes}
    return {**body, "sha256": seal(body)}


# ---------------------------------------------------------------------- writing and reading


@pytest.mark.long
@pytest.mark.solver
@given(certificates())
def test_json_gives_the_same_certificate_back(certificate):
    again = Certificate.from_json(certificate.to_json())
    again.verify()
    assert again == certificate
    assert hash(again) == hash(certificate)
    assert again.value == certificate.value
    assert (again.p, again.q, again.u, again.v) == (
        certificate.p,
        certificate.q,
        certificate.u,
        certificate.v,
    )
    assert again.coupling == certificate.coupling
    assert again.to_json() == certificate.to_json()


def test_layout_and_key_order_of_the_json_do_not_matter(certificate):
    record = json.loads(certificate.to_json())
    for text in (
        json.dumps(record),
        json.dumps(record, indent=7),
        json.dumps(record, sort_keys=True, separators=(",", ":")),
        json.dumps(dict(reversed(record.items()))),
        certificate.to_json().replace("\n", "\r\n\t "),
    ):
        again = Certificate.from_json(text)
        again.verify()
        assert again == certificate


def test_no_digit_can_be_changed(certificate):
    """Each digit of the text by itself, to the next digit and to the one before."""
    text = certificate.to_json()
    places = [i for i, character in enumerate(text) if character.isdigit()]
    assert len(places) > 50
    for i in places:
        for step in (1, 9):
            forged = text[:i] + str((int(text[i]) + step) % 10) + text[i + 1 :]
            with pytest.raises(CertificateError):
                Certificate.from_json(forged).verify()


def test_no_entry_can_be_removed_or_added(certificate):
    record = certificate.to_dict()
    for key in record:
        with pytest.raises(CertificateError):
            Certificate.from_dict({k: v for k, v in record.items() if k != key})
    with pytest.raises(CertificateFormatError, match="has the key 'note', which it must not have"):
        Certificate.from_dict({**record, "note": "looks fine"})
    with pytest.raises(CertificateFormatError, match="was changed"):
        Certificate.from_dict({**record, "method": "by hand"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[]", "is not a certificate"),
        ("3", "is not a certificate"),
        ("{}", "is not a certificate"),
        ('{"format": "tcloseness-emd-certificate-0"}', "its format must be 'tcloseness-emd-certificate-1'"),
        ('{"format": "tcloseness-emd-certificate-1"}', "lacks the key 'statement'"),
    ],
)
def test_a_text_that_is_no_certificate_is_refused(text, message):
    with pytest.raises(CertificateFormatError, match=message):
        Certificate.from_json(text)


@pytest.mark.parametrize(
    "changes",
    [
        {"p": ["one half", "1/2"]},
        {"p": "1/2"},
        {"p": None},
        {"q": ["-1/4", "5/4"]},
        {"u": [[], []]},
        {"u": 5},
        {"emd": "a quarter"},
        {"emd": None},
        {"coupling": [["x", 0, "1/4"]]},
        {"coupling": [[0, 0]]},
        {"coupling": [[0, 0, "1/4", "1/4"]]},
        {"coupling": 3},
        {"ground": {"name": "manhattan"}},
        {"ground": {"name": "equal", "m": "two"}},
        {"ground": None},
        {"labels": 3},
    ],
    ids=str,
)
def test_a_well_sealed_record_that_cannot_be_read_is_refused_by_name(changes):
    with pytest.raises(CertificateError):
        Certificate.from_dict(resealed(EXAMPLES["equal"]().to_dict(), **changes)).verify()


# ---------------------------------------------------------------------- verify


@pytest.mark.long
@pytest.mark.solver
@given(certificates())
def test_a_certificate_proves_its_value_by_two_sums(certificate):
    """The coupling costs the value and the potentials earn it, summed here once more."""
    d = certificate.ground.distance
    assert sum((x * d(i, j) for i, j, x in certificate.coupling), F(0)) == certificate.value
    earned = sum((a * x for a, x in zip(certificate.p, certificate.u, strict=True)), F(0))
    earned += sum((b * y for b, y in zip(certificate.q, certificate.v, strict=True)), F(0))
    assert earned == certificate.value


def tampered(c):
    """Every kind of tampering, by name; the seal of a file does not help, verify() is called on the object."""
    bump = F(1, 7)
    (i, j, mass), *others = c.coupling
    m = c.ground.m
    shift_p = (c.p[0] + bump, *c.p[1:-1], c.p[-1] - bump)
    return {
        "value up": ({"value": c.value + bump}, "coupling costs"),
        "value down": ({"value": c.value - bump}, "coupling costs"),
        "value zero": ({"value": F(0)}, "coupling costs"),
        "p another distribution": ({"p": shift_p}, None),
        "p not of sum 1": ({"p": (c.p[0] + bump, *c.p[1:])}, "p is not a distribution"),
        "q not of sum 1": ({"q": (*c.q[:-1], c.q[-1] + bump)}, "q is not a distribution"),
        "p negative": ({"p": (c.p[0] + 2, *c.p[1:-1], c.p[-1] - 2)}, "p is not a distribution"),
        "p and q swapped": ({"p": c.q, "q": c.p}, "row sums"),
        "mass up": ({"coupling": ((i, j, mass + bump), *others)}, "row sums"),
        "mass negative": ({"coupling": ((i, j, -mass), *others)}, "must be positive"),
        "mass zero": ({"coupling": ((i, j, F(0)), *others)}, "must be positive"),
        "entry left out": ({"coupling": tuple(others)}, "row sums"),
        "entry twice": ({"coupling": ((i, j, mass / 2), (i, j, mass / 2), *others)}, "occurs twice"),
        "entry outside": ({"coupling": ((i, m, mass), *others)}, "outside"),
        "entry below": ({"coupling": ((-1, j, mass), *others)}, "outside"),
        "column changed": ({"coupling": _moved_column(c)}, "column sums"),
        "u up": ({"u": tuple(x + bump for x in c.u)}, "break"),
        "u down": ({"u": tuple(x - bump for x in c.u)}, "earn"),
        "v up": ({"v": tuple(x + bump for x in c.v)}, "break"),
        "u all zero": ({"u": (F(0),) * m, "v": (F(0),) * m}, "earn"),
        "u short": ({"u": c.u[:-1]}, "must all have"),
        "v long": ({"v": (*c.v, F(0))}, "must all have"),
        "p short": ({"p": c.p[:-1]}, "must all have"),
        "another ground": ({"ground": Equal(m + 1)}, "must all have"),
        "ground farther": (
            {"ground": Matrix([[5 * int(a != b) for a in range(m)] for b in range(m)])},
            "costs",
        ),
    }


def _moved_column(c):
    """An entry to another column, which is not in the coupling with the same row."""
    taken = {(a, b) for a, b, _ in c.coupling}
    row, old, new = next((a, b, x) for a, b in sorted(taken) for x in range(c.ground.m) if (a, x) not in taken)
    return tuple((i, new if (i, j) == (row, old) else j, mass) for i, j, mass in c.coupling)


KINDS = sorted(tampered(EXAMPLES["equal"]()))


@pytest.mark.parametrize("kind", KINDS)
def test_tampering_is_noticed(certificate, kind):
    changes, message = tampered(certificate)[kind]
    if kind == "p another distribution" and certificate.p[-1] < F(1, 7):
        message = "p is not a distribution"
    forged = dataclasses.replace(certificate, **changes)
    with pytest.raises(CertificateError, match=message):
        forged.verify()
    if kind != "another ground":  # a forger seals what he forged; the proof fails all the same
        with pytest.raises(CertificateError):
            Certificate.from_dict(resealed(forged.to_dict())).verify()


def test_a_value_that_is_too_high_cannot_be_proved_by_a_dearer_coupling():
    """Dosselmann et al. 2019, §2.1.2: the crossed moves cost 1/3. The coupling is right, the potentials cannot earn
    1/3."""
    certificate = certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4))
    quarter = F(1, 4)
    dear = ((0, 0, quarter), (0, 3, quarter), (2, 1, quarter), (2, 2, quarter))
    with pytest.raises(CertificateError, match="the potentials earn 1/6, not 1/3"):
        dataclasses.replace(certificate, coupling=dear, value=F(1, 3)).verify()


def test_a_value_that_is_too_low_cannot_be_proved_by_greedy_potentials():
    """Potentials that earn less than the optimum are valid, and prove only that bound."""
    certificate = certify(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4))
    half = tuple(x / 2 for x in certificate.u)
    with pytest.raises(CertificateError, match="the coupling costs 1/6, not 1/12"):
        dataclasses.replace(certificate, u=half, v=tuple(-x for x in half), value=F(1, 12)).verify()


@pytest.mark.parametrize("power", [10, 18, 19, 40])
def test_potentials_are_checked_exactly_where_64_bits_end(power):
    """A potential that is too high by 1 in 10^power: v_0 = −1/10^power no longer covers u_1 + v_0 ≤ d(1, 0)."""
    certificate = certify([1, 0], [0, 1], Equal(2))
    bump = F(1, 10**power)
    u = (certificate.u[0] + bump, certificate.u[1])
    with pytest.raises(CertificateError, match="break"):
        dataclasses.replace(certificate, u=u).verify()


def test_the_method_and_the_labels_are_no_part_of_the_proof(certificate):
    dataclasses.replace(certificate, method="by hand", labels=()).verify()


def test_a_key_that_stands_twice_is_refused() -> None:
    text = certify(["1/2", "1/2"], [1, 0], Equal(2)).to_json()
    forged = text.replace('"emd":', '"emd": "1/9",\n "emd":', 1)
    with pytest.raises(CertificateError, match="twice"):
        Certificate.from_json(forged)
