"""The tasks of ``tcloseness optimal``: each a program that is solved, and the table that shows its solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tcloseness.cli.hierarchies import read_sensitive_hierarchy
from tcloseness.cli.released import Released, ReleaseFile, check_command
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.errors import InputError
from tcloseness.limits import Clock
from tcloseness.loss import Loss
from tcloseness.methods import best_release, levels_of_datafly
from tcloseness.microdata import ClassCounts, FrequencySet
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
from tcloseness.release import Release
from tcloseness.release.published import Published

__all__ = ["Question"]

Found = tuple[Answer[Any], Released | None]
"""What a program answers, and the table; None where there is no solution."""


@dataclass(frozen=True)
class Question:
    """What all tasks are asked with."""

    # the table, and what must be satisfied
    inputs: TableInputs
    model: PrivacyModel
    output: str | None  # where the table will be written; None if nowhere
    # as for `tcloseness.optimal.optimal_partition`
    engine: Any
    clock: Clock  # the limits, from the command's start on
    seed: int | None  # what is drawn with: ties, and the methods that a partition starts from
    progress: Callable[[Any], None] | None

    @property
    def _how(self) -> dict[str, Any]:
        return {"engine": self.engine, "time_limit": self.clock, "progress": self.progress}

    @property
    def _drawn(self) -> dict[str, Any]:
        return {**self._how, "seed": self.seed}

    def partition(self, loss: str | Loss, formulation: Any) -> Found:
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

    def cut(self, loss: str | Loss, recoding: Any) -> Found:
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
        return found, self._released(found.solution.anonymized, nodes)

    def suppression(self, node: str | None) -> Found:
        """Suppress the fewest records."""
        release, kinds = self._shown(node)
        found = optimal_suppression(release, self.model, **self._drawn)
        if isinstance(found, Infeasible):
            return found, None
        solution = found.solution
        return found, self._written(
            found,
            solution.after,
            ((solution.verdict, solution.after),),
            kinds=kinds,
            done={
                "suppressed records": solution.records,
                "classes gone": len(solution.before) - len(solution.after),
            },
            conventions=solution.verdict.conventions,
            suppressed_together=found.release.suppressed_together(self.model),
        )

    def hiding(self, node: str | None) -> Found:
        """Hide the fewest sensitive values."""
        release, kinds = self._shown(node)
        found = optimal_hiding(release, self.model, **self._drawn)
        if isinstance(found, Infeasible):
            return found, None
        solution, marker = found.solution, found.release.marker(self.inputs.sensitive)
        return found, self._written(
            found,
            solution.shown,
            tuple((each, solution.shown if each.looks_at_values else solution.classes) for each in solution.verdicts),
            kinds=kinds,
            done={
                "hidden sensitive values": solution.values,
                "classes that show none": len(solution.classes) - len(solution.shown),
            },
            conventions={
                **solution.shown.conventions,
                "hidden values": f"{f'cells with {marker}' if marker else 'empty cells'}; k is asked of all records of "
                "a class, all else of the values shown",
            },
            check=False,
            people=solution.classes,
        )

    def sensitive_generalization(self, node: str | None, file: str, weight: str | Loss) -> Found:
        """Show sensitive values as nodes of the hierarchy of a file, as low as can be."""
        (release, kinds), sensitive = self._shown(node), self.inputs.sensitive
        hierarchy = read_sensitive_hierarchy(file, sensitive, release.classes.domain, self.inputs.written)
        found = optimal_sensitive_generalization(release, self.model, hierarchy, weight=weight, **self._drawn)
        if isinstance(found, Infeasible):
            return found, None
        solution = found.solution
        return found, self._written(
            found,
            solution.read,
            tuple((each, solution.classes) for each in solution.verdicts),
            kinds=kinds,
            done={
                "generalized sensitive values": solution.generalized,
                "classes that show some": solution.touched,
                **({"shown as": solution.shown_as} if solution.shown_as else {}),
            },
            conventions={
                **solution.classes.conventions,
                "generalized values": "a label is read as each value below it, in proportion to how often that is in "
                "the whole table (Q); t, distinct ℓ and entropy ℓ are those of the classes so read, and k is asked of "
                "all records of a class",
                "which records": "drawn: of a class's records of one value some show the value itself, others a node",
                "re-check": "k by `tcloseness check`; t by no command, as that takes a label for a value of its own",
            },
            check=False,
            people=solution.classes,
        )

    def microaggregation(self) -> Found:
        """Show the numbers of one column as means of groups."""
        found = optimal_microaggregation(self.inputs.table, self._k(), seed=self.seed, time_limit=self.clock)
        if isinstance(found, Infeasible):
            return found, None
        classes = found.classes
        return found, self._written(
            found,
            classes,
            ((self.model.evaluate(classes), classes),),
            kinds={name: each.kind for name, each in found.release.recodings.items()},
            done={"groups": len(found.solution.groups)},
            conventions=classes.conventions,
        )

    def _k(self) -> int:
        others = [option for option in self.inputs.thresholds.given if option != "--k"]
        k = self.inputs.thresholds.values.get("k")
        if others or k is None:
            without = f", without {' and '.join(others)}" if others else ""
            raise InputError(f"microaggregation makes groups of K or more, for no other model; give --k{without}")
        return whole(k, "--k")

    def _shown(self, node: str | None) -> tuple[Release, dict[str, str]]:
        """Return the table as it is, or at a node of the lattice, and how each quasi-identifier is shown."""
        if node is None:
            release = Release.full_domain(FrequencySet.of(self.inputs.table))
            return release, dict.fromkeys(release.recodings, "as it is")
        from tcloseness.cli.anonymized_output import node_named

        rolled = self.inputs.rolled_up()
        release = rolled.release(node_named(rolled.lattice, node)).on_rows(self.inputs.table)
        return release, {name: each.kind for name, each in release.recodings.items()}

    def _written(
        self, found: Published, classes: ClassCounts, verdicts: Any, *, check: bool = True, **more: Any
    ) -> Released:
        file = None if self.output is None else ReleaseFile.of_release(self.output, found.release, self.inputs)
        return Released(
            classes,
            verdicts,
            files=() if file is None else (file,),
            check=check_command(file, self.inputs) if check and file is not None else None,
            **more,
        )

    def _released(self, found: Any, done: dict[str, str] | None = None) -> Released:
        made = Released.of(found, self.inputs, self.model, self.output)
        return replace(made, done={**made.done, **(done or {})})
