"""An audit as text for a terminal: the answer first, then the numbers, then what was assumed.

Nothing is computed here. The functions return what rich prints, or print to a console that the caller made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tcloseness.audit import AttributeAudit, Audit, threshold_text
from tcloseness.exact import number_text
from tcloseness.logarithms import LogSum
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.domain import value_text
from tcloseness.models import EntropyLDiversity, KAnonymity, ModelResult, RecursiveCLDiversity, TCloseness, effective_l

if TYPE_CHECKING:
    from rich.console import Console

    from tcloseness.transport import Crossing, Move

__all__ = [
    "assumed",
    "crossings_table",
    "decimal_text",
    "moves_table",
    "print_audit",
    "vector_text",
]

_STYLES = {"satisfied": "green", "violated": "bold red", "undecided": "yellow", "measured": ""}

_LONGEST_FRACTION, _LONGEST_SHORT_FRACTION = 13, 11
"""A fraction with more characters is shown as a decimal; JSON has it in full."""

_SHOWN = 12
"""So many entries of a long list are shown."""


def print_audit(audit: Audit, console: Console, *, table: str = "", grounds: Mapping[str, str] | None = None) -> None:
    """Print an audit.

    Parameters
    ----------
    audit
        What `tcloseness.check` answered.
    console
        Where to; its width is respected, and colours are its own decision.
    table
        The name of the table, for the reader.
    grounds
        Per sensitive attribute the ground distance as the reader knows it.
    """
    console.print(Text(_answer(audit), style=_STYLES[audit.status]))
    for attribute in audit.attributes:
        console.print()
        console.print(_attribute(attribute))
    console.print()
    console.print(assumed(_assumed(audit, table, grounds or {})))


# ---------------------------------------------------------------------- the answer


def _answer(audit: Audit) -> str:
    if audit.status == "measured":
        return f"measured, no threshold was given: {_measured(audit)}"
    decided = _decided(audit)
    broken = [(name, r) for name, r in decided if r.status == audit.status] if audit.status != "satisfied" else []
    if len(decided) == 1:
        ((name, only),) = decided
        holds = "holds" if only.satisfied else "does not hold"
        return f"{audit.status}: {_named(name, only)} {holds}, {_comparison(only)}"
    if not broken:
        return f"satisfied: all {len(decided)} thresholds"
    named = ", ".join(f"{_named(name, r)} ({_comparison(r)})" for name, r in broken)
    return f"{audit.status}: {named}; {sum(r.satisfied for _, r in decided)} of {len(decided)} thresholds satisfied"


def _comparison(result: ModelResult) -> str:
    sign = "" if result.satisfied else "is not "
    return f"{_value(result, short=True)} {sign}{_threshold(result)}"


def _decided(audit: Audit) -> list[tuple[str, ModelResult]]:
    """Return every decision once: k-anonymity looks at no sensitive attribute."""
    found: dict[tuple[str, str], tuple[str, ModelResult]] = {}
    for attribute in audit.attributes:
        for result in attribute.results:
            if result.status != "measured":
                name = "" if result.model == KAnonymity.name else attribute.classes.sensitive
                found.setdefault((name, result.model), (name, result))
    return list(found.values())


def _measured(audit: Audit) -> str:
    sizes = next((r for r in audit.attributes[0].results if r.model == KAnonymity.name), None)
    parts = [] if sizes is None else [f"k = {_value(sizes)}"]
    for attribute in audit.attributes:
        for result in attribute.results:
            if result.model == TCloseness.name:
                parts.append(f"t = {_value(result)} for {attribute.classes.sensitive}")
    return ", ".join(parts)


def _named(sensitive: str, result: ModelResult) -> str:
    return _model(result) + (f" of {sensitive}" if sensitive else "")


# ---------------------------------------------------------------------- the numbers


def _attribute(attribute: AttributeAudit) -> RenderableType:
    classes = attribute.classes
    title = f"{classes.sensitive}: {len(classes.domain)} values, {len(classes)} classes, {classes.records} records"
    return Group(Text(title, style="bold"), _numbers(attribute), Text(), _worst_classes(attribute))


def _numbers(attribute: AttributeAudit) -> Table:
    table = _table("model", "measured", "threshold", "margin", "verdict")
    for result in attribute.results:
        table.add_row(
            _model(result),
            _value(result),
            _threshold(result) or "–",
            _margin(result),
            Text(result.status, style=_STYLES[result.status]),
        )
    return table


def _worst_classes(attribute: AttributeAudit) -> RenderableType:
    """Return the worst class of each model by a letter, and what each letter stands for."""
    classes = attribute.classes
    table = _table("\nmodel", "\nworst class", "its\nrecords", "violating\nclasses", "records\nat risk")
    for column in table.columns[2:]:
        column.justify = "right"
    letters: dict[int, str] = {}
    for result in attribute.results:
        index, decided = int(result.worst[0]), result.status != "measured"
        letter = letters.setdefault(index, chr(ord("A") + len(letters)))
        others = len(result.worst) - 1
        table.add_row(
            _model(result),
            letter + (f" and {others} more" if others else ""),
            str(int(classes.class_sizes[index])),
            str(len(result.violating)) if decided else "–",
            str(result.records_at_risk) if decided else "–",
        )
    meaning = {letter: _class_text(classes, index) for index, letter in letters.items()}
    return Group(table, assumed(meaning, title=None))


def _class_text(classes: ClassCounts, index: int) -> str:
    names = ("class",) if classes.keys is None else classes.keys.names
    pairs = zip(names, classes.label(index), strict=True)
    return ", ".join(f"{name} {value_text(value)}" for name, value in pairs) or "the whole table"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _model(result: ModelResult) -> str:
    if result.model == RecursiveCLDiversity.name:
        return f"recursive (c,{result.parameters['l']})-diversity"
    return result.model


def _threshold(result: ModelResult) -> str:
    threshold = threshold_text(result)
    if threshold is None:
        return ""
    relation = {TCloseness.name: "≤", RecursiveCLDiversity.name: "<"}.get(result.model, "≥")
    decimal = f"{float(Fraction(threshold)):.15g}"
    exact = Fraction(decimal) == Fraction(threshold) and len(decimal) < len(threshold)
    return f"{relation} {decimal if exact else threshold}"


def _value(result: ModelResult, *, short: bool = False) -> str:
    threshold = threshold_text(result)
    bound = None if threshold is None else Fraction(threshold)
    if result.model != EntropyLDiversity.name:
        return decimal_text(result.value, short=short, apart_from=bound)
    if result.margin is not None and not result.margin:
        bound = None  # the effective l is the threshold
    shown = _decimal(effective_l(result.value), bound)
    return shown if short else f"{shown} (H = {float(result.value):.4g})"


def _margin(result: ModelResult) -> str:
    if result.margin is None:
        return "–"
    text = decimal_text(result.margin, short=True)
    return f"{text} nats" if result.model == EntropyLDiversity.name else text


def decimal_text(value: Fraction | LogSum | float, *, short: bool = False, apart_from: Fraction | None = None) -> str:
    """Write a value for a person: exactly, with four digits of its decimal beside it.

    Parameters
    ----------
    value
        The value.
    short
        The exact text only, or the decimal where that is too long.
    apart_from
        Another number; the decimal gets as many digits as it takes to differ from it.

    Examples
    --------
    >>> decimal_text(Fraction(3, 8)), decimal_text(Fraction(4, 9)), decimal_text(float("inf"))
    ('3/8 = 0.375', '4/9 ≈ 0.4444', '∞')
    """
    if isinstance(value, LogSum):
        return "0" if value.sign == 0 else f"{float(value):.4g}"
    if isinstance(value, float):
        return "∞" if value > 0 else "-∞"
    exact, shown = number_text(value), _decimal(value, None if value == apart_from else apart_from)
    if value.denominator == 1:
        return exact
    sign = "=" if Fraction(shown) == value else "≈"
    if len(exact) > (_LONGEST_SHORT_FRACTION if short else _LONGEST_FRACTION):
        return f"{sign} {shown}"
    return exact if short else f"{exact} {sign} {shown}"


def _decimal(value: Fraction | float, apart_from: Fraction | None) -> str:
    for digits in range(4, 17):
        shown = f"{float(value):.{digits}g}"
        if apart_from is None or Fraction(shown) != apart_from:
            break
    return shown


# ---------------------------------------------------------------------- what was assumed


def _assumed(audit: Audit, table: str, grounds: Mapping[str, str]) -> dict[str, str]:
    lines = {} if not table else {"table": table}
    dropped = f", {audit.dropped} row(s) dropped for missing values" if audit.dropped else ""
    lines["records"] = f"{audit.records} released, {audit.suppressed} suppressed{dropped}"
    lines["equivalence classes"] = str(audit.classes)
    lines["quasi-identifiers"] = ", ".join(audit.quasi_identifiers) or "none (one class)"
    lines |= audit.conventions
    several = len(audit.attributes) > 1
    for attribute in audit.attributes:
        classes, name = attribute.classes, attribute.classes.sensitive
        tail = f" of {name}" if several else ""
        if name in grounds:
            lines[f"ground distance{tail}"] = grounds[name]
        lines[f"order{tail}"] = classes.domain.order or "none"
        declared = "declared" if classes.domain.declared else "values that occur"
        lines[f"m{tail}"] = f"{len(classes.domain)} ({declared})"
    lines["entropy"] = "Shannon, H in nats; exp(H) is the effective l"
    lines["recursive (c,l)"] = "c must be greater than the measured value"
    return lines


def assumed(lines: Mapping[str, str], *, title: str | None = "assumed") -> RenderableType:
    """Return named lines in two columns."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, text in lines.items():
        grid.add_row(_printable(name), _printable(text))
    body = Padding(grid, (0, 0, 0, 2), expand=False)
    return body if title is None else Group(Text(title, style="bold"), body)


# ---------------------------------------------------------------------- transformations


def moves_table(moves: Sequence[Move], labels: Sequence[str] = ()) -> RenderableType:
    """Return the moves of a transformation; values without labels are numbered from 0."""
    if not moves:
        return Text("moves: none, P and Q are equal")
    table = _table("from", "to", "mass", "distance", "cost")
    for move in moves:
        numbers = (number_text(x) for x in (move.mass, move.distance, move.cost))
        table.add_row(_value_name(move.source, labels), _value_name(move.target, labels), *numbers)
    total = sum((move.cost for move in moves), Fraction(0))
    table.add_row("", "", "", "together", number_text(total), style="bold")
    return Group(Text(_heading("moves", labels), style="bold"), table)


def crossings_table(crossings: Sequence[Crossing], labels: Sequence[str] = ()) -> RenderableType:
    """Return what crosses the border of each cut; cuts that nothing crosses are only counted."""
    table = _table("cut", "mass", "direction", "weight", "cost")
    crossed = [c for c in crossings if c.mass]
    for c in crossed:
        table.add_row(
            _set_name(c.inside, labels),
            number_text(abs(c.mass)),
            "leaves" if c.mass > 0 else "enters",
            number_text(c.weight),
            number_text(c.cost),
        )
    total = sum((c.cost for c in crossed), Fraction(0))
    table.add_row("", "", "", "together", number_text(total), style="bold")
    quiet = len(crossings) - len(crossed)
    note = f" (nothing crosses {quiet} more)" if quiet else ""
    return Group(Text(_heading("crossings of the cuts", labels) + note, style="bold"), table)


def _heading(what: str, labels: Sequence[str]) -> str:
    return what if labels else f"{what}, values numbered from 0"


def _value_name(code: int, labels: Sequence[str]) -> str:
    return _printable(labels[code]) if labels else str(code)


def _set_name(codes: Sequence[int], labels: Sequence[str]) -> str:
    names = [_value_name(code, labels) for code in codes]
    if len(names) > 4:
        names = [names[0], "…", names[-1], f"({len(names)} values)"]
    return ", ".join(names).replace("…,", "…").replace(", (", " (").replace(", …", " …")


def vector_text(entries: Iterable[Fraction | str]) -> str:
    """Write a vector; of a long one, the first entries and how many there are."""
    texts = [_printable(e) if isinstance(e, str) else number_text(e) for e in entries]
    if len(texts) <= _SHOWN:
        return ", ".join(texts)
    return ", ".join(texts[:_SHOWN]) + f", … ({len(texts)} entries)"


def _printable(text: str) -> str:
    """Return a text without control characters, which a terminal would obey."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
