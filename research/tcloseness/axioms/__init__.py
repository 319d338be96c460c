"""What a distance between distributions satisfies: laws from the papers, with counterexamples and proofs.

TC = Li, Li, Venkatasubramanian, "t-Closeness", ICDE 2007. TKDE = the same, "Closeness: A New Privacy Measure for Data
Publishing", IEEE Trans. Knowl. Data Eng. 22(7), 2010.
"""

from tcloseness.axioms.card import CheckResult, ReportCard
from tcloseness.axioms.check import Check
from tcloseness.axioms.checks import CHECKS
from tcloseness.axioms.decorator import distance_checks
from tcloseness.axioms.judge import check_distance
from tcloseness.axioms.verdict import Counterexample

__all__ = ["CHECKS", "Check", "CheckResult", "Counterexample", "ReportCard", "check_distance", "distance_checks"]
