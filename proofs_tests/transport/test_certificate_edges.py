"""What the checker of certificates must not overlook: overflow, a scale, an index; and how a certificate is written."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from fractions import Fraction

import pytest
from hypothesis import assume, given, strategies as st

from proofs_tests.strategies import distribution_pairs, grounds
from tcloseness.errors import CertificateError
from tcloseness.ground import Equal, Matrix, Ordered
from tcloseness.transport import Certificate, certify

F = Fraction
HALVES = (F(1, 2), F(1, 2))


@given(pair=distribution_pairs(min_m=2, max_m=5), data=st.data(), small=st.integers(1, 10**6))
def test_potentials_that_are_too_high_by_any_small_amount_break_the_distance(pair, data, small):
    """Where mass moves from i to j, u_i + v_j = d(i, j); so nothing can be added to u_i. This is what is said."""
    certificate = certify(*pair, data.draw(grounds(len(pair[0]))))
    i, _, _ = data.draw(st.sampled_from(certificate.coupling))
    tight = min(j for a, j, _ in certificate.coupling if a == i)
    u = list(certificate.u)
    u[i] += F(1, small)
    first = min(j for j in range(len(u)) if u[i] + certificate.v[j] > certificate.ground.distance(i, j))
    assert first <= tight
    with pytest.raises(CertificateError, match=rf"^the potentials break u_{i} \+ v_{first} ≤ d\({i}, {first}\)$"):
        dataclasses.replace(certificate, u=tuple(u)).verify()


def test_a_sum_of_potentials_that_64_bits_cannot_hold_is_too_high():
    """u_0 + v_1 = 2·(2⁶² + 1), which 64 bits would take for 2 − 2⁶⁴ + 2⁶⁴ … below 0; each of the two fits."""
    high = F(2**62 + 1)
    forged = Certificate(
        HALVES, HALVES, Equal(2), ((0, 0, F(1, 2)), (1, 1, F(1, 2))), (high, F(0)), (-high, high), F(0)
    )
    with pytest.raises(CertificateError, match=r"break u_0 \+ v_1 ≤ d\(0, 1\)"):
        forged.verify()


def test_distances_that_64_bits_cannot_hold_over_the_potentials_denominator_are_exact():
    """d = 2³⁴ over the denominator 2²⁹ of the potentials is 2⁶³, one more than 64 bits hold; the proof is right."""
    far = Matrix([[0, 2**34], [2**34, 0]])
    tiny = F(1, 2**29)
    diagonal = ((0, 0, F(1, 2)), (1, 1, F(1, 2)))
    Certificate(HALVES, HALVES, far, diagonal, (tiny, tiny), (-tiny, -tiny), F(0)).verify()


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("index", [-1, 2])
def test_an_entry_outside_the_values_is_refused_by_name(place, index):
    """Also the first index past the last value, and −1, which a list would take for the last."""
    entry = [1, 1]
    entry[place] = index
    bad = Certificate(HALVES, HALVES, Equal(2), ((0, 0, F(1, 2)), (*entry, F(1, 2))), (F(0),) * 2, (F(0),) * 2, F(0))
    with pytest.raises(CertificateError, match="outside the 2 values"):
        bad.verify()


@given(pair=distribution_pairs(max_m=4))
def test_certificates_are_equal_exactly_if_all_that_they_say_is(pair):
    p, q = pair
    one = certify(p, q, Ordered(len(p)))
    assert one == certify(p, q, Ordered(len(p)))
    assert one != dataclasses.replace(one, method="other")
    assert one != one.to_dict()
    assert not one == one.to_json()  # noqa: SIM201
    assume(p != q)
    assert one != certify(q, p, Ordered(len(p)))


def test_a_written_certificate_can_be_read_by_people_and_its_digest_by_any_program():
    """One line an entry, names as they are; the digest is SHA-256 of the sorted keys without blanks, in ASCII."""
    certificate = certify(["1/2", "1/2"], ["1/4", "3/4"], Equal(2), labels=["Grippe", "Übelkeit"])
    text = certificate.to_json()
    assert text.startswith('{\n "format": ')
    assert text.endswith('"\n}\n')
    assert '"Übelkeit"' in text
    record = json.loads(text)
    digest = record.pop("sha256")
    plain = json.dumps(record, sort_keys=True, separators=(",", ":"))
    assert "\\u00dcbelkeit" in plain
    assert digest == hashlib.sha256(plain.encode("ascii")).hexdigest()
