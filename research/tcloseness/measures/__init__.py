"""Distances between two distributions."""

from tcloseness.measures.chi_square import ChiSquare
from tcloseness.measures.emd import EMD, Variational
from tcloseness.measures.hellinger import Hellinger
from tcloseness.measures.jensen_shannon import JensenShannon
from tcloseness.measures.kullback_leibler import KullbackLeibler
from tcloseness.measures.protocol import (
    BoundMeasure,
    Measure,
    Value,
    Values,
    class_distances,
    merging_never_increases,
    require_measure,
)
from tcloseness.measures.ratio import Ratio
from tcloseness.measures.scaled_emd import ScaledEMD
from tcloseness.measures.smoothed import SmoothedJensenShannon
from tcloseness.microdata.border import guarded

__all__ = [
    "EMD",
    "GROUND_FREE",
    "BoundMeasure",
    "ChiSquare",
    "Hellinger",
    "JensenShannon",
    "KullbackLeibler",
    "Measure",
    "Ratio",
    "ScaledEMD",
    "SmoothedJensenShannon",
    "Value",
    "Values",
    "Variational",
    "class_distances",
    "merging_never_increases",
    "require_measure",
]

GROUND_FREE: tuple[Measure, ...] = (
    Variational(),
    KullbackLeibler(),
    JensenShannon(),
    Hellinger(),
    ChiSquare(),
)
"""The distances that ask nothing of the values, by which an audit measures every class."""

guarded(globals())
