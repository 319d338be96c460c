"""tcloseness: exact, certified privacy models of published microdata.

Everything here answers a question about one object, the counts of records of each equivalence class that carry each
sensitive value (`ClassCounts`). Counts are integers, distances `Fraction`s, thresholds are decided exactly, and a
distance comes with a certificate on demand.

Names are loaded when they are first used, so that ``import tcloseness`` is quick.

Examples
--------
>>> import tcloseness as tc
>>> tc.emd(["1/3", "1/3", "1/3", 0, 0, 0, 0, 0, 0], ["1/9"] * 9, tc.Ordered(9))
Fraction(3, 8)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "tcloseness.audit": ("Audit", "check"),
    "tcloseness.ground": ("Equal", "Hierarchical", "Matrix", "Ordered", "OrderedByValue", "ground_distance"),
    "tcloseness.measures": ("EMD", "KullbackLeibler", "Variational"),
    "tcloseness.microdata": ("ClassCounts", "Domain", "FrequencySet", "Hierarchy", "Microdata", "read_table"),
    "tcloseness.models": (
        "DistinctLDiversity",
        "EntropyLDiversity",
        "KAnonymity",
        "RecursiveCLDiversity",
        "TCloseness",
    ),
    "tcloseness.transport": ("Certificate", "certify", "crossings", "emd", "moves"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "EMD",
    "Audit",
    "Certificate",
    "ClassCounts",
    "DistinctLDiversity",
    "Domain",
    "EntropyLDiversity",
    "Equal",
    "FrequencySet",
    "Hierarchical",
    "Hierarchy",
    "KAnonymity",
    "KullbackLeibler",
    "Matrix",
    "Microdata",
    "Ordered",
    "OrderedByValue",
    "RecursiveCLDiversity",
    "TCloseness",
    "Variational",
    "__version__",
    "certify",
    "check",
    "crossings",
    "emd",
    "ground_distance",
    "moves",
    "read_table",
]

if TYPE_CHECKING:
    from tcloseness.audit import Audit, check
    from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue, ground_distance
    from tcloseness.measures import EMD, KullbackLeibler, Variational
    from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy, Microdata, read_table
    from tcloseness.models import (
        DistinctLDiversity,
        EntropyLDiversity,
        KAnonymity,
        RecursiveCLDiversity,
        TCloseness,
    )
    from tcloseness.transport import Certificate, certify, crossings, emd, moves


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tcloseness' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
