"""Readings of β-likeness and δ-disclosure privacy: other gains, caps and logarithms."""

from __future__ import annotations

from fractions import Fraction

from tcloseness.conformance.exact_text import Logarithm, Value, logarithm, order
from tcloseness.conformance.readings.reading import as_algorithm, convention, fault
from tcloseness.conformance.reference import Grouped, Measure, Question, Steps, gains, measure_class, ratios_of

__all__ = ["LIKE"]


def enhanced_largest_cap(asked: Question, classes: Grouped, g: int) -> Value:
    """Return the largest min(gain, −ln q): a maximum of caps, not each value against its own."""
    best: Value = Fraction(0)
    for gain, q in gains(classes, g):
        cap = Logarithm(1 / q, "e") if q != 1 else Fraction(0)
        least: Value = gain if order(cap, gain) > 0 else cap
        if gain > 0 and order(least, best) > 0:
            best = least
    return best


def skips_absent(base: str | None) -> Measure:
    """Return the greatest |log(p/q)| of the values that the class has, in a unit of its own if given."""

    def measure(asked: Question, classes: Grouped, g: int) -> Value:
        ratios = [ratio for ratio in ratios_of(classes, g) if ratio is not None]
        return logarithm(max(max(ratio, 1 / ratio) for ratio in ratios), base or asked.parameters["base"])

    return measure


def other_base(asked: Question, classes: Grouped, g: int) -> Value:
    """Return δ in the other unit."""
    base = "2" if asked.parameters["base"] == "e" else "e"
    return measure_class(asked.but(base=base), classes, g)


def absolute_gain(asked: Question, classes: Grouped, g: int) -> Value:
    """Return the greatest |p − q|/q: losses count as gains."""
    return max(abs(gain) for gain, _ in gains(classes, g))


def over_the_class(asked: Question, classes: Grouped, g: int) -> Value:
    """Return the greatest (p − q)/p."""
    return max(1 - 1 / ratio for ratio in ratios_of(classes, g) if ratio is not None)


_TOO_LARGE = "gains come out too large, and safe tables are refused"

LIKE = (
    fault(
        "absolute-gain",
        ("beta-basic",),
        Steps(measure=absolute_gain),
        "counts a value that became rarer as a gain",
        _TOO_LARGE,
        "beta-likeness bounds positive gains only (Cao and Karras 2012)",
    ),
    fault(
        "gain-over-the-class",
        ("beta-basic",),
        Steps(measure=over_the_class),
        "divides the gain by p in place of q",
        "gains come out below 1, and tables are declared safe that are not",
        "the gain is relative to the table's share (Cao and Karras 2012)",
    ),
    fault(
        "largest-of-the-caps",
        ("beta-enhanced",),
        Steps(measure=enhanced_largest_cap),
        "takes the largest min(gain, -ln q) and not each gain against its own cap",
        "a beta is reported where none holds",
        "Cao and Karras 2012, enhanced beta-likeness",
    ),
    fault(
        "cap-forgotten",
        ("beta-enhanced",),
        as_algorithm("beta-basic"),
        "answers basic beta-likeness",
        "frequent values may become certain",
        "Cao and Karras 2012, enhanced beta-likeness",
    ),
    fault(
        "absent-skipped",
        ("delta-disclosure",),
        Steps(measure=skips_absent(None)),
        "leaves values out that a class does not have",
        "a class with a single value passes",
        "|log 0| is infinite (Brickell and Shmatikov 2008)",
    ),
    fault(
        "absent-skipped-in-nats",
        ("delta-disclosure",),
        Steps(measure=skips_absent("e")),
        "leaves values out that a class does not have, and uses the natural logarithm",
        "a class with a single value passes",
        "|log 0| is infinite (Brickell and Shmatikov 2008)",
    ),
    convention(
        "other-base",
        ("delta-disclosure",),
        Steps(measure=other_base),
        "uses the other base of the logarithm",
        "delta is a number in a unit, and the unit must be named",
        "bits and nats are both in use",
    ),
)
"""What an implementation may compute in place of gains and ratios."""
