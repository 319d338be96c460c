"""Numbers known as doubles with an error: what is decided and found of many, against each computed exactly."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, strategies as st

from tcloseness.exact import Filtered

VALUES = st.lists(
    st.tuples(st.one_of(st.just(math.inf), st.fractions(0, 2, max_denominator=6)), st.sampled_from([0.0, 0.25, 1.0])),
    min_size=1,
    max_size=12,
)
"""Exact values and the errors of their doubles."""


def filtered(values, data, asked):
    """Return the numbers, each double as far from its value as its error lets it be; `asked` counts exact values."""
    doubles, errors = [], []
    for value, error in values:
        exact_double = math.isinf(value) or Fraction(float(value)) == value
        error = error if exact_double else max(error, 2.0**-50)
        side = 0 if math.isinf(value) or not error else data.draw(st.sampled_from([-1, 0, 1]))
        doubles.append(float(value) + side * (error if exact_double else error / 2))
        errors.append(0.0 if math.isinf(value) else error)

    def exact(index):
        asked[index] += 1
        return values[index][0]

    def key(index):
        return values[index][0]

    spread = data.draw(st.integers(1, 3))
    shift = data.draw(st.integers(-2, 2))
    number = {value: i for i, value in enumerate(dict.fromkeys(value for value, _ in values))}

    def alike(indices):  # equal only for equal keys, and some of equal keys are told apart
        return np.array([shift + spread * number[values[i][0]] + i % spread for i in indices.tolist()], dtype=np.int64)

    return Filtered(np.array(doubles), np.array(errors), exact, key, data.draw(st.sampled_from([None, alike])))


@given(VALUES, st.fractions(0, 2, max_denominator=6), st.data())
def test_each_is_compared_exactly_and_one_of_each_key_is_computed(values, threshold, data):
    asked = Counter()
    found = filtered(values, data, asked).compare(threshold)
    assert found.tolist() == [(v > threshold) - (v < threshold) for v, _ in values]
    assert max(Counter(values[i][0] for i in asked.elements()).values(), default=0) <= 1


@given(VALUES, st.data())
def test_the_extremes_are_those_of_the_exact_values_and_all_that_reach_them_are_named(values, data):
    numbers = filtered(values, data, Counter())
    exact = [value for value, _ in values]
    for wanted, (extreme, members) in ((max(exact), numbers.largest()), (min(exact), numbers.smallest())):
        assert extreme == wanted
        assert members.tolist() == [i for i, value in enumerate(exact) if value == wanted]
