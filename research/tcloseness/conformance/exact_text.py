"""Exact values as text: fractions, infinity, logarithms of fractions, and products of powers.

| text | value |
|---|---|
| ``3/8``, ``0.69314718055994530942`` | the fraction |
| ``infinite`` | more than every number |
| ``log2(3/2)``, ``ln(3/2)`` | a logarithm, as δ-disclosure has it |
| ``3*2^(-2/3)`` | a product of powers of whole numbers, as exp of an entropy is one |

A value is compared with a number by 80 digits. Two different values among those that occur never agree to 60 digits
unless they are equal: that is a working rule, not a theorem, and `lint` checks each decision against a second one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from tcloseness.errors import VectorError

__all__ = [
    "ANSWER_TOLERANCE",
    "INFINITE",
    "Logarithm",
    "Product",
    "Value",
    "agrees",
    "answer_decimal",
    "decimal",
    "in_primes",
    "logarithm",
    "order",
    "read",
    "text",
]

INFINITE = math.inf
DIGITS = 80
_DECIMAL_FROM = 10**9
"""A fraction that is a rounded decimal is written as one from this denominator on."""

EQUAL = Decimal(10) ** -60
"""Two values that differ by less, relatively, are one."""

ANSWER_TOLERANCE = Decimal(10) ** -9
"""How far an answer in decimals may lie from the exact value, relative to the larger of the value and 1.

An implementation in doubles keeps some 15 digits; every other convention on the vectors' small inputs lies much
further away. A verdict has no tolerance.
"""

_WRITTEN = re.compile(r"[-+.,/*^()0-9A-Za-z ]{1,1000}", re.ASCII)
"""The characters of a number that an implementation may write."""

_LARGE_EXPONENT = re.compile(r"[eE][-+]?\d{4}")
_MOST_BITS = 100_000
_POWER = re.compile(r"(\d+)(?:\^\((-?\d+(?:/\d+)?)\))?")


@dataclass(frozen=True)
class Logarithm:
    """The logarithm of a positive fraction to the base 2 or e."""

    of: Fraction
    base: str


@dataclass(frozen=True)
class Product:
    """A product of powers of whole numbers > 1 with fractional exponents, by base."""

    powers: tuple[tuple[int, Fraction], ...]

    @classmethod
    def of(cls, powers: Mapping[int, Fraction]) -> Product | Fraction:
        """Return the product in its simplest writing; a Fraction where every exponent is whole."""
        kept = {base: e for base, e in sorted(powers.items()) if base != 1 and e}
        if all(e.denominator == 1 for e in kept.values()):
            return Fraction(math.prod((Fraction(base) ** e.numerator for base, e in kept.items()), start=Fraction(1)))
        return cls(tuple(kept.items()))


Value = Fraction | float | Logarithm | Product
"""An exact value; the only float is infinity."""


def in_primes(powers: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """Write a product of powers over small primes and what is left of each base, so that equal products look equal."""
    split: dict[int, Fraction] = {}
    for base, exponent in powers.items():
        divisor = 2
        while base > 1:
            if base % divisor == 0:
                split[divisor] = split.get(divisor, Fraction(0)) + exponent
                base //= divisor
            elif divisor > 1000:
                split[base] = split.get(base, Fraction(0)) + exponent
                break
            else:
                divisor += 1
    return split


def logarithm(ratio: Fraction, base: str) -> Value:
    """Return log(ratio); a whole number where it is one to the base 2."""
    exponent = ratio.numerator.bit_length() - 1
    if ratio == 1 or (base == "2" and ratio == 2**exponent):
        return Fraction(exponent)
    return Logarithm(ratio, base)


def text(value: Value) -> str:
    """Write a value as exact text."""
    match value:
        case Fraction():
            if value.denominator > _DECIMAL_FROM and 10**40 % value.denominator == 0:
                return f"{decimal(value):f}"
            return str(value)
        case Logarithm():
            return f"{'ln' if value.base == 'e' else 'log2'}({value.of})"
        case Product():
            return "*".join(str(b) if e == 1 else f"{b}^({e})" for b, e in value.powers)
    return "infinite"


def read(written: str) -> Value:
    """Read exact text; `VectorError` for a text that is not an exact value."""
    if written == "infinite":
        return INFINITE
    try:
        for head, base in (("ln(", "e"), ("log2(", "2")):
            if written.startswith(head) and written.endswith(")"):
                return Logarithm(Fraction(written[len(head) : -1]), base)
        if "^" in written:
            powers: dict[int, Fraction] = {}
            for part in written.split("*"):
                found = _POWER.fullmatch(part)
                if found is None:
                    raise ValueError(part)
                powers[int(found[1])] = Fraction(found[2] or 1)
            return Product.of(powers)
        return Fraction(written)
    except (ValueError, ZeroDivisionError) as error:
        raise VectorError(f"{written!r} is not an exact value; write 3/8, infinite, ln(3/2) or 3*2^(-2/3)") from error


@lru_cache(maxsize=2**12)
def _ln(number: int) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(number).ln()


def _rough(value: Value) -> float:
    """Return a value to some 12 digits."""
    match value:
        case Logarithm():
            ln = math.log(value.of.numerator) - math.log(value.of.denominator)
            return ln if value.base == "e" else ln / math.log(2)
        case Product():
            return math.exp(sum(float(e) * math.log(b) for b, e in value.powers))
    return float(value)


@lru_cache(maxsize=2**16)
def decimal(value: Value) -> Decimal:
    """Return a value to 80 digits."""
    with localcontext() as context:
        context.prec = DIGITS
        match value:
            case Fraction():
                return Decimal(value.numerator) / Decimal(value.denominator)
            case Logarithm():
                ln = _ln(value.of.numerator) - _ln(value.of.denominator)
                return +ln if value.base == "e" else ln / _ln(2)
            case Product():
                return sum((decimal(e) * _ln(b) for b, e in value.powers), Decimal(0)).exp()
    return Decimal("Infinity")


def order(value: Value, number: Value) -> int:
    """Return the sign of a value minus another."""
    if isinstance(value, Fraction) and isinstance(number, Fraction):
        return (value > number) - (value < number)
    near, limit = _rough(value), _rough(number)
    if abs(near - limit) > 1e-6 * max(1.0, abs(near) if math.isfinite(near) else 1.0, abs(limit)):
        return 1 if near > limit else -1
    a, b = decimal(value), decimal(number)
    if a == b:
        return 0
    if a.is_infinite() or b.is_infinite():
        return 1 if a > b else -1
    with localcontext() as context:
        context.prec = DIGITS
        if abs(a - b) <= EQUAL * max(Decimal(1), abs(b)):
            return 0
    return 1 if a > b else -1


def agrees(answer: Decimal, value: Value) -> bool:
    """Say whether an answer in decimals is a value, up to `ANSWER_TOLERANCE`."""
    expected = decimal(value)
    if answer.is_infinite() or expected.is_infinite():
        return answer == expected
    return abs(answer - expected) <= ANSWER_TOLERANCE * max(Decimal(1), abs(expected))


def answer_decimal(written: object) -> Decimal | None:
    """Read a number as an implementation may write it; None for NaN, null and anything else that is not a number.

    Whatever is written, reading it takes little time: the exponent of a decimal has at most three digits, a power at
    most `_MOST_BITS` bits.
    """
    if isinstance(written, bool) or not isinstance(written, (int, float, str)):
        return None
    plain = str(written).strip()
    if plain in ("infinite", "infinity", "Infinity", "inf", "Inf"):
        return Decimal("Infinity")
    if not _WRITTEN.fullmatch(plain) or _LARGE_EXPONENT.search(plain):
        return None
    try:
        if any(int(b).bit_length() * abs(Fraction(e or 1)) > _MOST_BITS for b, e in _POWER.findall(plain)):
            return None
        try:
            number = decimal(read(plain))
        except VectorError:
            number = Decimal(plain)
    except ArithmeticError:  # a logarithm of a negative number, an overflow
        return None
    return None if number.is_nan() else number
