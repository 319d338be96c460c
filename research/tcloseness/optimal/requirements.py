"""Privacy models as linear rows on the counts of one equivalence class. The formulation; no solver is named here.

n_v records of the class carry value v, n = Σ n_v; N_v and N are the reference's, u says whether the class is there.

| model | rows |
|---|---|
| k-anonymity | n ≥ k·u |
| distinct ℓ | y_v ≤ n_v, Σ y_v ≥ ℓ·u, y_v binary |
| frequency ℓ, (α,k), basic and enhanced β | n_v ≤ κ_v·n |
| δ-disclosure | κ_v·n ≤ n_v ≤ λ_v·n; with absent values skipped, from below only where a binary says n_v > 0 |
| recursive (c,ℓ) | n_v < c·(n − T), T ≥ the sum of the ℓ − 1 largest (T = (ℓ − 1)·τ + Σ d_v, d_v ≥ n_v − τ) |
| t-closeness, cuts S of weight w | Σ w_S·z_S ≤ t·N·n, z_S ≥ ±(N·n(S) − n·N(S)) |
| t-closeness, any matrix d | Σ d_ij·f_ij ≤ t·N·n, Σ_j f_ij = N·n_i, Σ_i f_ij = N_j·n, f ≥ 0 |

t-closeness is linear although the size n of the class varies, because both sides are multiplied by N·n. Each κ is the
greatest fraction that a class of this size can have below its threshold (`tcloseness.optimal.ratios`), so thresholds
with logarithms are exact. Entropy ℓ-diversity and other measures are not linear.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from tcloseness.errors import InputError
from tcloseness.exact import Bits, as_fraction, log_of
from tcloseness.ground import Cuts, Equal, GroundDistance, ground_distance
from tcloseness.lattice.decide import parts_of
from tcloseness.measures import EMD, Variational
from tcloseness.microdata import Domain
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.declared_values import codes_of
from tcloseness.optimal.program import Program, Terms, plus, times
from tcloseness.optimal.ratios import greatest_share, least_share
from tcloseness.release.draws import Draws

__all__ = ["LINEAR_MODELS", "ClassVariables", "Setting", "linear_parts", "require"]

_THRESHOLD = {
    KAnonymity: "k",
    DistinctLDiversity: "l",
    FrequencyLDiversity: "l",
    AlphaKAnonymity: "alpha",
    RecursiveCLDiversity: "c",
    TCloseness: "t",
    BasicBetaLikeness: "beta",
    EnhancedBetaLikeness: "beta",
    DeltaDisclosure: "delta",
}

LINEAR_MODELS = tuple(_THRESHOLD)
"""The kinds of models that have rows, apart from combinations of them."""


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


def linear_parts(model: Any) -> tuple[Any, ...]:
    """Return the models that are asked for together, each linear in a class's counts; (α,k) is taken apart.

    Raises
    ------
    InputError
        For a model without a threshold, or one that is not linear.
    """
    parts: list[Any] = []
    for part in parts_of(model):
        if type(part) not in _THRESHOLD:
            raise InputError(
                f"{part.name} is not linear in the counts of a class, or not known to be; the programs take k, "
                "distinct, frequency and recursive l-diversity, (alpha,k), t-closeness by an EMD, beta-likeness, "
                "delta-disclosure, and combinations of them"
            )
        if isinstance(part, AlphaKAnonymity) and part.k is not None:
            parts.append(KAnonymity(part.k))
            if part.alpha is None:
                continue
            part = AlphaKAnonymity(part.alpha, values=part.values)
        if getattr(part, _THRESHOLD[type(part)]) is None:
            raise InputError(f"{part.name} has no threshold, so there is nothing to reach; give one")
        if isinstance(part, TCloseness) and type(part.distance) not in (EMD, Variational):
            raise InputError(f"t-closeness by {part.distance.name} is not linear in the counts of a class; use an EMD")
        parts.append(part)
    return tuple(parts)


def require(program: Program, model: Any, of: ClassVariables, setting: Setting) -> None:
    """Add rows that hold exactly for the counts with which one class satisfies a model, or is empty.

    Raises
    ------
    InputError
        As `linear_parts`.
    LimitReached
        If doubles do not carry a row exactly.
    """
    for part in linear_parts(model):
        match part:
            case KAnonymity():
                program.at_least(plus(of.size, times(-int(part.k or 1), of.opened)))
            case DistinctLDiversity():
                _distinct(program, int(part.l or 1), of)
            case FrequencyLDiversity():
                _shares_at_most(program, of, dict.fromkeys(of.counts, 1 / as_fraction(part.l)))
            case AlphaKAnonymity():
                bounded = of.counts if part.values is None else codes_of(setting.domain, part.values)
                alpha = as_fraction(part.alpha)
                _shares_at_most(program, of, {v: alpha for v in of.counts if v in set(bounded)})
            case RecursiveCLDiversity():
                if part.l > 1:
                    _recursive(program, part.l, as_fraction(part.c), of)
            case BasicBetaLikeness():
                factor = 1 + as_fraction(part.beta)
                q = _shares(setting)
                _shares_at_most(program, of, {v: min(Fraction(1), factor * q[v]) for v in of.counts})
            case EnhancedBetaLikeness():
                _enhanced_beta(program, as_fraction(part.beta), of, setting)
            case DeltaDisclosure():
                _delta(program, part, of, setting)
            case TCloseness():
                _t_closeness(program, part, of, setting)


def _shares(setting: Setting) -> list[Fraction]:
    return [Fraction(int(c), setting.total) for c in setting.reference]


def _distinct(program: Program, l: int, of: ClassVariables) -> None:  # noqa: E741
    shown = []
    for count in of.counts.values():
        y = program.add(0, 1)
        program.at_least(plus(count, {y: -1}))
        shown.append({y: 1})
    program.at_least(plus(*shown, times(-l, of.opened)))


def _shares_at_most(program: Program, of: ClassVariables, most: Mapping[int, Fraction]) -> None:
    """n_v ≤ κ_v·n; with κ_v = 0 the class may not have the value."""
    for v, share in most.items():
        kappa = greatest_share(share.__ge__, max(of.greatest_size, 1))
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


def _enhanced_beta(program: Program, beta: Fraction, of: ClassVariables, setting: Setting) -> None:
    most = {}
    shares = _shares(setting)
    for v in of.counts:

        def passes(p: Fraction, q: Fraction = shares[v]) -> bool:
            if p <= q:
                return True
            gain = p / q - 1 if q else None
            return gain is not None and gain <= beta and not log_of(1 / q) < gain

        most[v] = greatest_share(passes, max(of.greatest_size, 1))
    _shares_at_most(program, of, most)


def _delta(program: Program, model: DeltaDisclosure, of: ClassVariables, setting: Setting) -> None:
    delta, n = as_fraction(model.delta), max(of.greatest_size, 1)

    def log(ratio: Fraction) -> Any:
        return Bits(log_of(ratio).terms) if model.base == 2 else log_of(ratio)

    most = {}
    shares = _shares(setting)
    for v in setting.order:
        q = shares[v]

        def above(p: Fraction, q: Fraction = q) -> bool:
            return p == 0 or (q > 0 and bool(log(p / q) < delta))

        def below(p: Fraction, q: Fraction = q) -> bool:
            return p > 0 and bool(log(q / p) < delta)

        if v in of.counts:
            most[v] = greatest_share(above, n)
        if not q:
            continue
        least = least_share(below, n)
        if model.absent == "infinite":
            _shares_at_least(program, of, v, least, {})
        elif v in of.counts:
            lacks = program.add(0, 1)
            program.at_most(plus(of.counts[v], {lacks: of.most[v]}), of.most[v])
            _shares_at_least(program, of, v, least, {lacks: 1})
    _shares_at_most(program, of, most)


def _t_closeness(program: Program, model: TCloseness, of: ClassVariables, setting: Setting) -> None:
    measure = model.distance
    ground = ground_distance(measure.ground, setting.domain) if isinstance(measure, EMD) else Equal(len(setting.domain))
    t = as_fraction(model.t)
    if ground.cuts is not None:
        _close_by_cuts(program, t, ground.cuts, of, setting)
    else:
        _close_by_flow(program, t, ground, of, setting)


def _close_by_cuts(program: Program, t: Fraction, cuts: Cuts, of: ClassVariables, setting: Setting) -> None:
    total, size = setting.total, of.size
    work: dict[int, int] = {}
    for inside, weight in _sides(cuts, setting):
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


def _sides(cuts: Cuts, setting: Setting) -> list[tuple[list[int], int]]:
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
