"""What is asked of a method, as a grid writes it: ``mondrian k=2 distinct=3`` is a method and its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from operator import and_
from typing import Any

from experiments.runner import SEED
from tcloseness.errors import NotReached, StudyError
from tcloseness.lattice import RollUp, optimum
from tcloseness.loss import GeneralizationHeight
from tcloseness.methods import run_method
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from tcloseness.optimal import optimal_partition

__all__ = ["Asked", "asked"]

MODELS: Mapping[str, Callable[[str], PrivacyModel]] = {
    "k": lambda k: KAnonymity(int(k)),
    "distinct": lambda l: DistinctLDiversity(int(l)),  # noqa: E741
    "frequency": lambda l: FrequencyLDiversity(int(l)),  # noqa: E741
    "t": lambda t: TCloseness(t, ground="equal"),
}
"""By the word for it; t-closeness goes by the equal ground distance."""

_SAID = {"k": "k = {}", "distinct": "distinct l = {}", "frequency": "frequency l = {}", "t": "t = {}"}

METHODS = {"optimal-partition": "optimal partition", "full-domain": "full domain, least height"}
"""Those that are not heuristics, and how they are written."""


@dataclass(frozen=True)
class Asked:
    """A method and a model.

    Attributes
    ----------
    method
        The method's name.
    conditions
        The parts of the model, as they are written.
    model
        Their conjunction.
    """

    method: str
    conditions: tuple[tuple[str, str], ...]
    model: PrivacyModel

    @property
    def title(self) -> str:
        """The model in a few words."""
        return " and ".join(_SAID[word].format(number) for word, number in self.conditions)

    @property
    def shown(self) -> str:
        """The method as it is written where it is shown."""
        return METHODS.get(self.method, self.method)

    @property
    def of_sizes_alone(self) -> bool:
        """Whether the model asks nothing of the sensitive values."""
        return {word for word, _ in self.conditions} == {"k"}

    def release(self, table: Microdata, hierarchies: Mapping[str, Hierarchy], seed: int = SEED) -> Any:
        """Run the method, by default with the seed of the study."""
        if self.method == "optimal-partition":
            return optimal_partition(table, self.model, hierarchies=hierarchies, seed=seed)
        if self.method == "full-domain":
            rolled = RollUp(FrequencySet.of(table), hierarchies)
            nodes = optimum(rolled, self.model, loss=GeneralizationHeight()).nodes
            if not nodes:
                raise NotReached(f"no node satisfies {self.title}")
            return rolled.release(nodes[0].node)
        return run_method(self.method, table, self.model, hierarchies, seed=seed)

    def on(self, hierarchies: Mapping[str, Hierarchy], seed: int = SEED) -> Callable[[Microdata], Any]:
        """Return the method as a function of the table."""
        return partial(self.release, hierarchies=hierarchies, seed=seed)


def asked(text: str) -> Asked:
    """Read a method and what it must reach.

    Raises
    ------
    StudyError
        For a condition that is unknown.

    Examples
    --------
    >>> asked("mondrian k=2 distinct=3").title
    'k = 2 and distinct l = 3'
    """
    method, *words = text.split()
    conditions = []
    for word in words:
        name, equals, number = word.partition("=")
        if name not in MODELS or not equals:
            raise StudyError(f"{word!r} in {text!r} is not a condition; those are {', '.join(MODELS)}, such as 'k=2'")
        conditions.append((name, number))
    if not conditions:
        raise StudyError(f"{text!r} asks nothing of {method!r}; give a condition, such as 'k=2'")
    return Asked(method, tuple(conditions), reduce(and_, (MODELS[name](number) for name, number in conditions)))
