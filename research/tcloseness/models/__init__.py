"""Privacy models on class counts: k-anonymity, ℓ-diversity, t-closeness, and what grew from them."""

from tcloseness.microdata.border import guarded
from tcloseness.models.beta_likeness import BasicBetaLikeness, EnhancedBetaLikeness
from tcloseness.models.combination import Combination
from tcloseness.models.delta_disclosure import DeltaDisclosure
from tcloseness.models.exp_epsilon import ExpEpsilonCloseness
from tcloseness.models.frequency_bounds import AlphaKAnonymity, FrequencyLDiversity
from tcloseness.models.k_anonymity import KAnonymity
from tcloseness.models.k_map import JournalistRisk, KMap
from tcloseness.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity
from tcloseness.models.n_t_closeness import NTCloseness, superset_map
from tcloseness.models.negative_disclosure import NegativeDisclosure, NegativePositiveRecursive
from tcloseness.models.p_sensitive import PSensitiveKAnonymity
from tcloseness.models.positive_disclosure import PositiveDisclosureRecursive
from tcloseness.models.presence import DeltaPresence, PopulationCounts
from tcloseness.models.protocol import ModelResult, Monotone, PrivacyModel, Status
from tcloseness.models.releases import MInvariance, MInvarianceResult, TrackedRelease
from tcloseness.models.several_attributes import (
    joint_class_counts,
    joint_t_closeness,
    multi_attribute,
    multi_attribute_classes,
)
from tcloseness.models.survey import ByWeights, SurveyResult, survey_results
from tcloseness.models.t_closeness import TCloseness

__all__ = [
    "AlphaKAnonymity",
    "BasicBetaLikeness",
    "ByWeights",
    "Combination",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "ExpEpsilonCloseness",
    "FrequencyLDiversity",
    "JournalistRisk",
    "KAnonymity",
    "KMap",
    "MInvariance",
    "MInvarianceResult",
    "ModelResult",
    "Monotone",
    "NTCloseness",
    "NegativeDisclosure",
    "NegativePositiveRecursive",
    "PSensitiveKAnonymity",
    "PopulationCounts",
    "PositiveDisclosureRecursive",
    "PrivacyModel",
    "RecursiveCLDiversity",
    "Status",
    "SurveyResult",
    "TCloseness",
    "TrackedRelease",
    "joint_class_counts",
    "joint_t_closeness",
    "multi_attribute",
    "multi_attribute_classes",
    "superset_map",
    "survey_results",
]

guarded(globals())
