"""How results are put into words: the same words on a terminal and on a page.

Numbers are written here and not computed; what is computed for a reader alone is in `tcloseness.report.findings`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tcloseness.audit import AttributeAudit, Audit
from tcloseness.exact import percent_of
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import identity, value_text
from tcloseness.models import ModelResult
from tcloseness.models.catalogue import NAMED
from tcloseness.models.protocol import OPPOSITE
from tcloseness.report.findings import Guess, findings, sizes
from tcloseness.report.short_text import compared, decimal_text, printable, shortened, value_text_of

__all__ = [
    "HOLDS",
    "STAND_FOR",
    "Letters",
    "Line",
    "answer",
    "assumptions",
    "attacks_of",
    "attribute_title",
    "class_counts_text",
    "class_text",
    "comparison",
    "decisions",
    "distances_of",
    "gives_away",
    "letter",
    "lines_of",
    "lines_over_rows",
    "losses_of",
    "model_text",
    "multi_attribute_of",
    "notes_of",
    "of_the_attribute",
    "of_the_table",
    "reading",
    "threshold_rule",
    "value_name",
    "worst_classes",
]

_HEADLINES = {each.name: each.option.symbol for each in NAMED.values() if each.option.headline}
"""The models whose value is reported where nothing was asked."""

STAND_FOR = "which stand for the records by their weights; the records decide"
"""What is assumed of rows with weights."""


@dataclass(frozen=True)
class Line:
    """One model's line in a report, as texts."""

    model: str
    reading: str
    value: str
    threshold: str
    margin: str
    status: str
    worst: str
    worst_records: str
    violating: str
    at_risk: str
    citation: str


# ---------------------------------------------------------------------- the answer


def answer(audit: Audit) -> str:
    """Return the verdict in one line."""
    return _by_records(audit) + _by_rows(audit)


def _by_rows(audit: Audit) -> str:
    """Say which verdicts are others with each row as one record: what weights can hide belongs in the first line."""
    others = [(name, rows) for name, records, rows in _both_ways(audit) if records.status != rows.status]
    if not others:
        return ""
    said = ", ".join(f"{_named(name, rows)} {HOLDS[rows.status]} ({comparison(rows)})" for name, rows in others)
    return f"; but over the {audit.rows} rows themselves {said}"


def _both_ways(audit: Audit) -> list[tuple[str, ModelResult, ModelResult]]:
    """Return every result once by records and by rows, with its sensitive attribute; empty without weights."""
    rows = replace(audit, attributes=tuple(a.over_rows for a in audit.attributes if a.over_rows is not None))
    by_row = _each_once(rows)
    return [(name, result, by_row[key][1]) for key, (name, result) in _each_once(audit).items() if key in by_row]


def _by_records(audit: Audit) -> str:
    if audit.status == "measured":
        return f"measured, no threshold was given: {_measured(audit)}"
    decided = decisions(audit)
    broken = [(name, r) for name, r in decided if r.status == audit.status] if audit.status != "satisfied" else []
    if len(decided) == 1:
        ((name, only),) = decided
        return f"{audit.status}: {_named(name, only)} {HOLDS[only.status]}: {comparison(only)}"
    if not broken:
        return f"satisfied: all {len(decided)} thresholds"
    named = ", ".join(f"{_named(name, r)} ({comparison(r)})" for name, r in broken)
    return f"{audit.status}: {named}; {sum(r.satisfied for _, r in decided)} of {len(decided)} thresholds satisfied"


def gives_away(audit: Audit) -> list[str]:
    """Return what the table gives away, a sentence about the classes and one about each sensitive attribute."""
    found, over_rows = _sharing(audit), audit.attributes[0].over_rows
    if over_rows is not None:
        least, alone = sizes(over_rows.classes)
        rows = f"The {audit.rows} rows stand for {audit.records} records by their weights, and the records decide."
        if least == 1:
            which = "1 row is" if alone == 1 else f"{alone} rows are"
            rows += f" Over the rows themselves, {which} alone in a class of one row."
        else:
            rows += f" Over the rows themselves, k is {least}."
        found = [rows, *found]
    return found + [_gives_away(attribute) for attribute in audit.of_values]


def _sharing(audit: Audit) -> list[str]:
    first = audit.attributes[0].classes
    least, alone = sizes(first)
    if least == 1:
        return [f"{_records(alone, first)} alone in a class of one."]
    if audit.classes == 1:
        return [f"All {audit.records} {first.unit}s are in one class: the quasi-identifiers distinguish none of them."]
    if audit.rows is not None:
        return [f"By the weights, each record shares the quasi-identifiers with at least {_others(least - 1)}."]
    return [f"Each person shares the quasi-identifiers with at least {_others(least - 1)}."]


def _gives_away(attribute: AttributeAudit) -> str:
    classes = attribute.classes
    found, name = findings(classes), shortened(classes.sensitive)
    if found.certain_records:
        where = "a class" if found.certain_classes == 1 else f"{found.certain_classes} classes"
        return (
            f"{name}: {_records(found.certain_records, classes)} in {where} in which everybody has the same "
            "value, so whoever knows that a person is there knows the value."
        )
    guess = found.surest
    return (
        f"{name}: no class gives a value away with certainty. The surest guess is {_value_of(classes, guess)}: "
        f"right for {guess.count} of {guess.size} in a class, against {percent_of(guess.prior)} of the whole table."
    )


def _value_of(classes: ClassCounts, guess: Guess) -> str:
    return repr(value_name(classes, guess.code))


def _records(count: int, of: ClassCounts) -> str:
    share = percent_of(Fraction(count, of.records))
    return f"1 {of.unit} ({share}) is" if count == 1 else f"{count} {of.unit}s ({share}) are"


def _others(count: int) -> str:
    return "1 other" if count == 1 else f"{count} others"


HOLDS = {"satisfied": "holds", "violated": "does not hold", "undecided": "is undecided", "measured": "is measured"}


def comparison(result: ModelResult) -> str:
    """Say why a status is what it is: how the value, or that of each part that decides, compares to its threshold.

    Examples
    --------
    >>> from tcloseness.models import AlphaKAnonymity
    >>> classes = ClassCounts.from_matrix([[3, 1], [1, 1]])
    >>> comparison(AlphaKAnonymity("3/4").evaluate(classes)), comparison(AlphaKAnonymity("1/2", k=3).evaluate(classes))
    ('3/4 ≤ 3/4', '3/4 > 1/2 and k-anonymity 2 < 3')
    """
    said = []
    for each in result.decisive:
        name = "" if each.model == result.model else f"{model_text(each)} "
        said.append(name + _stands(each))
    return " and ".join(said)


def _stands(result: ModelResult) -> str:
    """Write one value beside its threshold, by the relation that holds between them, and the value in other units."""
    further = _further(result)
    return _beside(result) + (f", with {further}" if further else "")


def _further(result: ModelResult) -> str:
    """Return the value in other units, by their names: of an effective l its entropy."""
    return ", ".join(f"{name} {float(each):.4g} nats" for name, each in result.further.items())


def _beside(result: ModelResult) -> str:
    value, threshold = compared(result)
    if not threshold:
        return f"measured {value}"
    relation = result.relation
    if relation is None:
        return f"measured {value}, the threshold is {threshold}"
    if result.status == "undecided":
        return f"measured {value}, and whether it is {relation} {threshold} is not known"
    if result.status == "violated":
        return f"{value} {OPPOSITE[relation]} {threshold}"
    return f"{value} {relation} {threshold}{', which no table can break' if result.unbreakable else ''}"


def decisions(audit: Audit) -> list[tuple[str, ModelResult]]:
    """Return every decision once, with its sensitive attribute; k-anonymity looks at none."""
    return [(name, result) for name, result in _each_once(audit).values() if result.status != "measured"]


def _each_once(audit: Audit) -> dict[tuple[str, int], tuple[str, ModelResult]]:
    """Return every result with its sensitive attribute, by both its attribute and its model's number."""
    found: dict[tuple[str, int], tuple[str, ModelResult]] = {}
    for attribute in audit.attributes:
        for number, result in enumerate(attribute.results):
            name = attribute.classes.sensitive if result.looks_at_values else ""
            found.setdefault((name, number), (name, result))
    return found


def _measured(audit: Audit) -> str:
    parts = [f"{_HEADLINES[r.model]} = {value_text_of(r)}" for r in of_the_table(audit) if r.model in _HEADLINES]
    if audit.attributes[0].over_rows is not None and parts:
        parts[0] += f" (over the {audit.rows} rows themselves {sizes(audit.attributes[0].over_rows.classes)[0]})"
    for attribute in audit.attributes:
        for result in (each for each in of_the_attribute(attribute) if each.model in _HEADLINES):
            measured = f"{_HEADLINES[result.model]} = {value_text_of(result)}"
            parts.append(f"{measured} for {shortened(attribute.classes.sensitive)}")
    return ", ".join(parts)


def _named(sensitive: str, result: ModelResult) -> str:
    return model_text(result) + (f" of {shortened(sensitive)}" if sensitive else "")


# ---------------------------------------------------------------------- the numbers


def of_the_table(audit: Audit) -> list[ModelResult]:
    """Return the results of the models that look at no sensitive attribute."""
    return [r for r in audit.attributes[0].results if not r.looks_at_values]


def of_the_attribute(attribute: AttributeAudit) -> list[ModelResult]:
    """Return the results of all other models."""
    return [r for r in attribute.results if r.looks_at_values]


class Letters:
    """The letters of a report's worst classes: one letter a class, in all attributes.

    Attributes
    ----------
    texts
        By letter, the class's quasi-identifier values.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self._letters: dict[Hashable, str] = {}

    def of(self, classes: ClassCounts, index: int) -> str:
        """Return the letter of a class; a class that has none gets the next."""
        key = tuple(map(identity, classes.label(index)))
        if key not in self._letters:
            self._letters[key] = letter(len(self.texts))
            self.texts[self._letters[key]] = class_text(classes, index)
        return self._letters[key]


def lines_of(results: Sequence[ModelResult], classes: ClassCounts, letters: Letters) -> list[Line]:
    """Return the lines of some results."""
    return [_line(each, classes, letters, inside) for result in results for each, inside in _with_parts(result)]


def _with_parts(result: ModelResult, inside: str = "") -> Iterator[tuple[ModelResult, str]]:
    """Yield a result, and after it its parts where several were decided: each with the name of what it is a part of."""
    yield result, inside
    decided = [part for part in result.parts if part.status != "measured"]
    if len(decided) > 1:
        for part in decided:
            yield from _with_parts(part, result.model)


def _line(result: ModelResult, classes: ClassCounts, letters: Letters, inside: str) -> Line:
    decided, worst, records = result.status != "measured", "–", "–"
    # the numbers that say why the status is what it is, where one part alone has them
    numbers = result.decisive[0] if result.threshold is None and len(result.decisive) == 1 else result
    if len(numbers.worst):
        index, others = int(numbers.worst[0]), len(numbers.worst) - 1
        worst = letters.of(classes, index) + (f" and {others} more" if others else "")
        records = str(int(classes.people[index]))
    part = "in it: " + (result.threshold_name if result.model == inside else model_text(result))
    return Line(
        part if inside else model_text(result),
        reading(numbers),
        _value(numbers),
        threshold_rule(numbers) or "–",
        _margin(numbers),
        result.status,
        worst,
        records,
        str(len(result.violating)) if decided else "–",
        str(result.records_at_risk) if decided else "–",
        result.citation,
    )


def lines_over_rows(attribute: AttributeAudit, letters: Letters, *, of_table: bool) -> list[Line]:
    """Return the lines of what the rows by themselves say, where they have weights: k, and all that was decided."""
    rows = attribute.over_rows
    if rows is None:
        return []
    shown = [
        result
        for result in rows.results
        if result.looks_at_values != of_table and (of_table or result.status != "measured")
    ]
    return [replace(each, model=f"{each.model}, over rows") for each in lines_of(shown, rows.classes, letters)]


def worst_classes(results: Sequence[ModelResult]) -> list[int]:
    """Return the first worst class of each result, each once."""
    return list(dict.fromkeys(int(result.worst[0]) for result in results if len(result.worst)))


def distances_of(attribute: AttributeAudit) -> dict[str, str]:
    """Return how far the farthest class is from the reference by further measures, by the measure's name."""
    return {distance.measure: decimal_text(distance.value) for distance in attribute.distances}


def attacks_of(attribute: AttributeAudit) -> dict[str, str]:
    """Return what the attacks reveal, in a sentence each that holds no value of the table."""
    return {attack.attack: attack.sentence for attack in attribute.attacks}


def multi_attribute_of(audit: Audit) -> dict[str, str]:
    """Return the distinct l of each attribute once the other sensitive attributes are known too."""
    pairs = zip(audit.attributes, audit.multi_attribute, strict=False)
    return {shortened(a.classes.sensitive): decimal_text(result.value) for a, result in pairs}


def losses_of(audit: Audit) -> dict[str, str]:
    """Return the risks and losses that the classes' sizes give, by name."""
    return {loss.loss: decimal_text(loss.value) for loss in audit.losses}


def notes_of(audit: Audit) -> dict[str, list[str]]:
    """Return what results say beyond their numbers, by model."""
    found: dict[str, list[str]] = {}
    for attribute in audit.attributes:
        for result in attribute.results:
            if result.notes:
                found.setdefault(model_text(result), list(result.notes))
    return found


def letter(number: int) -> str:
    """Return the name of the n-th class of a report.

    Examples
    --------
    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A1')
    """
    return chr(ord("A") + number % 26) + (str(number // 26) if number >= 26 else "")


def reading(result: ModelResult) -> str:
    """Return in plain words what a model's number counts."""
    return printable(result.reading)


def model_text(result: ModelResult) -> str:
    """Return a model's name with the parameters that belong to it."""
    return shortened(result.title or result.model)


def attribute_title(attribute: AttributeAudit) -> str:
    """Return an attribute's name and how many values it has."""
    number = len(attribute.classes.domain)
    return f"{shortened(attribute.classes.sensitive)}: {number} value{'' if number == 1 else 's'}"


def class_text(classes: ClassCounts, index: int) -> str:
    """Return a class's quasi-identifier values by name."""
    names = ("class",) if classes.keys is None else classes.keys.names
    pairs = zip(names, classes.label(index), strict=True)
    text = ", ".join(f"{shortened(str(name))} {shortened(value_text(value))}" for name, value in pairs)
    return text or "the whole table"


def class_counts_text(classes: ClassCounts, index: int, *, most: int = 4) -> str:
    """Return a class's commonest values with their counts."""
    cells = sorted(classes.row(index).items(), key=lambda cell: (-cell[1], cell[0]))
    texts = [f"{value_name(classes, code)}: {count}" for code, count in cells[:most]]
    left = len(cells) - most
    return ", ".join(texts) + (f" and {left} more value{'' if left == 1 else 's'}" if left > 0 else "")


def value_name(classes: ClassCounts, code: int) -> str:
    """Return a sensitive value's name for people."""
    return shortened(value_text(classes.domain.value(code)))


def threshold_rule(result: ModelResult) -> str:
    """Return the relation to the threshold that is required, and the threshold; empty where there is none."""
    _, threshold = compared(result)
    return f"{result.relation} {threshold}" if threshold and result.relation else threshold


def _value(result: ModelResult) -> str:
    value, _ = compared(result, short=False)
    further = _further(result)
    return f"{value} ({further})" if further else value


def _margin(result: ModelResult) -> str:
    return "–" if result.margin is None else decimal_text(result.margin, short=True)


# ---------------------------------------------------------------------- what was assumed


def assumptions(audit: Audit, table: str, grounds: Mapping[str, str]) -> dict[str, str]:
    """Return what was chosen on the way, by name."""
    lines = {} if not table else {"table": table}
    dropped = f", {audit.dropped} row(s) dropped for missing values" if audit.dropped else ""
    persons = "" if audit.attributes[0].classes.persons is None else " persons"
    lines["records"] = f"{audit.records}{persons} released, {audit.suppressed} suppressed{dropped}"
    if audit.rows is not None:
        lines["rows"] = f"{audit.rows}, {STAND_FOR}"
    lines["equivalence classes"] = str(audit.classes)
    lines["quasi-identifiers"] = ", ".join(map(str, audit.quasi_identifiers)) or "none (one class)"
    lines |= {name: text for name, text in audit.conventions.items() if name != "order of the values"}  # said below
    if not audit.of_values:
        lines["sensitive"] = "none was named: the sizes of the classes alone are measured"
    several = len(audit.attributes) > 1
    for attribute in audit.of_values:
        classes, name = attribute.classes, attribute.classes.sensitive
        tail = f" of {shortened(name)}" if several else ""
        if name in grounds:
            lines[f"ground distance{tail}"] = grounds[name]
        lines[f"order{tail}"] = classes.domain.order or "none"
        declared = "declared" if classes.domain.declared else "values that occur"
        lines[f"m{tail}"] = f"{len(classes.domain)} ({declared})"
    if audit.of_values:
        lines["entropy"] = "Shannon; the value is exp(H), the effective l, with H in nats beside it"
        lines["recursive (c,l)"] = "c must be greater than the measured value"
    if audit.redacted:
        lines["values"] = "withheld: neutral names stand for the values of all columns"
    return lines
