"""The search for classes of small reduced cost as machine code. Importing this loads numba.

A group G of s records grows by others; they stand in a list by E(G + i), ascending. Of a class that it grows to by q
records let x be the last in the list: then its penalty is at least E(G + x), and the others stand before x or are of
its kind, so

    r ≥ S·((s + q)·E(G + x) + c(s + q)) − p(G + x) − (the q − 1 greatest prices of the others),

where p(G + x) is what G + x pays less its dues. Each x for which the least of this over the possible q is up to the
limit is followed, with the others to grow by; so each class comes once. A kind leaves the list where this says that no
x behind it, together with it, leads anywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from tcloseness.certificates.classes import LARGEST, Priced
from tcloseness.exact import IntArray

__all__ = ["Search"]

_NEVER = 4 * LARGEST - 1
"""More than any limit, also less a price."""


class _Given(NamedTuple):
    many: IntArray
    place: IntArray
    pairs: IntArray
    value: IntArray
    by_count: IntArray
    sizes: IntArray
    price: IntArray
    weight: IntArray
    divisor: IntArray
    due: IntArray
    scale: int
    least: int
    most: int


class _State(NamedTuple):
    """By the number of records of the group: its ends, values, penalty, what it pays, its last kind, and its list."""

    low: IntArray
    high: IntArray
    held: IntArray
    penalty: IntArray
    paid: IntArray
    last: IntArray
    shared: IntArray
    kind: IntArray
    left: IntArray
    grown: IntArray
    bound: IntArray
    next: IntArray
    size: IntArray
    best: IntArray
    beside: IntArray


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _with(given: _Given, state: _State, d: int, kind: int) -> int:
    """Return E of the group of d records with one more."""
    found = 0
    for a in range(given.place.shape[0]):
        x = given.place[a, kind]
        found += given.pairs[a, min(state.low[d, a], x), max(state.high[d, a], x)]
    for b in range(given.value.shape[0]):
        new = state.held[d, b, given.value[b, kind]] == 0
        found += given.by_count[b, state.held[d, b, -1] + (1 if new else 0)]
    return found


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _pays(given: _Given, state: _State, kind: int) -> int:
    """Return the price of one more record, less what it adds to the dues of the group."""
    found: int = given.price[kind]
    for k in range(len(given.due)):
        held, divisor = state.shared[k], given.divisor[k]
        found -= given.due[k] * ((held + given.weight[k, kind]) // divisor - held // divisor)
    return found


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _push(given: _Given, state: _State, kind: int) -> None:
    d = state.size[0]
    state.penalty[d + 1] = _with(given, state, d, kind)
    state.paid[d + 1] = state.paid[d] + _pays(given, state, kind)
    state.last[d + 1] = kind
    for a in range(given.place.shape[0]):
        x = given.place[a, kind]
        state.low[d + 1, a], state.high[d + 1, a] = min(state.low[d, a], x), max(state.high[d, a], x)
    for b in range(given.value.shape[0]):
        state.held[d + 1, b] = state.held[d, b]
        v = given.value[b, kind]
        if state.held[d, b, v] == 0:
            state.held[d + 1, b, v] = 1
            state.held[d + 1, b, -1] += 1
    for k in range(len(given.due)):
        state.shared[k] += given.weight[k, kind]
    state.size[0] = d + 1


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _pop(given: _Given, state: _State) -> None:
    kind = state.last[state.size[0]]
    for k in range(len(given.due)):
        state.shared[k] -= given.weight[k, kind]
    state.size[0] -= 1


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _insert(state: _State, have: int, room: int, price: int, copies: int) -> tuple[int, int]:
    """Put a price so often among the best, at most `room`, in falling order; return how many there are, and moves."""
    place = have
    while place > 0 and state.best[place - 1] < price:
        place -= 1
    copies = min(copies, room - place)
    many = min(room, have + copies)
    for y in range(many - 1, place + copies - 1, -1):
        state.best[y] = state.best[y - copies]
    for y in range(place, place + copies):
        state.best[y] = price
    return many, many - place


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _bound(given: _Given, size: int, paid: int, penalty: int, first: int, have: int, best: IntArray) -> tuple[int, int]:
    """Return the least r after growing by q records: q ≥ first, the q − first greatest prices paid besides; and q."""
    q, taken = first, 0
    need = max(first, given.least - size)
    if size + need > given.most or need - first > have:
        return _NEVER, 0
    while True:
        if q >= need:
            if size + q == given.most or taken == have:
                break
            more = given.scale * (penalty + given.sizes[size + q + 1] - given.sizes[size + q])
            if best[taken] <= more:
                break
        paid += best[taken]
        taken += 1
        q += 1
    found: int = given.scale * ((size + q) * penalty + given.sizes[size + q]) - paid
    return found, q


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _list(given: _Given, state: _State, limit: int) -> int:
    """List what the group may grow by; return in how many steps, each of some ten nanoseconds."""
    d = state.size[0]
    kinds, left, grown, bound = state.kind[d], state.left[d], state.grown[d], state.bound[d]
    room, length = given.most - d, 0
    state.next[d] = -1
    if room == 0:
        return 4
    above = len(given.many) if d == 0 else state.next[d - 1] + 2
    for y in range(above):
        kind = y if d == 0 else state.kind[d - 1, y]
        copies = given.many[y] if d == 0 else state.left[d - 1, y] - (1 if y == above - 1 else 0)
        if copies == 0:
            continue
        penalty, place = _with(given, state, d, kind), length
        while place > 0 and grown[place - 1] > penalty:
            kinds[place], left[place], grown[place] = kinds[place - 1], left[place - 1], grown[place - 1]
            place -= 1
        kinds[place], left[place], grown[place] = kind, copies, penalty
        length += 1
    have, turns = 0, 0
    for x in range(length):
        price = given.price[kinds[x]]
        have, moves = _insert(state, have, room, price, left[x] - 1)
        paid = state.paid[d] + _pays(given, state, kinds[x])
        bound[x], one = _bound(given, d, paid, grown[x], 1, have, state.best)
        state.beside[x], two = _bound(given, d, paid, grown[x], 2, have, state.best)
        have, more = _insert(state, have, room, price, 1)
        turns += moves + one + two + more
    kept, later = length, _NEVER
    for x in range(length - 1, -1, -1):  # from the end on, to where nothing is moved any more
        others = min(later, state.beside[x]) if left[x] > 1 else later
        later = min(later, state.beside[x])
        if bound[x] <= limit or others - given.price[kinds[x]] <= limit:
            kept -= 1
            kinds[kept], left[kept], bound[kept] = kinds[x], left[x], bound[x]
    for x in range(kept, length):
        kinds[x - kept], left[x - kept], bound[x - kept] = kinds[x], left[x], bound[x]
    state.next[d] = length - kept - 1
    each = 2 + (given.place.shape[0] + given.value.shape[0]) // 4 + 2 * len(given.due)
    steps: int = 6 + above * each + turns // 8
    return steps


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _advance(given: _Given, state: _State, limit: int, steps: int, found: IntArray) -> tuple[int, bool]:
    """Go on for some steps, or until there is no room; return how many classes were found, and whether all is done."""
    many = 0
    while steps > 0 and many < len(found):
        d = state.size[0]
        x = state.next[d]
        if x < 0:
            if d == 0:
                return many, True
            _pop(given, state)
            continue
        state.next[d] = x - 1
        if state.bound[d, x] > limit:
            continue
        steps -= state.held[0].size // 8
        _push(given, state, state.kind[d, x])
        d += 1
        r = given.scale * (d * state.penalty[d] + given.sizes[d]) - state.paid[d]
        if d >= given.least and r <= limit:
            for one in range(1, d + 1):
                found[many, state.last[one]] += 1
            many += 1
        steps -= _list(given, state, limit)
    return many, False


class Search:
    """A search for classes.

    Parameters
    ----------
    asked
        What is looked for, in numbers below `LARGEST`.
    order
        The kinds in the order in which they are tried, the last ones first.
    limit
        The greatest r.
    room
        So many classes are found at a time.
    """

    def __init__(self, asked: Priced, order: list[int], limit: int, room: int) -> None:
        self._order, self._limit, self.begun = order, limit, False
        kinds, deep, room = len(order), asked.most + 1, max(1, min(room, 2**24 // len(order)))

        def whole(given: Any, *shape: int) -> IntArray:
            return np.array(given, dtype=np.int64).reshape(shape)

        widest = max(map(len, asked.pairs), default=0)
        pairs = np.zeros((len(asked.pairs), widest, widest), dtype=np.int64)
        for a, table in enumerate(asked.pairs):
            pairs[a, : len(table), : len(table)] = table
        most = max(map(len, asked.by_count), default=1)
        by_count = np.zeros((len(asked.by_count), most), dtype=np.int64)
        for b, row in enumerate(asked.by_count):
            by_count[b, : len(row)] = row
        used = [k for k, due in enumerate(asked.dues) if due]
        self._given = _Given(
            many=whole(asked.counts, kinds)[order],
            place=whole(asked.places, len(asked.places), kinds)[:, order].copy(),
            pairs=pairs,
            value=whole(asked.sets, len(asked.sets), kinds)[:, order].copy(),
            by_count=by_count,
            sizes=whole(asked.sizes, len(asked.sizes)),
            price=whole(asked.prices, kinds)[order],
            weight=whole(asked.weights, len(asked.weights), kinds)[np.ix_(used, order)].copy(),
            divisor=whole(asked.divisors, len(asked.divisors))[used],
            due=whole(asked.dues, len(asked.dues))[used],
            scale=int(asked.scale),
            least=int(asked.least),
            most=int(asked.most),
        )

        def zeros(*shape: int) -> IntArray:
            return np.zeros(shape, dtype=np.int64)

        self._state = _State(
            low=zeros(deep, len(pairs)) + widest,
            high=zeros(deep, len(pairs)) - 1,
            held=zeros(deep, len(by_count), most + 1),
            penalty=zeros(deep),
            paid=zeros(deep),
            last=zeros(deep),
            shared=zeros(len(used)),
            kind=zeros(deep, kinds),
            left=zeros(deep, kinds),
            grown=zeros(deep, kinds),
            bound=zeros(deep, kinds),
            next=zeros(deep),
            size=zeros(1),
            best=zeros(deep + 1),
            beside=zeros(kinds),
        )
        self._found = zeros(room, kinds)

    def advance(self, steps: int) -> tuple[IntArray, bool]:
        """Go on for some steps; return classes, shape (classes, kinds), and whether these were the last."""
        if not self.begun:
            self.begun = True
            _list(self._given, self._state, self._limit)
        self._found[:] = 0
        many, done = _advance(self._given, self._state, self._limit, steps, self._found)
        rows = np.zeros((many, len(self._order)), dtype=np.int64)
        rows[:, self._order] = self._found[:many]
        return rows, done
