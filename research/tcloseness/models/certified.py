"""Making certificates: the table and the model as checkers read them, and the proof put around by its envelope.

Whoever answers a question hands over the proof of its answer; what is made of it here is checked by
`tcloseness.certificates`, as anybody would check it, before it is handed out.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

from tcloseness import certificates
from tcloseness.certificates import Counts, Envelope, HierarchyRows, Nodes, Reading, Trusted
from tcloseness.certificates.conditions import TRUSTED, Conditions
from tcloseness.certificates.reading import value_part
from tcloseness.errors import CertificateError, InputError, NotCertified, ProtocolError
from tcloseness.exact import as_fraction, number_text
from tcloseness.microdata import Domain, FrequencySet, Hierarchy
from tcloseness.microdata.canonical import canonical_counts, canonical_lines, canonical_value
from tcloseness.microdata.domain import attribute_names, value_text
from tcloseness.models.conditions import conditions_of, parts_of
from tcloseness.models.protocol import PrivacyModel
from tcloseness.printable import Brief

__all__ = [
    "CertifiedTable",
    "checked_conditions",
    "conditions_over",
    "counts_text",
    "refused_by_checker",
    "trusted_function",
]


def counts_text(frequencies: FrequencySet, sensitive: str) -> str:
    """Return the canonical text of a table's counts, to whose sha256 its certificates are bound.

    >>> import pandas as pd
    >>> table = FrequencySet.from_frame(pd.DataFrame({"zip": [4, 4], "s": ["x", "x"]}), quasi_identifiers="zip",
    ...                                 sensitive="s")
    >>> counts_text(table, "s").splitlines()
    ['["tcloseness-counts-1","zip","s"]', '["number:4","text:x",2]']
    """
    columns = attribute_names(frequencies.quasi_identifiers, sensitive)
    return b"".join(canonical_lines(frequencies, columns)).decode()


def checked_conditions(model: PrivacyModel, domain: Domain) -> list[dict[str, Any]]:
    """Return what a model asks of each class as a checker reads it.

    Raises
    ------
    NotCertified
        If no checker knows a condition, or a part of the model is not known to be monotone under generalization.
    """
    found = []
    for part in parts_of(model):
        conditions = conditions_of(part)
        records = None if conditions is None else [each.record(domain) for each in conditions]
        if (records is None or None in records) and (own := _own(part)) is not None:
            records = [own[0]]
        if records is None or None in records or not part.monotone.generalization:
            raise NotCertified(f"not certified: no checker for {part.name} as it is asked for here")
        found += [record for record in records if record is not None]
    if not found:
        raise NotCertified("not certified: nothing is asked for")
    return found


def conditions_over(model: PrivacyModel, domain: Domain, values: Sequence[str], reference: Sequence[int]) -> Conditions:
    """Return what a model asks of each class, as a checker decides it.

    Raises
    ------
    NotCertified
        As `checked_conditions`.
    """
    return Conditions(checked_conditions(model, domain), values, reference, _trusted(model))


def trusted_function(function: Callable[..., object]) -> tuple[str, str]:
    """Return how a function of the user's own is named in a certificate, and the sha256 of its module's source.

    Raises
    ------
    NotCertified
        If it cannot be found again by its module and name, or has no source.
    """
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    found = sys.modules.get(str(module))
    source = getattr(found, "__file__", None)
    try:
        again: object = reduce(getattr, name.split("."), found)
    except AttributeError:
        again = None
    if again is not function or module == "__main__" or source is None or not str(source).endswith(".py"):
        raise NotCertified(
            f"not certified: {function!r} is not a function of a module with a source, as a checker must be"
        )
    return f"{module}:{name}", hashlib.sha256(Path(source).read_bytes()).hexdigest()


def _own(part: PrivacyModel) -> tuple[dict[str, Any], Trusted] | None:
    """Return the condition that a model's own checker decides, and that checker; None if it brings none."""
    given = getattr(part, "checked_by", None)
    if given is None:
        return None
    if not isinstance(given, tuple) or len(given) != 2 or not callable(given[0]):
        raise ProtocolError(f"checked_by of the model {part.name} is {given!r:.80}; it is a function and a number")
    function, number = given
    name, source = trusted_function(function)
    record = {
        "condition": TRUSTED,
        "function": name,
        "source_sha256": source,
        "number": number_text(as_fraction(number)),
    }
    return record, {name: (function, source)}


def _trusted(model: PrivacyModel) -> Trusted:
    own = [each for part in parts_of(model) if (each := _own(part)) is not None]
    return {name: found for _, trusted in own for name, found in trusted.items()}


@contextmanager
def refused_by_checker() -> Iterator[None]:
    """Within this, what a checker raises is a `NotCertified`."""
    try:
        yield
    except (CertificateError, InputError) as error:
        if isinstance(error, NotCertified):
            raise
        raise NotCertified(f"not certified: the checker refuses it: {error}") from error


@dataclass(frozen=True, eq=False)
class CertifiedTable(Brief):
    """A table under its hierarchies as checkers read it.

    Attributes
    ----------
    counts
        How many records have each combination of values.
    levels
        By quasi-identifier the rows of its hierarchy; None where a value stays as it is or becomes ``*``.
    domain
        The values of the sensitive attribute, in their order.
    """

    counts: Counts
    levels: HierarchyRows = field(repr=False)
    domain: Domain

    @classmethod
    def of(
        cls, frequencies: FrequencySet, sensitive: str, hierarchies: Mapping[str, Hierarchy] | None = None
    ) -> CertifiedTable:
        """Return it for a frequency set; without hierarchies its values stay as they are.

        Raises
        ------
        NotCertified
            If rows are counted by person, or a column's name is not a text.
        """
        if frequencies.persons is not None:
            raise NotCertified("not certified: no checker for a table whose rows are counted by person")
        for name in (*frequencies.quasi_identifiers, *frequencies.sensitive):
            if not isinstance(name, str):
                raise NotCertified(
                    f"not certified: no checker for a column called {name!r}; give it a text as its name"
                )
        columns, given = canonical_counts(frequencies, sensitive)
        levels: dict[str, list[tuple[str, ...]] | None] = dict.fromkeys(frequencies.quasi_identifiers)
        for name, hierarchy in (hierarchies or {}).items():
            rows = [tuple(value_text(cell) for cell in path) for path in hierarchy.paths]
            place = columns.index(name)
            plain = {(value_part(value), "*") for value in {values[place] for values in given}}
            levels[name] = None if set(rows) == plain else rows
        return cls(Counts.of(columns, given), levels, frequencies.sensitive_values(sensitive)[1])

    @cached_property
    def values(self) -> list[str]:
        """The values of the sensitive attribute as a proof lists them."""
        return [canonical_value(value) for value in self.domain.values]

    @cached_property
    def nodes(self) -> Nodes:
        """The table as a checker groups it.

        Raises
        ------
        NotCertified
            If it is beyond what is checked.
        """
        with refused_by_checker():
            return Nodes(self.counts, self.levels, self.values)

    def sealed(
        self,
        task: str,
        model: PrivacyModel | Sequence[Mapping[str, Any]],
        proof: Mapping[str, Any],
        *,
        reading: Reading | None = None,
        file_sha256: str = "",
    ) -> Envelope:
        """Put a certificate together, and check it as anybody would.

        Parameters
        ----------
        task
            Its format, one of `tcloseness.certificates.TASKS`.
        model
            What is asked of each class: a model, or the conditions as a checker reads them.
        proof
            What the task's checker reads, without `values`.
        reading, file_sha256
            How the table's CSV file is read, and the sha256 of its bytes, where it was one; then the proof can be
            checked against that file, else against the canonical text of the table's counts.

        Returns
        -------
        Envelope
            ``to_json()`` writes it; `tcloseness.certificates.verify` and ``tcloseness verify`` check what was written.

        Raises
        ------
        NotCertified
            If no checker knows a condition of the model, or the checker refuses the proof.
        """
        envelope = Envelope(
            task,
            certificates.TASKS[task].statement,
            self.counts.digest,
            file_sha256 or None,
            tuple(self.levels),
            next(iter(self.counts.columns[len(self.levels) :]), None),
            sum(self.counts.counts.values()),
            reading or Reading(),
            {name: None if rows is None else certificates.levels_digest(rows) for name, rows in self.levels.items()},
            tuple(model if isinstance(model, Sequence) else checked_conditions(model, self.domain)),
            {"values": self.values, **proof},
        )
        with refused_by_checker():
            given = {} if isinstance(model, Sequence) else _trusted(model)
            certificates.check_nodes(certificates.read_certificate(envelope.to_json()), self.nodes, given)
        return envelope
