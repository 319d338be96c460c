"""Microdata: tables, hierarchies, and their exact class counts."""

from tcloseness.microdata.border import guarded
from tcloseness.microdata.classes import ClassCounts, ClassKeys
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.microdata.frequency import FrequencySet
from tcloseness.microdata.hierarchy import Hierarchy
from tcloseness.microdata.sources import read_table
from tcloseness.microdata.table import Column, Microdata
from tcloseness.microdata.tree import TreeNode

__all__ = [
    "MISSING",
    "ClassCounts",
    "ClassKeys",
    "Column",
    "Domain",
    "FrequencySet",
    "Hierarchy",
    "Microdata",
    "TreeNode",
    "read_table",
]

guarded(globals())
