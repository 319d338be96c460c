"""How high up its hierarchies a table was generalized.

Samarati, "Protecting Respondents' Identities in Microdata Release", TKDE 2001 (height); Sweeney, "Achieving
k-Anonymity Privacy Protection Using Generalization and Suppression", 2002 (precision); Machanavajjhala et al. 2006, §6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from tcloseness.errors import InputError
from tcloseness.exact import IntArray, Number
from tcloseness.loss.per_class import CellCost
from tcloseness.loss.protocol import Better, Choices, Generalizing, LossResult, Source, loss_result, release_of
from tcloseness.loss.sums import sum_of_products
from tcloseness.loss.weights import read_weights, weight_parameters
from tcloseness.release import Recoding, Release

__all__ = ["GeneralizationHeight", "Precision"]


def _in_steps(heights: IntArray, *_: object) -> tuple[IntArray, int]:
    return heights, 1


def _a_record(total: Fraction, records: int, _: int) -> Fraction:
    return total / records


@dataclass(frozen=True)
class GeneralizationHeight(Choices):
    """Generalization height, Σ_A w_A·level_A; or the mean height, Σ_A w_A·(mean over records of the label's height).

    Parameters
    ----------
    weights
        A weight ≥ 0 of each attribute; those that are not named have 1.
    suppressed
        ``"none"`` (default): suppressed records cost nothing, and every attribute must have one level; ``"whole"``: the
        mean height, for which each costs the greatest heights. Without suppression both agree on a full-domain release.

    Notes
    -----
    The sum counts steps and knows nothing of the data: Machanavajjhala et al. 2006, §6 shows tables of small
    height with very large classes.

    References
    ----------
    Samarati 2001; Machanavajjhala et al. 2006, §6.
    """

    weights: Mapping[str, Number] | None = None
    suppressed: Literal["none", "whole"] = "none"
    generalizing: ClassVar[Generalizing] = "never lowers it"
    terms_are: ClassVar[str] = "summed"
    suppressing: ClassVar[Generalizing] = "never lowers it"

    @property
    def checked_as(self) -> str | None:
        """The loss's name for the checker of optima; see `tcloseness.loss.protocol.Loss`."""
        known = {"none": "height", "whole": "mean-height"}
        return known[self.suppressed] if self.weights is None else None

    @property
    def name(self) -> str:
        """Generalization height, or mean height."""
        return "generalization height" if self.suppressed == "none" else "mean height"

    @property
    def class_cost(self) -> CellCost | None:
        """A class costs n·Σ_A of its label's height, for the mean; without weights."""
        if self.suppressed == "none" or self.weights is not None:
            return None
        return CellCost(
            _in_steps,
            _a_record,
            of_heights=True,
            suppressed=int,
            share="height / height of the root",
        )

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 0 and the height of the lattice's top."""
        release = release_of(source, self.name)
        weights = read_weights(self.weights, release)
        if self.suppressed == "whole":
            release.require_attributes(self.name)
            terms = {name: weights[name] * _mean(release, r) for name, r in release.recodings.items()}
        else:
            several = [name for name, level in release.levels.items() if level is None]
            if several:
                raise InputError(
                    f"{self.name} is of a full-domain release, and {several[0]!r} has labels at several levels; "
                    "the mean height, with suppressed='whole', is of any"
                )
            terms = {name: weights[name] * (r.level or 0) for name, r in release.recodings.items()}
        highest = sum((weights[name] * r.height for name, r in release.recodings.items()), Fraction(0))
        return loss_result(
            self,
            release,
            sum(terms.values(), Fraction(0)),
            bounds=(0, highest),
            terms=terms,
            formula=("Σ_A " if self.weights is None else "Σ_A w_A·")
            + ("level_A" if self.suppressed == "none" else "(mean over records of the label's height)"),
            citation="Samarati 2001",
            suppressed_as=self.suppressed,
            parameters=weight_parameters(self.weights),
        )


@dataclass(frozen=True)
class Precision(Choices):
    """Precision, Prec = 1 − (Σ over cells of level/height) / cells; 1 is the original. Higher is better.

    Parameters
    ----------
    suppressed
        ``"whole"`` (default): a suppressed record's cells are at the top, level/height = 1; ``"excluded"``: the mean
        is over released records.

    Notes
    -----
    The height is that of the hierarchy as given, its root included. An attribute without a hierarchy, or with one of
    height 0, can't be generalized and loses nothing. ARX reports the loss 1 − Prec under this name.

    References
    ----------
    Sweeney 2002 (Prec).
    """

    suppressed: Literal["whole", "excluded"] = "whole"
    name = "precision"
    terms_are: ClassVar[str] = "summed"
    generalizing: ClassVar[Generalizing] = "never raises it"
    better: ClassVar[Better] = "higher"
    checked_as: ClassVar[str] = "precision"

    @property
    def suppressing(self) -> Generalizing | None:
        """A suppressed cell is as one at the top, where it counts."""
        return "never raises it" if self.suppressed == "whole" else None

    def evaluate(self, source: Source) -> LossResult:
        """Measure a release; the value lies between 0 and 1, and the terms are the attributes' precisions."""
        release = release_of(source, self.name)
        release.require_attributes(self.name)
        released = release.records - release.suppressed
        n = released if self.suppressed == "excluded" else release.records
        if not n:
            raise InputError(f"{self.name} over released records needs one, and every record is suppressed")
        terms = {
            name: 1 - (_heights(release, r) / (r.height or 1) + (n - released)) / n
            for name, r in release.recodings.items()
        }
        return loss_result(
            self,
            release,
            sum(terms.values(), Fraction(0)) / len(terms),
            bounds=(0, 1),
            terms=terms,
            better=self.better,
            formula="1 − Σ (level/height) / cells",
            citation="Sweeney 2002",
            suppressed_as=self.suppressed,
        )


def _heights(release: Release, recoding: Recoding) -> Fraction:
    """Return the sum over released records of the label's height."""
    return Fraction(sum_of_products(release.label_counts(recoding.name), recoding.heights))


def _mean(release: Release, recoding: Recoding) -> Fraction:
    """Return the mean over all records of the label's height, the greatest for suppressed ones."""
    return (_heights(release, recoding) + release.suppressed * recoding.height) / release.records
