"""Certificates of suppression and hiding: what is found is proved, and what is not so is refused."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.tables import HIERARCHIES, TREE, models, rolled, table
from proofs_tests.certificates.test_lattice import changed
from tcloseness.certificates import TASKS, check, read_certificate, seal
from tcloseness.certificates.keeping import HIDING, NO_HIDING, NO_SUPPRESSION, SUPPRESSION
from tcloseness.errors import CertificateError
from tcloseness.lattice import RollUp
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.certified import CertifiedTable
from tcloseness.models.combination import all_of
from tcloseness.models.conditions import asks_of_values, least_records, parts_of
from tcloseness.optimal import Infeasible, Optimal, optimal_hiding, optimal_suppression

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
    assert tables < 100 or seen["split"] > 20


@pytest.mark.parametrize(("tables", "mutants"), [(3, 8), pytest.param(120, 30, marks=pytest.mark.slow)])
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
