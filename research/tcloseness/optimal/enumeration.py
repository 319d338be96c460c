"""All groups of records of a reduced cost up to a limit, depth first, as machine code. Importing this loads numba.

A group G of s records has the penalty E(G) of each record (0 by a loss of sizes) and the cost s·E(G) + c(s), and
r(G) = S·cost(G) − Σ p. E never falls when a record joins, and c is convex. The records that G may still grow by stand
in a list by E(G + i). A class that G grows to by q of them, the last in the list being x, has E ≥ E(G + x), so

    r ≥ S·((s + q)·E(G + x) + c(s + q)) − Σ_G p − p_x − (the q − 1 greatest prices before x).

x is followed, with the records before it to grow by, only if the least of this over the q that are possible is up to
the limit; a record for which neither this nor the same for all later x and with it in place of one of the q − 1 holds
is in no class that is looked for, and leaves the list. Of equal records, which stand side by side, the last one is
followed only, so each group comes once.

A cut has weights of the kinds, a divisor and a due σ ≥ 0, and a group with the sum u of weights pays ⌊u/divisor⌋·σ
besides. That never falls when a record joins: what G pays is added to r(G), and what x adds to it is taken off p_x.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from tcloseness.exact import IntArray

__all__ = ["NEVER", "Asked", "Costs", "Priced", "State", "advance", "begin", "least_left"]

NEVER = 2**62
"""The bound on what there is not."""


class Costs(NamedTuple):
    """What groups of items cost.

    Attributes
    ----------
    kind_of
        Shape (items,): the kind of each item; items of one kind stand side by side.
    place, offset, width, table
        Attributes whose penalty is that of their least and greatest place: shape (items, attributes), twice
        (attributes,), and the penalties, that of a and b at ``offset + a·width + b``.
    value, by_count
        Attributes whose penalty is that of how many values there are: shapes (items, attributes), (attributes, values).
    sizes
        c(s) for s = 0, 1, ….
    scale
        S.
    """

    kind_of: IntArray
    place: IntArray
    offset: IntArray
    width: IntArray
    table: IntArray
    value: IntArray
    by_count: IntArray
    sizes: IntArray
    scale: int


class Priced(NamedTuple):
    """What is paid for records.

    Attributes
    ----------
    price
        Shape (items,): p.
    start, cut, weight
        The cuts that kind v has a weight of are ``cut[start[v]:start[v + 1]]``, and the weights.
    divisor, due
        Shape (cuts,): the divisors, and σ.
    """

    price: IntArray
    start: IntArray
    cut: IntArray
    weight: IntArray
    divisor: IntArray
    due: IntArray


class Asked(NamedTuple):
    """What a class must be.

    Attributes
    ----------
    least, most
        It has so many records.
    values
        At least so many different sensitive values.
    value_of, reference, total
        Shape (items,), (m,): the sensitive value of each item, and the counts N_v of all records; their sum N.
    order, low, high, weights
        The cuts of the ground distance, see `tcloseness.ground.Cuts`; no weights ask nothing.
    over, under
        under·Σ_S w_S·|N·c(S) − n·N(S)| ≤ over·N·n.
    apart
        a ≥ 0 with a·Σ_v max(0, N·c_v − n·N_v) ≤ over·N·n for every class that is asked for: from the least distance.
    """

    least: int
    most: int
    values: int
    value_of: IntArray
    reference: IntArray
    total: int
    order: IntArray
    low: IntArray
    high: IntArray
    weights: IntArray
    over: int
    under: int
    apart: int


class State(NamedTuple):
    """Where a search is; the first axis is the number of records of the group, where there is one.

    Attributes
    ----------
    low, high, distinct, penalty, price, needed, member
        Of the group: least and greatest places, numbers of values, E, Σ p less what it pays for cuts, how many records
        a class that it grows to has at least, and the last item.
    held, counts, shared
        How many records of the group have each value of each attribute of `Costs.value`, and each sensitive value; and
        the sum of their weights of each cut.
    keys, bounds, length, next
        The items that it may grow by: E(G + i)·2^shift + i, ascending, and the bounds; how many; which is next.
    best, kept
        For `_list`.
    at
        How many records there are; how many classes begin with the present first item; the least bound that was left;
        how many first items have their bounds.
    shift
        As above.
    """

    low: IntArray
    high: IntArray
    distinct: IntArray
    penalty: IntArray
    price: IntArray
    needed: IntArray
    member: IntArray
    held: IntArray
    counts: IntArray
    shared: IntArray
    keys: IntArray
    bounds: IntArray
    length: IntArray
    next: IntArray
    best: IntArray
    kept: IntArray
    at: IntArray
    shift: int


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _with(c: Costs, state: State, d: int, item: int) -> int:
    """Return E of the group of d records with an item."""
    found = 0
    for a in range(c.place.shape[1]):
        x = c.place[item, a]
        low, high = min(state.low[d, a], x), max(state.high[d, a], x)
        found += c.table[c.offset[a] + low * c.width[a] + high]
    for b in range(c.value.shape[1]):
        new = state.held[b, c.value[item, b]] == 0
        found += c.by_count[b, state.distinct[d, b] + (1 if new else 0)]
    return found


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _paid(c: Costs, state: State, prices: Priced, item: int) -> int:
    """Return p of an item less what it adds to what the group pays for cuts."""
    kind = c.kind_of[item]
    found: int = prices.price[item]
    for at in range(prices.start[kind], prices.start[kind + 1]):
        cut = prices.cut[at]
        held, divisor = state.shared[cut], prices.divisor[cut]
        if held % divisor + prices.weight[at] >= divisor:
            found -= prices.due[cut] * ((held + prices.weight[at]) // divisor - held // divisor)
    return found


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _push(c: Costs, asked: Asked, state: State, prices: Priced, item: int) -> None:
    d = state.at[0]
    state.penalty[d + 1] = _with(c, state, d, item)
    for a in range(c.place.shape[1]):
        x = c.place[item, a]
        state.low[d + 1, a], state.high[d + 1, a] = min(state.low[d, a], x), max(state.high[d, a], x)
    for b in range(c.value.shape[1]):
        v = c.value[item, b]
        state.distinct[d + 1, b] = state.distinct[d, b] + (1 if state.held[b, v] == 0 else 0)
        state.held[b, v] += 1
    state.price[d + 1] = state.price[d] + _paid(c, state, prices, item)
    kind = c.kind_of[item]
    for at in range(prices.start[kind], prices.start[kind + 1]):
        state.shared[prices.cut[at]] += prices.weight[at]
    state.member[d + 1] = item
    state.counts[asked.value_of[item]] += 1
    state.at[0] = d + 1
    needed = max(state.needed[d], d + 1)
    if asked.values > 1:
        different = 0
        for count in state.counts:
            different += 1 if count > 0 else 0
        needed = max(needed, d + 1 + asked.values - different)
    if asked.apart > 0:
        total = asked.total
        while needed <= asked.most:
            surplus = 0
            for v in range(len(state.counts)):
                surplus += max(0, total * state.counts[v] - needed * asked.reference[v])
            if asked.apart * surplus <= asked.over * total * needed:
                break
            needed += 1
    state.needed[d + 1] = needed


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _pop(c: Costs, asked: Asked, state: State, prices: Priced) -> None:
    item = state.member[state.at[0]]
    kind = c.kind_of[item]
    for at in range(prices.start[kind], prices.start[kind + 1]):
        state.shared[prices.cut[at]] -= prices.weight[at]
    for b in range(c.value.shape[1]):
        state.held[b, c.value[item, b]] -= 1
    state.counts[asked.value_of[item]] -= 1
    state.at[0] -= 1


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _reduced(c: Costs, state: State) -> int:
    d = state.at[0]
    found: int = c.scale * (d * state.penalty[d] + c.sizes[d]) - state.price[d]
    return found


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _asked_for(asked: Asked, state: State) -> bool:
    """Say whether the group is a class: by its size, its number of values and its distance."""
    n = state.at[0]
    if n < asked.least or state.needed[n] > n:
        return False
    if len(asked.weights) == 0:
        return True
    total = asked.total
    work = 0
    for k in range(len(asked.weights)):
        difference = 0
        for place in range(asked.low[k], asked.high[k]):
            v = asked.order[place]
            difference += total * state.counts[v] - n * asked.reference[v]
        work += asked.weights[k] * abs(difference)
    return bool(asked.under * work <= asked.over * total * n)


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _least_grown(
    c: Costs, state: State, size: int, price: int, penalty: int, first: int, need: int, most: int, have: int
) -> int:
    """Return the least S·((s + q)·E + c(s + q)) − price − (the q − first greatest of the best prices).

    q ≥ need, q ≥ first, s + q ≤ most; `have` of the best prices are known.
    """
    q, taken, paid = first, 0, price
    if size + max(first, need) > most or have < need - first:
        return NEVER
    while size + q < most and taken < have:
        more = c.scale * (penalty + c.sizes[size + q + 1] - c.sizes[size + q])
        if q >= need and state.best[taken] <= more:
            break
        paid += state.best[taken]
        taken += 1
        q += 1
    found: int = c.scale * ((size + q) * penalty + c.sizes[size + q]) - paid
    return found


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _sort(keys: IntArray, size: int) -> None:
    """Sort the first keys: Shell's sort, for they are nearly sorted, and NumPy's takes long to compile."""
    gap = 1
    while 3 * gap < size:
        gap = 3 * gap + 1
    while gap > 0:
        for x in range(gap, size):
            key, place = keys[x], x
            while place >= gap and keys[place - gap] > key:
                keys[place] = keys[place - gap]
                place -= gap
            keys[place] = key
        gap //= 3


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _list(c: Costs, asked: Asked, state: State, prices: Priced, limit: int, ahead: int) -> None:
    """List what the group may grow by: of the first `ahead` items in the list of the group without its last item."""
    d = state.at[0]
    keys, bounds, shift, mask = state.keys[d], state.bounds[d], state.shift, (1 << state.shift) - 1
    state.length[d], state.next[d] = 0, -1
    if state.needed[d] > asked.most or d >= asked.most:
        return
    for x in range(ahead):
        item = state.keys[d - 1, x] & mask
        keys[x] = (_with(c, state, d, item) << shift) | item
    _sort(keys, ahead)
    price = state.price[d]
    need = max(asked.least, state.needed[d]) - d
    room, have, one, two = (
        asked.most - d,
        np.int64(0),
        np.int64(1),
        np.int64(2),
    )  # a plain 1 would be compiled by itself
    for x in range(ahead):
        penalty, p = keys[x] >> shift, prices.price[keys[x] & mask]
        paid = price + _paid(c, state, prices, keys[x] & mask)
        bounds[x] = _least_grown(c, state, d, paid, penalty, one, need, asked.most, have)
        # with another one, whatever its price, in place of one of the best
        state.kept[x] = _least_grown(c, state, d, paid, penalty, two, need, asked.most, have)
        if have < room or p > state.best[have - 1]:
            place = have if have < room else have - 1
            while place > 0 and state.best[place - 1] < p:
                state.best[place] = state.best[place - 1]
                place -= 1
            state.best[place] = p
            have = min(room, have + 1)
    later = NEVER
    for x in range(ahead - 1, -1, -1):
        mine = state.kept[x]
        state.kept[x] = 1 if bounds[x] <= limit or later <= limit + prices.price[keys[x] & mask] else 0
        later = min(later, mine)
    length = 0
    for x in range(ahead):
        if state.kept[x]:
            keys[length], bounds[length] = keys[x], bounds[x]
            length += 1
    state.length[d], state.next[d] = length, length - 1


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def least_left(state: State, first: int) -> int:
    """Return the least bound of what is not followed yet, from groups of so many records on."""
    least = NEVER
    for d in range(first, state.at[0] + 1):
        for x in range(state.next[d] + 1):
            least = min(least, state.bounds[d, x])
    return least


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def advance(
    c: Costs,
    asked: Asked,
    state: State,
    prices: Priced,
    limit: int,
    each: int,
    steps: int,
    kinds: IntArray,
    starts: IntArray,
    reduced: IntArray,
) -> tuple[int, bool]:
    """Go on with a search for some steps, or until there is no room for more classes.

    Parameters
    ----------
    each
        After so many classes with one first item the rest of these is left out.
    kinds, starts, reduced
        Where the kinds of the items of each class are written, where each class starts, and its reduced cost.

    Returns
    -------
    found, done
        The number of classes, and whether all is done.
    """
    mask = (1 << state.shift) - 1
    found, used = 0, 0
    starts[0] = 0
    while state.at[3] < len(prices.price):  # at first, the bounds of the first items
        if steps <= 0:
            return 0, False
        steps -= 1
        x = state.at[3]
        _push(c, asked, state, prices, state.keys[0, x] & mask)
        _list(c, asked, state, prices, limit, x)
        least = _reduced(c, state) if _asked_for(asked, state) else NEVER
        for y in range(state.length[1]):
            least = min(least, state.bounds[1, y])
        state.bounds[0, x] = least
        _pop(c, asked, state, prices)
        state.at[3] = x + 1
    while steps > 0 and found < len(reduced) and used + asked.most <= len(kinds):
        d = state.at[0]
        x = state.next[d]
        if x < 0:
            if d == 0:
                return found, True
            _pop(c, asked, state, prices)
            continue
        state.next[d] = x - 1
        item = state.keys[d, x] & mask
        twin = x + 1 < state.length[d] and c.kind_of[state.keys[d, x + 1] & mask] == c.kind_of[item]
        if twin or state.bounds[d, x] > limit:
            continue
        steps -= 1
        if d == 0:
            state.at[1] = 0
        _push(c, asked, state, prices, item)
        _list(c, asked, state, prices, limit, x)
        r = _reduced(c, state)
        if r <= limit and _asked_for(asked, state):
            for one in range(1, d + 2):
                kinds[used] = c.kind_of[state.member[one]]
                used += 1
            reduced[found] = r
            found += 1
            starts[found] = used
            state.at[1] += 1
            if state.at[1] >= each:
                state.at[2] = min(state.at[2], least_left(state, np.int64(1)))
                while state.at[0] > 0:
                    _pop(c, asked, state, prices)
    return found, False


def begin(c: Costs, asked: Asked, prices: Priced, shift: int) -> State:
    """Return the state at the beginning; items of great prices are followed first."""
    n, deep = len(c.kind_of), asked.most + 1

    def zeros(*shape: int) -> Any:
        return np.zeros(shape, dtype=np.int64)

    found = State(
        low=zeros(deep, c.place.shape[1]),
        high=zeros(deep, c.place.shape[1]),
        distinct=zeros(deep, c.value.shape[1]),
        penalty=zeros(deep),
        price=zeros(deep),
        needed=zeros(deep),
        member=zeros(deep),
        held=zeros(*c.by_count.shape),
        counts=zeros(len(asked.reference)),
        shared=zeros(len(prices.due)),
        keys=zeros(deep, n),
        bounds=zeros(deep, n),
        length=zeros(deep),
        next=zeros(deep),
        best=zeros(n + 1),
        kept=zeros(n),
        at=zeros(4),
        shift=shift,
    )
    found.low[0], found.high[0] = NEVER, -1
    found.keys[0] = (np.arange(n) << shift) | np.lexsort((np.arange(n), prices.price))
    found.bounds[0], found.length[0], found.next[0], found.at[2] = -NEVER, n, n - 1, NEVER
    return found
