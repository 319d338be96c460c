"""The generalization lattice of full-domain recoding: roll-up, and searches for the nodes that satisfy a model."""

from tcloseness.lattice.incognito import incognito
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.lattice.measured import MeasuredNode, OverRows, measure_node
from tcloseness.lattice.optimum import optimum
from tcloseness.lattice.results import OptimalNode, Optimum, PartialOptimum, PartialSearch, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.search_answer import PartialSearchAnswer, SearchAnswer, search_lattice
from tcloseness.lattice.searches import exhaustive, exhaustive_each, minimal_generalizations
from tcloseness.microdata.border import guarded

__all__ = [
    "Lattice",
    "MeasuredNode",
    "Node",
    "OptimalNode",
    "Optimum",
    "OverRows",
    "PartialOptimum",
    "PartialSearch",
    "PartialSearchAnswer",
    "RollUp",
    "SearchAnswer",
    "SearchResult",
    "Work",
    "exhaustive",
    "exhaustive_each",
    "incognito",
    "measure_node",
    "minimal_generalizations",
    "optimum",
    "search_lattice",
]

guarded(globals())
