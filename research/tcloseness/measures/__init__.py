"""Distances between two distributions."""

from tcloseness.measures.emd import EMD, Variational
from tcloseness.measures.kullback_leibler import KullbackLeibler
from tcloseness.measures.protocol import BoundMeasure, Measure, Value, Values

__all__ = ["EMD", "BoundMeasure", "KullbackLeibler", "Measure", "Value", "Values", "Variational"]
