"""Optimal anonymization as programs: a solver proposes, and what is optimal has a proof that a checker accepts."""

from collections.abc import Callable, Mapping
from typing import Any

from tcloseness.microdata.border import guarded
from tcloseness.optimal.answers import Answer, Feasible, Infeasible, Optimal, Progress
from tcloseness.optimal.cut import Cut, optimal_cut
from tcloseness.optimal.hiding import Hiding, optimal_hiding
from tcloseness.optimal.microaggregation import Microaggregation, optimal_microaggregation
from tcloseness.optimal.partition import optimal_partition
from tcloseness.optimal.sensitive_generalization import SensitiveGeneralization, optimal_sensitive_generalization
from tcloseness.optimal.suppression import Suppression, optimal_suppression

__all__ = [
    "TASKS",
    "Answer",
    "Cut",
    "Feasible",
    "Hiding",
    "Infeasible",
    "Microaggregation",
    "Optimal",
    "Progress",
    "SensitiveGeneralization",
    "Suppression",
    "optimal_cut",
    "optimal_hiding",
    "optimal_microaggregation",
    "optimal_partition",
    "optimal_sensitive_generalization",
    "optimal_suppression",
]

guarded(globals())

TASKS: Mapping[str, Callable[..., Answer[Any]]] = {
    "partition": optimal_partition,
    "cut": optimal_cut,
    "suppression": optimal_suppression,
    "hiding": optimal_hiding,
    "sensitive-generalization": optimal_sensitive_generalization,
    "microaggregation": optimal_microaggregation,
}
"""By name, the function that solves a task."""
