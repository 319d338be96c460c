"""Certificates of suppression and hiding: what is found is proved, and what is not so is refused."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proofs_tests.certificates.changes import changed
from proofs_tests.certificates.tables import HIERARCHIES, TREE, models, rolled, table
from proofs_tests.optimal.test_keeping import asked_of
from tcloseness.anonymize import mondrian
from tcloseness.certificates import TASKS, check, read_certificate, seal, verify
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.keeping import (
    HIDING,
    NO_HIDING,
    NO_SUPPRESSION,
    SUPPRESSION,
    Asked,
    kept_of,
)
from tcloseness.errors import CertificateError, InputError, NotCertified
from tcloseness.ground import Matrix
from tcloseness.lattice import RollUp
from tcloseness.microdata import ClassCounts, Domain, Microdata
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.certified import CertifiedTable, checked_conditions
from tcloseness.models.combination import all_of
from tcloseness.models.conditions import asks_of_values, least_records, parts_of
from tcloseness.optimal import Feasible, Infeasible, Optimal, certify, optimal_hiding, optimal_suppression
from tcloseness.optimal.keeping import Keeper, Kept
from tcloseness.strict_records import Work

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")

TASK = {False: optimal_suppression, True: optimal_hiding}
FORMATS = {False: (SUPPRESSION, NO_SUPPRESSION), True: (HIDING, NO_HIDING)}


def several(rng: random.Random) -> Any:
    """A distance, and what may fail where it does not."""
    grounds = rng.sample(["equal", "ordered", TREE], 2)
    one, other = (TCloseness(Fraction(rng.randint(1, 5), 10), ground=ground) for ground in grounds)
    more = [
        other,
        DistinctLDiversity(rng.randint(2, 3)),
        RecursiveCLDiversity(rng.randint(2, 3), c=rng.randint(1, 3)),
        AlphaKAnonymity(Fraction(rng.randint(2, 4), 5), k=2) & DistinctLDiversity(2),
        BasicBetaLikeness(Fraction(rng.randint(0, 4), 4)),
    ]
    return one & rng.choice(more)


def asked(rng: random.Random) -> list[Any]:
    found = [model for model in models(rng) if not isinstance(model, EntropyLDiversity)]
    return [*found, *(several(rng) for _ in range(5))]


class Truth:
    """What is so of a table and a model at any node, by trying everything with the package's own decision."""

    def __init__(self, searched: RollUp, model: Any, *, hidden: bool) -> None:
        self.searched, self.hidden = searched, hidden
        parts = [part for part in parts_of(model) if not hidden or asks_of_values(part)]
        self.model = all_of(tuple(parts)) if parts else None
        self.least = least_records(model) if hidden else 1
        self.at = cache(self._at)

    def _at(self, node: tuple[int, ...]) -> int | None:
        """The fewest that go; None if nothing can be kept, or a class is too small."""
        classes = self.searched.classes(node)
        lost = 0
        for g in range(len(classes)):
            row = classes.vector(g)
            if sum(row) < self.least:
                return None
            lost += sum(row) - self._most(tuple(row), classes)
        return lost if lost < classes.records else None

    def _most(self, row: Sequence[int], classes: ClassCounts) -> int:
        ways = np.array([x for x in itertools.product(*(range(n + 1) for n in row)) if any(x)])
        if self.model is None:
            return sum(row)
        each = ClassCounts.from_matrix(ways.T, domain=classes.domain).with_reference(classes.reference)
        ways = np.delete(ways, self.model.evaluate(each).violating, axis=0)
        return int(ways.sum(axis=1).max(initial=0))

    def of(self, record: Mapping[str, Any]) -> bool:
        """Whether a certificate of the table and the model, read as its statement is, says what is so."""
        proof = record["proof"]
        least = self.at(tuple(proof["node"]))
        if record["format"] in (NO_SUPPRESSION, NO_HIDING):
            return least is None
        return least is not None and proof["least"] <= least <= proof["enough"]


def cases(rng: random.Random, tables: int) -> Iterator[tuple[RollUp, Any, Any, bool]]:
    """A table, a release of it at a node, a model, and whether values are hidden."""
    for _ in range(tables):
        searched = rolled(table(rng))
        release = searched.release(rng.choice(list(searched.lattice)))
        for model in asked(rng):
            yield searched, release, model, rng.random() < 0.5


@pytest.mark.long
@pytest.mark.parametrize("tables", [5, pytest.param(150, marks=pytest.mark.slow)])
def test_every_answer_is_proved_and_is_what_trying_everything_finds(tables: int) -> None:
    seen: Counter[str] = Counter()
    for searched, release, model, hidden in cases(random.Random(7), tables):
        found = TASK[hidden](release, model, seed=1)
        envelope, (some, none) = found.certificate(), FORMATS[hidden]
        least = Truth(searched, model, hidden=hidden).at(tuple(envelope.proof["node"]))
        assert isinstance(found, Infeasible if least is None else Optimal)
        assert envelope.format == (none if least is None else some)
        if isinstance(found, Optimal):
            assert envelope.proof["enough"] == envelope.proof["least"] == found.objective == least
            assert found.proof == "exact argument, checked"
        seen[envelope.format] += 1
        trees = [size["tree"] for each in envelope.proof["classes"] for size in each["sizes"]]
        seen["split"] += any("value" in (node or {}) for tree in trees for node in tree)
    assert min(seen[name] for names in FORMATS.values() for name in names) >= 2
    assert tables < 100 or seen["split"]


@pytest.mark.parametrize(("tables", "mutants"), [(3, 8), pytest.param(60, 15, marks=pytest.mark.slow)])
def test_no_changed_proof_is_accepted_that_says_what_is_not_so(tables: int, mutants: int) -> None:
    rng = random.Random(8)
    seen: Counter[bool] = Counter()
    for searched, release, model, hidden in cases(rng, tables):
        read = CertifiedTable.of(searched.frequencies, searched.sensitive, HIERARCHIES)
        given = json.loads(TASK[hidden](release, model, seed=1).certificate().to_json())
        truth = Truth(searched, model, hidden=hidden)
        for _ in range(mutants):
            record = {**given, "proof": changed(rng, given["proof"])}
            if rng.random() < 0.2:  # other statements about the same classes
                record = {**record, "format": rng.choice(FORMATS[hidden])}
                record["statement"] = TASKS[record["format"]].statement
            record["sha256"] = seal(record)
            try:
                check(read_certificate(json.dumps(record)), read.counts, read.levels)
            except CertificateError:
                seen[False] += 1
            else:
                seen[True] += 1
                assert truth.of(record), record["proof"]
    assert seen[False] > seen[True] > 0


# ---------------------------------------------------------------------- one class at a time


def one_class(rng: random.Random) -> tuple[list[int], Conditions, Callable[[Sequence[int]], bool]]:
    """Counts that violate, what is asked, and whether some satisfy, by the definitions."""
    while True:
        m = rng.randint(1, 4)
        counts, q = [rng.choice([0, 1, 2, 3, 5]) for _ in range(m)], [rng.choice([0, 1, 2, 5]) for _ in range(m)]
        asked, good = asked_of(rng, m)
        if not sum(q) or not sum(counts) or good(counts, q) or any(isinstance(each, DeltaDisclosure) for each in asked):
            continue
        domain = Domain.declare(range(m))
        records = [record for model in asked for record in checked_conditions(model, domain)]
        return counts, Conditions(records, [f"number:{v}" for v in range(m)], q), lambda x, q=q, good=good: good(x, q)


def any_prices(rng: random.Random, asked: Asked) -> dict[str, Any]:
    i = rng.randrange(len(asked.distances))
    most = [asked.total * weight for *_, weight in asked.distances[i].sets]
    one = rng.random() < 0.5
    return {"distance": i, "prices": [rng.choice([-n, n]) if one else rng.randint(-n, n) for n in most]}


def any_tree(rng: random.Random, asked: Asked, m: int, deep: int = 3) -> list[Any]:
    if deep and rng.random() < 0.4:
        parts = (any_tree(rng, asked, m, deep - 1) for _ in range(2))
        return [{"value": rng.randrange(m), "most": rng.randint(0, 3)}, *itertools.chain(*parts)]
    return [any_prices(rng, asked) if asked.distances and rng.random() < 0.8 else None]


@pytest.mark.parametrize("classes", [150, pytest.param(6000, marks=pytest.mark.slow)])
def test_nothing_shows_that_less_can_be_kept_than_can(classes: int) -> None:
    """Whatever prices and trees are written: that a class can keep no more than one less than it can is refused."""
    rng, refused = random.Random(9), 0
    for _ in range(classes):
        counts, conditions, good = one_class(rng)
        m, asked = len(counts), Asked(conditions, hidden=False)
        most = max(
            (sum(x) for x in itertools.product(*(range(n + 1) for n in counts)) if any(x) and good(x)), default=0
        )
        for _ in range(4 if most else 0):
            first = rng.randint(1, sum(counts))
            above = {"size": first, **any_prices(rng, asked)} if asked.distances and rng.random() < 0.5 else None
            sizes = [{"size": size, "tree": any_tree(rng, asked, m)} for size in range(1, sum(counts))]
            entry = {"counts": counts, "kept": [0] * m, "bound": most - 1, "above": above, "sizes": sizes}
            with pytest.raises(CertificateError):
                asked.bound(counts, entry, "it")
            refused += 1
    assert refused > classes


SHARES = [{"condition": "share", "most": "1/2", "values": None}]
"""Of a class of 5, 2 and 1 the first value may be half: two go."""


def entry(**changes: Any) -> dict[str, Any]:
    return {"counts": [5, 2, 1], "kept": [3, 2, 1], "bound": 6, "above": None, "sizes": [], **changes}


def of_one(model: Sequence[Mapping[str, Any]], *entries: Any, hidden: bool = False) -> tuple[int, int, int]:
    conditions = Conditions(model, ["text:a", "text:b", "text:c"], [5, 3, 2])
    return kept_of([np.array([[5, 2, 1], [2, 2, 1]])], conditions, list(entries), hidden=hidden)


def test_a_bound_on_shares_is_seen_by_counting_alone() -> None:
    """Of 7 records 3 of a can stay, so 6 in all; the other class satisfies and stays as it is."""
    assert of_one(SHARES, entry()) == (6 + 5, 6 + 5, 1)
    assert of_one(SHARES, entry(bound=7)) == (11, 12, 1)
    assert of_one(SHARES, entry(kept=[2, 2, 0])) == (9, 11, 1)
    refused = {
        "6 records can be kept": entry(kept=[2, 2, 1], bound=5),
        "more is kept than there is": entry(kept=[3, 3, 1]),
        "7 records kept, more than its bound": entry(kept=[4, 2, 1]),
        "what is kept violates": entry(kept=[3, 2, 0]),
        "of no class": entry(counts=[0, 0, 0], kept=[0, 0, 0]),
        "are not there, or satisfy": [entry(), entry(counts=[5, 2, 2], bound=8)],
        "one that has an entry": [entry(), entry()],
        "violates and has no entry": [],
        "are not there, or satisfy ": [entry(), entry(counts=[2, 2, 1], kept=[2, 2, 1], bound=5)],
    }
    for match, each in refused.items():
        with pytest.raises(CertificateError, match=match.strip()):
            of_one(SHARES, *(each if isinstance(each, list) else [each]))


def test_records_are_asked_of_what_is_kept_or_of_the_class_where_values_are_hidden() -> None:
    model = [*SHARES, {"condition": "records", "least": 7}]
    assert of_one(SHARES, entry(), hidden=True) == of_one(model, entry(), hidden=True) == (11, 11, 1)
    gone = [entry(kept=[0, 0, 0], bound=0), entry(counts=[2, 2, 1], kept=[0, 0, 0], bound=0)]
    assert of_one(model, *gone) == (0, 0, 2)
    with pytest.raises(CertificateError, match="6 records can be kept"):
        of_one([*SHARES, {"condition": "records", "least": 6}], *gone)


FAR = [{"condition": "distance", "t": "1/8", "ground": {"name": "equal", "m": 3}}]
PRICES = {"distance": 0, "prices": [10, -10, -10]}


def of_far(**changes: Any) -> int:
    """What is shown of a class of 9, 2 and 1, of which at t = 1/8 beside (5, 3, 2)/10 at most 5, 2 and 1 can stay."""
    given = {"counts": [9, 2, 1], "kept": [5, 2, 1], "bound": 8, "above": None, "sizes": [], **changes}
    conditions = Conditions(FAR, ["text:a", "text:b", "text:c"], [5, 3, 2])
    kept, most, violating = kept_of([np.array([[9, 2, 1]])], conditions, [given], hidden=False)
    assert (kept, violating) == (sum(given["kept"]), 1)
    return most


def test_a_potential_excludes_a_size_and_all_above_it() -> None:
    """600·x_a ≤ 1000·(x_b + x_c), so x_a ≤ 5."""
    above = {"size": 9, **PRICES}
    assert of_far(above=above) == 8
    assert of_far(above={**above, "size": 10}, bound=9) == 9
    for changes in (
        {"size": 8},
        {"size": 10},
        {"prices": [0, 0, 0]},
        {"prices": [11, -10, -10]},
        {"prices": [10, -11, -10]},
        {"prices": [10, -10]},
        {"prices": [10, -10, -10, 0]},
        {"distance": 1},
        {"size": 0},
    ):
        with pytest.raises((CertificateError, InputError)):
            of_far(above={**above, **changes})


def test_prices_exclude_one_size_and_splits_its_parts() -> None:
    sizes = [{"size": size, "tree": [PRICES]} for size in (9, 10, 11)]
    assert of_far(sizes=sizes) == 8
    split = [{"value": 0, "most": 5}, None, PRICES]  # without a sixth of a there are no nine
    assert of_far(sizes=[{"size": 9, "tree": split}, *sizes[1:]]) == 8
    deep = [{"value": 0, "most": 5}, None, {"value": 1, "most": 1}, PRICES, {"value": 1, "most": 0}, None, PRICES]
    assert of_far(sizes=[{"size": 9, "tree": deep}, *sizes[1:]]) == 8
    low = [{"value": 0, "most": 5}, None, None]  # with a sixth of a prices of 0 are enough, and with a fifth not
    assert of_far(sizes=[{"size": 9, "tree": low}, *sizes[1:]]) == 8
    for tree in (
        [None],
        [{"value": 0, "most": 6}, None, PRICES],
        split[:2],
        split[:1],
        [*split, None],
        deep[:-1],
        [{"value": 3, "most": 5}, PRICES, PRICES],
        [{"value": 0, "most": -1}, None, PRICES],
        [PRICES, PRICES],
        [],
        [3],
        [{}],
        [{**PRICES, "most": 1}],
    ):
        with pytest.raises((CertificateError, InputError)):
            of_far(sizes=[{"size": 9, "tree": tree}, *sizes[1:]])
    assert of_far(sizes=sizes[:2]) == 8  # at 11 prices of 0 are enough: two of three must be below their share
    for missing in (9, 10):
        with pytest.raises(CertificateError, match=f"shown that no {missing} records"):
            of_far(sizes=[each for each in sizes if each["size"] != missing])
    with pytest.raises(CertificateError, match="names the size 9 twice"):
        of_far(sizes=[*sizes, sizes[0]])


def test_sizes_that_whole_numbers_do_not_allow_need_no_prices() -> None:
    """At t = 0 beside (5, 3, 2)/10 only multiples of 10 records can stay."""
    model = [{**FAR[0], "t": "0"}]
    none = {"kept": [0, 0, 0], "bound": 0}
    assert of_one(model, entry(**none), entry(counts=[2, 2, 1], **none)) == (0, 0, 2)


def test_even_counts_bound_what_has_a_tail_or_values() -> None:
    """r_1 < r_2 + r_3 of (5, 2, 1): two of the first stay at most; with three values asked of two there are none."""
    tail = [{"condition": "tail", "l": 2, "c": "1"}]
    assert of_one(tail, entry(kept=[2, 2, 1], bound=5)) == (10, 10, 1)
    with pytest.raises(CertificateError, match="5 records can"):
        of_one(tail, entry(kept=[2, 1, 1], bound=4))
    shares = [*tail, {"condition": "share", "most": "2/5", "values": ["text:a", "text:x"]}]
    assert of_one(shares, entry(kept=[2, 2, 1], bound=5)) == (10, 10, 1)
    values = [{"condition": "values", "least": 3}]
    conditions = Conditions(values, ["text:a", "text:b", "text:c"], [5, 3, 2])
    few = entry(counts=[10**9, 2, 0], kept=[0, 0, 0], bound=0)
    assert kept_of([np.array([[10**9, 2, 0]])], conditions, [few], hidden=False) == (0, 0, 1)


def test_what_would_take_too_long_is_not_checked() -> None:
    """Of 10¹² records the sizes would be tried one by one."""
    conditions = Conditions([{**FAR[0], "t": "0"}], ["text:a", "text:b", "text:c"], [5, 3, 2])
    conditions.work = Work(1e6)
    many = entry(counts=[10**12, 1, 1], kept=[0, 0, 0], bound=0)
    with pytest.raises(InputError, match="take too long"):
        kept_of([np.array([[10**12, 1, 1]])], conditions, [many], hidden=False)


# ---------------------------------------------------------------------- what an answer hands over


def test_a_bound_that_is_not_met_is_certified_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two classes the search of the second ends at once: one of it goes at least, and at most all."""
    frame = pd.DataFrame({"a": list("111112222222"), "b": ["p"] * 12, "s": list("xxxyzxxxxxyz")})
    release, model = rolled(frame).release((0, 0)), FrequencyLDiversity(2)
    most = Keeper.most

    def ended(self: Keeper, row: Mapping[int, int]) -> Kept:
        return Kept({}, sum(row.values()) - 1, "exact") if sum(row.values()) == 7 else most(self, row)

    monkeypatch.setattr(Keeper, "most", ended)
    for task, name in ((optimal_suppression, SUPPRESSION), (optimal_hiding, HIDING)):
        found = task(release, model)
        assert isinstance(found, Feasible)
        envelope = found.certificate()
        assert (envelope.format, found.objective, found.bound) == (name, 8, 2)
        assert (envelope.proof["enough"], envelope.proof["least"]) == (8, 2)


def test_what_there_was_no_time_to_check_is_not_called_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same optimum, of which only that each of the two classes loses one record is said."""
    frame = pd.DataFrame({"a": list("111112222222"), "b": ["p"] * 12, "s": list("xxxyzxxxxxyz")})
    release, model = rolled(frame).release((0, 0)), FrequencyLDiversity(2)
    for limit, seconds, optimal in ((60, 64.9, True), (60, 65.1, False), (1, 1.7, True), (1, 1.9, False)):
        with monkeypatch.context() as late:
            late.setattr(certify.Clock, "seconds", seconds)
            late.setattr(certify.Clock, "check", lambda *_: None)
            found = optimal_suppression(release, model, time_limit=limit)
        assert isinstance(found, Optimal if optimal else Feasible)
        assert found.objective == 4
        if isinstance(found, Feasible):
            assert (found.bound, "not certified: the sizes of classes could not be checked" in found.proof) == (2, True)
            with pytest.raises(NotCertified, match="could not be checked within"):
                found.certificate()


def test_a_proof_that_is_refused_leaves_the_bound_that_a_class_has_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """What violates loses one record; what is kept is judged by the model all the same."""
    frame = pd.DataFrame({"a": list("111112222222"), "b": ["p"] * 12, "s": list("xxxyzxxxxxyz")})
    release, model = rolled(frame).release((0, 0)), FrequencyLDiversity(2)
    most = Keeper.most
    monkeypatch.setattr(Keeper, "most", lambda self, row: replace(most(self, row), bound=sum(row.values()) - 4))
    found = optimal_suppression(release, model)
    assert isinstance(found, Feasible)
    assert (found.objective, found.bound, found.proof) == (4, 2, "exact argument, checked")


def test_the_published_table_is_certified_where_classes_are_no_node() -> None:
    """Its rows, with labels as texts, are what the certificate is checked against."""
    frame = pd.DataFrame({"a": [1, 2, 3, 8, 9, 9, 7], "b": [1, 1, 1, 5, 5, 6, 9], "s": list("xxyxyxx")})
    made = Microdata.from_frame(frame, quasi_identifiers=["a", "b"], sensitive="s")
    release = mondrian(made, KAnonymity(3)).release
    found = optimal_suppression(release, KAnonymity(2) & TCloseness("1/10", ground="equal"))
    envelope = found.certificate()
    assert (set(envelope.hierarchies.values()), envelope.proof["node"]) == ({None}, [0, 0])
    file = release.rows().to_csv().encode()
    assert verify(envelope.to_json(), file, {}).found.startswith(f"{found.objective} of 7 records go, and fewer")


def test_a_class_too_small_for_k_is_shown_where_values_are_hidden() -> None:
    release = rolled(pd.DataFrame({"a": ["1", "2"], "b": ["p", "q"], "s": ["x", "y"]})).release((0, 0))
    envelope = optimal_hiding(release, KAnonymity(2) & TCloseness("1/2", ground="equal")).certificate()
    assert (envelope.format, envelope.proof["classes"]) == (NO_HIDING, [])


def test_what_is_not_certified_says_why() -> None:
    searched = rolled(table(random.Random(3)))
    release, close = searched.release((0, 0)), TCloseness("1/5", ground="equal")
    m = len(release.classes.domain)
    matrix = TCloseness("1/5", ground=Matrix([[int(a != b) for a in range(m)] for b in range(m)]))
    for answer, why in (
        (optimal_suppression(release.classes, close), "class counts were given"),
        (optimal_suppression(release, close, engine="HiGHS"), "HiGHS was named"),
        (optimal_hiding(release, DeltaDisclosure(1) & close), "no checker for delta"),
        (optimal_suppression(release, matrix), "no checker for t-closeness"),
        (optimal_suppression(release.suppress([0]), close), "suppressed already"),
    ):
        with pytest.raises(NotCertified, match=why):
            answer.certificate()
