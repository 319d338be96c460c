"""Sensitive values that a model treats apart: the caller names them, and none is dropped without a word."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.microdata import Domain
from tcloseness.microdata.domain import value_text
from tcloseness.microdata.naming import meant

__all__ = ["as_values", "codes_of", "listed"]


def as_values(values: Any, name: str) -> tuple[Hashable, ...]:
    """Read a collection of sensitive values: each once, in an order that does not depend on theirs.

    Raises
    ------
    InputError
        For a text (its letters are meant by nobody), or anything else that is not a collection of values.
    """
    if isinstance(values, str) or not isinstance(values, Collection):
        raise InputError(f"{name} is {values!r}; it must be a collection of sensitive values, such as ['flu']")
    try:
        return Domain.of(values).values
    except TypeError as error:
        raise InputError(f"{name} holds something that is not a value of a cell: {error}") from error


def codes_of(domain: Domain, values: Collection[Hashable]) -> IntArray:
    """Return the codes of those values that are in the domain; ``"(missing)"`` names the missing value.

    A value that does not occur in the table has no records; it is left out here, and the model counts it as absent.

    Raises
    ------
    DomainError
        If the domain was declared and lacks a value, has another that looks the same, or has the text ``"(missing)"``.
    """
    named = [meant(value, domain) for value in values]
    for value in named:
        if value not in domain and (domain.declared or domain.twin_of(value)):
            domain.code(value)  # raises, and says what is alike
    return np.array([domain.code(value) for value in named if value in domain], dtype=np.int64)


def listed(values: Collection[Hashable]) -> str:
    """Write a collection of values for a result's parameters."""
    return ", ".join(map(value_text, values)) if values else "none"
