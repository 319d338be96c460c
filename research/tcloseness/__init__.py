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
    "tcloseness.beliefs": (
        "LinkedRelease",
        "Person",
        "Population",
        "background_knowledge_attack",
        "complementary_release_attack",
        "damaging_knowledge",
        "homogeneity_attack",
        "known_persons_attack",
        "minimality_attack",
        "narrow_range_attack",
        "observed_beliefs",
        "similarity_attack",
        "skewness_attack",
    ),
    "tcloseness.ground": (
        "Equal",
        "Hierarchical",
        "Matrix",
        "Ordered",
        "OrderedByValue",
        "ProductGround",
        "ground_distance",
    ),
    "tcloseness.lattice": (
        "Lattice",
        "RollUp",
        "exhaustive",
        "incognito",
        "minimal_generalizations",
        "optimum",
    ),
    "tcloseness.lattice.anonymized": ("anonymized_table",),
    "tcloseness.lattice.measured": ("measure_node",),
    "tcloseness.lattice.search_answer": ("search_lattice",),
    "tcloseness.loss": (
        "Ambiguity",
        "AverageClassSize",
        "AverageRisk",
        "ClassificationMetric",
        "CountQuery",
        "Discernibility",
        "GeneralizationHeight",
        "GlobalCertaintyPenalty",
        "KLUtility",
        "LossMetric",
        "MaximalRisk",
        "NonUniformEntropy",
        "NormalizedCertaintyPenalty",
        "Precision",
        "QueryError",
        "Release",
        "losses",
        "random_queries",
    ),
    "tcloseness.loss.names": ("loss_named",),
    "tcloseness.measures": (
        "EMD",
        "ChiSquare",
        "Hellinger",
        "JensenShannon",
        "KullbackLeibler",
        "Ratio",
        "ScaledEMD",
        "SmoothedJensenShannon",
        "Variational",
    ),
    "tcloseness.microdata": ("ClassCounts", "Domain", "FrequencySet", "Hierarchy", "Microdata", "read_table"),
    "tcloseness.models": (
        "AlphaKAnonymity",
        "BasicBetaLikeness",
        "Combination",
        "DeltaDisclosure",
        "DeltaPresence",
        "DistinctLDiversity",
        "EnhancedBetaLikeness",
        "EntropyLDiversity",
        "ExpEpsilonCloseness",
        "FrequencyLDiversity",
        "KAnonymity",
        "MInvariance",
        "NTCloseness",
        "NegativeDisclosure",
        "NegativePositiveRecursive",
        "PSensitiveKAnonymity",
        "PopulationCounts",
        "PositiveDisclosureRecursive",
        "RecursiveCLDiversity",
        "TCloseness",
        "TrackedRelease",
        "joint_class_counts",
        "joint_t_closeness",
        "multi_attribute",
        "multi_attribute_classes",
        "superset_map",
    ),
    "tcloseness.report.lattice_figures": ("plot_lattice",),
    "tcloseness.transport": ("Certificate", "certify", "crossings", "emd", "moves"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "EMD",
    "AlphaKAnonymity",
    "Ambiguity",
    "Audit",
    "AverageClassSize",
    "AverageRisk",
    "BasicBetaLikeness",
    "Certificate",
    "ChiSquare",
    "ClassCounts",
    "ClassificationMetric",
    "Combination",
    "CountQuery",
    "DeltaDisclosure",
    "DeltaPresence",
    "Discernibility",
    "DistinctLDiversity",
    "Domain",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "Equal",
    "ExpEpsilonCloseness",
    "FrequencyLDiversity",
    "FrequencySet",
    "GeneralizationHeight",
    "GlobalCertaintyPenalty",
    "Hellinger",
    "Hierarchical",
    "Hierarchy",
    "JensenShannon",
    "KAnonymity",
    "KLUtility",
    "KullbackLeibler",
    "Lattice",
    "LinkedRelease",
    "LossMetric",
    "MInvariance",
    "Matrix",
    "MaximalRisk",
    "Microdata",
    "NTCloseness",
    "NegativeDisclosure",
    "NegativePositiveRecursive",
    "NonUniformEntropy",
    "NormalizedCertaintyPenalty",
    "Ordered",
    "OrderedByValue",
    "PSensitiveKAnonymity",
    "Person",
    "Population",
    "PopulationCounts",
    "PositiveDisclosureRecursive",
    "Precision",
    "ProductGround",
    "QueryError",
    "Ratio",
    "RecursiveCLDiversity",
    "Release",
    "RollUp",
    "ScaledEMD",
    "SmoothedJensenShannon",
    "TCloseness",
    "TrackedRelease",
    "Variational",
    "__version__",
    "anonymized_table",
    "background_knowledge_attack",
    "certify",
    "check",
    "complementary_release_attack",
    "crossings",
    "damaging_knowledge",
    "emd",
    "exhaustive",
    "ground_distance",
    "homogeneity_attack",
    "incognito",
    "joint_class_counts",
    "joint_t_closeness",
    "known_persons_attack",
    "loss_named",
    "losses",
    "measure_node",
    "minimal_generalizations",
    "minimality_attack",
    "moves",
    "multi_attribute",
    "multi_attribute_classes",
    "narrow_range_attack",
    "observed_beliefs",
    "optimum",
    "plot_lattice",
    "random_queries",
    "read_table",
    "search_lattice",
    "similarity_attack",
    "skewness_attack",
    "superset_map",
]

if TYPE_CHECKING:
    from tcloseness.audit import Audit, check
    from tcloseness.beliefs import (
        LinkedRelease,
        Person,
        Population,
        background_knowledge_attack,
        complementary_release_attack,
        damaging_knowledge,
        homogeneity_attack,
        known_persons_attack,
        minimality_attack,
        narrow_range_attack,
        observed_beliefs,
        similarity_attack,
        skewness_attack,
    )
    from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue, ProductGround, ground_distance
    from tcloseness.lattice import Lattice, RollUp, exhaustive, incognito, minimal_generalizations, optimum
    from tcloseness.lattice.anonymized import anonymized_table
    from tcloseness.lattice.measured import measure_node
    from tcloseness.lattice.search_answer import search_lattice
    from tcloseness.loss import (
        Ambiguity,
        AverageClassSize,
        AverageRisk,
        ClassificationMetric,
        CountQuery,
        Discernibility,
        GeneralizationHeight,
        GlobalCertaintyPenalty,
        KLUtility,
        LossMetric,
        MaximalRisk,
        NonUniformEntropy,
        NormalizedCertaintyPenalty,
        Precision,
        QueryError,
        Release,
        losses,
        random_queries,
    )
    from tcloseness.loss.names import loss_named
    from tcloseness.measures import (
        EMD,
        ChiSquare,
        Hellinger,
        JensenShannon,
        KullbackLeibler,
        Ratio,
        ScaledEMD,
        SmoothedJensenShannon,
        Variational,
    )
    from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy, Microdata, read_table
    from tcloseness.models import (
        AlphaKAnonymity,
        BasicBetaLikeness,
        Combination,
        DeltaDisclosure,
        DeltaPresence,
        DistinctLDiversity,
        EnhancedBetaLikeness,
        EntropyLDiversity,
        ExpEpsilonCloseness,
        FrequencyLDiversity,
        KAnonymity,
        MInvariance,
        NegativeDisclosure,
        NegativePositiveRecursive,
        NTCloseness,
        PopulationCounts,
        PositiveDisclosureRecursive,
        PSensitiveKAnonymity,
        RecursiveCLDiversity,
        TCloseness,
        TrackedRelease,
        joint_class_counts,
        joint_t_closeness,
        multi_attribute,
        multi_attribute_classes,
        superset_map,
    )
    from tcloseness.report.lattice_figures import plot_lattice
    from tcloseness.transport import Certificate, certify, crossings, emd, moves


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tcloseness' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
