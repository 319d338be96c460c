"""Numbers that are read, written and compared without rounding.

Every count is an integer and every distance a `Fraction`, a sum of logarithms or of roots. Thresholds are decided on
integers. Where many values are compared at once, floating point may *filter* (its error bounds are named constants),
and whatever it cannot decide is decided on Python integers.
"""

from tcloseness.exact.arrays import INT64_MAX, RATIO_FILTER, IntArray, Rationals, fits_int64, nearest_double
from tcloseness.exact.logarithms import LOG_FILTER, Bits, Exponential, LogSum, LogSums, exponentials, log_of
from tcloseness.exact.rationals import (
    LARGEST_EXPONENT,
    SNAP_TOLERANCE,
    Number,
    as_fraction,
    common_denominator,
    decimal_text_of,
    exact_sum,
    is_exact,
    masses,
    number_text,
    over_common_denominator,
    percent_of,
    scaled_integers,
    shares,
    short_text,
    shown_value,
    whole_counts,
)
from tcloseness.exact.reals import ExactReal, Filtered, MeasuredAgain
from tcloseness.exact.roots import RootSum, SquareRoot, root_of, square_roots

__all__ = [
    "INT64_MAX",
    "LARGEST_EXPONENT",
    "LOG_FILTER",
    "RATIO_FILTER",
    "SNAP_TOLERANCE",
    "Bits",
    "ExactReal",
    "Exponential",
    "Filtered",
    "IntArray",
    "LogSum",
    "LogSums",
    "MeasuredAgain",
    "Number",
    "Rationals",
    "RootSum",
    "SquareRoot",
    "as_fraction",
    "common_denominator",
    "decimal_text_of",
    "exact_sum",
    "exponentials",
    "fits_int64",
    "is_exact",
    "log_of",
    "masses",
    "nearest_double",
    "number_text",
    "over_common_denominator",
    "percent_of",
    "root_of",
    "scaled_integers",
    "shares",
    "short_text",
    "shown_value",
    "square_roots",
    "whole_counts",
]
