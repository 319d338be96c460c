"""An optimal coupling of a laminar family, found without a solver: match within the smallest sets first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction

from tcloseness.ground import Cuts

__all__ = ["laminar_coupling"]

Block = tuple[deque[tuple[int, Fraction]], int]  # (code, mass) from left to right, and their common sign


def laminar_coupling(p: Sequence[Fraction], q: Sequence[Fraction], cuts: Cuts) -> tuple[tuple[int, int, Fraction], ...]:
    """Return an optimal coupling of P and Q: triples (i, j, mass), mass that stays included.

    Mass is matched inside each set of the family before it leaves the set, first surplus with first deficit from the
    left; so exactly |P(S_k) − Q(S_k)| crosses the border of every S_k, which is the least that must (Li et al. 2007,
    §5.1, §5.2; Dosselmann et al. 2019, §3.2 lists these movements for the salaries).
    """
    moved: list[tuple[int, int, Fraction]] = []
    blocks: list[tuple[int, Block]] = []  # (first place, what is left there), from left to right

    def close(low: int) -> None:
        inside = []
        while blocks and blocks[-1][0] >= low:
            inside.append(blocks.pop()[1])
        merged: Block = (deque(), 0)
        for block in reversed(inside):
            merged = _meet(merged, block, moved)
        if merged[0]:
            blocks.append((low, merged))

    order = cuts.order.tolist()
    k = 0
    for place, code in enumerate(order):
        surplus = p[code] - q[code]
        if surplus:
            blocks.append((place, (deque([(code, abs(surplus))]), 1 if surplus > 0 else -1)))
        while k < len(cuts) and cuts.high[k] == place + 1:
            close(int(cuts.low[k]))
            k += 1
    close(0)
    staying = [(i, i, min(a, b)) for i, (a, b) in enumerate(zip(p, q, strict=True)) if min(a, b) > 0]
    return tuple(sorted([*staying, *moved]))


def _meet(left: Block, right: Block, moved: list[tuple[int, int, Fraction]]) -> Block:
    """Match two neighbouring blocks; what is left over has one sign. Amortised O(1) an entry."""
    (a, sign_a), (b, sign_b) = left, right
    if not a or not b:
        return left if a else right
    if sign_a == sign_b:
        if len(a) >= len(b):
            a.extend(b)
            return a, sign_a
        b.extendleft(reversed(a))
        return b, sign_b
    while a and b:
        (i, x), (j, y) = a.popleft(), b.popleft()
        mass = min(x, y)
        moved.append((i, j, mass) if sign_a > 0 else (j, i, mass))
        if x > mass:
            a.appendleft((i, x - mass))
        if y > mass:
            b.appendleft((j, y - mass))
    return (a, sign_a) if a else (b, sign_b)
