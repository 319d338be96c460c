"""The algorithms that vectors ask for: name, threshold, which way is safe, and what the number means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tcloseness.errors import VectorError

__all__ = ["ALGORITHMS", "OF_CELLS", "Algorithm", "algorithm_named"]

Kind = Literal["model", "distance", "loss", "lattice", "disclosure"]


@dataclass(frozen=True)
class Algorithm:
    """What one algorithm's tests ask.

    Attributes
    ----------
    name, formula, citation
        What it is called in the protocol, what is computed, and where it is defined.
    kind
        ``model``: a value and a verdict about a table; ``distance``: a value of two distributions; ``loss``: a value of
        a table; ``lattice``: nodes of a generalization lattice; ``disclosure``: a value of a release whose method is
        known.
    threshold
        The parameter that the value is compared with, if there is one.
    larger_is_safer
        Whether a larger value means more privacy; for models and disclosures.
    strict
        Whether equality with the threshold violates it.
    parameters
        The other parameters.
    """

    name: str
    formula: str
    citation: str
    kind: Kind = "model"
    threshold: str | None = None
    larger_is_safer: bool = False
    strict: bool = False
    parameters: tuple[str, ...] = ()


_LD = "Machanavajjhala et al., ICDE 2006"
_TC = "Li et al., ICDE 2007"
_CK = "Cao and Karras, PVLDB 2012"
_WF = "Wong et al., VLDB 2007, section 3"

ALGORITHMS: Mapping[str, Algorithm] = {
    a.name: a
    for a in (
        Algorithm(
            "k-anonymity",
            "min over classes of the number of records; holds iff >= k",
            f"{_LD}, Definition 2.2",
            threshold="k",
            larger_is_safer=True,
        ),
        Algorithm(
            "distinct-l",
            "min over classes of the number of different sensitive values; holds iff >= l",
            f"{_TC}, section 2",
            threshold="l",
            larger_is_safer=True,
        ),
        Algorithm(
            "entropy-l",
            "exp of the least entropy -sum p ln p of a class; holds iff >= l",
            f"{_LD}, Definition 4.1",
            threshold="l",
            larger_is_safer=True,
        ),
        Algorithm(
            "recursive-cl",
            "max over classes of r1/(r_l + ... + r_m), counts descending, infinite with fewer than l values; holds iff "
            "c is strictly greater",
            f"{_LD}, Definition 4.2",
            threshold="c",
            strict=True,
            parameters=("l",),
        ),
        Algorithm(
            "frequency-l",
            "min over classes of n/r1, r1 the count of the most frequent value; holds iff >= l",
            "Xiao and Tao, VLDB 2006, Definition 2",
            threshold="l",
            larger_is_safer=True,
        ),
        Algorithm(
            "alpha-k",
            "max over classes and sensitive values of p; holds iff <= alpha and every class has >= k records",
            "Wong et al., KDD 2006",
            threshold="alpha",
            parameters=("k",),
        ),
        Algorithm(
            "t-equal", "max over classes of (1/2) sum |p - q|; holds iff <= t", f"{_TC}, section 5.2", threshold="t"
        ),
        Algorithm(
            "t-ordered",
            "max over classes of sum |prefix sums of p - q|/(m - 1), values by rank; 0 for m = 1; holds iff <= t",
            f"{_TC}, section 5.1",
            threshold="t",
        ),
        Algorithm(
            "t-ordered-by-value",
            "max over classes of sum |prefix sums of p - q| * gap/range; 0 for m = 1; holds iff <= t",
            f"{_TC}, section 4, with d = |v_i - v_j|/(v_max - v_min)",
            threshold="t",
        ),
        Algorithm(
            "t-hierarchical",
            "max over classes of the EMD with d = height of the lowest common ancestor/height of the root; holds iff "
            "<= t",
            f"{_TC}, section 5.2",
            threshold="t",
        ),
        Algorithm(
            "t-matrix",
            "max over classes of the EMD with the given ground distance; holds iff <= t",
            f"{_TC}, section 4",
            threshold="t",
        ),
        Algorithm(
            "beta-basic",
            "max over classes and values with p > q of (p - q)/q; holds iff <= beta",
            f"{_CK}, basic beta-likeness",
            threshold="beta",
        ),
        Algorithm(
            "beta-enhanced",
            "the same, infinite if some value with p > q has (p - q)/q > -ln q; holds iff <= beta",
            f"{_CK}, enhanced beta-likeness",
            threshold="beta",
        ),
        Algorithm(
            "delta-disclosure",
            "max over classes and values of |log(p/q)|, base 2 or e, infinite for a value that a class lacks; holds "
            "iff delta is strictly greater",
            "Brickell and Shmatikov, KDD 2008",
            threshold="delta",
            strict=True,
            parameters=("base",),
        ),
        Algorithm(
            "emd",
            "the least cost sum f_ij * matrix_ij of moving p to q; refused unless both have masses >= 0 of equal sum",
            f"{_TC}, section 4",
            kind="distance",
        ),
        Algorithm("discernibility", "sum over classes of size^2", "Bayardo and Agrawal, ICDE 2005", kind="loss"),
        Algorithm(
            "average-class-size",
            "records/classes/k, with the k that is aimed at",
            "LeFevre et al., ICDE 2006",
            kind="loss",
            parameters=("k",),
        ),
        Algorithm(
            "average-risk", "the mean over records of 1/size of their class", "El Emam and Dankar 2008", kind="loss"
        ),
        Algorithm(
            "classification-metric",
            "share of records without their class's most frequent label; one of several most frequent labels wins",
            "Iyengar, KDD 2002",
            kind="loss",
        ),
        Algorithm("precision", "1 - mean over cells of level/height", "Sweeney 2002", kind="loss"),
        Algorithm(
            "loss-metric",
            "mean over cells of (leaves below - 1)/(leaves of the hierarchy - 1)",
            "Iyengar, KDD 2002",
            kind="loss",
        ),
        Algorithm(
            "certainty-penalty",
            "mean over cells of leaves below/leaves of the hierarchy, 0 for one leaf",
            "Xu et al., KDD 2006",
            kind="loss",
        ),
        Algorithm(
            "minimal-nodes",
            "the nodes (levels by quasi-identifier) that satisfy the model and have no predecessor that does",
            f"{_LD}, section 6",
            kind="lattice",
            parameters=("model", "threshold"),
        ),
        Algorithm(
            "optimal-nodes",
            "all nodes of least discernibility among those that satisfy the model",
            "Bayardo and Agrawal, ICDE 2005",
            kind="lattice",
            parameters=("model", "threshold"),
        ),
        Algorithm(
            "consistent-originals",
            "the number of originals of which the method makes the release; at level labels, of those that its classes "
            "or labels allow",
            _WF,
            kind="disclosure",
            larger_is_safer=True,
            parameters=("level",),
        ),
        Algorithm(
            "certain-values",
            "how many persons have one sensitive value in all consistent originals; if the release alone is known, how "
            "many values of the quasi-identifier all of them have, as a multiset",
            _WF,
            kind="disclosure",
            parameters=("level",),
        ),
        Algorithm(
            "greatest-belief",
            "max over persons of the share of the consistent originals in which the person has the sensitive value "
            "asked for",
            _WF,
            kind="disclosure",
            parameters=("level", "value"),
        ),
    )
}
"""By name."""

OF_CELLS = ("precision", "loss-metric", "certainty-penalty")
"""The losses that are means over cells."""


def algorithm_named(name: str) -> Algorithm:
    """Return an algorithm; `VectorError` for an unknown name."""
    if name not in ALGORITHMS:
        raise VectorError(f"algorithm {name!r} is unknown; it is one of {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
