"""Proofs of optimal partitions as `tcloseness.certificates.partition` checks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.certificates import Envelope, Reading
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.partition import PARTITION, check_partition
from tcloseness.certificates.reading import value_part
from tcloseness.errors import CertificateError, InputError, NotCertified
from tcloseness.exact import number_text
from tcloseness.limits import Clock
from tcloseness.microdata import FrequencySet
from tcloseness.microdata.canonical import canonical_value
from tcloseness.models import PrivacyModel
from tcloseness.models.certified import CertifiedTable, checked_conditions
from tcloseness.models.conditions import asks_of_values, least_records
from tcloseness.optimal.answers import Watched
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.column_generation import Generated
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.pricing import SCALE
from tcloseness.optimal.rank_one import Cuts
from tcloseness.optimal.tree import Leaf
from tcloseness.release import Categorical, Hierarchical, Numeric, Partition

__all__ = ["PartitionProof"]

_FINER = 16
"""Prices at leaves are whole numbers of a smaller unit."""


class PartitionProof:
    """What a checker reads of a partition's records, of what they cost, and of what is asked.

    Parameters
    ----------
    kinds, model, costs, suppressed
        As for `tcloseness.optimal.column_generation.generate`.

    Raises
    ------
    NotCertified
        If no checker knows the model, the loss or an attribute.
    """

    def __init__(self, kinds: KindCounts, model: PrivacyModel, costs: ClassCosts, suppressed: int) -> None:
        self.kinds, self.model, self.costs, self.suppressed = kinds, model, costs, suppressed
        loss = getattr(costs.loss, "checked_as", None)
        if loss is None:
            raise NotCertified(f"not certified: no checker for {costs.name} of classes")
        domain = kinds.counting.domain
        hierarchies = {a.name: a.hierarchy for a in costs.attributes if isinstance(a, Hierarchical)}
        for name, hierarchy in hierarchies.items():
            if not hierarchy.uniform:
                raise NotCertified(
                    f"not certified: no checker for leaves at unequal depth in the hierarchy of {name!r}"
                )
        counted = FrequencySet.of(kinds.table)
        self.table = replace(CertifiedTable.of(counted, kinds.counting.sensitive, hierarchies), domain=domain)
        self.asked = checked_conditions(model, domain)
        self._about = {
            "values": self.table.values,
            "attributes": list(map(_attribute, costs.attributes)) if not len(costs.sizes) else [],
            "loss": loss,
            "unit": costs.unit,
            "suppressed": suppressed,
            "kinds": self._names(),
        }

    def _names(self) -> list[list[str]]:
        columns = [
            [value_part(canonical_value(a.domain.values[code])) for code in self.kinds.codes[:, place].tolist()]
            for place, a in enumerate(self.costs.attributes)
        ]
        if asks_of_values(self.model):
            columns.append([self.table.values[value] for value in self.kinds.values])
        return [list(name) for name in zip(*columns, strict=True)]

    def of(self, partition: Partition | None, bound: int, found: Generated | None, clock: Clock) -> dict[str, Any]:
        """Return the proof that a partition is one, and that none costs less than a whole bound; it is checked.

        Without a partition, of a bound that none of them can reach.

        Parameters
        ----------
        found
            What was found by generating classes, if anything.

        Raises
        ------
        NotCertified
            If the checker refuses it.
        LimitReached
            If a limit is reached.
        """
        why: Exception | None = None
        for shown in self._shown(bound, found):
            proof = {
                **self._about,
                "classes": None if partition is None else self._classes(partition),
                "value": None if partition is None else number_text(self.costs.of(partition)),
                "bound": None if partition is None else number_text(self.costs.loss_of(bound)),
                **shown,
            }
            conditions = Conditions(self.asked, self.table.values, self.table.nodes.reference.tolist())
            try:
                check_partition(self.table.nodes, conditions, proof, work=Watched(clock))
            except (CertificateError, InputError) as error:
                why = error
                continue
            return proof
        raise NotCertified(f"not certified: the checker refuses it: {why}") from why

    def _classes(self, partition: Partition) -> list[list[int]]:
        kind_of, class_of = self.kinds.kind_of, partition.class_of
        classes: list[list[int]] = [[] for _ in range(len(partition))]
        for kind, place in sorted(zip(kind_of.tolist(), class_of.tolist(), strict=True)):
            if place >= 0:
                classes[place].append(kind)
        return sorted(classes)

    def sealed(self, proof: Mapping[str, Any], reading: Reading | None, file_sha256: str) -> Envelope:
        """Put a certificate together."""
        return self.table.sealed(PARTITION, self.model, proof, reading=reading, file_sha256=file_sha256)

    def sealed_bound(
        self,
        known: Partition | None,
        bound: int,
        generated: Generated | None,
        reading: Reading | None,
        file_sha256: str,
    ) -> Envelope:
        """Put the certificate of a bound together, which is proved when it is asked for."""
        return self.sealed(self.of(known, bound, generated, Clock()), reading, file_sha256)

    def _shown(self, bound: int, found: Generated | None) -> Iterator[dict[str, Any]]:
        """Yield prices, with a limit and a tree, that may prove a bound."""
        if found is not None:
            yield from self._generated(bound, found)
        least = least_records(self.model)
        each = 0 if not len(self.costs.sizes) else -int(self.costs.of_sizes(np.array(1)))
        price = min(0, -(-(-SCALE * each) // least)) if each > 0 else 0
        prices = {"kinds": [price] * len(self.kinds), "cuts": [0] if self.suppressed else []}
        yield {"scale": SCALE, "cuts": [], "prices": prices, "limit": -1, "tree": None}

    def _generated(self, bound: int, found: Generated) -> Iterator[dict[str, Any]]:
        needed = SCALE * (bound - 1) - found.base
        cuts = found.prices.cuts if needed < 0 else found.cuts
        prices = (np.asarray(found.prices.records) * _FINER).tolist()
        dues = dict(zip(_names(found.prices.cuts), (found.prices.dues * _FINER).tolist(), strict=True))
        root = {"kinds": prices, "cuts": [dues.get(name, 0) for name in _names(cuts)]}
        if self.suppressed:
            root["cuts"].append(self._due(prices))
        limit = -1 if needed < 0 else needed * _FINER + _FINER - 1
        tree = None if needed < 0 else self._tree(found, needed)
        if needed < 0 or tree:
            yield {"scale": SCALE * _FINER, **_used(cuts, root, tree), "limit": limit}

    def _tree(self, found: Generated, limit: int) -> list[dict[str, Any]]:
        """Return the branches in their order, all of the first side before all of the second; none if some are missing.

        A branch at a class of a greater reduced cost than the limit has one side, on which it is not taken.
        """
        kinds, classes = len(self.kinds), found.classes
        single = np.flatnonzero(np.array(self.kinds.counts) == 1).tolist()
        reduced = SCALE * self.costs.of_groups(self.kinds, classes) - found.prices.of(classes)
        tree: list[dict[str, Any]] = []

        def below(leaves: list[Leaf], depth: int) -> bool:
            if len(leaves) == 1 and len(leaves[0].path) == depth:
                tree.append(self._leaf(leaves[0]))
                return True
            sides: dict[Any, list[Leaf]] = {}
            for leaf in leaves:
                sides.setdefault(leaf.path[depth] if len(leaf.path) > depth else None, []).append(leaf)
            if len(sides) != 2 or None in sides:
                return False
            (kind, a, b, _), _ = order = sorted(sides, key=lambda split: split[3])
            if kind == "pair":
                tree.append({"pair": [single[a], single[b]]})
            elif a >= len(classes):
                tree.append({"record": a - len(classes), "most": b})
            elif reduced[a] <= limit:
                tree.append({"class": np.repeat(np.arange(kinds), classes[a]).tolist(), "most": b})
            else:
                order = order[:1]
            return all(below(sides[side], depth + 1) for side in order)

        return tree if below(list(found.leaves), 0) else []

    def _leaf(self, leaf: Leaf) -> dict[str, Any]:
        prices, many = leaf.prices.tolist(), len(self.kinds)
        lost = 1 if self.suppressed else 0  # its row stands before those of cuts
        dues = [-due for due in (*prices[many + lost :], *prices[many : many + lost])]
        return {"kinds": prices[:many], "cuts": dues, "empty": leaf.empty}

    def _due(self, prices: Sequence[int]) -> int:
        """Return the due of a suppressed record by which most is shown."""
        gains = np.repeat([SCALE * _FINER * self.costs.suppressed - p for p in prices], self.kinds.counts)
        return max(0, -int(np.sort(gains)[self.suppressed - 1]))


def _attribute(attribute: Any) -> dict[str, Any]:
    if type(attribute) is Numeric:
        numbers = attribute.domain.positions(f"the range of {attribute.name!r}")
        return {"kind": "numeric", "range": [number_text(Fraction(end)) for end in (min(numbers), max(numbers))]}
    if type(attribute) is Hierarchical:
        return {"kind": "hierarchical"}
    if type(attribute) is Categorical:
        return {"kind": "categorical", "of": attribute.whole}
    raise NotCertified(f"not certified: no checker for the attribute {attribute.name!r} of kind {attribute.kind}")


def _names(cuts: Cuts) -> list[tuple[bytes, int]]:
    return [(row.tobytes(), int(divisor)) for row, divisor in zip(cuts.weights, cuts.divisors, strict=True)]


def _used(cuts: Cuts, root: dict[str, Any], tree: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Return the cuts that some price is of, and prices over them alone; the last is that of suppression."""
    priced = [root, *(entry for entry in tree or () if "cuts" in entry)]
    used = [k for k in range(len(cuts)) if any(entry["cuts"][k] for entry in priced)]
    for entry in priced:
        entry["cuts"] = [*(entry["cuts"][k] for k in used), *entry["cuts"][len(cuts) :]]
    shown = [
        {"weights": [[kind, int(row[kind])] for kind in np.flatnonzero(row).tolist()], "divisor": int(divisor)}
        for row, divisor in zip(cuts.weights[used], cuts.divisors[used], strict=True)
    ]
    return {"cuts": shown, "prices": root, "tree": tree}
