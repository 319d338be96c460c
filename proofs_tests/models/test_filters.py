"""The doubles of the models: within their bound, of use away from the threshold; and one value for equal shares."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from itertools import takewhile
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

from proofs_tests.filters import assert_spares_exact_values, assert_within
from proofs_tests.strategies import class_counts, repeated
from tcloseness.exact import RATIO_FILTER, Filtered, Rationals, log_of
from tcloseness.microdata import ClassCounts
from tcloseness.models import beta_likeness
from tcloseness.models.beta_likeness import _above_cap
from tcloseness.models.delta_disclosure import log_ratios
from tcloseness.models.l_diversity import entropies
from tcloseness.models.n_t_closeness import _error, _Least

F = Fraction


@given(row=st.lists(st.integers(1, 10**15), min_size=1, max_size=6))
@example(row=[10**15, 1])
@example(row=[1])
def test_the_bound_holds_for_counts_of_every_size(row):
    assert_within(entropies(ClassCounts.from_matrix(np.array([row]).T)))


def test_the_bound_of_an_entropy_grows_with_its_terms():
    """m doubles added in any order are within m·2⁻⁵³·Σ|term| of their sum; here Σ (c/n)·ln c is nearly ln n.

    (N. J. Higham, The accuracy of floating point summation, 1993, eq. 2.6.) How numpy adds is not for us to know.
    """
    m = 1_000
    found = entropies(ClassCounts.from_matrix(np.array([[2**62, *[1] * (m - 1)]]).T))
    assert found.error[0] >= m * 2.0**-53 * np.log(2.0**62)


def test_a_class_of_one_value_has_no_entropy_and_no_doubt():
    found = entropies(ClassCounts.from_matrix([[3, 7], [0, 1]]))
    assert (found.approximate[0], found.error[0]) == (0, 0)


ratios = st.builds(F, st.integers(1, 10**15), st.integers(1, 10**15)).map(lambda r: max(r, 1 / r))


@given(ratio=ratios, bits=st.booleans())
def test_the_logarithm_of_a_ratio_is_within_its_bound(ratio, bits):
    assert_within(log_ratios(of([ratio]), bits=bits))


@pytest.mark.parametrize("bits", [False, True])
def test_the_bound_of_a_logarithm_covers_its_own_rounding_and_that_of_the_ratio(bits):
    """A double near ln r is 2⁻⁵³·ln r off; a ratio within 2⁻⁵⁰ of itself moves its logarithm by that."""
    for digits in (0, 1, 20, 300):
        error = log_ratios(of([F(10**digits)]), bits=bits).error[0]
        assert 1e-9 > error >= 2.0**-53 * digits * np.log(10) + RATIO_FILTER


@pytest.mark.parametrize("bits", [False, True])
def test_of_a_ratio_that_no_double_holds_nothing_is_known_but_exactly(bits):
    found = log_ratios(of([F(10**309)]), bits=bits)
    # ln 10³⁰⁹ = 711.5 and log₂ 10³⁰⁹ = 1026.5; of the greatest double they are 709.8 and 1024
    assert found.error[0] == np.inf
    assert found.compare(F(1026) if bits else F(711)).tolist() == [1]
    assert found.compare(F(1027) if bits else F(712)).tolist() == [-1]


@given(drawn=st.lists(ratios, min_size=1, max_size=4), bits=st.booleans(), above=st.booleans())
def test_a_millionth_from_the_threshold_no_logarithm_is_exact(drawn, bits, above):
    assert_spares_exact_values(log_ratios(of(drawn), bits=bits), above=above)


def of(ratios):
    """Ratios as the models hold them, in Python's integers."""
    return Rationals(*(np.array(n, dtype=object) for n in zip(*(r.as_integer_ratio() for r in ratios), strict=True)))


def convergents(x):
    """Continued fractions of x: those nearest to it for their size, from below and above in turn."""
    before, last = (0, 1), (1, 0)
    while True:
        whole = math.floor(x)
        before, last = last, (whole * last[0] + before[0], whole * last[1] + before[1])
        yield last
        if x == whole:
            return
        x = 1 / (x - whole)


@pytest.mark.long
@pytest.mark.parametrize("total", [2, 10**6, 3**39, 2**62 - 1])
def test_a_gain_as_near_to_its_cap_as_counts_allow_is_decided_exactly(total):
    """With Q = (C/N, …) the cap is ln N/C; a class of n with c near (1 + ln N/C)·(C/N)·n has a gain next to it.

    At the greatest totals doubles have the wrong sign for some.
    """
    long, sides = Context(prec=80), set()
    for count in range(1, min(total, 60)):
        cap = F(long.subtract(long.ln(Decimal(total)), long.ln(Decimal(count))))
        for c, n in takewhile(lambda pair: pair[1] < 2**62, convergents((1 + cap) * F(count, total))):
            if 0 < c < n:
                above = F(c * total, n * count) - 1 > log_of(F(total, count))
                sides.add(above)
                classes = ClassCounts.from_matrix(np.array([[c], [n - c]])).with_reference([count, total - count])
                assert _above_cap(classes).tolist() == [above]
    assert sides == {False, True}


@pytest.mark.parametrize(
    ("c", "n", "above"),
    [
        (843172757226467008, 995982826428142003, False),
        (1706885727013482375, 2016228413703519329, False),
        (1173697516693728370, 1386409321256491915, True),
    ],
)
def test_a_gain_that_doubles_put_three_roundings_beyond_its_cap_is_decided_exactly(c, n, above):
    """Q = (1/2, 1/2) caps the gain at ln 2; counts and their quotient are rounded to the wrong side."""
    assert (F(2 * c, n) - 1 > log_of(F(2))) is above
    assert abs(float(2 * c) / float(n) - 1 - math.log(2)) == 3 * 2.0**-53
    assert _above_cap(ClassCounts.from_matrix(np.array([[c], [n - c]])).with_reference([1, 1])).tolist() == [above]


@given(classes=class_counts(max_values=5, max_classes=5))
def test_a_millionth_from_the_cap_no_logarithm_is_exact(classes):
    """Neither are there exact comparisons with the caps of values that no class has, nor with those at the cap 0."""
    reference = [int(c) for c in classes.reference]
    gaps = [
        float(F(c * sum(reference), reference[v] * size)) - 1 + math.log(reference[v] / sum(reference))
        for g, size in enumerate(classes.class_sizes.tolist())
        for v, c in classes.row(g).items()
    ]
    assume(all(abs(gap) > 1e-6 for gap in gaps))
    with mock.patch.object(beta_likeness, "log_of", side_effect=AssertionError):
        _above_cap(classes)


@given(ratio=ratios)
def test_the_error_of_a_rational_covers_its_double_and_little_more(ratio):
    values = of([ratio])
    (double,), (error,) = values.floats().tolist(), _error(values).tolist()
    assert abs(F(double) - ratio) <= F(error) <= F(double) / 2**40


def test_of_a_rational_that_no_double_holds_nothing_is_known():
    assert _error(of([F(10**309), F(10**308)])).tolist() == [np.inf, RATIO_FILTER * 1e308]


@pytest.mark.long
@given(data=st.data(), classes=st.integers(1, 4))
def test_the_least_of_what_is_offered_is_the_exact_least(data, classes):
    """Doubles may be as wrong as their bounds say: in the two that are compared, and against each other."""
    held, offers = _Least(classes), {g: [] for g in range(classes)}
    for _ in range(data.draw(st.integers(1, 4))):
        members = data.draw(st.lists(st.integers(0, classes - 1), min_size=1, unique=True).map(sorted))
        exact = data.draw(repeated(st.integers(0, 12).map(lambda n: F(n, 8)), len(members)))
        error = data.draw(repeated(st.sampled_from([0.0, 0.25, 0.5]), len(members)))
        side = data.draw(repeated(st.sampled_from([-1, 0, 1]), len(members)))
        doubles = [float(x) + s * e for x, s, e in zip(exact, side, error, strict=True)]
        held.offer(np.array(members), Filtered(np.array(doubles), np.array(error), exact.__getitem__, lambda i: i))
        for g, value in zip(members, exact, strict=True):
            offers[g].append(value)
    found = held.values()
    for g, values in offers.items():
        assert (found.exact(g) == min(values)) if values else np.isinf(found.floats()[g])


@given(classes=class_counts(max_values=6, max_classes=5), above=st.booleans())
def test_a_millionth_from_the_threshold_no_class_is_computed_exactly(classes, above):
    assert_spares_exact_values(entropies(classes), above=above)


@given(
    row=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    order=st.randoms(use_true_random=False),
    times=st.integers(1, 10**6),
)
def test_the_same_shares_in_any_order_are_one_entropy(row, order, times):
    """And classes whose shares differ are not taken for the same."""
    other = order.sample(row, len(row))
    found = entropies(ClassCounts.from_matrix(np.array([row, [times * c for c in other], [*row[:-1], row[-1] + 1]]).T))
    assert found.key(0) == found.key(1)
    assert found.exact(0) == found.exact(1)
    assert (found.key(0) == found.key(2)) == (shares_of(row) == shares_of([*row[:-1], row[-1] + 1]))


def shares_of(row):
    return sorted(F(c, sum(row)) for c in row)
