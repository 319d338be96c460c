"""Conditions on one class as linear rows on its counts. The formulation; no solver is named here.

n_v records of the class carry value v, n = Σ n_v; N_v and N are the reference's, u says whether the class is there.

| condition | rows |
|---|---|
| least records k | n ≥ k·u |
| least values ℓ | y_v ≤ n_v, Σ y_v ≥ ℓ·u, y_v binary |
| bounds on shares | κ_v·n ≤ n_v ≤ λ_v·n; of absent values only where asked, else where a binary says n_v > 0 |
| recursive (c,ℓ) | n_v < c·(n − T), T ≥ the sum of the ℓ − 1 largest (T = (ℓ − 1)·τ + Σ d_v, d_v ≥ n_v − τ) |
| most distance t, cuts S of weight w | Σ w_S·z_S ≤ t·N·n, z_S ≥ ±(N·n(S) − n·N(S)) |
| most distance t, any matrix d | Σ d_ij·f_ij ≤ t·N·n, Σ_j f_ij = N·n_i, Σ_i f_ij = N_j·n, f ≥ 0 |

t-closeness is linear although the size n of the class varies, because both sides are multiplied by N·n. A class has at
most n records, so its shares are fractions with denominators up to n: between a threshold, whatever its kind, and the
greatest such fraction κ that passes it lies no other share. κ stands for the threshold, so thresholds with logarithms
are exact. Entropy ℓ-diversity and other measures are not linear.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tcloseness.errors import InputError
from tcloseness.ground import Cuts, GroundDistance, ground_distance
from tcloseness.microdata import Domain
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import (
    ByEvaluation,
    ClassCondition,
    LeastEntropy,
    LeastRecords,
    LeastValues,
    MostDistance,
    ShareBounds,
    TailBound,
    conditions_of,
    parts_of,
)
from tcloseness.models.declared_values import codes_of
from tcloseness.optimal.program import Program, Terms, plus, times
from tcloseness.release.draws import Draws

__all__ = ["ClassVariables", "Setting", "greatest_share", "least_share", "linear_parts", "require", "sides"]


@dataclass(frozen=True)
class Setting:
    """What all classes share.

    Attributes
    ----------
    domain
        The sensitive attribute's domain of m values.
    reference
        Shape (m,): the counts N_v whose distribution is Q, fixed.
    order
        The values, in the order in which a program names them; by default the domain's. Which of equally good solutions
        a solver finds may hang on that order, so where it is published the order must be a drawn one.
    """

    domain: Domain
    reference: Sequence[int]
    order: Sequence[int] = ()

    def __post_init__(self) -> None:
        if not len(self.order):
            object.__setattr__(self, "order", tuple(range(len(self.domain))))

    @classmethod
    def drawn(cls, domain: Domain, reference: Iterable[int], draws: Draws) -> Setting:
        """Return a setting whose values are in a drawn order."""
        order = draws.permutation(len(domain), "order of the values").tolist()
        return cls(domain, [int(count) for count in reference], order)

    @cached_property
    def place(self) -> list[int]:
        """The place of each value in `order`."""
        found = [0] * len(self.order)
        for place, value in enumerate(self.order):
            found[value] = place
        return found

    def in_order(self, values: Iterable[int]) -> list[int]:
        """Return some values in the order in which a program names them."""
        return sorted(values, key=self.place.__getitem__)

    @property
    def total(self) -> int:
        """N."""
        return sum(self.reference)


@dataclass(frozen=True)
class ClassVariables:
    """One class in a program.

    Attributes
    ----------
    counts
        For each value that the class may have, its count as a linear expression; rows are written in this order.
    most
        The greatest count of each of these values.
    opened
        An expression that is 1 if the class has records, and 0 if it has none.
    """

    counts: Mapping[int, Terms]
    most: Mapping[int, int]
    opened: Terms

    @property
    def size(self) -> Terms:
        """n."""
        return plus(*self.counts.values())

    @property
    def greatest_size(self) -> int:
        """The most records that the class can have."""
        return sum(self.most.values())


def linear_parts(model: PrivacyModel) -> tuple[PrivacyModel, ...]:
    """Return the models that are asked for together, each linear in a class's counts.

    Raises
    ------
    InputError
        For a model without a threshold, or one that is not linear.
    """
    parts = parts_of(model)
    for part in parts:
        conditions = conditions_of(part)
        if conditions == ():
            raise InputError(f"{part.name} has no threshold, so there is nothing to reach; give one")
        for each in (None,) if conditions is None else conditions:
            if isinstance(each, ByEvaluation):
                raise InputError(f"programs do not take {part.name}, since {each.why}")
            if each is None or isinstance(each, LeastEntropy):
                raise InputError(
                    f"{part.name} is not linear in the counts of a class, or not known to be; the programs take least "
                    "numbers of records and of values, bounds on shares, recursive (c,l)-diversity, t-closeness by an "
                    "EMD, and combinations of them"
                )
    return parts


def require(program: Program, model: PrivacyModel, of: ClassVariables, setting: Setting) -> None:
    """Add rows that hold exactly for the counts with which one class satisfies a model, or is empty.

    Raises
    ------
    InputError
        As `linear_parts`.
    LimitReached
        If doubles do not carry a row exactly.
    """
    for part in linear_parts(model):
        for each in conditions_of(part) or ():
            _add(program, each, of, setting)


def _add(program: Program, condition: ClassCondition, of: ClassVariables, setting: Setting) -> None:
    match condition:
        case LeastRecords(records):
            program.at_least(plus(of.size, times(-records, of.opened)))
        case LeastValues(values):
            _distinct(program, values, of)
        case ShareBounds():
            _share_bounds(program, condition, of, setting)
        case TailBound(l, c):
            if l > 1:
                _recursive(program, l, c, of)
        case MostDistance(t, spec):
            ground = ground_distance(spec, setting.domain)
            if ground.cuts is not None:
                _close_by_cuts(program, t, ground.cuts, of, setting)
            else:
                _close_by_flow(program, t, ground, of, setting)


def _distinct(program: Program, l: int, of: ClassVariables) -> None:  # noqa: E741
    shown = []
    for count in of.counts.values():
        y = program.add(0, 1)
        program.at_least(plus(count, {y: -1}))
        shown.append({y: 1})
    program.at_least(plus(*shown, times(-l, of.opened)))


def _share_bounds(program: Program, condition: ShareBounds, of: ClassVariables, setting: Setting) -> None:
    """n_v ≥ λ_v·n, and n_v ≤ κ_v·n; with κ_v = 0 the class may not have the value."""
    n, m, most, least = max(of.greatest_size, 1), len(setting.domain), condition.most, condition.least
    q = [Fraction(int(c), setting.total) for c in setting.reference]
    asked = range(m) if condition.values is None else set(codes_of(setting.domain, condition.values).tolist())
    for v in (v for v in setting.order if v in asked and q[v] and least is not None):
        lowest = least_share(lambda p, v=v: least(p, q[v]), n)  # type: ignore[misc]
        if condition.of_absent:
            _shares_at_least(program, of, v, lowest, {})
        elif v in of.counts:
            lacks = program.add(0, 1)
            program.at_most(plus(of.counts[v], {lacks: of.most[v]}), of.most[v])
            _shares_at_least(program, of, v, lowest, {lacks: 1})
    for v in (v for v in of.counts if v in asked and most is not None):
        kappa = greatest_share(lambda p, v=v: most(p, q[v]), n)  # type: ignore[misc]
        if kappa < 1:
            program.at_most(plus(times(kappa.denominator, of.counts[v]), times(-kappa.numerator, of.size)))


def _shares_at_least(program: Program, of: ClassVariables, v: int, least: Fraction, unless: Terms) -> None:
    """n_v ≥ κ·n unless the expression, which is 0 or 1, is 1."""
    weight = least.numerator * of.greatest_size
    count = of.counts.get(v, {})
    program.at_least(plus(times(least.denominator, count), times(-least.numerator, of.size), times(weight, unless)))


def _recursive(program: Program, l: int, c: Fraction, of: ClassVariables) -> None:  # noqa: E741
    greatest = max(of.most.values(), default=0)
    tau = program.add(0, greatest, whole=False)
    top: dict[int, int] = {tau: l - 1}
    for v, count in of.counts.items():
        d = program.add(0, of.most[v], whole=False)
        program.at_most(plus(count, {tau: -1, d: -1}))
        top[d] = 1
    tail = plus(of.size, times(-1, top))
    for count in of.counts.values():
        program.at_most(plus(times(c.denominator, count), of.opened, times(-c.numerator, tail)))


def _close_by_cuts(program: Program, t: Fraction, cuts: Cuts, of: ClassVariables, setting: Setting) -> None:
    total, size = setting.total, of.size
    work: dict[int, int] = {}
    for inside, weight in sides(cuts, setting):
        here = sum(int(setting.reference[v]) for v in inside)
        shared = math.gcd(total, here)
        mine, theirs = total // shared, here // shared
        difference = plus(
            times(mine, plus(*(of.counts[v] for v in inside if v in of.counts))),
            times(-theirs, size),
        )
        z = program.add(0, mine * of.greatest_size, whole=False)
        program.at_most(plus(difference, {z: -1}))
        program.at_most(plus(times(-1, difference), {z: -1}))
        work[z] = weight * shared
    program.at_most(plus(times(t.denominator, work), times(-t.numerator * cuts.denominator * total, size)))


def sides(cuts: Cuts, setting: Setting) -> list[tuple[list[int], int]]:
    """Return a side of each cut and its weight, in an order that goes by the order of the values alone.

    Both sides of a cut make the same rows. Taken is the one without the first value, so that no name that a program
    gives depends on which side a ground distance happens to write down: that of an order, read backwards, is the other.
    """
    found = []
    for low, high, weight in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True):
        inside = set(cuts.order[low:high].tolist())
        if setting.order[0] in inside:
            inside = set(setting.order) - inside
        found.append((setting.in_order(inside), weight))
    return sorted(found, key=lambda each: ([setting.place[v] for v in each[0]], each[1]))


def _close_by_flow(program: Program, t: Fraction, ground: GroundDistance, of: ClassVariables, setting: Setting) -> None:
    shared = math.gcd(*(int(c) for c in setting.reference))
    reference = [int(c) // shared for c in setting.reference]
    total, size = sum(reference), of.size
    into: list[list[int]] = [[] for _ in reference]
    work: dict[int, int] = {}
    for i, count in of.counts.items():
        out: dict[int, int] = {}
        costs = ground.row(i)
        for j in setting.order:
            mass = reference[j]
            if mass:
                f = program.add(0, min(total * of.most[i], mass * of.greatest_size), whole=False)
                out[f] = 1
                into[j].append(f)
                work[f] = int(costs[j])
        program.equal(plus(out, times(-total, count)), 0)
    for j in setting.order:
        if reference[j]:
            program.equal(plus(dict.fromkeys(into[j], 1), times(-reference[j], size)), 0)
    program.at_most(plus(times(t.denominator, work), times(-t.numerator * ground.denominator * total, size)))


def greatest_share(passes: Callable[[Fraction], bool], n: int) -> Fraction:
    """Return the greatest fraction in [0, 1] with a denominator ≤ n that passes.

    Parameters
    ----------
    passes
        Whether a share passes; with one share every smaller one passes, and 0 does.
    n
        The greatest denominator, ≥ 1.

    Raises
    ------
    InputError
        If 0 does not pass.

    Notes
    -----
    A walk down the Stern–Brocot tree with steps that double: O(log² n) questions.

    Examples
    --------
    >>> greatest_share(lambda p: p * p < Fraction(1, 2), 10)
    Fraction(7, 10)
    """
    if not passes(Fraction(0)):
        raise InputError("the share 0 does not pass, so no share does")
    if passes(Fraction(1)):
        return Fraction(1)
    low, high = (0, 1), (1, 1)  # low passes, high does not, and no fraction between them has a lesser denominator
    while low[1] + high[1] <= n:
        low = _nearest(low, high, lambda p: p.denominator <= n and passes(p))
        high = _nearest(high, low, lambda p: p.denominator <= n and not passes(p))
    return Fraction(*low)


def least_share(passes: Callable[[Fraction], bool], n: int) -> Fraction:
    """Return the least fraction in [0, 1] with a denominator ≤ n that passes; with one share every greater one passes.

    Examples
    --------
    >>> least_share(lambda p: p > Fraction(1, 3), 10)
    Fraction(3, 8)
    """
    return 1 - greatest_share(lambda p: passes(1 - p), n)


def _nearest(of: tuple[int, int], towards: tuple[int, int], same: Callable[[Fraction], bool]) -> tuple[int, int]:
    """Return the last of the mediants from one fraction towards the other that is on the first one's side."""

    def step(s: int) -> tuple[int, int]:
        return of[0] + s * towards[0], of[1] + s * towards[1]

    beyond = 1
    while same(Fraction(*step(beyond))):
        beyond *= 2
    within = beyond // 2
    while beyond - within > 1:
        middle = (within + beyond) // 2
        within, beyond = (middle, beyond) if same(Fraction(*step(middle))) else (within, middle)
    return step(within)
