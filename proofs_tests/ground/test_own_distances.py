"""A ground distance or a family of cuts of the user's own is refused by name, or the closed form is the EMD."""

from __future__ import annotations

import pickle
import random
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from proofs_tests.case_names import shown
from proofs_tests.oracles import cheapest_assignment, shares
from tcloseness.errors import DomainError, InputError
from tcloseness.ground import (
    Cuts,
    Equal,
    GroundDistance,
    Laminar,
    Matrix,
    Ordered,
    OrderedByValue,
    ProductGround,
    checked,
    ground_distance,
)
from tcloseness.ground.checking import LARGEST_CHECKED
from tcloseness.measures.emd import BoundEMD
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import TCloseness
from tcloseness.transport import TransportProblem, batched, certify, compiled, crossings, emd, moves
from tcloseness.transport.virtual_tree import sparse_work

F = Fraction


@dataclass(eq=False)
class Foreign:
    """A ground distance of the user's own: whatever entries, cuts and claims it is made with."""

    entries: Any
    cuts: Any = None
    metric: Any = False
    scale: Any = 1
    name: str = "mine"
    dtype: Any = np.int64
    asked: list[int] = field(default_factory=list)

    @property
    def m(self) -> int:
        return len(self.entries)

    @property
    def denominator(self) -> Any:
        return self.scale

    def distance(self, i: int, j: int) -> Any:
        self.asked.append(i)
        return self.entries[i][j]

    def row(self, i: int) -> Any:
        return np.array([int(x * self.scale) for x in self.entries[i]], dtype=self.dtype)

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name}


def parted(sets, weights, m):
    """d(i, j) = Σ w·[exactly one of i, j in S]: the definition, over sets of codes."""
    return [
        [sum((w for s, w in zip(sets, weights, strict=True) if (i in s) != (j in s)), F(0)) for j in range(m)]
        for i in range(m)
    ]


def family(rng, m):
    """Ends and weights as they come: nested, disjoint, crossing, repeated, empty, whole, outside, ≤ 0, unsorted."""
    size = rng.randint(0, 4)
    kind = rng.choice(["any", "sorted", "prefixes", "laminar"])
    if kind == "prefixes":
        ends = [(0, rng.randint(1, m)) for _ in range(size)]
    elif kind == "laminar":
        halves = [(low, low + 2**e) for e in range(3) for low in range(0, m, 2**e) if low + 2**e <= m]
        ends = rng.sample(halves, min(size, len(halves)))
    else:
        ends = [(rng.randint(-1, m), rng.randint(0, m + 1)) for _ in range(size)]
        ends = [(min(e), max(e)) for e in ends] if rng.random() < 0.8 else ends
    if kind != "any":
        ends.sort(key=lambda e: (e[1], -e[0]))
    return ends, [rng.choice([1, 1, 2, 5, 1, 1, 0, -1][: 6 if rng.random() < 0.8 else 8]) for _ in ends]


def is_family(ends, weights, m):
    """The definition, set by set and pair by pair."""
    sets = [set(range(*e)) for e in ends]
    return (
        all(0 <= low < high <= m and high - low < m for low, high in ends)
        and all(w > 0 for w in weights)
        and all(a <= b or b <= a or not a & b for a in sets for b in sets)
        and ends == sorted(set(ends), key=lambda e: (e[1], -e[0]))
    )


def by_every_way(ground, sample, reference):
    """The EMD of two samples by everything in the package that can use the cuts of a ground distance."""
    m, cuts = ground.m, ground.cuts
    p, q = shares(sample, m), shares(reference, m)
    yield emd(p, q, ground)
    yield certify(p, q, ground).value
    yield certify(p, q, ground, solver="networkx").value
    yield sum((c.cost for c in crossings(p, q, ground)), F(0))
    yield sum((move.cost for move in moves(p, q, ground)), F(0))
    counts = {"class": {code: sample.count(code) for code in set(sample)}}
    classes = ClassCounts.from_mapping(counts, domain=Domain.declare(range(m)))
    classes = classes.with_reference([reference.count(code) for code in range(m)])
    yield BoundEMD(ground).per_class(classes)[0]
    yield TCloseness("1/100", ground=ground).evaluate(classes).value
    scale = len(sample) * len(reference) * cuts.denominator
    size, whole = np.array([len(sample)]), classes.reference
    yield F(int(compiled.dense_work(classes.matrix, size, whole, cuts)[0]), scale)
    yield F(int(batched._sparse(classes, cuts, len(reference), True)[0]), scale)
    yield F(int(batched._sparse(classes, cuts, len(reference), False)[0]), scale)
    if cuts.layers:
        yield F(int(batched._layered(classes, [cuts], len(reference), True)[0][0]), scale)
    yield F(int(batched._dense(classes, cuts, len(reference), True)[0]), scale)


@pytest.mark.slow
def test_any_family_is_refused_or_its_closed_form_is_the_emd():
    """Thousands of families, most of them wrong. `Cuts` are made exactly if the definition holds; then every way that
    uses them, compiled or not, dense or sparse, gives the cheapest of all n! pairings."""
    rng = random.Random(20)
    made = refused = 0
    for _ in range(4000):
        m = rng.randint(1, 6)
        order = rng.sample(range(m), m)
        ends, weights = family(rng, m)
        given = (np.array(order), np.array([e[0] for e in ends]), np.array([e[1] for e in ends]), np.array(weights))
        if not is_family(ends, weights, m):
            with pytest.raises(DomainError):
                Cuts.from_integers(*given, 3)
            refused += 1
            continue
        cuts = Cuts.from_integers(*given, 3)
        made += 1
        if made % 16:
            continue
        sets = [{order[place] for place in range(*e)} for e in ends]
        d = parted(sets, [F(w, 3) for w in weights], m)
        sample, reference = [[rng.randrange(m) for _ in range(4)] for _ in range(2)]
        expected = cheapest_assignment(sample, reference, lambda i, j, d=d: d[i][j])
        for ground in (Laminar(cuts), Foreign(d, cuts, True, 3), Foreign(d, cuts, False, 6)):
            assert set(by_every_way(ground, sample, reference)) == {expected}
    assert made > 700
    assert refused > 1500


@pytest.mark.parametrize(
    ("low", "high", "weights", "message"),
    [
        ([0, 0, 0], [2, 2, 3], [1, 1, 1], "each set once"),
        ([0, 0, 0], [2, 4, 4], [1, 1, 1], "a cut holds some of them, and not all"),
        ([0, 0, 0], [2, 3, 5], [1, 1, 1], "of 4"),
        ([0, 1], [2, 3], [1, 1], "cross"),
        ([0, 2, 1], [1, 3, 4], [1, 1, 1], None),
        ([1, 0], [2, 1], [1, 1], "stands after"),
        ([0, 0], [3, 1], [1, 1], "stands after"),
        ([0], [0], [1], "some of them"),
        ([-1], [1], [1], "some of them"),
        ([0], [1], [0], "weights are whole numbers > 0"),
        ([0], [1], [-1], "weights are whole numbers > 0"),
        ([0], [1], [0.5], "must be a list of whole numbers"),
        ([0], [1], [True], "must be a list of whole numbers"),
        ([0], [1], ["1"], "must be a list of whole numbers"),
        ([0], [1], [1, 2], "each set has one of each"),
        ([[0]], [1], [1], "must be a list of whole numbers"),
        ([0, 1], [[1], [1, 2]], [1, 1], "must be a list of whole numbers"),
    ],
)
def test_what_a_family_must_be_is_said_by_name(low, high, weights, message):
    if message is None:
        Cuts.from_integers(np.arange(4), low, high, weights, 3)
        return
    with pytest.raises(DomainError, match=message):
        Cuts.from_integers(np.arange(4), low, high, weights, 3)


@pytest.mark.parametrize(
    "order", [[0, 0, 1], [0, 1, 3], [-1, 0, 1], [], [0.0, 1.0, 2.0], [2**70, 0, 1], "012"], ids=str
)
def test_an_order_that_is_not_a_permutation_is_refused(order):
    with pytest.raises(DomainError):
        Cuts(order, [0], [1], [1], 1)


@pytest.mark.parametrize("denominator", [0, -1, True, 1.0, "1", None], ids=shown)
def test_a_denominator_that_is_not_positive_is_refused(denominator):
    with pytest.raises(DomainError, match="denominator"):
        Cuts([0, 1], [0], [1], [1], denominator)


@pytest.mark.parametrize(
    ("sets", "weights"),
    [
        ([(2, 1)], [1]),
        ([(0, 4)], [1]),
        ([(-1, 1)], [1]),
        ([(0, 2), (1, 3)], [1, 1]),
        ([(0, 1)], [-1]),
        ([(0, 1), (0, 1)], [1, -1]),
        ([(0, 1)], []),
        ([(0.0, 1)], [1]),
        ([(0, 1)], ["much"]),
    ],
    ids=str,
)
def test_intervals_in_any_order_are_refused_where_they_are_wrong(sets, weights):
    with pytest.raises(InputError):
        Cuts.of(range(3), sets, weights)


def test_cuts_cannot_be_changed_into_what_they_must_not_be():
    low = np.array([0, 0])
    cuts = Cuts(np.arange(3), low, np.array([1, 2]), np.array([1, 1]), 2)
    low[:] = 1
    assert cuts.low.tolist() == [0, 0]
    for array in (cuts.order, cuts.low, cuts.high, cuts.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    with pytest.raises(DomainError):
        replace(cuts, high=np.array([2, 2]))
    assert pickle.loads(pickle.dumps(cuts)).high.tolist() == [1, 2]


# ---------------------------------------------------------------------- objects of the protocol

CROSSING = parted([{0, 1}, {1, 2}], [F(1, 2), F(1, 2)], 4)
LINE = parted([{0}, {0, 1}], [F(1, 2), F(1, 2)], 3)
PREFIXES = Cuts.of(range(3), [(0, 1), (0, 2)], ["1/2", "1/2"])

LIARS = {
    "cuts of another distance": Foreign(CROSSING, Cuts.of(range(4), [(0, 2)], [1]), True, 2),
    "cuts of half the distance": Foreign(LINE, Cuts.of(range(3), [(0, 1), (0, 2)], ["1/4", "1/4"]), True, 2),
    "cuts without one": Foreign(LINE, Cuts.of(range(3), [(0, 1)], ["1/2"]), True, 2),
    "cuts over other values": Foreign(LINE, Ordered(4).cuts, True, 2),
    "cuts in another order": Foreign(LINE, Cuts.of([1, 0, 2], [(0, 1), (0, 2)], ["1/2", "1/2"]), True, 2),
    "cuts that are a list": Foreign(LINE, [(0, 1), (0, 2)], True, 2),
    "no metric that says it is one": Foreign([[0, 1, 4], [1, 0, 1], [4, 1, 0]], None, True),
    "not symmetric": Foreign([[0, 1], [2, 0]], None, True),
    "negative": Foreign([[0, -1], [-1, 0]]),
    "diagonal": Foreign([[1, 1], [1, 0]]),
    "floats": Foreign([[0.0, 0.5], [0.5, 0.0]], None, True, 2),
    "a row of another scale": Foreign([[0, F(1, 3)], [F(1, 3), 0]], None, True, 2),
    "no denominator": Foreign([[0, 1], [1, 0]], None, True, 0),
    "a denominator that is a float": Foreign([[0, 1], [1, 0]], None, True, 1.0),
    "rows of 32 bits": Foreign(LINE, PREFIXES, True, 2, dtype=np.int32),
    "rows of doubles": Foreign(LINE, PREFIXES, True, 2, dtype=np.float64),
    "no value": Foreign([]),
    "short rows": Foreign([[0], [0]]),
    "truth values": Foreign([[False, True], [True, False]]),
}


def uses(ground, m):
    """By name, every way by which a ground distance comes in."""
    p, q = [F(1), *[F(0)] * (m - 1)], [*[F(0)] * (m - 1), F(1)]
    domain = Domain.declare(range(max(m, 1)))
    classes = ClassCounts.from_mapping({"a": {0: 1}, "b": {max(m, 1) - 1: 1}}, domain=domain)
    return {
        "emd": lambda: emd(p, q, ground),
        "certify": lambda: certify(p, q, ground, solver="networkx"),
        "moves": lambda: moves(p, q, ground),
        "crossings": lambda: crossings(p, q, ground),
        "problem": lambda: TransportProblem(tuple(p), tuple(q), ground),
        "measure": lambda: BoundEMD(ground),
        "over a domain": lambda: ground_distance(ground, domain),
        "t-closeness": lambda: TCloseness("1/4", ground=ground).evaluate(classes),
        "product": lambda: ProductGround([ground, Equal(2)], [(0, 0), (max(m, 1) - 1, 1)]),
    }


@pytest.mark.parametrize("liar", LIARS.values(), ids=LIARS)
def test_an_object_whose_claims_do_not_hold_is_refused_wherever_it_comes_in(liar):
    for use in uses(liar, len(liar.entries)).values():
        with pytest.raises(DomainError):
            use()


@pytest.mark.parametrize("thing", [None, "ordered", 3, [[0, 1], [1, 0]], object()], ids=shown)
def test_what_is_not_a_ground_distance_is_named(thing):
    with pytest.raises(DomainError, match="which is not one"):
        BoundEMD(thing)
    if isinstance(thing, str | list):  # these mean one, once the number of values is known
        assert emd([1, 0], [0, 1], thing) == 1
    else:
        with pytest.raises(DomainError, match="which is not one"):
            emd([1, 0], [0, 1], thing)


def test_a_foreign_distance_without_cuts_is_solved_and_is_what_its_matrix_is():
    """The crossing cuts {0, 1} and {1, 2} sum to a metric without a closed form; a solver answers."""
    one, two = Foreign(CROSSING, None, True, 2), Matrix(CROSSING)
    rng = random.Random(3)
    for _ in range(100):
        sample, reference = [[rng.randrange(4) for _ in range(4)] for _ in range(2)]
        p, q = shares(sample, 4), shares(reference, 4)
        assert emd(p, q, one) == emd(p, q, two) == cheapest_assignment(sample, reference, two.distance)


@pytest.mark.long
def test_all_claims_of_random_distances_are_judged_as_the_definitions_judge_them():
    """Random entries, some of them metrics, some of them sums of the cuts that they come with."""
    rng = random.Random(8)
    seen = set()
    for _ in range(800):
        m = rng.randint(1, 4)
        cuts = Cuts.of(rng.sample(range(m), m), [(k, k + 1) for k in range(m)], [rng.randint(0, 2) for _ in range(m)])
        d = [[Laminar(cuts).distance(i, j) for j in range(m)] for i in range(m)]
        if rng.random() < 0.6:
            i, j = rng.randrange(m), rng.randrange(m)
            d[i][j] = d[j][i] = F(rng.randint(0, 5)) if i != j else F(0)
        claims, metric = rng.random() < 0.5, rng.random() < 0.5
        sums = all(d[i][j] == cuts.distance(i, j) for i in range(m) for j in range(m))
        triangles = all(d[i][k] <= d[i][j] + d[j][k] for i, j, k in ((*x,) for x in np.ndindex(m, m, m)))
        right = sums if claims else triangles or not metric
        try:
            checked(Foreign(d, cuts if claims else None, metric, 1))
            accepted = True
        except DomainError:
            accepted = False
        assert accepted == right
        seen.add((claims, metric, right))
    assert len(seen) == 7  # a distance without claims cannot be wrong


def test_an_object_is_looked_at_once():
    ground = Foreign(LINE, PREFIXES, True, 2)
    for _ in range(5):
        emd([1, 0, 0], [0, 0, 1], ground)
    assert len(ground.asked) == 9
    other = Foreign(LINE, PREFIXES, True, 2)
    checked(other)
    assert len(other.asked) == 9


def test_a_derived_class_is_not_believed_for_its_name():
    class Farther(Ordered):
        def distance(self, i, j):
            return 2 * super().distance(i, j)

    with pytest.raises(DomainError, match="must be one number"):
        emd([1, 0, 0], [0, 0, 1], Farther(3))


def test_more_values_than_can_be_checked_are_taken_only_without_claims():
    class Huge(Foreign):
        m = LARGEST_CHECKED + 1

        def row(self, i):
            return np.zeros(self.m, dtype=np.int64)

    cuts = Ordered(Huge.m).cuts
    for claims in ({"cuts": cuts}, {"metric": True}, {"cuts": cuts, "metric": True}):
        with pytest.raises(DomainError, match=r"1024 at most; give Laminar\(cuts\)"):
            checked(Huge((), **claims))
    assert checked(Huge(())).m == Huge.m
    p, q = [1, *[0] * LARGEST_CHECKED], [*[0] * LARGEST_CHECKED, 1]
    assert emd(p, q, Laminar(cuts)) == 1


def test_every_distance_with_cuts_is_that_of_its_cuts_alone():
    for ground in (Ordered(5), Equal(4), OrderedByValue((1, 2, "9/2", 7)), Ordered(1)):
        alone = Laminar(ground.cuts)
        for i in range(ground.m):
            assert [F(int(x), alone.denominator) for x in alone.row(i)] == [
                ground.distance(i, j) for j in range(ground.m)
            ]


def test_a_laminar_distance_is_exact_where_64_bits_end():
    for weight in (2**61, 2**62, 2**63, 10**40):
        ground = Laminar(Cuts.of(range(3), [(0, 1), (0, 2)], [weight, 1]))
        assert [int(x) for x in ground.row(0)] == [0, weight, weight + 1]
        assert emd([1, 0, 0], [0, 0, 1], ground) == weight + 1


# ---------------------------------------------------------------------- sizes and codes


@pytest.mark.parametrize("m", [0, -1, True, False, 2.0, "3", None, 2**63, F(3)], ids=shown)
@pytest.mark.parametrize("made", [Ordered, Equal])
def test_a_number_of_values_that_is_not_one_is_refused(made, m):
    with pytest.raises(DomainError):
        made(m)


def test_numpy_sizes_are_ints():
    assert type(Ordered(np.int64(3)).m) is int
    assert Ordered(np.int64(3)) == Ordered(3)
    assert Ordered(np.int64(3)).to_dict() == {"name": "ordered", "m": 3}


@pytest.mark.parametrize("values", ["123", 5, None, [2, 1], [1, 1], [], [1, float("nan")], [True, 2]], ids=shown)
def test_positions_that_do_not_ascend_are_refused(values):
    with pytest.raises(InputError):
        OrderedByValue(values)


@pytest.mark.parametrize("code", [0.9, "0", True, None, 10**30], ids=shown)
def test_a_tuple_of_what_is_only_like_codes_is_refused(code):
    with pytest.raises(DomainError):
        ProductGround([Ordered(3), Equal(2)], [(0, 0), (code, 1)])


def test_a_component_of_a_thousand_million_values_costs_what_its_tuples_cost():
    """Two tuples of it: nothing of its own size is made."""
    ground = ProductGround([Ordered(10**9), Equal(2)], [(0, 0), (10**9 - 1, 1), (10**8, 1)])
    rows = [[F(int(x), ground.denominator) for x in ground.row(i)] for i in range(3)]
    assert rows == [[ground.distance(i, j) for j in range(3)] for i in range(3)]
    assert emd([1, 0, 0], [0, 1, 0], ground) == 1


def test_all_orders_of_the_values_of_a_family_are_one_distance():
    """A family over a permuted domain is the family over the domain, with the values renamed."""
    ends, weights = [(0, 1), (0, 2), (2, 3)], [1, 2, 3]
    plain = Laminar(Cuts.of(range(4), ends, weights))
    for order in permutations(range(4)):
        ground: GroundDistance = Laminar(Cuts.of(order, ends, weights))
        assert all(ground.distance(order[a], order[b]) == plain.distance(a, b) for a in range(4) for b in range(4))


def test_sparse_work_is_the_function_that_is_compiled():
    assert getattr(compiled.sparse_work, "py_func", sparse_work) is sparse_work


HALF = [[F(0), F(1, 2)], [F(1, 2), F(0)]]
WRONG_ROWS = [
    [[0, 1], [1, 0]],
    np.array([[0], [1]]),
    *(np.array([[0, one], [one, 0]], dtype=object) for one in (np.int64(1), True, 1.0, F(1))),
]
NUMPY_HALF = [[F(np.int64(x.numerator), np.int64(x.denominator)) for x in row] for row in HALF]
FAR = F(10**5000)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": 5}, "its name is 5"),
        ({"metric": "no"}, "its metric is 'no'"),
        ({"metric": np.bool_(True)}, "its metric is"),
        ({"greatest": float("nan")}, "its greatest is nan"),
        ({"greatest": "1"}, "its greatest is '1'"),
        ({"greatest": 1.0}, "its greatest is 1.0"),
        ({"greatest": F(1, 3)}, "no distance exceeds 1/3, and one is 1/2"),
        *(({"row": row.__getitem__}, "it must be an array of 2 int64, or of Python ints") for row in WRONG_ROWS),
        ({"rows": 2}, "its rows are 2"),
        ({"rows": np.array([[0, 1], [2, 0]])}, "its rows are array([[0, 1],"),
        ({"rows": np.array([0, 1, 1, 0])}, "its rows are array([0, 1, 1, 0])"),
        ({"rows": np.array([[0, 1], [1, 0]], dtype=np.uint8)}, "int64 or Python ints"),
        ({"rows": np.array([[0, np.int64(1)], [1, 0]], dtype=object)}, "int64 or Python ints"),
        ({"scale": np.int64(2)}, "Python's own"),
        ({"scale": -(10**5000)}, "denominator"),
        ({"entries": NUMPY_HALF}, "Python's own"),
        ({"entries": [[np.int64(0)] * 2] * 2}, "Python's own"),
        ({"entries": [[F(0), FAR], [FAR, F(0)]], "dtype": object, "greatest": F(1)}, "one is 1e+5000"),
        ({"entries": [[F(0), -FAR], [-FAR, F(0)]], "dtype": object}, "distances must be ≥ 0"),
        ({"entries": [[F(0), FAR], [FAR, F(0)]], "dtype": object, "cuts": Cuts.of(range(2), [(0, 1)], [1])}, "1e+5000"),
    ],
    ids=range(25),
)
def test_each_claim_of_a_wrong_kind_is_refused_by_its_name(changed, said):
    members = {"entries": HALF, "scale": 2, **changed}
    more = {name: members.pop(name) for name in ("greatest", "rows", "row") if name in members}
    ground = Foreign(**members)
    vars(ground).update(more)
    with pytest.raises(DomainError, match=re.escape(said)):
        emd([1, 0], [0, 1], ground)


def test_what_has_every_member_and_still_makes_one_of_a_domain_is_asked_for_it():
    """A class whose members all have defaults has the protocol's members; it is what makes one, and not one."""

    @dataclass
    class Discrete:
        m: int = 2
        name = "discrete"
        metric = True
        cuts = None
        denominator = 1

        @classmethod
        def over(cls, domain):
            return cls(len(domain))

        def distance(self, i, j):
            return F(int(i != j))

        def row(self, i):
            return np.array([int(i != j) for j in range(self.m)], dtype=np.int64)

        def to_dict(self):
            return {"name": self.name}

    assert ground_distance(Discrete, Domain.of("abc")).m == 3
    with pytest.raises(DomainError, match="which is not one"):
        checked(Discrete)
