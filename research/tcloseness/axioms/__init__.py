"""What a distance between distributions satisfies: laws from the papers, with counterexamples and proofs.

Li et al. 2007 = Li, Li, Venkatasubramanian, "t-Closeness", ICDE 2007. Li et al. 2010 = the same, "Closeness: A New
Privacy Measure for Data Publishing", IEEE Trans. Knowl. Data Eng. 22(7), 2010.
"""

from tcloseness.axioms.card import CheckResult, ReportCard
from tcloseness.axioms.checking import check_distance, distance_checks
from tcloseness.axioms.checks import CHECKS
from tcloseness.axioms.dependence import DependenceCard, dependence_card
from tcloseness.axioms.verdict import Check, Counterexample

__all__ = [
    "CHECKS",
    "Check",
    "CheckResult",
    "Counterexample",
    "DependenceCard",
    "ReportCard",
    "check_distance",
    "dependence_card",
    "distance_checks",
]
