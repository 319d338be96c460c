"""One question asked over a grid of models, thresholds, methods and tables: in parallel, and kept as it is answered."""

from tcloseness.microdata.border import guarded
from tcloseness.sweeps.cells import Cell, Sweep
from tcloseness.sweeps.sweep import sweep

__all__ = ["Cell", "Sweep", "sweep"]

guarded(globals())
