"""Bayes-optimal privacy: what a full-knowledge attacker believes before and after she sees the release.

Implements Machanavajjhala et al. 2006, §3 and the definitions that Theorem 5.1 is about. Machanavajjhala, Gehrke,
Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.population import Label, Population, label_key
from tcloseness.displayed import Displayed, counted
from tcloseness.errors import DomainError, InputError, MassError, TableError
from tcloseness.exact import IntArray, Number, Rationals, as_fraction, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import value_text

__all__ = ["Belief", "ObservedBeliefs", "observed_beliefs"]


@dataclass(frozen=True)
class Belief(Displayed):
    """What the attacker believes about one sensitive value of a person with one quasi-identifier value.

    Attributes
    ----------
    q
        The person's quasi-identifier values.
    value
        The sensitive value s.
    prior, posterior
        α_(q,s) and β_(q,s,T*), exact, in [0, 1].
    """

    q: Label
    value: Hashable
    prior: Fraction
    posterior: Fraction

    _withheld = ("value",)

    def _said(self) -> str:
        return f"prior {number_text(self.prior)}, posterior {number_text(self.posterior)}"

    @property
    def change(self) -> Fraction:
        """The posterior belief minus the prior one."""
        return self.posterior - self.prior

    def to_dict(self) -> dict[str, Any]:
        """Return the belief as JSON-ready data; exact numbers are text."""
        return {
            "quasi_identifiers": [value_text(v) for v in self.q],
            "value": value_text(self.value),
            "prior": number_text(self.prior),
            "posterior": number_text(self.posterior),
            "change": number_text(self.change),
        }


@dataclass(frozen=True, eq=False)
class ObservedBeliefs(Displayed):
    """Prior and posterior beliefs, one cell for each (q, s) with f(s|q) > 0 whose q can be in the table.

    Attributes
    ----------
    population, classes
        What the beliefs come from.
    label_of_cell, value_of_cell
        Shape (cells,): each cell's place in ``population.labels``, and its value code in ``population.domain``.
    priors, posteriors
        Shape (cells,): α_(q,s) and β_(q,s,T*).
    class_of_label
        Shape (labels,): the released class that each q generalizes to, −1 where it is none of them.
    impossible
        The q that generalize to a released class in which nobody like them can be: all of the class's values have
        f(s|q) = 0. A posterior belief about a record that is not there is undefined, so they have no cells.

    Notes
    -----
    Values with f(s|q) = 0 have no cells: both beliefs are 0, nothing can be learned about them.
    """

    population: Population
    classes: ClassCounts
    label_of_cell: IntArray
    value_of_cell: IntArray
    priors: Rationals
    posteriors: Rationals
    class_of_label: IntArray
    impossible: tuple[Label, ...]

    _withheld = ("label", "value")

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        for belief in map(self.__getitem__, range(len(self))):
            shown = {"label": ", ".join(map(value_text, belief.q)), "value": value_text(belief.value)}
            yield {**shown, "prior": number_text(belief.prior), "posterior": number_text(belief.posterior)}

    def _said(self) -> str:
        return f"{counted(len(self), 'belief')} about {counted(len(self.population.labels), 'label')}"

    def __len__(self) -> int:
        return len(self.label_of_cell)

    def __getitem__(self, cell: int) -> Belief:
        prior, posterior = self.priors[cell], self.posteriors[cell]
        assert isinstance(prior, Fraction)
        assert isinstance(posterior, Fraction)
        return Belief(
            self.population.labels[int(self.label_of_cell[cell])],
            self.population.domain.values[int(self.value_of_cell[cell])],
            prior,
            posterior,
        )

    def about(self, q: Hashable) -> tuple[Belief, ...]:
        """Return the beliefs about a person with quasi-identifier values q, one a value with f(s|q) > 0.

        Raises
        ------
        DomainError
            If nobody in the population has q, or nobody with q can be in a released class.
        """
        place = self.population.place(q)
        cells = np.flatnonzero(self.label_of_cell == place)
        if not len(cells):
            why = (
                "generalizes to no released class"
                if self.class_of_label[place] < 0
                else "has probability 0 for every value of its class"
            )
            raise DomainError(f"{q!r} {why}, so nobody with it is in the table and no belief about one is defined")
        return self._beliefs(cells)

    def _beliefs(self, cells: npt.NDArray[np.intp]) -> tuple[Belief, ...]:
        return tuple(self[int(cell)] for cell in cells)

    @cached_property
    def _changes(self) -> Rationals:
        a, b = self.priors, self.posteriors
        return Rationals(
            np.abs(b.numerators * a.denominators - a.numerators * b.denominators), a.denominators * b.denominators
        )

    @property
    def largest_change(self) -> Fraction:
        """The greatest |β_(q,s,T*) − α_(q,s)|, in [0, 1]: what a bound on the change of belief limits (§3.2)."""
        value, _ = self._changes.largest()
        assert isinstance(value, Fraction)
        return value

    def most_changed(self) -> tuple[Belief, ...]:
        """Return all beliefs whose change is the largest."""
        return self._beliefs(self._changes.largest()[1])

    def positive_disclosures(self, delta: Number, *, base: ClassCounts | None = None) -> tuple[Belief, ...]:
        """Return the positive disclosures: β_(q,s,T*) > 1 − δ, and a record with q and s is in the base table.

        Parameters
        ----------
        delta
            0 < δ ≤ 1, read exactly.
        base
            The base table T, counted without generalization (its class labels are the q). Without it every (q, s)
            that could be in T is taken to be there: an upper bound, and the attacker's own view.

        References
        ----------
        Machanavajjhala et al. 2006, Definition 3.1.
        """
        bound = 1 - _probability(delta, "delta")
        found = self.posteriors.compare(bound) > 0
        if base is not None:
            found &= self._in_base(base)[0] > 0
        return self._beliefs(np.flatnonzero(found))

    def negative_disclosures(self, epsilon: Number, *, base: ClassCounts | None = None) -> tuple[Belief, ...]:
        """Return the negative disclosures: β_(q,s,T*) < ε, and a record with q and another value is in the base table.

        Values with f(s|q) = 0 are left out: they were excluded before the release.

        Parameters
        ----------
        epsilon
            0 < ε ≤ 1, read exactly.
        base
            As for `positive_disclosures`.

        References
        ----------
        Machanavajjhala et al. 2006, Definition 3.2.
        """
        found = self.posteriors.compare(_probability(epsilon, "epsilon")) < 0
        if base is not None:
            with_value, with_q = self._in_base(base)
            found &= with_q > with_value
        return self._beliefs(np.flatnonzero(found))

    def breaches(self, rho1: Number, rho2: Number) -> tuple[Belief, ...]:
        """Return the (ρ₁, ρ₂)-privacy breaches: α < ρ₁ and β > ρ₂, or α > 1 − ρ₁ and β < 1 − ρ₂.

        The release is Bayes-optimal private in this reading exactly if there are none; that is not monotone under
        generalization (Machanavajjhala et al. 2006, Theorem 5.1).

        Parameters
        ----------
        rho1, rho2
            0 < ρ₁ < ρ₂ < 1, read exactly.

        References
        ----------
        Machanavajjhala et al. 2006, §3.2, after Evfimievski, Gehrke, Srikant, PODS 2003.
        """
        low, high = as_fraction(rho1, "rho1"), as_fraction(rho2, "rho2")
        if not 0 < low < high < 1:
            raise InputError(
                f"rho1 = {number_text(low)} and rho2 = {number_text(high)}; a breach is a belief that rises from below "
                "rho1 to above rho2, so 0 < rho1 < rho2 < 1"
            )
        up = (self.priors.compare(low) < 0) & (self.posteriors.compare(high) > 0)
        down = (self.priors.compare(1 - low) > 0) & (self.posteriors.compare(1 - high) < 0)
        return self._beliefs(np.flatnonzero(up | down))

    def _in_base(self, base: ClassCounts) -> tuple[IntArray, IntArray]:
        """Return for each cell how many records of T have its q and s, and how many have its q."""
        rows = {label_key(base.label(g)): g for g in range(len(base))}
        with_value, with_q = np.zeros(len(self), dtype=np.int64), np.zeros(len(self), dtype=np.int64)
        domain = self.population.domain
        starts = np.flatnonzero(np.diff(self.label_of_cell, prepend=-1))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(self)], strict=True):
            g = rows.get(label_key(self.population.labels[int(self.label_of_cell[start])]))
            if g is None:
                continue
            with_q[start:end] = base.class_sizes[g]
            by_code = {
                domain.code(base.domain.values[code]): n
                for code, n in base.row(g).items()
                if base.domain.values[code] in domain
            }
            with_value[start:end] = [by_code.get(code, 0) for code in self.value_of_cell[start:end].tolist()]
        return with_value, with_q

    def to_dict(self, *, beliefs: int = 5) -> dict[str, Any]:
        """Return the largest change and the beliefs (at most so many) that have it, as JSON-ready data."""
        most = self._changes.largest()[1]
        return {
            "largest_change": number_text(self.largest_change),
            "most_changed_beliefs": len(most),
            "most_changed": [self[int(cell)].to_dict() for cell in most[:beliefs]],
            "beliefs": len(self),
            "impossible": [[value_text(v) for v in label] for label in self.impossible],
            "citation": "Machanavajjhala et al. 2006, Theorem 3.1",
            "conventions": dict(self.classes.conventions),
        }


def observed_beliefs(
    population: Population, classes: ClassCounts | FullTable, *, blocks: Mapping[Any, Hashable] | None = None
) -> ObservedBeliefs:
    """Return Bayes-optimal beliefs: α_(q,s) = f(s|q), and after the release T*

        β_(q,s,T*) = n_(q*,s)·f(s|q)/f(s|q*) / Σ_s' n_(q*,s')·f(s'|q)/f(s'|q*).

    Parameters
    ----------
    population
        The joint distribution f that the attacker knows.
    classes
        The released counts n_(q*,s).
    blocks
        For each q of the population its q*, as a class label of the release (`Population.blocks` builds it from
        hierarchies). q* that are not in the release are allowed: nobody of theirs was sampled. None: nothing was
        generalized, q* = q.

    Returns
    -------
    ObservedBeliefs
        Exact beliefs in [0, 1]; over the values s they sum to 1 for each q.

    Raises
    ------
    MassError
        If a released class has a value that nobody who generalizes to it has: f(s|q*) = 0 < n_(q*,s), so that f is not
        the distribution that the table was drawn from.
    TableError
        If `blocks` misses a q of the population (f(s|q*) would be wrong without it), or names one that it lacks.

    Notes
    -----
    The printed equation (1) has f(s'|q*)/f(s'|q*) in the denominator's sum, which is an erratum: the numerator of the
    fraction there must be f(s'|q), or beliefs would not sum to 1.

    The attacker model is the theorem's: T is a simple random sample of the population, its records in random order,
    and the attacker knows no more than f, T* and that one record of T has q. The formula is exact for finite
    populations as well: with counts N_(q,s), the expected number of T's records with (q, s) is N_(q,s)·n_(q*,s) /
    N_(q*,s). Only the ratios of f matter; that counts of a population are at least the released ones is not checked.

    All cells are computed at once, on Python integers; the cost grows with the cells of `population`.

    References
    ----------
    Machanavajjhala et al. 2006, §3.1, Theorem 3.1.

    Examples
    --------
    Value 0 is rare, and rarer with b than with a. Each class alone raises the belief in it to 2/3; their union raises
    that about a to 18/23, past 3/4: generalizing made it worse (Machanavajjhala et al. 2006, Theorem 5.1).

    >>> f = Population.from_mapping({"a": {0: 4, 1: 12}, "b": {0: 1, 1: 15}})
    >>> release = ClassCounts.from_mapping({"a": {0: 2, 1: 1}, "b": {0: 2, 1: 1}})
    >>> [belief.posterior for belief in observed_beliefs(f, release).about("a")]
    [Fraction(2, 3), Fraction(1, 3)]
    >>> union = ClassCounts.from_mapping({"a or b": {0: 4, 1: 2}})
    >>> found = observed_beliefs(f, union, blocks={"a": "a or b", "b": "a or b"})
    >>> found.breaches("3/8", "3/4")[0]
    <Belief: prior 1/4, posterior 18/23>
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("a posterior belief")
    classes.require_records("a posterior belief")
    class_of_label = _classes_of(population, classes, blocks)
    m = len(population.domain)
    label_of_cell = np.repeat(np.arange(len(population)), np.diff(population.starts))
    inside = np.flatnonzero(class_of_label[label_of_cell] >= 0)
    label_of_cell, value_of_cell = label_of_cell[inside], population.values[inside]
    masses = population.masses[inside]

    # f(q*, s), up to the factor that all masses share
    pairs, pair_of_cell = np.unique(class_of_label[label_of_cell] * m + value_of_cell, return_inverse=True)
    of_block = np.zeros(len(pairs), dtype=object)
    np.add.at(of_block, pair_of_cell, masses)

    # n(q*, s) / f(q*, s), up to a factor that is the same for the whole block
    weights = np.zeros(len(pairs), dtype=object)
    released = _released_pairs(population, classes, pairs)
    for g in range(len(classes)):
        cells = slice(int(classes.starts[g]), int(classes.starts[g + 1]))
        f = of_block[released[cells]].tolist()
        common = math.lcm(*f)
        weights[released[cells]] = [n * (common // x) for n, x in zip(classes.counts[cells].tolist(), f, strict=True)]

    terms = masses * weights[pair_of_cell]
    heads = np.flatnonzero(np.diff(label_of_cell, prepend=-1))
    sizes = np.diff(np.append(heads, len(label_of_cell)))
    total_terms, total_masses = np.add.reduceat(terms, heads), np.add.reduceat(masses, heads)
    possible = np.repeat(total_terms > 0, sizes).astype(bool)
    return ObservedBeliefs(
        population,
        classes,
        label_of_cell[possible],
        value_of_cell[possible],
        Rationals(masses[possible], np.repeat(total_masses, sizes)[possible]),
        Rationals(terms[possible], np.repeat(total_terms, sizes)[possible]),
        class_of_label,
        tuple(population.labels[q] for q in label_of_cell[heads][total_terms == 0].tolist()),
    )


def _classes_of(
    population: Population, classes: ClassCounts, blocks: Mapping[Any, Hashable] | None
) -> npt.NDArray[np.int64]:
    index = {label_key(classes.label(g)): g for g in range(len(classes))}
    if blocks is None:
        return np.array([index.get(label_key(q), -1) for q in population.labels], dtype=np.int64)
    target = {label_key(q): label_key(block) for q, block in blocks.items()}
    for q in blocks:
        if label_key(q) not in population.index:
            raise TableError(f"blocks says where {q!r} lies, and nobody in the population has it; remove or correct it")
    for q in population.labels:
        if label_key(q) not in target:
            raise TableError(f"blocks does not say what {q!r} generalizes to; it must, for every q of the population")
    return np.array([index.get(target[label_key(q)], -1) for q in population.labels], dtype=np.int64)


def _released_pairs(population: Population, classes: ClassCounts, pairs: IntArray) -> npt.NDArray[np.intp]:
    """Return where each released cell is among the pairs (q*, s) that the population has."""
    known = population.domain
    codes = np.array([known.code(v) if v in known else -1 for v in classes.domain.values], dtype=np.int64)
    wanted = classes.class_of_cell * len(known) + codes[classes.values]
    places = np.searchsorted(pairs, wanted)
    found = (codes[classes.values] >= 0) & (pairs[np.minimum(places, len(pairs) - 1)] == wanted) if len(pairs) else None
    missing = np.arange(len(wanted)) if found is None else np.flatnonzero(~found)
    if len(missing):
        cell = int(missing[0])
        value = classes.domain.value(classes.values[cell])
        raise MassError(
            f"class {classes.label(int(classes.class_of_cell[cell]))!r} has {int(classes.counts[cell])} record(s) with "
            f"{value!r}, and nobody in the population who generalizes to it has that value: f(s|q*) = 0 < n(q*,s). "
            "The population must be the one that the table was drawn from, and blocks must name the release's classes"
        )
    return places


def _probability(number: Number, name: str) -> Fraction:
    value = as_fraction(number, name)
    if not 0 < value <= 1:
        raise InputError(f"{name} = {number_text(value)}; it must be > 0 and ≤ 1")
    return value
