"""What anonymization costs: one number a loss, exact, each with its formula, citation and conventions."""

from tcloseness.loss.ambiguity import Ambiguity
from tcloseness.loss.boxes import Box, certainty_of_boxes, tight_boxes
from tcloseness.loss.certainty import GlobalCertaintyPenalty, LossMetric, NormalizedCertaintyPenalty
from tcloseness.loss.class_size import AverageClassSize
from tcloseness.loss.classification import ClassificationMetric
from tcloseness.loss.discernibility import Discernibility
from tcloseness.loss.divergence import KLUtility
from tcloseness.loss.entropy import NonUniformEntropy
from tcloseness.loss.height import GeneralizationHeight, Precision
from tcloseness.loss.per_class import CellCost, SizeCost
from tcloseness.loss.protocol import Loss, LossResult
from tcloseness.loss.queries import CountQuery, QueryAnswer, QueryError, random_queries
from tcloseness.loss.risk import AverageRisk, MaximalRisk
from tcloseness.loss.summary import losses
from tcloseness.microdata.border import guarded

__all__ = [
    "Ambiguity",
    "AverageClassSize",
    "AverageRisk",
    "Box",
    "CellCost",
    "ClassificationMetric",
    "CountQuery",
    "Discernibility",
    "GeneralizationHeight",
    "GlobalCertaintyPenalty",
    "KLUtility",
    "Loss",
    "LossMetric",
    "LossResult",
    "MaximalRisk",
    "NonUniformEntropy",
    "NormalizedCertaintyPenalty",
    "Precision",
    "QueryAnswer",
    "QueryError",
    "SizeCost",
    "certainty_of_boxes",
    "losses",
    "random_queries",
    "tight_boxes",
]

guarded(globals())
