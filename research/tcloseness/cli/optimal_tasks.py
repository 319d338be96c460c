"""The tasks of ``tcloseness optimal``: each a program that is solved, and the table that shows its solution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from tcloseness.cli.release_file import ReleaseFile, check_command
from tcloseness.cli.released import Released, suppressed_together
from tcloseness.cli.sensitive_hierarchy import read_sensitive_hierarchy
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.errors import InputError
from tcloseness.exact import IntArray, number_text
from tcloseness.limits import Clock
from tcloseness.methods import best_release, levels_of_datafly
from tcloseness.microdata import MISSING, ClassCounts
from tcloseness.microdata.domain import natural_position, value_text
from tcloseness.microdata.frequency import combined_codes
from tcloseness.models import PrivacyModel
from tcloseness.models.thresholds import whole
from tcloseness.optimal import (
    Answer,
    Infeasible,
    optimal_cut,
    optimal_hiding,
    optimal_microaggregation,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
)
from tcloseness.release.ancestors import Ancestors
from tcloseness.release.counting import Counting
from tcloseness.release.full_domain import AtLevel
from tcloseness.release.rows import AnonymizedTable, written_table

__all__ = ["Question"]

Found = tuple[Answer[Any], Released | None]
"""What a program answers, and the table; None where there is no solution."""


@dataclass(frozen=True)
class Question:
    """What all tasks are asked with.

    Attributes
    ----------
    inputs, model
        The table, and what must be satisfied.
    output
        Where the table will be written; None if nowhere.
    engine, progress
        As for `tcloseness.optimal.optimal_partition`.
    clock
        The limits, from the command's start on.
    seed
        What is drawn with: ties, and the methods that a partition starts from.
    """

    inputs: TableInputs
    model: PrivacyModel
    output: str | None
    engine: Any
    clock: Clock
    seed: int | None
    progress: Callable[[Any], None] | None

    @property
    def _how(self) -> dict[str, Any]:
        return {"engine": self.engine, "time_limit": self.clock, "progress": self.progress}

    @property
    def _drawn(self) -> dict[str, Any]:
        return {**self._how, "seed": self.seed}

    def partition(self, loss: str, formulation: Any) -> Found:
        """Partition the records into classes of least loss."""
        self.inputs.require_numbers()
        found = optimal_partition(
            self.inputs.table,
            self.model,
            loss,
            hierarchies=self.inputs.read_hierarchies(),
            categorical=self.inputs.categorical,
            formulation=formulation,
            start=best_release(
                self.inputs.table,
                self.model,
                loss,
                self.inputs.read_hierarchies(),
                self.clock,
                categorical=self.inputs.categorical,
                ground=None if self.inputs.ground is None else self.inputs.ground.spec,
                seed=self.seed,
            ),
            **self._drawn,
        )
        return found, None if isinstance(found, Infeasible) else self._released(found.solution)

    def cut(self, loss: str, recoding: Any) -> Found:
        """Cut each hierarchy once, with the least loss."""
        hierarchies = self.inputs.read_hierarchies()
        found = optimal_cut(
            self.inputs.table,
            self.model,
            loss,
            hierarchies=hierarchies,
            recoding=recoding,
            start=levels_of_datafly(self.inputs.table, self.model, hierarchies, self.clock, self.seed),
            **self._how,
        )
        if isinstance(found, Infeasible):
            return found, None
        nodes = {f"cut of {name}": ", ".join(map(str, labels)) for name, labels in found.solution.nodes.items()}
        return found, self._released(found.solution.release, nodes)

    def suppression(self, node: str | None) -> Found:
        """Suppress the fewest records."""
        shown = _Shown.at(self.inputs, node)
        found = optimal_suppression(shown.classes, self.model, **self._drawn)
        if isinstance(found, Infeasible):
            return found, None
        gone = shown.rows_without(found.solution.kept)
        rows = written_table(self.inputs.table, shown.texts, gone)
        file = self._file(rows)
        done = {
            "suppressed records": found.solution.records,
            "classes gone": len(shown.classes) - len(found.solution.after),
        }
        return found, Released(
            found.solution.after,
            ((found.solution.verdict, found.solution.after),),
            kinds=shown.kinds,
            done=done,
            conventions=found.solution.verdict.conventions,
            files=() if file is None else (file,),
            check=None if file is None else check_command(file, self.inputs),
            suppressed_together=suppressed_together(gone, self.inputs, self.model),
        )

    def hiding(self, node: str | None) -> Found:
        """Hide the fewest sensitive values."""
        shown = _Shown.at(self.inputs, node)
        found = optimal_hiding(shown.classes, self.model, **self._drawn)
        if isinstance(found, Infeasible):
            return found, None
        solution, sensitive = found.solution, self.inputs.sensitive
        hidden = shown.rows_without(shown.classes.counts - solution.hidden)
        rows = written_table(self.inputs.table, shown.texts, np.zeros(len(hidden), dtype=bool))
        shown_cells, marker = rows.columns[sensitive], ""
        while marker in shown_cells:  # an empty cell is a missing value, which is not hidden
            marker += "*"
        cells = [marker if gone else cell for cell, gone in zip(shown_cells, hidden.tolist(), strict=True)]
        file = self._file(AnonymizedTable({**rows.columns, sensitive: cells}, rows.suppressed, None))
        return found, Released(
            solution.shown,
            tuple((each, solution.shown if each.looks_at_values else solution.classes) for each in solution.verdicts),
            kinds=shown.kinds,
            done={
                "hidden sensitive values": solution.values,
                "classes that show none": len(solution.classes) - len(solution.shown),
            },
            conventions={
                **solution.shown.conventions,
                "hidden values": f"{f'cells with {marker}' if marker else 'empty cells'}; k is asked of all records of "
                "a class, all else of the values shown",
            },
            files=() if file is None else (file,),
            people=solution.classes,
        )

    def sensitive_generalization(self, node: str | None, file: str, weight: Any) -> Found:
        """Show sensitive values as nodes of the hierarchy of a file, as low as can be."""
        shown, sensitive = _Shown.at(self.inputs, node), self.inputs.sensitive
        domain = shown.classes.domain
        hierarchy = read_sensitive_hierarchy(file, sensitive, domain, self.inputs.written)
        found = optimal_sensitive_generalization(shown.classes, self.model, hierarchy, weight=weight, **self._drawn)
        if isinstance(found, Infeasible):
            return found, None
        solution, tree = found.solution, Ancestors(hierarchy)
        nodes = shown.rows_showing(solution.shown)
        above = nodes != tree.leaf_nodes[tree.places(domain)][shown.codes]
        labels = np.array([*map(value_text, tree.labels), None], dtype=object)
        rows = written_table(self.inputs.table, shown.texts, np.zeros(len(nodes), dtype=bool))
        cells = np.where(above, labels[nodes], np.array([*rows.columns[sensitive], None], dtype=object)[:-1]).tolist()
        file_written = self._file(AnonymizedTable({**rows.columns, sensitive: cells}, rows.suppressed, None))
        often = Counter(labels[nodes[above]].tolist()).most_common()
        return found, Released(
            solution.read,
            tuple((each, solution.classes) for each in solution.verdicts),
            kinds=shown.kinds,
            done={
                "generalized sensitive values": solution.generalized,
                "classes that show some": len(np.unique(shown.class_of[above])),
                **({"shown as": dict(often)} if often else {}),
            },
            conventions={
                **solution.classes.conventions,
                "generalized values": "a label is read as each value below it, in proportion to how often that is in "
                "the whole table (Q); t, distinct ℓ and entropy ℓ are those of the classes so read, and k is asked of "
                "all records of a class",
                "which records": "drawn: of a class's records of one value some show the value itself, others a node",
                "re-check": "k by `tcloseness check`; t by no command, as that takes a label for a value of its own",
            },
            files=() if file_written is None else (file_written,),
            people=solution.classes,
        )

    def microaggregation(self) -> Found:
        """Show the numbers of one column as means of groups."""
        name, k = self._one_column_and_k()
        column = next(each for each in self.inputs.table.quasi_identifiers if each.name == name)
        values = column.domain.values
        positions = [None if isinstance(value, date) else natural_position(value) for value in values]
        if None in positions:
            odd = values[positions.index(None)]
            raise InputError(f"microaggregation needs numbers, and {name!r} has the value {odd!r}; name another column")
        found = optimal_microaggregation(
            [positions[code] for code in column.codes.tolist()], k, seed=self.seed, time_limit=self.clock
        )
        if isinstance(found, Infeasible):
            return found, None
        texts = np.empty(len(column.codes), dtype=object)
        for group, mean in zip(found.solution.groups, found.solution.means, strict=True):
            texts[list(group)] = _decimal_or_fraction(mean)
        rows = written_table(self.inputs.table, {name: texts}, np.zeros(len(texts), dtype=bool))
        class_of = np.unique(texts.astype(str), return_inverse=True)[1].reshape(-1)
        classes = Counting(self.inputs.table).of(class_of)
        file = self._file(rows)
        return found, Released(
            classes,
            ((self.model.evaluate(classes), classes),),
            kinds={name: "mean of its group"},
            done={"groups": len(found.solution.groups)},
            conventions=classes.conventions,
            files=() if file is None else (file,),
            check=None if file is None else check_command(file, self.inputs),
        )

    def _one_column_and_k(self) -> tuple[str, int]:
        inputs = self.inputs
        if len(inputs.quasi_identifiers) != 1:
            raise InputError(
                f"microaggregation shows one column as means, and --quasi-identifiers names "
                f"{', '.join(inputs.quasi_identifiers)}; name one"
            )
        others = [option for option in inputs.thresholds.given if option != "--k"]
        k = inputs.thresholds.values.get("k")
        if others or k is None:
            without = f", without {' and '.join(others)}" if others else ""
            raise InputError(f"microaggregation makes groups of K or more, for no other model; give --k{without}")
        return inputs.quasi_identifiers[0], whole(k, "--k")

    def _released(self, found: Any, done: dict[str, str] | None = None) -> Released:
        made = Released.of(found, self.inputs, self.model, self.output)
        return made if done is None else made.with_done(done)

    def _file(self, rows: AnonymizedTable) -> ReleaseFile | None:
        return None if self.output is None else ReleaseFile.of(self.output, rows, self.inputs)


def _decimal_or_fraction(number: Any) -> str:
    """Write a number as a decimal if it has one that ends, else as a fraction."""
    for digits in range(20):
        scaled = number * 10**digits
        if scaled.denominator == 1:
            sign, whole_part = ("-" if scaled < 0 else ""), f"{abs(int(scaled)):0{digits + 1}d}"
            return f"{sign}{whole_part[:-digits]}.{whole_part[-digits:]}" if digits else f"{sign}{whole_part}"
    return number_text(number)


@dataclass(frozen=True)
class _Shown:
    """The table at one generalization: what each row shows, its class, and the classes' counts."""

    texts: dict[str, Any]
    kinds: dict[str, str]
    class_of: IntArray
    codes: IntArray
    classes: ClassCounts

    @classmethod
    def at(cls, inputs: TableInputs, node: str | None) -> _Shown:
        """Show the quasi-identifiers as they are, or at a node of the lattice."""
        columns = inputs.table.quasi_identifiers
        if node is None:
            attributes = [AtLevel(column.name, column.domain, None, 0) for column in columns]
        else:
            from tcloseness.cli.anonymized_output import node_named

            rolled = inputs.rolled_up()
            levels = node_named(rolled.lattice, node)
            hierarchies = rolled.lattice.hierarchies
            attributes = [
                AtLevel(column.name, column.domain, hierarchies[column.name], level)
                for column, level in zip(columns, levels, strict=True)
            ]
        labels = [attribute.label_of[column.codes] for attribute, column in zip(attributes, columns, strict=True)]
        key = combined_codes(labels, [len(each.label_domain) for each in attributes], rows=len(inputs.table))
        class_of = np.unique(key, return_inverse=True)[1].reshape(-1)
        counting = Counting(inputs.table)
        texts = {}
        for attribute, codes in zip(attributes, labels, strict=True):
            words = ["" if value is MISSING else value_text(value) for value in attribute.label_domain.values]
            texts[attribute.name] = np.array([*words, None], dtype=object)[codes]
        kinds = {each.name: "as it is" if node is None else each.kind for each in attributes}
        return cls(texts, kinds, class_of, counting.codes, counting.of(class_of))

    def rows_without(self, kept: IntArray) -> Any:
        """Return which rows go if so many of each cell of `classes` stay, shape (records,).

        The first do, in the order of the table's rows: that must be a drawn one, see `tcloseness.cli.seeds`.
        """
        order, cells = self._by_cell()
        starts = np.searchsorted(cells, np.arange(len(kept)))
        gone = np.empty(len(cells), dtype=bool)
        gone[order] = np.arange(len(cells)) - starts[cells] >= kept[cells]
        return gone

    def rows_showing(self, shown: Sequence[Mapping[tuple[int, int], int]]) -> IntArray:
        """Return the node that each row shows, shape (records,); of a cell's rows the first show the lowest.

        The order of the table's rows must be a drawn one, see `tcloseness.cli.seeds`.

        Parameters
        ----------
        shown
            For each class, how many records of each value are shown at which node, as numbered by `Ancestors`: a node
            above another has the smaller number.
        """
        order, _ = self._by_cell()
        runs = [
            (node, records)
            for one in shown
            for (_, node), records in sorted(one.items(), key=lambda each: (each[0][0], -each[0][1]))
        ]
        nodes = np.empty(len(order), dtype=np.int64)
        nodes[order] = np.repeat([node for node, _ in runs], [records for _, records in runs])
        return nodes

    def _by_cell(self) -> tuple[IntArray, IntArray]:
        """Return the rows, class by class and value by value in it, and the cell of `classes` that each is in."""
        m = len(self.classes.domain)
        cells = np.unique(self.class_of * m + self.codes, return_inverse=True)[1].reshape(-1)
        order = np.argsort(cells, kind="stable")
        return order, cells[order]
