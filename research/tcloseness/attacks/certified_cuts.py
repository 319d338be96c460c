"""What refused cuts say of each person, and the certificate of what is certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tcloseness.attacks.counted_beliefs import CountedBeliefs
from tcloseness.certificates import Envelope, Reading
from tcloseness.certificates.reading import value_part
from tcloseness.certificates.refusals import REFUSALS
from tcloseness.errors import NotCertified
from tcloseness.microdata import FrequencySet
from tcloseness.microdata.canonical import canonical_value
from tcloseness.models import PrivacyModel
from tcloseness.models.certified import CertifiedTable
from tcloseness.release import Anonymized
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric

__all__ = ["RefusedCuts"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RefusedCuts(CountedBeliefs):
    """What refused cuts say of each person.

    Attributes
    ----------
    made, model
        The release and its model, as they were given.
    settled
        The records whose value is certain, and that value's place in the domain.
    """

    made: Anonymized
    model: PrivacyModel
    settled: Mapping[int, int]

    def certified(self, *, reading: Reading | None = None, file_sha256: str = "") -> Envelope:
        """Return what proves the certain values, about the table that was released; a checker has accepted it.

        Parameters
        ----------
        reading, file_sha256
            How the table's CSV file is read, and the sha256 of its bytes, where it was one.

        Raises
        ------
        NotCertified
            If nothing is certain, or no checker knows the model or an attribute.
        """
        if not self.settled:
            raise NotCertified("not certified: no value is certain of refused cuts, so there is nothing to prove")
        partition, attributes = self.made.grouped, self.made.attributes
        table, secret = partition.table, self.made.sensitive
        hierarchies = {each.name: each.hierarchy for each in attributes if isinstance(each, Hierarchical)}
        uneven = next((name for name, hierarchy in hierarchies.items() if not hierarchy.uniform), None)
        if uneven is not None:
            raise NotCertified(f"not certified: no checker for leaves at unequal depth in the hierarchy of {uneven!r}")
        names = [
            [value_part(canonical_value(column.domain.values[code])) for code in column.codes.tolist()]
            for column in table.quasi_identifiers
        ]
        labels = list(zip(*names, strict=True))
        class_of = partition.class_of.tolist()
        if len(set(labels)) < len(set(zip(labels, class_of, strict=True))):
            raise NotCertified(
                "not certified: records with equal quasi-identifiers are in two classes, which no strict cut does"
            )
        classes = []
        for group in sorted({class_of[row] for row in self.settled}):
            members = partition.groups[group].tolist()
            place = {label: at for at, label in enumerate(dict.fromkeys(labels[row] for row in members))}
            facts = {(place[labels[row]], self.settled[row]): None for row in members if row in self.settled}
            classes.append({"members": [list(label) for label in place], "facts": [list(fact) for fact in facts]})
        proof = {"attributes": [_checked_as(each) for each in attributes], "classes": classes}
        checked = CertifiedTable.of(FrequencySet.of(table), secret, hierarchies)
        return checked.sealed(REFUSALS, self.model, proof, reading=reading, file_sha256=file_sha256)


def _checked_as(attribute: object) -> dict[str, object]:
    if isinstance(attribute, Categorical):
        return {"kind": "categorical", "order": [value_part(canonical_value(v)) for v in attribute.domain.values]}
    return {"kind": "numeric" if isinstance(attribute, Numeric) else "hierarchical"}
