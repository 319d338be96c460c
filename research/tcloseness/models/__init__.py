"""Privacy models on class counts: k-anonymity, ℓ-diversity, t-closeness."""

from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity, effective_l
from tcloseness.models.protocol import ModelResult, Monotone, PrivacyModel, Status
from tcloseness.models.t_closeness import TCloseness

__all__ = [
    "DistinctLDiversity",
    "EntropyLDiversity",
    "KAnonymity",
    "ModelResult",
    "Monotone",
    "PrivacyModel",
    "RecursiveCLDiversity",
    "Status",
    "TCloseness",
    "effective_l",
]
