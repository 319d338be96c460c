"""What the tests of this room share: small random tables under hierarchies, and an oracle that knows no roll-up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Any

import pandas as pd
from hypothesis import strategies as st

from proofs_tests.strategies import hierarchies
from tcloseness.lattice import Node, RollUp
from tcloseness.loss import LossResult
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.p_sensitive import PSensitiveKAnonymity
from tcloseness.release import Release

GROUPS = Hierarchy.from_groups([{"low": [0, 1], "high": [2, 3]}], name="s")


@dataclass(frozen=True)
class Case:
    """A table of rows (a, b, c, s) with the sensitive value s in 0 … 3, and hierarchies of a, b and c."""

    rows: list[tuple[Any, ...]]
    hierarchies: Mapping[str, Hierarchy]

    @cached_property
    def frequencies(self) -> FrequencySet:
        frame = pd.DataFrame(self.rows, columns=[*self.hierarchies, "s"])
        return FrequencySet.from_frame(
            frame, quasi_identifiers=list(self.hierarchies), sensitive="s", domains={"s": range(4)}
        )

    def rolled(self, *, compiled: bool, memory: int = 2**27) -> RollUp:
        return RollUp(self.frequencies, self.hierarchies, compiled=compiled, memory=memory)

    # -------------------------------------------------------------- the oracle: generalize anew, ask the model

    @property
    def nodes(self) -> Iterator[Node]:
        return product(*(range(h.height + 1) for h in self.hierarchies.values()))

    @cached_property
    def _classes(self) -> dict[Node, ClassCounts]:
        return {}

    def classes(self, node: Node) -> ClassCounts:
        if node not in self._classes:
            levels = dict(zip(self.hierarchies, node, strict=True))
            self._classes[node] = self.frequencies.generalize(self.hierarchies, levels).class_counts()
        return self._classes[node]

    def withheld(self, node: Node, model: Any) -> list[int]:
        return [int(i) for i in model.evaluate(self.classes(node)).violating]

    def satisfies(self, node: Node, model: Any, limit: int = 0) -> bool:
        lost = int(self.classes(node).class_sizes[self.withheld(node, model)].sum())
        return lost <= limit and lost < len(self.rows)

    def satisfying(self, model: Any, limit: int = 0) -> set[Node]:
        return {node for node in self.nodes if self.satisfies(node, model, limit)}

    def loss(self, node: Node, model: Any, loss: Any) -> LossResult:
        levels = dict(zip(self.hierarchies, node, strict=True))
        release = Release.full_domain(self.frequencies, self.hierarchies, levels)
        found: LossResult = loss.evaluate(release.suppress(self.withheld(node, model)))
        return found


def minimal(nodes: set[Node]) -> set[Node]:
    """The nodes without a direct specialization among them."""
    return {
        v for v in nodes if not any((*v[:i], x - 1, *v[i + 1 :]) in nodes for i, x in enumerate(v))
    }  # a level −1 is in no set


@st.composite
def cases(draw: st.DrawFn, *, max_rows: int = 14, max_attributes: int = 3) -> Case:
    """Up to three quasi-identifiers; several copies of a row are common, so that classes may be large."""
    names = ["a", "b", "c"][: draw(st.integers(1, max_attributes))]
    given = {name: draw(hierarchies(values=VALUES, max_height=3)) for name in names}
    drawn = draw(_rows(len(names), max_rows))
    return Case([tuple(row) for *row, copies in drawn for _ in range(copies)], given)


VALUES = tuple(f"v{i}" for i in range(3))


@cache
def _rows(attributes: int, max_rows: int) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Rows with how often each is there."""
    row = (*[st.sampled_from(VALUES)] * attributes, st.integers(0, 3))
    return st.lists(st.tuples(*row, st.sampled_from([1, 1, 2, 5])), min_size=1, max_size=max_rows)


MONOTONE = (
    KAnonymity(2),
    KAnonymity(4),
    DistinctLDiversity(2),
    EntropyLDiversity(2),
    EntropyLDiversity("5/2"),
    RecursiveCLDiversity(1, c=1),
    RecursiveCLDiversity(2, c=2),
    RecursiveCLDiversity(3, c="3/2"),
    TCloseness("1/5", ground="equal"),
    TCloseness("1/4", ground="ordered"),
    TCloseness("1/3", ground="ordered-by-value"),
    KAnonymity(3) & TCloseness("3/10", ground="equal"),
    KAnonymity(2) & DistinctLDiversity(2),
    PSensitiveKAnonymity(p=2, k=3),
    EntropyLDiversity(2) & RecursiveCLDiversity(2, c=3) & KAnonymity(2),
)
"""Models that are monotone under generalization; the thresholds are often met exactly on small tables."""

models = st.sampled_from(MONOTONE)


def sorted_rows(classes: ClassCounts) -> list[tuple[tuple[Any, ...], list[int]]]:
    """Each class's label and counts, in order."""
    return [(classes.label(i), classes.vector(i)) for i in range(len(classes))]
