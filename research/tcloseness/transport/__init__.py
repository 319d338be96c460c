"""Transport of mass between two distributions: closed forms, problems, solvers, certificates, moves."""

from tcloseness.microdata.border import guarded
from tcloseness.transport.certificate import Certificate
from tcloseness.transport.moves import Crossing, Move, crossings, moves, moves_of
from tcloseness.transport.problem import TransportProblem
from tcloseness.transport.solve import SOLVERS, certify, emd, solve
from tcloseness.transport.values import Transformation, emd_of

__all__ = [
    "SOLVERS",
    "Certificate",
    "Crossing",
    "Move",
    "Transformation",
    "TransportProblem",
    "certify",
    "crossings",
    "emd",
    "emd_of",
    "moves",
    "moves_of",
    "solve",
]


guarded(globals())
