"""The minimality attack: knowing that an algorithm generalizes no more than it must shows what it avoided.

Wong, Fu, Wang, Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tcloseness.attacks.population import label_key
from tcloseness.conventions import Conventions
from tcloseness.displayed import Explained, counted
from tcloseness.errors import InputError
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.protocol import ModelResult, PrivacyModel, value_texts
from tcloseness.models.thresholds import whole

__all__ = ["MinimalityAttack", "Specialization", "minimality_attack"]


@dataclass(frozen=True, eq=False)
class Specialization(Explained):
    """One step down from the released node: one quasi-identifier, one level finer.

    Attributes
    ----------
    attribute
        The quasi-identifier.
    levels
        The node below, by quasi-identifier.
    classes
        Its class counts. The attacker does not see the counts of sensitive values, only (from outside) the classes.
    result
        What the model says about it.
    """

    attribute: str
    levels: Mapping[str, int]
    classes: ClassCounts
    result: ModelResult

    def _said(self) -> str:
        return self.sentence

    @property
    def ruled_out(self) -> bool:
        """Whether the model is violated there, so that a minimal algorithm could not stop at it."""
        return self.result.status == "violated"

    @property
    def sentence(self) -> str:
        """What the attacker infers from it, or what she would infer wrongly."""
        step = f"{self.attribute} at level {self.levels[self.attribute]}"
        value = value_texts(self.result.value)["value"]
        if not self.ruled_out:
            return f"With {step}, {self.result.model} is {self.result.status} ({value}): minimality says nothing here."
        classes, records = counted(len(self.result.violating), "class"), counted(self.result.records_at_risk, "record")
        return f"With {step}, {self.result.model} is violated ({value}), by {classes} with {records}."

    def to_dict(self, *, worst: int = 3) -> dict[str, Any]:
        """Return the step as JSON-ready data, with some of the violating classes, worst ones first."""
        first = [g for g in self.result.worst.tolist() if g in set(self.result.violating.tolist())]
        order = list(dict.fromkeys([*first, *self.result.violating.tolist()]))
        return {
            "attribute": self.attribute,
            "levels": dict(self.levels),
            "ruled_out": self.ruled_out,
            "status": self.result.status,
            **value_texts(self.result.value),
            "violating_classes": len(self.result.violating),
            "records": self.result.records_at_risk,
            "violating": [self.classes.describe(g) for g in order[:worst]],
            "sentence": self.sentence,
        }


@dataclass(frozen=True, eq=False)
class MinimalityAttack(Explained):
    """What an attacker learns who knows the model, the hierarchies, and that the algorithm stops as low as it can.

    Attributes
    ----------
    levels
        The released node.
    released
        What the model says about it: it is satisfied.
    specializations
        The direct steps down, one a quasi-identifier above level 0.
    affected
        The indices of the released classes that contain a violating class of some step that is ruled out.
    records
        How many records the violating classes have, each record counted once.
    total
        How many records are released.
    conventions
        What was chosen on the way, by name.
    """

    levels: Mapping[str, int]
    released: ModelResult
    specializations: tuple[Specialization, ...]
    affected: np.ndarray[Any, np.dtype[np.intp]]
    records: int
    total: int
    conventions: Conventions = field(default_factory=Conventions)
    attack = "minimality"
    citation = "Wong et al. 2007"

    _columns: ClassVar = {
        **{"attribute": "", "ruled_out": False, "status": "", "value": "", "decimal": ""},
        **{"violating_classes": 0, "records": 0, "sentence": ""},
    }

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        return (row for each in self.specializations for row in each._frame_rows())

    def _said(self) -> str:
        return f"{self.attack}, {self.sentence}"

    @property
    def minimal(self) -> bool:
        """Whether every direct step down is ruled out. At the bottom there is none, and nothing to infer."""
        return all(s.ruled_out for s in self.specializations)

    @property
    def succeeds(self) -> bool:
        """Whether there is something to infer: the node is minimal, and there is a step that was ruled out."""
        return self.minimal and bool(self.specializations)

    @property
    def sentence(self) -> str:
        """The whole in one sentence, without a value of the table."""
        if not self.specializations:
            return "Nothing was generalized, so minimality says nothing."
        if not self.minimal:
            return (
                "The release is not minimal: a direct specialization satisfies the model too, so whoever relies on "
                "minimality is misled."
            )
        return (
            f"The release is minimal: each of {counted(len(self.specializations), 'direct specialization')} violates "
            f"{self.released.model}, through classes with {self.records} of {counted(self.total, 'record')}; an "
            "attacker who knows the algorithm knows so too."
        )

    def to_dict(self, *, worst: int = 3) -> dict[str, Any]:
        """Return the result as JSON-ready data, with at most so many violating classes a step."""
        return {
            "attack": self.attack,
            "parameters": {"model": self.released.model, **self.released.parameters},
            "levels": dict(self.levels),
            "minimal": self.minimal,
            "succeeds": self.succeeds,
            "affected_classes": len(self.affected),
            "records": self.records,
            "released_records": self.total,
            "sentence": self.sentence,
            "specializations": [s.to_dict(worst=worst) for s in self.specializations],
            "citation": self.citation,
            "conventions": dict(self.conventions),
        }


def minimality_attack(
    frequencies: FrequencySet | FullTable,
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    model: PrivacyModel,
    *,
    sensitive: str | None = None,
) -> MinimalityAttack:
    """Return the direct specializations of a released node that violate the model: ν ∖ e_A for each A with ν_A > 0.

    The publisher's question: what does the choice of this node give away to somebody who knows that the algorithm
    generalizes only as much as the model needs? She knows of each step down that it was ruled out; where the classes
    down there are known from outside (a voter list), she concludes that their sensitive values break the model.

    Parameters
    ----------
    frequencies
        The original table, before generalization, counted.
    hierarchies, levels
        The hierarchies of the quasi-identifiers and the released node; attributes left out are at level 0.
    model
        The model that the algorithm enforced, with its threshold.
    sensitive
        The sensitive attribute; may be left out if there is one.

    Raises
    ------
    InputError
        If the model has no threshold, or the released node violates it (then nothing was released under it).
    TableError, HierarchyError
        For attributes or levels that do not exist.

    Notes
    -----
    The limits of this check. (1) It looks one step down; with a monotone model everything below is ruled out with it,
    otherwise not. (2) It takes the algorithm to be one that stops at a minimal node of full-domain generalization
    without suppression, and to publish that it does; local recoding and algorithms that suppress leak in their own
    ways, which are not modelled. (3) It names the classes that *do* violate the model down there; how sure an attacker
    can be of which class it is depends on how many could, and a violation that sizes alone explain (k-anonymity, or a
    class of fewer than ℓ records) says nothing about sensitive values. So a result that `succeeds` is a warning, not
    a proof of disclosure; the posterior beliefs of an attacker are counted by `ruled_out_steps` for one protected
    value, and by `what_it_gives_away` for small tables (Wong et al. 2007, §3). (4) An optimum (by loss) reveals
    more than minimality, by being optimal.

    References
    ----------
    Wong et al. 2007, §2 and §3.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import DistinctLDiversity
    >>> table = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": ["hiv", "hiv", "flu", "hiv"]})
    >>> counts = FrequencySet.from_frame(table, quasi_identifiers="q", sensitive="s")
    >>> found = minimality_attack(counts, {"q": Hierarchy.suppression("ab")}, {"q": 1}, DistinctLDiversity(2))
    >>> found.specializations[0].sentence
    'With q at level 0, distinct l-diversity is violated (1), by 1 class with 2 records.'
    """
    frequencies = in_shape(frequencies, FrequencySet)
    frequencies.require_rows_of_different_persons("the minimality attack")
    node = _node(frequencies, levels)
    top, released = _evaluate(frequencies, hierarchies, node, model, sensitive)
    if released.status != "satisfied":
        raise InputError(
            f"at the released node {dict(node)!r} the model {model.name} is {released.status}; minimality is a "
            "property of a release that satisfies its model: give the threshold and the node that were used"
        )
    steps = []
    for attribute in (name for name in frequencies.quasi_identifiers if node[name]):
        below = {**node, attribute: node[attribute] - 1}
        classes, result = _evaluate(frequencies, hierarchies, below, model, sensitive)
        steps.append(Specialization(attribute, below, classes, result))

    atoms, up = _members(frequencies, hierarchies, node, top, sensitive)
    hit = np.zeros(len(atoms), dtype=bool)
    for step in (s for s in steps if s.ruled_out):
        _, down = _members(frequencies, hierarchies, step.levels, step.classes, sensitive)
        hit |= np.isin(down, step.result.violating)
    return MinimalityAttack(
        node,
        released,
        tuple(steps),
        np.unique(up[hit]).astype(np.intp),
        int(atoms.class_sizes[hit].sum()),
        top.records,
        top.conventions,
    )


def _node(frequencies: FrequencySet, levels: Mapping[str, int]) -> dict[str, int]:
    named = {name: whole(level, f"the level of {name!r}", least=0) for name, level in levels.items()}
    others = {name: 0 for name in frequencies.quasi_identifiers if name not in named}
    return {**{name: named[name] for name in frequencies.quasi_identifiers if name in named}, **others, **named}


def _evaluate(
    frequencies: FrequencySet,
    hierarchies: Mapping[str, Hierarchy],
    node: Mapping[str, int],
    model: PrivacyModel,
    sensitive: str | None,
) -> tuple[ClassCounts, ModelResult]:
    raised = {name: level for name, level in node.items() if level or name not in frequencies.quasi_identifiers}
    classes = frequencies.generalize(hierarchies, raised).class_counts(sensitive)
    return classes, model.evaluate(classes)


def _members(
    frequencies: FrequencySet,
    hierarchies: Mapping[str, Hierarchy],
    node: Mapping[str, int],
    classes: ClassCounts,
    sensitive: str | None,
) -> tuple[ClassCounts, np.ndarray[Any, np.dtype[np.intp]]]:
    """Return the original table's classes, and for each the class of the node that it is generalized into."""
    atoms = frequencies.class_counts(sensitive)
    assert atoms.keys is not None
    index = {label_key(classes.label(g)): g for g in range(len(classes))}
    columns = []
    for name, domain in zip(atoms.keys.names, atoms.keys.domains, strict=True):
        used, codes = np.unique(atoms.keys.codes[name], return_inverse=True)  # no mark of suppressed records
        labels = domain.subset(used)
        if node[name]:
            mapping, labels = hierarchies[name].generalize(labels, node[name])
            codes = mapping[codes]
        columns.append([labels.values[code] for code in codes.tolist()])
    labels_of_atoms = zip(*columns, strict=True) if columns else [()] * len(atoms)
    return atoms, np.array([index[label_key(label)] for label in labels_of_atoms], dtype=np.intp)
