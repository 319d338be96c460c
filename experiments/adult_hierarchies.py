"""The generalization hierarchies of the Adult studies: six presets, and two groupings of the occupations.

Neither paper publishes the hierarchies behind its counts. They fix the heights and the age grid of the l-diversity
paper; a preset is one way to fill the rest, and this module writes each down as groups of values.
``data/adult/hierarchies/`` holds the same as CSV files for the command line, and its README says where each preset
comes from. L1, T1 and T2 are *fitted*: found by search for the published counts.

``python -m experiments.adult_hierarchies`` rewrites the files.

References
----------
.. [1] A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam. l-Diversity: Privacy Beyond k-Anonymity.
   ICDE 2006, section 6 and Figure 4: presets L1, L2, ARX.
.. [2] N. Li, T. Li, S. Venkatasubramanian. t-Closeness: Privacy Beyond k-Anonymity and l-Diversity. ICDE 2007,
   section 6 and Figure 2: presets T1, T2, ARX+race.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments import adult
from tcloseness.errors import StudyError
from tcloseness.microdata import Hierarchy
from tcloseness.writing import write_files

__all__ = [
    "AGES",
    "FITTED",
    "FOLDER",
    "OCCUPATION_GROUPS",
    "PRESETS",
    "QUASI_IDENTIFIERS",
    "files",
    "folder_name",
    "main",
    "occupation_groups",
    "preset",
]

FOLDER = adult.FOLDER / "hierarchies"

Groups = Mapping[str, tuple[str, ...]]
"""One level of a hierarchy: its labels, and the values below each. A value alone in its group keeps its name."""

# ---------------------------------------------------------------- age

AGES = range(17, 91)
"""The ages in the data; all 74 occur."""

_AGE_WIDTHS = (5, 10, 20)  # both papers: 5 levels, raw, 5, 10, 20 years, suppressed
_FROM_1 = 1  # 16-20, 21-25, …; 11-20, …; 1-20, …: the intervals of the l-diversity paper's section 6, and ARX's
_FROM_17 = 17  # 17-21, 22-26, …; 17-26, …; 17-36, …: from the least age on

# ---------------------------------------------------------------- sex, race

_SEXES = ("Female", "Male")
_RACES = ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other")

_RACE_WHITE: Groups = {"White": _RACES[:1], "not White": _RACES[1:]}
_RACE_WHITE_BLACK: Groups = {"White": _RACES[:1], "Black": _RACES[1:2], "neither White nor Black": _RACES[2:]}
_RACE_THREE_LARGEST: Groups = {
    "White": _RACES[:1],
    "Black": _RACES[1:2],
    "Asian-Pac-Islander": _RACES[2:3],
    "Amer-Indian-Eskimo or other": _RACES[3:],
}

# ---------------------------------------------------------------- marital status

_AT_HOME = ("Married-civ-spouse", "Married-AF-spouse")
_AWAY = ("Married-spouse-absent",)
_NEVER = ("Never-married",)
_PARTED = ("Divorced", "Separated")
_WIDOWED = ("Widowed",)

_MARITAL_TWO: Groups = {"married": _AT_HOME + _AWAY, "unmarried": _NEVER + _PARTED + _WIDOWED}
_MARITAL_THREE: Groups = {"married": _AT_HOME + _AWAY, "Never-married": _NEVER, "once married": _PARTED + _WIDOWED}
_MARITAL_FOUR: Groups = {
    "couple": _AT_HOME,
    "Never-married": _NEVER,
    "parted": _PARTED,
    "spouse away or dead": _WIDOWED + _AWAY,
}
_MARITAL_SPOUSE: Groups = {"couple": _AT_HOME, "no couple": _AWAY + _NEVER + _PARTED + _WIDOWED}

# ---------------------------------------------------------------- education

_TO_6TH = ("Preschool", "1st-4th", "5th-6th")
_TO_8TH = (*_TO_6TH, "7th-8th")
_9TH_TO_12TH = ("9th", "10th", "11th", "12th")
_DIPLOMA = ("HS-grad",)
_COLLEGE = ("Some-college",)
_ASSOCIATE = ("Assoc-voc", "Assoc-acdm")
_BACHELOR = ("Bachelors",)
_PROFESSIONAL = ("Prof-school",)
_ADVANCED = ("Masters", "Doctorate")

_NO_COLLEGE = _TO_8TH + _9TH_TO_12TH + _DIPLOMA
_SHORT_COLLEGE = _COLLEGE + _ASSOCIATE
_DEGREE = _BACHELOR + _PROFESSIONAL + _ADVANCED

_EDUCATION_SIX: Groups = {
    "8th grade or less": _TO_8TH,
    "9th to 12th grade": _9TH_TO_12TH,
    "HS-grad": _DIPLOMA,
    "short college": _SHORT_COLLEGE,
    "Bachelors": _BACHELOR,
    "advanced degree": _PROFESSIONAL + _ADVANCED,
}
_EDUCATION_DIPLOMA: Groups = {
    "no diploma": _TO_8TH + _9TH_TO_12TH,
    "diploma": _DIPLOMA + _SHORT_COLLEGE + _DEGREE,
}
_EDUCATION_THREE: Groups = {"no college": _NO_COLLEGE, "short college": _SHORT_COLLEGE, "degree": _DEGREE}
_EDUCATION_COLLEGE: Groups = {"no college": _NO_COLLEGE, "college": _SHORT_COLLEGE + _DEGREE}

_GRADES_7_TO_12 = ("7th-8th", *_9TH_TO_12TH, *_DIPLOMA)
_EDUCATION_ARX: tuple[Groups, Groups] = (
    {
        "6th grade or less": _TO_6TH,
        "7th to 12th grade": _GRADES_7_TO_12,
        "college to bachelor": _COLLEGE + _BACHELOR,
        "associate or professional": _ASSOCIATE + _PROFESSIONAL,
        "above bachelor": _ADVANCED,
    },
    {
        "6th grade or less": _TO_6TH,
        "7th to 12th grade": _GRADES_7_TO_12,
        "after school": _COLLEGE + _BACHELOR + _ASSOCIATE + _PROFESSIONAL + _ADVANCED,
    },
)

# ---------------------------------------------------------------- work class

_PRIVATE = ("Private",)
_SELF_EMPLOYED = ("Self-emp-not-inc", "Self-emp-inc")
_PUBLIC = ("Federal-gov", "Local-gov", "State-gov")
_UNPAID = ("Without-pay", "Never-worked")  # no complete record has Never-worked; ARX puts the two together

_WORKCLASS_THREE: Groups = {"private sector": _PRIVATE + _SELF_EMPLOYED, "public sector": _PUBLIC, "unpaid": _UNPAID}
_WORKCLASS_FOUR: Groups = {
    "Private": _PRIVATE,
    "self-employed": _SELF_EMPLOYED,
    "public sector": _PUBLIC,
    "unpaid": _UNPAID,
}

# ---------------------------------------------------------------- native country

_US = ("United-States",)
_NORTH = (
    "Canada",
    "Cuba",
    "Dominican-Republic",
    "El-Salvador",
    "Guatemala",
    "Haiti",
    "Honduras",
    "Jamaica",
    "Mexico",
    "Outlying-US(Guam-USVI-etc)",
    "Puerto-Rico",
)
_SOUTH = ("Columbia", "Ecuador", "Nicaragua", "Peru", "Trinadad&Tobago")
_EUROPE = (
    "England",
    "France",
    "Germany",
    "Greece",
    "Holand-Netherlands",
    "Hungary",
    "Ireland",
    "Italy",
    "Poland",
    "Portugal",
    "Scotland",
    "Yugoslavia",
)
_ASIA = (
    "Cambodia",
    "China",
    "Hong",
    "India",
    "Iran",
    "Japan",
    "Laos",
    "Philippines",
    "Taiwan",
    "Thailand",
    "Vietnam",
)
_SOUTH_OF_WHERE = ("South",)  # the data don't say the South of where; ARX's files take it for Africa

_COUNTRY_THREE: Groups = {
    "the Americas": _US + _NORTH + _SOUTH,
    "Europe": _EUROPE,
    "Asia": _ASIA + _SOUTH_OF_WHERE,
}
_COUNTRY_US: Groups = {"United-States": _US, "abroad": _NORTH + _SOUTH + _EUROPE + _ASIA + _SOUTH_OF_WHERE}
_COUNTRY_FIVE: Groups = {
    "northern Americas": _US + _NORTH,
    "southern Americas": _SOUTH,
    "Europe": _EUROPE,
    "Asia": _ASIA,
    "South": _SOUTH_OF_WHERE,
}

# ---------------------------------------------------------------- the presets


@dataclass(frozen=True)
class _Preset:
    """The groups of each attribute; ``race=None``: raw or suppressed. Sex is always raw or suppressed."""

    age_origin: int
    marital: Groups
    education: tuple[Groups, Groups]
    race: Groups | None = None
    workclass: Groups | None = None
    country: Groups | None = None


_PRESETS = {
    "L1": _Preset(_FROM_1, _MARITAL_TWO, (_EDUCATION_SIX, _EDUCATION_DIPLOMA)),
    "L2": _Preset(_FROM_1, _MARITAL_FOUR, _EDUCATION_ARX),
    "ARX": _Preset(_FROM_1, _MARITAL_SPOUSE, _EDUCATION_ARX),
    "T1": _Preset(
        _FROM_17,
        _MARITAL_THREE,
        (_EDUCATION_THREE, _EDUCATION_COLLEGE),
        race=_RACE_WHITE_BLACK,
        workclass=_WORKCLASS_FOUR,
        country=_COUNTRY_THREE,
    ),
    "T2": _Preset(
        _FROM_17,
        _MARITAL_TWO,
        (_EDUCATION_SIX, _EDUCATION_THREE),
        race=_RACE_THREE_LARGEST,
        workclass=_WORKCLASS_THREE,
        country=_COUNTRY_US,
    ),
    "ARX+race": _Preset(
        _FROM_1,
        _MARITAL_SPOUSE,
        _EDUCATION_ARX,
        race=_RACE_WHITE,
        workclass=_WORKCLASS_THREE,
        country=_COUNTRY_FIVE,
    ),
}

PRESETS = tuple(_PRESETS)
"""The names of the presets: three for the l-diversity paper, then three for the t-closeness paper."""

FITTED = ("L1", "T1", "T2")
"""The presets that were found by search for the published counts; called *fitted* wherever they are shown."""

_FIVE = ("age", "sex", "race", "marital-status", "education")
_SEVEN = ("age", "workclass", "education", "native-country", "marital-status", "race", "sex")

QUASI_IDENTIFIERS = {"L1": _FIVE, "L2": _FIVE, "ARX": _FIVE, "T1": _SEVEN, "T2": _SEVEN, "ARX+race": _SEVEN}
"""The quasi-identifiers of each preset, in the order of its paper; a node is one level for each, in this order."""

_OFFICE = ("Adm-clerical", "Sales")
_EXPERTS = ("Exec-managerial", "Prof-specialty", "Tech-support")
_MANUAL = ("Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving")
_SERVICES = ("Other-service", "Priv-house-serv")
_GUARDS = ("Armed-Forces", "Protective-serv")

OCCUPATION_GROUPS: dict[str, Groups] = {
    "S1": {"white collar": _OFFICE + _EXPERTS, "blue collar": _MANUAL, "service": _SERVICES + _GUARDS},
    "S2": {"expert or protective": _EXPERTS + _GUARDS, "office or service": _OFFICE + _SERVICES, "manual": _MANUAL},
}
"""Three groups of occupations, by kind of work (S1) and balanced by records (S2); the paper's are not published."""


def preset(name: str) -> dict[str, Hierarchy]:
    """Return the hierarchies of a preset by attribute, in the order of `QUASI_IDENTIFIERS`.

    Parameters
    ----------
    name : str
        One of `PRESETS`.

    Returns
    -------
    dict of str to Hierarchy
        The values of ``age`` are integers, the others texts, as in the tables of `experiments.adult.load`. Every
        value of the data is covered, ``Never-worked`` of the raw records too; a missing cell is not.

    Raises
    ------
    StudyError
        If there is no such preset.

    Examples
    --------
    >>> preset("L1")["age"].paths[0]
    (17, '16-20', '11-20', '1-20', '*')
    """
    if name not in _PRESETS:
        raise StudyError(f"unknown hierarchy preset {name!r} of the Adult data; choose one of {', '.join(PRESETS)}")
    groups = _PRESETS[name]
    built = {
        "age": Hierarchy.intervals(AGES, _AGE_WIDTHS, origin=groups.age_origin, name="age"),
        "sex": Hierarchy.suppression(_SEXES, name="sex"),
        "marital-status": Hierarchy.from_groups([groups.marital], name="marital-status"),
        "education": Hierarchy.from_groups(groups.education, name="education"),
        "race": Hierarchy.suppression(_RACES, name="race"),
    }
    in_between = {"race": groups.race, "workclass": groups.workclass, "native-country": groups.country}
    for attribute, level in in_between.items():
        if level is not None:
            built[attribute] = Hierarchy.from_groups([level], name=attribute)
    return {attribute: built[attribute] for attribute in QUASI_IDENTIFIERS[name]}


def occupation_groups(name: str) -> Hierarchy:
    """Return the occupations under their three groups: occupation → group → ``*``, height 2.

    Parameters
    ----------
    name : {"S1", "S2"}
        Which of `OCCUPATION_GROUPS`.

    Raises
    ------
    StudyError
        If there is no such grouping.
    """
    if name not in OCCUPATION_GROUPS:
        choices = ", ".join(OCCUPATION_GROUPS)
        raise StudyError(f"unknown grouping {name!r} of the Adult occupations; choose one of {choices}")
    return Hierarchy.from_groups([OCCUPATION_GROUPS[name]], name="occupation")


def folder_name(name: str) -> str:
    """Return the folder of a preset under `FOLDER`: its name, with ``-`` for the ``+``."""
    return name.replace("+", "-")


def files() -> dict[str, str]:
    """Return the text of every CSV file by its path under `FOLDER`: one a quasi-identifier, a folder a preset."""
    texts = {
        f"{folder_name(name)}/{attribute}.csv": _csv(hierarchy)
        for name in PRESETS
        for attribute, hierarchy in preset(name).items()
    }
    return texts | {f"occupation-{name}.csv": _csv(occupation_groups(name)) for name in OCCUPATION_GROUPS}


def _csv(hierarchy: Hierarchy) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(hierarchy.paths)
    return text.getvalue()


def main(folder: Path = FOLDER) -> None:
    """Write `files` under a folder, over what is there."""
    written = files()
    for path in written:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
    write_files({folder / path: text.encode() for path, text in written.items()}, force=True)
    print(f"{len(written)} files in {folder}")


if __name__ == "__main__":
    main()
