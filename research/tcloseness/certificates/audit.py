"""The checker of audits: what every measure of a table is, and which conditions all its classes meet.

The classes are the records with equal quasi-identifiers, as they stand. All are counted again: the class that a measure
names has its value, no other is worse, and each condition of the model is decided of every class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.measures import DECIMALS, Measure, entropies_below
from tcloseness.certificates.nodes import Nodes, added
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError
from tcloseness.printable import printable
from tcloseness.strict_records import canonical_fraction, fields, listed, shown, text, whole

__all__ = [
    "AUDIT",
    "INFINITE",
    "TASKS",
    "AuditedTable",
    "check_audit",
    "holds_text",
    "measured_text",
    "require_value",
    "stated_value",
]

AUDIT = "tcloseness-audit-certificate-1"
INFINITE = "infinite"
_KEYS = ("values", "suppressed", "reference", "classes", "measures", "holds", "unchecked")


class AuditedTable:
    """The classes of a table as it stands, without its suppressed records.

    Parameters
    ----------
    nodes
        The table.
    suppressed
        What stands in every quasi-identifier of a suppressed record; None if no record is suppressed.
    reference
        Whose distribution Q is: ``"released"`` records or ``"all"``.
    model
        The conditions.

    Attributes
    ----------
    conditions
        The model, with this Q.
    classes
        How many classes there are.
    left_out
        How many records are suppressed.

    Raises
    ------
    CertificateError
        If no record is released.
    """

    def __init__(
        self, nodes: Nodes, suppressed: str | None, reference: str, model: Sequence[Mapping[str, Any]]
    ) -> None:
        self._nodes, self._marks = nodes, [suppressed] * len(nodes.shape)
        self._bottom = (0,) * len(nodes.shape)
        class_of = nodes.class_of(self._bottom)
        self.classes = int(class_of.max()) + 1
        marked = np.ones(len(nodes.counts), dtype=np.bool_)
        for labels, codes in zip(nodes.labels, nodes.codes, strict=True):
            marked &= codes[0] == (-1 if suppressed is None else labels[0].get(suppressed, -1))
        self._left_out = int(class_of[marked][0]) if marked.any() else None
        self.left_out = int(nodes.counts[marked].sum())
        if self._left_out is not None:
            self.classes -= 1
        if not self.classes:
            raise CertificateError("every record of the table is suppressed")
        counted = ~marked if reference == "released" else np.ones_like(marked)
        q = added(nodes.sensitive[counted], nodes.counts[counted], len(nodes.values))
        self.conditions = Conditions(model, nodes.values, q.tolist())

    def blocks(self) -> Iterator[Any]:
        """Yield the counts of the classes, shape (classes, m) each; no block is empty."""
        first = 0
        for block in self._nodes.classes(self._bottom):
            if self._left_out is not None and first <= self._left_out < first + len(block):
                if len(block) > 1:
                    yield np.delete(block, self._left_out - first, axis=0)
            else:
                yield block
            first += len(block)

    def each(self) -> Iterator[tuple[list[str], Any]]:
        """Yield the labels of each class, and its counts."""
        class_of = self._nodes.class_of(self._bottom)
        first_of = np.unique(class_of, return_index=True)[1]
        columns = []
        for labels, codes in zip(self._nodes.labels, self._nodes.codes, strict=True):
            names = list(labels[0])
            columns.append([names[code] for code in codes[0][first_of].tolist()])
        every = list(map(list, zip(*columns, strict=True)))
        if self._left_out is not None:
            del every[self._left_out]
        yield from zip(every, (row for block in self.blocks() for row in block), strict=True)

    def one(self, labels: Sequence[str]) -> Any:
        """Return the counts of the class with these labels.

        Raises
        ------
        CertificateError
            If there is none.
        """
        counts = self._nodes.one(self._bottom, labels)
        if list(labels) == self._marks or not counts.any():
            raise CertificateError(f"the class {list(labels)} has no record that is released")
        return counts


def check_audit(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check an audit; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If it is not so, or not of this form.
    """
    record = fields(proof, _KEYS, "proof")
    suppressed = None if record["suppressed"] is None else text(record["suppressed"], "suppressed")
    if record["reference"] not in ("released", "all"):
        raise InputError(f"reference is {shown(record['reference'])}; it is 'released' or 'all'")
    table = AuditedTable(nodes, suppressed, record["reference"], [asked for asked, _ in conditions.each])
    classes = whole(record["classes"], "classes", least=1)
    if classes != table.classes:
        raise CertificateError(f"classes is {classes}; the table has {table.classes}")
    found = []
    for i, entry in enumerate(listed(record["measures"], "measures")):
        measure = {key: value for key, value in _object(entry, f"measures[{i}]").items() if key not in _OF_ENTRY}
        labels = listed(entry.get("class"), f"measures[{i}].class", length=len(nodes.shape))
        counts = table.one([text(label, f"measures[{i}].class[]") for label in labels])
        require_value(measure, entry.get("value"), counts, table.conditions)
        _require_worst(measure, entry["value"], table)
        found.append(measured_text(entry))
    holds = listed(record["holds"], "holds", length=len(conditions.each))
    broken = np.zeros(len(holds), dtype=np.bool_)
    for block in table.blocks():
        for i, (_, violating) in enumerate(table.conditions.each):
            if not broken[i]:
                table.conditions.work.spend(1000 + 5 * block.size, "what is asked of each class")
                broken[i] = violating(block, block.sum(axis=1)).any()
    for i, stated in enumerate(holds):
        if stated is not (not broken[i]):
            raise CertificateError(f"holds[{i}] is {shown(stated)}; {'a' if broken[i] else 'no'} class breaks it")
    unchecked = [text(name, "unchecked[]") for name in listed(record["unchecked"], "unchecked")]
    told = f"{'; '.join([*found, holds_text(holds)])}{_unchecked_text(unchecked)}"
    return f"{counted(classes, 'class')}{_without_text(table.left_out, suppressed, record['reference'])}: {told}"


_OF_ENTRY = ("value", "class")


def _object(entry: object, what: str) -> dict[str, Any]:
    if type(entry) is not dict:
        raise InputError(f"{what} is {shown(entry)}; it must be an object")
    return entry


def stated_value(given: object) -> tuple[int, int]:
    """Return a value above and below the line, which is 0 for an infinite one."""
    return (1, 0) if given == INFINITE else canonical_fraction(given, "value").as_integer_ratio()


def require_value(measure: Mapping[str, Any], value: object, counts: Any, conditions: Conditions) -> None:
    """Check that a class has a value.

    Raises
    ------
    CertificateError, InputError
        If it has not, or if it is not a value of a measure.
    """
    block = counts[None]
    if measure.get("measure") == "entropy":
        fields(measure, ("measure",), "a measure")
        low = _entropy(value)
        if entropies_below(low, [block], conditions) or not entropies_below(
            low + Fraction(1, DECIMALS), [block], conditions
        ):
            raise CertificateError(f"the class of the measure entropy has not the value {shown(value)}")
        return
    above, below = Measure(measure, conditions).worst([block])
    stated = stated_value(value)
    if above * stated[1] != stated[0] * below:
        raise CertificateError(f"the class of the measure {measure['measure']} has not the value {shown(value)}")


def _require_worst(measure: Mapping[str, Any], value: object, table: AuditedTable) -> None:
    if measure["measure"] == "entropy":
        worse = entropies_below(_entropy(value), table.blocks(), table.conditions)
    else:
        above, below = Measure(measure, table.conditions).worst(table.blocks())
        stated = stated_value(value)
        worse = above * stated[1] != stated[0] * below
    if worse:
        raise CertificateError(f"a class has a worse value of the measure {measure['measure']} than {shown(value)}")


def _entropy(value: object) -> Fraction:
    low = canonical_fraction(value, "value")
    if low < 1 or DECIMALS % low.denominator:
        raise InputError(f"the value of an entropy is {shown(value)}; it is ≥ 1 and has at most nine decimals")
    return low


# ---------------------------------------------------------------------- in words


def measured_text(entry: Mapping[str, Any]) -> str:
    """Return a measure and its value as people read them."""
    name, value = entry["measure"], entry["value"]
    if name == "entropy":
        whole_part, rest = divmod(_entropy(value) * DECIMALS, DECIMALS)
        value = f"{int(whole_part)}.{int(rest):09}…"
    ground = entry.get("ground")
    more = entry.get("l", entry.get("absent", ground.get("name") if type(ground) is dict else None))
    return f"{name}{'' if more is None else f' ({more})'} = {value}"


def holds_text(holds: Sequence[bool]) -> str:
    """Return the verdicts in words."""
    met = sum(map(bool, holds))
    return f"{met} of {counted(len(holds), 'condition')} met by all classes"


def _without_text(records: int, suppressed: str | None, reference: str) -> str:
    """Say what no class holds, and then also what the classes are measured against."""
    if not records:
        return ""
    of = "all records" if reference == "all" else "the others"
    return f", without {counted(records, 'record')} with {shown(suppressed)} in every quasi-identifier, against {of}"


def _unchecked_text(names: Sequence[str]) -> str:
    return f"; not certified: no checker for {', '.join(map(printable, names))}" if names else ""


def in_words(asked: Sequence[str], proof: Mapping[str, Any]) -> str:
    """Return what an audit shows, in a sentence for people: what each class meets, and what not every class does.

    Examples
    --------
    >>> in_words(["at least 3 records", "at least 2 different values"], {"classes": 4, "holds": [True, False]})
    'each of its 4 classes meets what is asked: at least 3 records; not each meets: at least 2 different values'
    """
    each = [text for text, met in zip(asked, proof["holds"], strict=True) if met]
    not_each = [text for text, met in zip(asked, proof["holds"], strict=True) if not met]
    of = "its one class" if proof["classes"] == 1 else f"each of its {proof['classes']:,} classes"
    said = [f"{of} meets what is asked: {', '.join(each)}"] if each else []
    said += [f"not {'each meets' if each else f'{of} meets what is asked'}: {', '.join(not_each)}"] if not_each else []
    none = "its one class has no" if proof["classes"] == 1 else f"no class of its {proof['classes']:,} has a"
    return "; ".join(said) or f"{none} worse value than those below"


TASKS = (
    Task(
        AUDIT,
        "the class that each of `measures` names has its value, and no class of the table has a worse one; `holds` "
        "says of each condition of the model whether every class meets it",
        check_audit,
        in_words=in_words,
    ),
)
