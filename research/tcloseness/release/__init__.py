"""The published table: how its attributes are shown, which records are suppressed, and its rows beside the original."""

from tcloseness.microdata.border import guarded
from tcloseness.release.anonymized import Anonymized, verified
from tcloseness.release.attributes import Attribute, Categorical, Hierarchical, Numeric, attributes_of
from tcloseness.release.foreign import read_published
from tcloseness.release.full_domain import AtCut, AtLevel
from tcloseness.release.grid import OnGrid, on_grid
from tcloseness.release.partition import Partition
from tcloseness.release.recoding import Recoding
from tcloseness.release.regions import Regions
from tcloseness.release.release import Release
from tcloseness.release.rows import AnonymizedTable
from tcloseness.release.unaligned import UnalignedRelease
from tcloseness.release.univariate import optimal_groups, within_groups

__all__ = [
    "Anonymized",
    "AnonymizedTable",
    "AtCut",
    "AtLevel",
    "Attribute",
    "Categorical",
    "Hierarchical",
    "Numeric",
    "OnGrid",
    "Partition",
    "Recoding",
    "Regions",
    "Release",
    "UnalignedRelease",
    "attributes_of",
    "on_grid",
    "optimal_groups",
    "read_published",
    "verified",
    "within_groups",
]

guarded(globals())
