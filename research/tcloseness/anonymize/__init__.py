"""Heuristic anonymization: methods that group the records of a table until a privacy model holds, exactly verified."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tcloseness.anonymize.anatomy import Anatomized, anatomy, two_tables
from tcloseness.anonymize.closeness_first import (
    closeness_first,
    least_cluster_size,
    least_distance,
    one_per_bucket_distance,
)
from tcloseness.anonymize.confidential import confidential_microaggregation
from tcloseness.anonymize.datafly import datafly
from tcloseness.anonymize.microaggregation import mdav
from tcloseness.anonymize.mondrian import mondrian
from tcloseness.anonymize.sabre import sabre
from tcloseness.anonymize.swapping import swapping
from tcloseness.microdata.border import guarded

__all__ = [
    "METHODS",
    "Anatomized",
    "anatomy",
    "closeness_first",
    "confidential_microaggregation",
    "datafly",
    "least_cluster_size",
    "least_distance",
    "mdav",
    "mondrian",
    "one_per_bucket_distance",
    "sabre",
    "swapping",
    "two_tables",
]

guarded(globals())

METHODS: Mapping[str, Callable[..., Any]] = {
    "mondrian": mondrian,
    "mondrian-relaxed": partial(mondrian, relaxed=True),
    "datafly": datafly,
    "mdav": mdav,
    "confidential": confidential_microaggregation,
    "swapping": swapping,
    "closeness-first": closeness_first,
    "sabre": sabre,
    "anatomy": anatomy,
}
"""By the name that people give."""
