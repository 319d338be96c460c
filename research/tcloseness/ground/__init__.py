"""Ground distances over the values of a sensitive attribute, and how they are named and rebuilt."""

from __future__ import annotations

from tcloseness.ground.catalogue import (
    BY_SIZE,
    FORMS,
    GROUNDS,
    IF_NONE,
    GroundSpec,
    ground_digest,
    ground_distance,
    ground_from_dict,
    ground_name,
    ground_of_size,
    maker_of,
    require_known,
)
from tcloseness.ground.checking import checked, ground_record
from tcloseness.ground.cuts import Cuts
from tcloseness.ground.distances import Equal, Laminar, Ordered, OrderedByValue
from tcloseness.ground.hierarchical import Hierarchical
from tcloseness.ground.matrix import LabelledMatrix, Matrix, matrix_record
from tcloseness.ground.product import ProductGround
from tcloseness.ground.protocol import GroundDistance, definition_of, distance_rows, greatest_distance
from tcloseness.microdata.border import guarded

__all__ = [
    "BY_SIZE",
    "FORMS",
    "GROUNDS",
    "IF_NONE",
    "Cuts",
    "Equal",
    "GroundDistance",
    "GroundSpec",
    "Hierarchical",
    "LabelledMatrix",
    "Laminar",
    "Matrix",
    "Ordered",
    "OrderedByValue",
    "ProductGround",
    "checked",
    "definition_of",
    "distance_rows",
    "greatest_distance",
    "ground_digest",
    "ground_distance",
    "ground_from_dict",
    "ground_name",
    "ground_of_size",
    "ground_record",
    "maker_of",
    "matrix_record",
    "require_known",
]

guarded(globals())
