"""Shrinking: from a test that an implementation gets wrong to the smallest one that it gets wrong in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.assessment import Assessment, assess
from tcloseness.conformance.generate import Given, answered
from tcloseness.conformance.inputs import Distributions, Table
from tcloseness.conformance.process import Harness
from tcloseness.conformance.released_tables import released_again
from tcloseness.conformance.runner import Record, Report
from tcloseness.conformance.vectors import Vector
from tcloseness.errors import HarnessError, InputError, VectorError

__all__ = ["shrink", "shrunk", "smaller_inputs"]


def shrunk(report: Report, command: Sequence[str], *, seconds: float = 10.0) -> Report:
    """Return a report in which the first fresh test of each kind of mistake is the smallest one found from it."""
    harness = Harness(command, seconds=seconds)

    def ask(vector: Vector) -> Assessment:
        return assess(vector, harness.ask(0, vector.question()), conventions=report.implementation.conventions)

    records = list(report.records)
    done: set[tuple[str, str]] = set()
    try:
        harness.start()
        for place, record in enumerate(records):
            verdict = record.assessment.verdict
            kind = record.vector.algorithm, verdict
            shipped = record.vector.reason == "smoke"
            if shipped or not record.assessment.failed or kind in done or verdict == "timeout":
                continue
            done.add(kind)
            small = shrink(record.vector, verdict, ask)
            again = ask(small)
            if again.verdict == verdict:  # a harness may answer differently every time
                records[place] = Record(small, again)
    except HarnessError:  # it started before: what it answered then is enough
        return report
    finally:
        harness.close()
    return replace(report, records=tuple(records))


def shrink(vector: Vector, verdict: str, ask: Callable[[Vector], Assessment], *, limit: int = 500) -> Vector:
    """Return the smallest test found that gets the same verdict.

    Parameters
    ----------
    vector, verdict
        A test, and the verdict of the implementation's answer to it.
    ask
        Asks the implementation a test and assesses the answer.
    limit
        How many questions may be asked.

    Notes
    -----
    Greedy: the first smaller input that still fails in the same way is taken, until none does. Every step's right
    answer is computed anew, so the result is a sound vector. No step of those tried makes it smaller.
    """
    current, asked = vector, 0
    going = True
    while going:
        going = False
        for given, parameters in smaller(current):
            if asked >= limit:
                return current
            try:
                candidate = answered(current.algorithm, given, parameters, current.id, current.comment)
            except (InputError, VectorError):  # the models refuse it
                continue
            asked += 1
            if ask(candidate).verdict == verdict:
                current, going = candidate, True
                break
    return current


def smaller(vector: Vector) -> Iterator[tuple[Given, dict[str, str]]]:
    """Yield smaller questions: of a smaller input, then with a simpler threshold."""
    parameters = dict(vector.parameters)
    for given in smaller_inputs(vector.given):
        if not isinstance(given, Table) or given.release is None:
            yield given, parameters
        elif (again := released_again(given)) is not None:
            yield again, parameters
    for name, text in parameters.items():
        try:
            number = Fraction(text)
        except ValueError:
            continue
        for fraction in dict.fromkeys(
            (number.limit_denominator(1), number.limit_denominator(4), Fraction(number // 2))
        ):
            if fraction.denominator < number.denominator or (0 < fraction < number and number.denominator == 1):
                yield vector.given, {**parameters, name: str(fraction)}


def smaller_inputs(given: Given) -> Iterator[Given]:
    """Yield inputs with less in them, the boldest steps first."""
    if isinstance(given, Distributions):
        yield from _smaller_distributions(given)
        return
    n = len(given.rows)
    for size in (n // 2, n // 4, 1):
        if size and size < n:
            for start in range(0, n, size):
                yield _without_rows(given, set(range(start, min(start + size, n))))
    for name in given.quasi_identifiers[1:] + given.sensitive[1:]:
        yield _without_column(given, name)
    if given.index is not None:
        yield replace(given, index=None)
    if given.categories:
        yield replace(given, categories={})
    if any(given.levels.values()):
        yield replace(given, levels=dict.fromkeys(given.levels, 0))
    if given.times is not None:
        yield replace(given, times=None)
        for row, times in enumerate(given.times):
            for fewer in dict.fromkeys((1, times // 2, times - 1)):
                if 0 < fewer < times:
                    yield replace(given, times=(*given.times[:row], fewer, *given.times[row + 1 :]))
    yield from _simpler_cells(given)


def _without_rows(table: Table, gone: set[int]) -> Table:
    kept = [row for row in range(len(table.rows)) if row not in gone]
    index = table.index
    if index is not None:
        whole = sorted(index) == list(range(len(index)))
        labels = [index[row] for row in kept]
        # a permutation stays one, other labels stay what they are
        index = tuple(sorted(labels).index(label) for label in labels) if whole else tuple(labels)
    times = None if table.times is None else tuple(table.times[row] for row in kept)
    return replace(table, rows=tuple(table.rows[row] for row in kept), index=index, times=times)


def _without_column(table: Table, name: str) -> Table:
    place = table.columns.index(name)
    return replace(
        table,
        columns=table.columns[:place] + table.columns[place + 1 :],
        types=table.types[:place] + table.types[place + 1 :],
        rows=tuple(row[:place] + row[place + 1 :] for row in table.rows),
        quasi_identifiers=tuple(q for q in table.quasi_identifiers if q != name),
        sensitive=tuple(s for s in table.sensitive if s != name),
        hierarchies={q: paths for q, paths in table.hierarchies.items() if q != name},
        levels={q: level for q, level in table.levels.items() if q != name},
        categories={q: values for q, values in table.categories.items() if q != name},
    )


def _simpler_cells(table: Table) -> Iterator[Table]:
    """Yield tables with a cell replaced by the first value of its column."""
    for place in range(len(table.columns)):
        values = [row[place] for row in table.rows if row[place] is not None]
        seen = list(dict.fromkeys(values))
        for row in range(len(table.rows)):
            cell = table.rows[row][place]
            for other in seen[: seen.index(cell) if cell in seen else 1]:
                cells = (*table.rows[row][:place], other, *table.rows[row][place + 1 :])
                yield replace(table, rows=(*table.rows[:row], cells, *table.rows[row + 1 :]))


def _smaller_distributions(given: Distributions) -> Iterator[Distributions]:
    m = len(given.p)
    for i in range(m):
        if m > 1 and Fraction(given.p[i]) == 0 == Fraction(given.q[i]):
            kept = [j for j in range(m) if j != i]
            matrix = tuple(tuple(given.matrix[a][b] for b in kept) for a in kept)
            yield Distributions(tuple(given.p[j] for j in kept), tuple(given.q[j] for j in kept), matrix)
    yield from (replace(given, p=row) for row in _gathered(given.p))
    yield from (replace(given, q=row) for row in _gathered(given.q))
    for i in range(m):
        for j in range(m):
            if i != j and given.matrix[i][j] not in ("0", "1"):
                line = (*given.matrix[i][:j], "1", *given.matrix[i][j + 1 :])
                yield replace(given, matrix=(*given.matrix[:i], line, *given.matrix[i + 1 :]))


def _gathered(masses: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield masses with one value's put on another."""
    row = [Fraction(x) for x in masses]
    for i in range(len(row)):
        for j in range(len(row)):
            if i != j and row[i] > 0 and row[j] > 0:
                moved = [*row]
                moved[i], moved[j] = Fraction(0), row[i] + row[j]
                yield tuple(map(str, moved))
