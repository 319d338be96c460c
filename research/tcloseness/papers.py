"""The tables of the papers, which come with the package: small, printed, and with known answers.

``README.md`` beside them (``data/papers/`` in the sources) lists where each is printed, its quasi-identifiers and its
sensitive attributes.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from tcloseness.errors import InputError, did_you_mean

__all__ = ["names", "path"]


def _folder() -> Path:
    installed = Path(str(resources.files("tcloseness"))) / "data"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[2] / "data" / "papers"


def names() -> list[str]:
    """Return the names of the tables, and of the hierarchy of diseases that Li et al. 2007 print in Figure 1.

    Examples
    --------
    >>> names()[-1], "li_table4" in names()
    ('machanavajjhala_section4_3', True)
    """
    return sorted(file.stem for file in _folder().glob("*.csv"))


def path(name: str) -> Path:
    """Return the file of a table: CSV in UTF-8, with the paper's own column names and its rows in printed order.

    Parameters
    ----------
    name
        One of `names`.

    Raises
    ------
    InputError
        For another name.

    Examples
    --------
    >>> from tcloseness import FrequencySet, check
    >>> table = FrequencySet.read(path("li_table4"), quasi_identifiers=["ZIP Code", "Age"], sensitive="Disease")
    >>> check(table, k=3).status
    'satisfied'
    """
    known = names()
    if name not in known:
        hint = did_you_mean(name, known, f"they are {', '.join(known)}")
        raise InputError(f"there is no table {name!r} of the papers; {hint}")
    return _folder() / f"{name}.csv"
