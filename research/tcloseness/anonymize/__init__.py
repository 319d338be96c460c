"""Heuristic anonymization: methods that group the records of a table until a privacy model holds, exactly verified."""

from tcloseness.anonymize.anatomy import Anatomized, anatomy, two_tables
from tcloseness.anonymize.attributes import Attribute, Categorical, Hierarchical, Numeric, attributes_of
from tcloseness.anonymize.closeness_first import closeness_first
from tcloseness.anonymize.cluster_bounds import least_cluster_size, least_distance, one_per_bucket_distance
from tcloseness.anonymize.confidential import confidential_microaggregation
from tcloseness.anonymize.costs import PartitionCost, cost_named
from tcloseness.anonymize.datafly import datafly
from tcloseness.anonymize.levelled import AtLevel
from tcloseness.anonymize.microaggregation import mdav
from tcloseness.anonymize.mondrian import mondrian
from tcloseness.anonymize.partition import Partition
from tcloseness.anonymize.release import Anonymized, verified
from tcloseness.anonymize.sabre import sabre
from tcloseness.anonymize.swapping import swapping
from tcloseness.anonymize.univariate import optimal_groups, within_groups
from tcloseness.microdata.border import guarded

__all__ = [
    "Anatomized",
    "Anonymized",
    "AtLevel",
    "Attribute",
    "Categorical",
    "Hierarchical",
    "Numeric",
    "Partition",
    "PartitionCost",
    "anatomy",
    "attributes_of",
    "closeness_first",
    "confidential_microaggregation",
    "cost_named",
    "datafly",
    "least_cluster_size",
    "least_distance",
    "mdav",
    "mondrian",
    "one_per_bucket_distance",
    "optimal_groups",
    "sabre",
    "swapping",
    "two_tables",
    "verified",
    "within_groups",
]

guarded(globals())
