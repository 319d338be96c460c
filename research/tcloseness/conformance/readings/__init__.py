"""Readings: the conventions and the known mistakes, each as a few lines that compute what it would answer."""

from tcloseness.conformance.readings.arithmetic import ARITHMETIC
from tcloseness.conformance.readings.cells import CELLS
from tcloseness.conformance.readings.closeness import CLOSE
from tcloseness.conformance.readings.disclosed import DISCLOSED
from tcloseness.conformance.readings.distances import DISTANCES
from tcloseness.conformance.readings.diversity import DIVERSE
from tcloseness.conformance.readings.grouping import GROUPING
from tcloseness.conformance.readings.lattices import LATTICES
from tcloseness.conformance.readings.likeness import LIKE
from tcloseness.conformance.readings.losses import LOSSES
from tcloseness.conformance.readings.reading import Reading

__all__ = ["READINGS", "Reading", "readings_of"]

_BY_SUBJECT = (GROUPING, DIVERSE, CLOSE, LIKE, ARITHMETIC, DISTANCES, LOSSES, LATTICES, DISCLOSED, CELLS)
READINGS = {reading.name: reading for readings in _BY_SUBJECT for reading in readings}
"""By name."""


def readings_of(algorithm: str) -> list[Reading]:
    """Return the readings of an algorithm."""
    return [reading for reading in READINGS.values() if algorithm in reading.algorithms]
