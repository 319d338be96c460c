"""What releases give away, at length: optima, more records and tables, and linear programs about more pairs.

The same as `experiments.studies.what_releases_give_away`, over a grid that takes long: optima are found anew for every
candidate.
"""

from __future__ import annotations

from experiments.runner import Study
from experiments.studies.what_releases_give_away import BASIS, run

__all__ = ["STUDY"]

STUDY = Study(
    "consistent_originals",
    "What does a release give away to somebody who knows that it is an optimum, or how it was made, in larger tables?",
    run,
    basis=BASIS,
    needs="It takes half an hour, since optima are found anew for every table that a release may be of.",
)
