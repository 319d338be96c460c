"""Closed forms of the EMD, generic in the number type: int, Fraction, float, arrays of them, or symbolic reals.

`cut_work` is the one form that everything else in the package runs: the laminar-cut theorem covers every ground
distance that the papers give a formula for. The papers' own formulas are below it, as the reference that it is
tested against.

Li, Li, Venkatasubramanian, ICDE 2007; Dosselmann, Sadeqi, Hamilton, "A Tutorial on Computing t-Closeness".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tcloseness.ground import Cuts

__all__ = [
    "cut_potential",
    "cut_work",
    "equal_emd",
    "hierarchical_emd",
    "ordered_emd",
    "ordered_emd_double_sum",
]

Numbers = Sequence[Any]


def cut_work(differences: Numbers, cuts: Cuts, *, absolute: Callable[[Any], Any] = abs) -> Any:
    """Return Σ_k w_k·|r(S_k)| with whole weights w_k, where r = p − q: the EMD times ``cuts.denominator``.

    Parameters
    ----------
    differences
        The m values r_i = p_i − q_i, by code; each may be an array (one entry a class).
    cuts
        The laminar family of the ground distance.
    absolute
        The absolute value of the number type in use.

    Notes
    -----
    Prefix sums F of r along the permuted domain make each r(S_k) a difference F[high_k] − F[low_k]; cost O(m + K).
    """
    prefix = [0 * differences[0]]
    for code in cuts.order.tolist():
        prefix.append(prefix[-1] + differences[code])
    work = 0 * differences[0]
    for low, high, weight in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True):
        term = absolute(prefix[high] - prefix[low])
        work = work + (term if weight == 1 else weight * term)
    return work


def cut_potential(differences: Numbers, cuts: Cuts) -> list[int]:
    """Return the optimal potential φ(i) = Σ_k w_k·sign(r(S_k))·[i ∈ S_k], times ``cuts.denominator``, by code.

    |φ(i) − φ(j)| ≤ d(i, j) for all i, j, and Σ φ(i)·r_i equals the EMD; this proves the closed form without a solver.
    """
    prefix = [0]
    for code in cuts.order.tolist():
        prefix.append(prefix[-1] + differences[code])
    steps = [0] * (len(prefix) + 1)
    for low, high, weight in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True):
        r = prefix[high] - prefix[low]
        signed = weight * ((r > 0) - (r < 0))
        steps[low] += signed
        steps[high] -= signed
    potential = [0] * len(differences)
    height = 0
    for place, code in enumerate(cuts.order.tolist()):
        height += steps[place]
        potential[code] = height
    return potential


def ordered_emd(p: Numbers, q: Numbers) -> Any:
    """Return the EMD under the ordered distance in one pass: Σ_i |Σ_{j≤i} (p_j − q_j)| / (m − 1); 0 for m = 1.

    References
    ----------
    Li et al. 2007, §5.1; the single pass is Dosselmann et al. 2019, §6, Algorithm 1.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> ordered_emd([F(1, 2), 0, F(1, 2), 0], [F(1, 4)] * 4)
    Fraction(1, 6)
    """
    prefix = work = 0 * p[0]
    for a, b in zip(p, q, strict=True):
        prefix = prefix + (a - b)
        work = work + abs(prefix)
    return work / (len(p) - 1) if len(p) > 1 else work


def ordered_emd_double_sum(p: Numbers, q: Numbers) -> Any:
    """Return the same number by the double sum as it is printed (Li et al. 2007, §5.1); cost O(m²)."""
    m = len(p)
    work = sum((abs(sum((p[j] - q[j] for j in range(i + 1)), 0 * p[0])) for i in range(m)), 0 * p[0])
    return work / (m - 1) if m > 1 else work


def equal_emd(p: Numbers, q: Numbers) -> Any:
    """Return the EMD under the equal distance: ½·Σ_i |p_i − q_i| (Li et al. 2007, §5.2)."""
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), 0 * p[0]) / 2


def hierarchical_emd(
    p: Numbers,
    q: Numbers,
    parent: Sequence[int],
    height: Sequence[int],
    code: Sequence[int],
    *,
    least: Callable[[Any, Any], Any] = min,
) -> Any:
    """Return the EMD under the hierarchical distance by the papers' recursion over the tree, in one pass.

    Σ over the nodes N of height(N)/H·min(pos_extra(N), neg_extra(N)), where pos_extra and neg_extra sum the positive
    and the negative extras of the *direct* children, extra(leaf) = p_i − q_i, and extra(N) = pos_extra(N) −
    neg_extra(N) is the sum of the children's extras.

    Parameters
    ----------
    p, q
        The distributions, by code.
    parent, height
        For each node, of which each comes before its parent: the place of the node above it (the root's is its own),
        and its height, which is 0 for a leaf and H for the root. `Hierarchical.nodes` returns them.
    code
        For each node: the code of a leaf's value, or −1 for an inner node or a leaf without mass.
    least
        The lesser of two numbers of the number type in use.

    Notes
    -----
    Li et al. 2007, §5.2 defines Child(N) as all leaves below N. Read so, pos_extra and neg_extra would count movements
    that lower nodes have paid for already ({gastric ulcer, stomach cancer, pneumonia} would cost 5/6 instead of 5/18);
    the direct children are meant.

    The cost is O(nodes), and the depth of the tree is not limited.

    Examples
    --------
    Two values below one node, and a third beside them:

    >>> from fractions import Fraction as F
    >>> hierarchical_emd([F(1), 0, 0], [0, F(1, 2), F(1, 2)], [2, 2, 4, 4, 4], [0, 0, 1, 0, 2], [0, 1, -1, 2, -1])
    Fraction(3, 4)
    """
    zero = 0 * p[0]
    work = zero
    positive = [zero] * len(parent)
    negative = [zero] * len(parent)
    for node, above in enumerate(parent):
        work = work + height[node] * least(positive[node], negative[node])
        extra = p[code[node]] - q[code[node]] if code[node] >= 0 else positive[node] - negative[node]
        positive[above] = positive[above] - least(-extra, zero)  # + max(extra, 0)
        negative[above] = negative[above] - least(extra, zero)
    return work / height[-1] if height[-1] > 0 else work
