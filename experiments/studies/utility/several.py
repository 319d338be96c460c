"""Several sensitive attributes in one table: what it costs to protect both of a pair, in each way that is known.

On all records of a data set, by full-domain generalization without suppression. Machanavajjhala et al. 2006, Definition
4.5 lets the other sensitive attribute join the quasi-identifiers; joint t-closeness treats the pair of values as one
value. Two pairs of values are at distance 1 if they differ: that is the greater one of the attributes' equal distances.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from experiments.studies.utility.data import DataSet
from experiments.studies.utility.releases import LOSS
from tcloseness.lattice import RollUp, minimal_generalizations
from tcloseness.lattice.lattice import Node
from tcloseness.loss.names import loss_named
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness

__all__ = ["EACH", "JOINTLY", "Nodes", "costs", "criteria", "frame"]

JOINT = " and "
EACH, JOINTLY = "for each alone", "for both jointly"
"""How criteria about both attributes of a pair are named."""


class Nodes:
    """The lattice of a data set, and which of its nodes satisfy what."""

    def __init__(self, data: DataSet, pair: tuple[str, str], k: int, records: int = 0) -> None:
        self.pair, self.k = pair, k
        self.hierarchies = data.hierarchies()
        frame = data.records().loc[:, [*self.hierarchies, *pair]].iloc[: records or None]
        self.joint = JOINT.join(pair)
        self.frame = frame.assign(**{self.joint: frame[pair[0]] + JOINT + frame[pair[1]]})
        self.plain = self.rolled(self.joint)

    def rolled(self, sensitive: str, *joining: str) -> RollUp:
        """Return the records under the lattice, with other columns as quasi-identifiers, as they are or suppressed."""
        more = {name: Hierarchy.suppression(sorted(self.frame[name].unique()), name=name) for name in joining}
        frequencies = FrequencySet.from_frame(
            self.frame, quasi_identifiers=[*self.hierarchies, *joining], sensitive=sensitive
        )
        return RollUp(frequencies, {**self.hierarchies, **more})

    def satisfying(self, model: PrivacyModel, sensitive: str, *joining: str) -> set[Node]:
        """Return the nodes that satisfy a model, while joining columns stay as they are."""
        found = minimal_generalizations(self.rolled(sensitive, *joining), model).satisfying
        size = len(self.hierarchies)
        return {node[:size] for node in found if not any(node[size:])}

    def least(self, nodes: set[Node]) -> tuple[Node, float] | None:
        """Return the node of least loss, and its loss; None if there is no node."""
        lattice, loss = self.plain.lattice, loss_named(LOSS)
        minimal = [node for node in nodes if not nodes.intersection(lattice.children(node))]
        values = {node: loss.evaluate(self.plain.release(node)).value for node in minimal}
        best = min(values, key=lambda node: (values[node], node), default=None)
        return None if best is None else (best, float(values[best]))


def criteria(nodes: Nodes, l: int, t: str) -> Mapping[str, set[Node]]:  # noqa: E741
    """Return the nodes that satisfy each criterion, all of them k-anonymous, by the criterion's name."""
    a, b = nodes.pair
    k = nodes.satisfying(KAnonymity(nodes.k), nodes.joint)
    diverse, close = DistinctLDiversity(l), TCloseness(t, ground="equal")
    found = {f"k = {nodes.k}": k}
    for name, model in ((f"l = {l}", diverse), (f"t = {t}", close)):
        one, other = (k & nodes.satisfying(model, sensitive) for sensitive in (a, b))
        found |= {f"{name} for {a}": one, f"{name} for {b}": other, f"{name} {EACH}": one & other}
    found[f"l = {l}, each with the other as quasi-identifier"] = (
        k & nodes.satisfying(diverse, a, b) & nodes.satisfying(diverse, b, a)
    )
    found[f"t = {t} {JOINTLY}"] = k & nodes.satisfying(close, nodes.joint)
    return found


def costs(data: DataSet, k: int, l: int, t: str, records: int = 0) -> Iterator[dict[str, Any]]:  # noqa: E741
    """Yield for each pair and criterion how many nodes satisfy it, and the least loss among them."""
    for pair in data.pairs:
        nodes = Nodes(data, pair, k, records)
        for name, found in criteria(nodes, l, t).items():
            best = nodes.least(found)
            yield {
                "data": data.name,
                "records": len(nodes.frame),
                "sensitive attributes": JOINT.join(pair),
                "criterion": name,
                "nodes": len(nodes.plain.lattice),
                "nodes that satisfy it": len(found),
                "node of least GCP": None if best is None else nodes.plain.lattice.text(best[0]),
                "least GCP": None if best is None else best[1],
            }


def frame(data: DataSet, k: int, l: int, t: str, records: int = 0) -> pd.DataFrame:  # noqa: E741
    """Return `costs` as a table."""
    return pd.DataFrame(costs(data, k, l, t, records))
