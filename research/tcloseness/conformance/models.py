"""The right answers, from the package's exact models: what a vector expects, and what our own harness answers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, Literal

import pandas as pd

from tcloseness import loss, models
from tcloseness.conformance.algorithms import Algorithm, algorithm_named
from tcloseness.conformance.answers import Answer, Refused
from tcloseness.conformance.exact_text import INFINITE, Product, Value, in_primes, logarithm, order
from tcloseness.conformance.inputs import Distributions, Table
from tcloseness.conformance.replays import disclosed_by
from tcloseness.errors import DomainError, MassError, TableWarning, VectorError
from tcloseness.exact import ExactReal, Exponential, LogSum
from tcloseness.ground import Matrix
from tcloseness.lattice import RollUp, minimal_generalizations, optimum
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.release import Release
from tcloseness.transport import emd

__all__ = ["right_answer"]

Parameters = Mapping[str, str]


def right_answer(name: str, given: Table | Distributions, parameters: Parameters) -> Answer | Refused:
    """Return the right answer to a test.

    `VectorError` for an unknown algorithm, or an input of the wrong kind for it.
    """
    algorithm = algorithm_named(name)
    if isinstance(given, Distributions) is not (algorithm.kind == "distance"):
        raise VectorError(f"{name} does not read this kind of input; see the vectors' schema")
    if isinstance(given, Distributions):
        try:
            return Answer(emd(given.p, given.q, Matrix(given.matrix, allow_non_metric=True)))
        except (MassError, DomainError):
            return Refused()
    if algorithm.kind == "disclosure":
        return Answer(disclosed_by(name, given, parameters))
    frequencies = frequency_set(given)
    if algorithm.kind == "loss":
        return Answer(_loss(algorithm, given, frequencies, parameters))
    if algorithm.kind == "lattice":
        return Answer(nodes=_nodes(algorithm, given, frequencies, parameters))
    results = []
    for attribute in given.sensitive:
        asked = model_of(algorithm, given, attribute, parameters)
        results.append(asked.evaluate(frequencies.class_counts(attribute)))
    value = _worst([_value(algorithm, found, parameters) for found in results], algorithm)
    return Answer(value, all(found.satisfied for found in results))


def frequency_set(table: Table) -> FrequencySet:
    """Read a table as the package does: from a data frame with its index, its categories and its weights."""
    columns: dict[str, Any] = {}
    for name in table.columns:
        values = table.column(name)
        if name in table.categories:
            columns[name] = pd.Categorical(values, categories=list(table.categories[name]))
        else:
            columns[name] = pd.Series(values, dtype=object).to_numpy()
    frame = pd.DataFrame(columns, index=None if table.index is None else list(table.index))
    weight = None
    if table.times is not None:
        weight = "times" if "times" not in columns else "times of the row"
        frame[weight] = list(table.times)
    orders = {table.sensitive[0]: list(table.order)} if table.order is not None else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        return FrequencySet.from_frame(
            frame,
            quasi_identifiers=table.quasi_identifiers,
            sensitive=table.sensitive,
            weight=weight,
            missing="category",
            orders=orders,
        )


def model_of(algorithm: Algorithm, table: Table, attribute: str, parameters: Parameters) -> models.PrivacyModel:
    """Return the package's model with the test's threshold and ground distance."""
    number = parameters[algorithm.threshold or ""]
    base: Literal[2, "e"] = "e" if parameters.get("base") == "e" else 2
    match algorithm.name:
        case "k-anonymity":
            return models.KAnonymity(int(number))
        case "distinct-l":
            return models.DistinctLDiversity(int(number))
        case "entropy-l":
            return models.EntropyLDiversity(number)
        case "recursive-cl":
            return models.RecursiveCLDiversity(int(parameters["l"]), number)
        case "frequency-l":
            return models.FrequencyLDiversity(number)
        case "alpha-k":
            return models.AlphaKAnonymity(number, int(parameters["k"]))
        case "beta-basic":
            return models.BasicBetaLikeness(number)
        case "beta-enhanced":
            return models.EnhancedBetaLikeness(number)
        case "delta-disclosure":
            return models.DeltaDisclosure(number, base=base)
        case "t-hierarchical":
            return models.TCloseness(number, ground=Hierarchy(table.hierarchies[attribute], name=attribute))
        case "t-matrix":
            values, matrix = table.distance or ((), ())
            labelled = {a: dict(zip(values, row, strict=True)) for a, row in zip(values, matrix, strict=True)}
            return models.TCloseness(number, ground=labelled)
    return models.TCloseness(number, ground=algorithm.name.removeprefix("t-"))


def _value(algorithm: Algorithm, found: models.ModelResult, parameters: Parameters) -> Value:
    """Return the exact value as one that can be written."""
    value = found.value
    if isinstance(value, Exponential):
        return Product.of(in_primes(value.argument.terms))
    if isinstance(value, LogSum):  # of a ratio
        power = Product.of(in_primes(value.terms))
        assert isinstance(power, Fraction)
        return logarithm(power, parameters["base"])
    assert not isinstance(value, ExactReal)
    return INFINITE if isinstance(value, float) else Fraction(value)


def _worst(values: list[Value], algorithm: Algorithm) -> Value:
    ascending = sorted(values, key=cmp_to_key(order))
    return ascending[0] if algorithm.larger_is_safer else ascending[-1]


def _loss(algorithm: Algorithm, table: Table, frequencies: FrequencySet, parameters: Parameters) -> Fraction:
    hierarchies = {name: Hierarchy(paths, name=name) for name, paths in table.hierarchies.items()}
    release = Release.full_domain(frequencies, hierarchies, table.levels) if table.hierarchies else None
    losses: dict[str, Any] = {
        "discernibility": loss.Discernibility,
        "average-class-size": lambda: loss.AverageClassSize(k=int(parameters["k"])),
        "average-risk": loss.AverageRisk,
        "classification-metric": loss.ClassificationMetric,
        "precision": loss.Precision,
        "loss-metric": loss.LossMetric,
        "certainty-penalty": loss.GlobalCertaintyPenalty,
    }
    source: Any = frequencies.class_counts() if release is None else release
    return Fraction(losses[algorithm.name]().evaluate(source).value)


def _nodes(
    algorithm: Algorithm, table: Table, frequencies: FrequencySet, parameters: Parameters
) -> tuple[tuple[int, ...], ...]:
    asked = algorithm_named(parameters["model"])
    model = model_of(asked, table, table.sensitive[0], {asked.threshold or "": parameters["threshold"]})
    hierarchies = {name: Hierarchy(table.hierarchies[name], name=name) for name in table.quasi_identifiers}
    rolled = RollUp(frequencies, hierarchies, compiled=False)
    if algorithm.name == "minimal-nodes":
        return tuple(sorted(minimal_generalizations(rolled, model).minimal))
    return tuple(sorted(found.node for found in optimum(rolled, model, loss=loss.Discernibility()).nodes))
