"""`Conventions`: the choices that change a number, by name, carried by every result.

The field defines most quantities in more than one way. Each result says which way it took; two results that took
different ways are not comparable, and comparing them says which choice differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tcloseness.errors import ConventionError, ProtocolError
from tcloseness.printable import LONGEST, shortest

__all__ = ["MEANINGS", "Conventions"]

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "missing values": "what an empty cell of a used column means",
        "columns without a role": "which columns of the table nothing was asked of",
        "spellings": "which values that look the same were made one",
        "persons": "whether sizes and values count persons of several rows, and which column names them",
        "suppressed records": "which rows are suppressed records, members of no class",
        "reference distribution": "whose distribution Q is",
        "domain": "which values belong to the sensitive attribute's domain",
        "order of the values": "where the order of the values comes from",
        "measure": "the distance between a class's distribution and Q",
        "entropy": "which entropy, in which unit",
        "comparison": "what happens at equality with the threshold",
        "several sensitive attributes": "how attributes are combined",
        "unit": "what a percentage or a logarithm is counted in",
        "absent values": "what a value that a class lacks counts",
        "values bounded": "which sensitive values a bound is asked of",
        "no value at risk": "what a class without any value at risk counts",
        "supersets": "which unions of classes count as natural supersets",
        "population": "where the population's counts come from",
        "weights": "what weights are, and what goes by them",
        "suppressed records in the loss": "what a suppressed record costs",
        "loss": "which of several printed formulas",
        "leaves of a label": "which values a generalized label stands for",
        "extent of a numeric cell": "how wide a generalized number is",
        "several attributes": "how the losses of attributes are put together",
        "quasi-identifiers": "how each quasi-identifier is generalized",
        "recoding": "which records of one value may show different labels",
        "choice of the attribute": "which quasi-identifier an algorithm generalizes or cuts next",
        "place of a cut": "where an algorithm cuts an attribute in two",
        "distance of records": "how far apart two records lie on their quasi-identifiers",
        "last records": "what an algorithm does with records that are left over",
        "draws": "what is drawn at random, and whether its seed is secret",
        "ties": "what happens when several values or nodes are equally good",
    }
)
"""Every choice that a result can name, and what it is about."""

_NO_CHOICE = ("columns without a role", "draws")
"""What is said of the table or of how it was made, and not of the number: results that differ in it are comparable."""


class Conventions(Mapping[str, str]):
    """The named choices behind a number: a read-only mapping from a name in `MEANINGS` to the choice, as text.

    Raises
    ------
    ProtocolError
        For a name that is not in `MEANINGS`: a choice must be findable by its name.

    Examples
    --------
    >>> ours, theirs = Conventions({"domain": "values that occur"}), Conventions({"domain": "declared"})
    >>> ours.differences(theirs)
    {'domain': ('values that occur', 'declared')}
    """

    def __init__(self, choices: Mapping[str, str] | None = None) -> None:
        self._choices = dict(choices or {})
        for name in self._choices:
            if name not in MEANINGS:
                raise ProtocolError(f"{name!r} is not a convention's name; add it, and what it is about, to MEANINGS")

    def __getitem__(self, name: str) -> str:
        return self._choices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def __repr__(self) -> str:
        return shortest(f"Conventions({self._choices!r}", LONGEST) + ")"

    def __hash__(self) -> int:
        return hash(frozenset(self._choices.items()))

    def but(self, choices: Mapping[str, str]) -> Conventions:
        """Return the same conventions with some choices set or replaced."""
        return Conventions({**self._choices, **choices})

    def differences(self, other: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
        """Return the choices that differ: name → (here, there), None where a side does not make the choice."""
        names = [name for name in dict.fromkeys([*self, *other]) if name not in _NO_CHOICE]
        pairs = {name: (self.get(name), other.get(name)) for name in names}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def require_same(self, other: Mapping[str, str]) -> None:
        """Raise `ConventionError` if any choice differs, naming each."""
        found = self.differences(other)
        if found:
            said = "; ".join(f"{name}: {here!r} against {there!r}" for name, (here, there) in found.items())
            raise ConventionError(f"two results under different conventions cannot be compared: {said}")
