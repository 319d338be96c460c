"""The generalization hierarchies of the data sets beside Adult, quasi-identifiers and sensitive attributes alike.

None of them is published with the data; they are ours, along lines that are usual for such attributes. This module has
each as groups of values; ``data/<name>/hierarchies/`` holds the same as CSV files for the command line.

``python -m experiments.dataset_hierarchies`` rewrites the files. It reads the data of ``gss``, whose 538 codes of
occupations come with their groups there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from experiments import datasets
from tcloseness.errors import StudyError
from tcloseness.microdata import Hierarchy
from tcloseness.writing import write_files

__all__ = ["CPS_BANDS", "files", "hierarchies", "main", "wage_band"]

Groups = Mapping[str, Sequence[str | int]]
"""One level of a hierarchy: its labels, and the values below each."""

_AGE_WIDTHS = (5, 10, 20)


def _ages(name: str, values: Sequence[int]) -> Hierarchy:
    return Hierarchy.intervals(values, _AGE_WIDTHS, name=name)


def _joined(name: str, groups: Groups, *coarser: Mapping[str, Sequence[str]]) -> Hierarchy:
    """Build a hierarchy from groups of values, then groups of these groups' labels, and so on."""
    levels: list[dict[str, list[str | int]]] = [{label: list(values) for label, values in groups.items()}]
    for level in coarser:
        levels.append({label: [v for below in of for v in levels[-1][below]] for label, of in level.items()})
    return Hierarchy.from_groups(levels, name=name)


# ---------------------------------------------------------------------- Census-Income (KDD)

_KDD_EDUCATION: Groups = {
    "Children": ["Children"],
    "8th grade or less": [
        "Less than 1st grade",
        "1st 2nd 3rd or 4th grade",
        "5th or 6th grade",
        "7th and 8th grade",
    ],
    "9th to 12th grade": ["9th grade", "10th grade", "11th grade", "12th grade no diploma"],
    "high school diploma": [
        "High school graduate",
        "Some college but no degree",
        "Associates degree-occup /vocational",
        "Associates degree-academic program",
    ],
    "degree": [
        "Bachelors degree(BA AB BS)",
        "Masters degree(MA MS MEng MEd MSW MBA)",
        "Prof school degree (MD DDS DVM LLB JD)",
        "Doctorate degree(PhD EdD)",
    ],
}

_KDD_COUNTRIES: Groups = {
    "United-States": ["United-States"],
    "territories of the United States": ["Puerto-Rico", "Outlying-U S (Guam USVI etc)"],
    "Canada": ["Canada"],
    "Mexico and Central America": ["Mexico", "El-Salvador", "Guatemala", "Honduras", "Nicaragua", "Panama"],
    "Caribbean": ["Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago"],
    "South America": ["Columbia", "Ecuador", "Peru"],
    "Europe": [
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
    ],
    "east and southeast Asia": [
        "Cambodia",
        "China",
        "Hong Kong",
        "Japan",
        "Laos",
        "Philippines",
        "South Korea",
        "Taiwan",
        "Thailand",
        "Vietnam",
    ],
    "south and west Asia": ["India", "Iran"],
}

_KDD_OCCUPATIONS: Groups = {
    "white collar": [
        "Executive admin and managerial",
        "Professional specialty",
        "Technicians and related support",
        "Sales",
        "Adm support including clerical",
    ],
    "service": ["Private household services", "Protective services", "Other service", "Armed Forces"],
    "blue collar": [
        "Precision production craft & repair",
        "Machine operators assmblrs & inspctrs",
        "Transportation and material moving",
        "Handlers equip cleaners etc",
        "Farming forestry and fishing",
    ],
    "no occupation": ["Not in universe"],
}

_KDD_CODES: Groups = {
    "Not in universe": [0],
    "Executive admin and managerial": range(1, 4),
    "Professional specialty": range(4, 13),
    "Technicians and related support": range(13, 16),
    "Sales": range(16, 21),
    "Adm support including clerical": range(21, 27),
    "Private household services": [27],
    "Protective services": [28],
    "Other service": range(29, 33),
    "Precision production craft & repair": range(33, 36),
    "Machine operators assmblrs & inspctrs": range(36, 38),
    "Transportation and material moving": range(38, 40),
    "Handlers equip cleaners etc": range(40, 43),
    "Farming forestry and fishing": range(43, 46),
    "Armed Forces": [46],
}
"""The detailed occupations by their major one, as the records themselves have them."""


def _kdd() -> list[Hierarchy]:
    codes = {label: [str(code) for code in of] for label, of in _KDD_CODES.items()}
    occupations = {label: [str(each) for each in of] for label, of in _KDD_OCCUPATIONS.items()}
    return [
        _ages("age", range(91)),
        Hierarchy.suppression(["Female", "Male"], name="sex"),
        _joined(
            "race",
            {
                "White": ["White"],
                "not White": ["Black", "Asian or Pacific Islander", "Amer Indian Aleut or Eskimo", "Other"],
            },
        ),
        _joined(
            "hispanic_origin",
            {
                "All other": ["All other"],
                "Hispanic": [
                    "Mexican-American",
                    "Mexican (Mexicano)",
                    "Chicano",
                    "Central or South American",
                    "Puerto Rican",
                    "Cuban",
                    "Other Spanish",
                ],
                "not known": ["NA", "Do not know"],
            },
        ),
        _joined(
            "marital_stat",
            {
                "married": [
                    "Married-civilian spouse present",
                    "Married-A F spouse present",
                    "Married-spouse absent",
                ],
                "Never married": ["Never married"],
                "once married": ["Divorced", "Separated", "Widowed"],
            },
        ),
        _joined(
            "education",
            _KDD_EDUCATION,
            {
                "Children": ["Children"],
                "no diploma": ["8th grade or less", "9th to 12th grade"],
                "diploma": ["high school diploma", "degree"],
            },
        ),
        _joined(
            "country_of_birth_self",
            _KDD_COUNTRIES,
            {
                "United States": ["United-States", "territories of the United States"],
                "other America": ["Canada", "Mexico and Central America", "Caribbean", "South America"],
                "Europe": ["Europe"],
                "Asia": ["east and southeast Asia", "south and west Asia"],
            },
        ),
        _joined(
            "citizenship",
            {
                "citizen": [
                    "Native- Born in the United States",
                    "Native- Born abroad of American Parent(s)",
                    "Native- Born in Puerto Rico or U S Outlying",
                    "Foreign born- U S citizen by naturalization",
                ],
                "not a citizen": ["Foreign born- Not a citizen of U S"],
            },
        ),
        _joined(
            "detailed_household_summary_in_household",
            {
                "householder or spouse": ["Householder", "Spouse of householder"],
                "child": ["Child under 18 never married", "Child under 18 ever married", "Child 18 or older"],
                "other": [
                    "Other relative of householder",
                    "Nonrelative of householder",
                    "Group Quarters- Secondary individual",
                ],
            },
        ),
        _joined("major_occupation_code", _KDD_OCCUPATIONS),
        _joined("detailed_occupation_recode", codes, occupations),
    ]


# ---------------------------------------------------------------------- US military


def _military() -> list[Hierarchy]:
    return [
        _joined("branch", {"land": ["army", "marine corps"], "sea and air": ["navy", "air force"]}),
        Hierarchy.suppression(["female", "male"], name="gender"),
        _joined(
            "race",
            {"white": ["white"], "black": ["black"], "other": ["asian", "ami/aln", "multi", "p/i"], "unk": ["unk"]},
        ),
        Hierarchy.suppression(["hispanic", "not hispanic"], name="hispanic"),
        _joined("grade", {"enlisted": ["enlisted"], "officers of both grades": ["officer", "warrant officer"]}),
        _joined("rank", {"1-4": range(1, 5), "5-7": range(5, 8), "8-11": range(8, 12)}),
    ]


# ---------------------------------------------------------------------- CPS tax units

_DIVISIONS: Groups = {
    "New England": [9, 23, 25, 33, 44, 50],
    "Middle Atlantic": [34, 36, 42],
    "East North Central": [17, 18, 26, 39, 55],
    "West North Central": [19, 20, 27, 29, 31, 38, 46],
    "South Atlantic": [10, 11, 12, 13, 24, 37, 45, 51, 54],
    "East South Central": [1, 21, 28, 47],
    "West South Central": [5, 22, 40, 48],
    "Mountain": [4, 8, 16, 30, 32, 35, 49, 56],
    "Pacific": [2, 6, 15, 41, 53],
}
"""The nine divisions of the Census Bureau, by the FIPS codes of their states."""

_REGIONS = {
    "Northeast": ["New England", "Middle Atlantic"],
    "Midwest": ["East North Central", "West North Central"],
    "South": ["South Atlantic", "East South Central", "West South Central"],
    "West": ["Mountain", "Pacific"],
}

CPS_BANDS = (0, 5_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 80_000, 100_000, 150_000)
"""The upper ends of the bands of wages, in dollars; above the last is one more."""


def wage_band(wage: int) -> str:
    """Return the band of a wage, by its upper end: ``0``, ``to 5000``, …, ``above 150000``.

    >>> [wage_band(wage) for wage in (0, 1, 5000, 5001, 200000)]
    ['0', 'to 5000', 'to 5000', 'to 10000', 'above 150000']
    """
    end = next((end for end in CPS_BANDS if wage <= end), None)
    return f"above {CPS_BANDS[-1]}" if end is None else f"to {end}" if end else "0"


_TOP = (85,)
"""An age of 80 stands for 80 to 84 there, and 85 for all above."""


def _spouses() -> Hierarchy:
    ages = _ages("age_spouse", (*range(15, 81), *_TOP))
    return Hierarchy([(0, *["no spouse"] * len(_AGE_WIDTHS), "*"), *ages.paths], name="age_spouse")


def _cps() -> list[Hierarchy]:
    bands = [wage_band(end) for end in (*CPS_BANDS, CPS_BANDS[-1] + 1)]
    return [
        _joined("fips", _DIVISIONS, _REGIONS),
        _ages("age_head", (*range(81), *_TOP)),
        _spouses(),
        _joined("MARS", {"one filer": [1, 3, 4], "joint": [2]}),
        _joined("XTOT", {"1": [1], "2": [2], "3-4": [3, 4], "5 or more": [*range(5, 13), 14]}),
        Hierarchy.suppression([2012, 2013, 2014], name="FLPDYR"),
        _joined("n24", {"0": [0], "1-2": [1, 2], "3 or more": [*range(3, 11), 12]}),
        _joined("wages", {"none": bands[:1], "low": bands[1:5], "middle": bands[5:9], "high": bands[9:]}),
    ]


# ---------------------------------------------------------------------- GSS wages

_GSS_YEARS = (*range(1974, 1979), 1980, *range(1982, 1992), *range(1993, 1995), *range(1996, 2019, 2))

_GSS_OCCUPATIONS: Groups = {
    "white collar": ["Professional", "Business/Finance", "Sales", "Office and Administrative Support"],
    "service": ["Service", "Armed Forces"],
    "blue collar": [
        "Construction/Extraction",
        "Farming, Fishing, and Forestry",
        "Installation, Maintenance, and Repair",
        "Production",
        "Transportation",
    ],
}


def _gss() -> list[Hierarchy]:
    degrees = ("Less Than High School", "High School", "Junior College", "Bachelor", "Graduate")
    return [
        Hierarchy.intervals(_GSS_YEARS, (10,), name="year"),
        _ages("age", range(18, 90)),
        Hierarchy.suppression(["Female", "Male"], name="gender"),
        _joined("educcat", {"no diploma": degrees[:1], "high school": degrees[1:3], "degree": degrees[3:]}),
        _joined(
            "maritalcat",
            {
                "Married": ["Married"],
                "Never Married": ["Never Married"],
                "once married": ["Divorced", "Separated", "Widowed"],
            },
        ),
        _joined("childs", {"0": [0], "1-2": [1, 2], "3 or more": range(3, 9)}),
        _joined("occrecode", _GSS_OCCUPATIONS),
    ]


def _gss_codes() -> Hierarchy:
    frame = datasets.load("gss", ["occ10", "occrecode"]).dropna().drop_duplicates().sort_values("occ10")
    groups: dict[str, list[int]] = {}
    for code, label in frame.itertuples(index=False):
        groups.setdefault(label, []).append(int(code))
    return _joined("occ10", groups, {label: [str(each) for each in of] for label, of in _GSS_OCCUPATIONS.items()})


# ---------------------------------------------------------------------- all

_OF: Mapping[str, Callable[[], list[Hierarchy]]] = {"kdd": _kdd, "military": _military, "cps": _cps, "gss": _gss}


def hierarchies(name: str) -> dict[str, Hierarchy]:
    """Return the hierarchies of a data set by attribute; values are as in the tables of `experiments.datasets.load`.

    ``wages`` of ``cps`` is the band of ``e00200``, see `wage_band`; the codes of occupations of ``gss`` have a file
    only.

    Raises
    ------
    StudyError
        If there is no data set of that name.

    Examples
    --------
    >>> hierarchies("military")["branch"].paths[0]
    ('army', 'land', '*')
    """
    if name not in _OF:
        raise StudyError(f"there are no hierarchies of a data set {name!r}; there are those of {', '.join(_OF)}")
    return {hierarchy.name: hierarchy for hierarchy in _OF[name]()}


def files(name: str) -> dict[str, str]:
    """Return the text of every CSV file of a data set by its name; for ``gss`` without the codes of occupations."""
    return {f"{attribute}.csv": _csv(hierarchy) for attribute, hierarchy in hierarchies(name).items()}


def _csv(hierarchy: Hierarchy) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(hierarchy.paths)
    return text.getvalue()


def main() -> None:
    """Write `files` of every data set, over what is there."""
    for name in _OF:
        texts = files(name) | ({"occ10.csv": _csv(_gss_codes())} if name == "gss" else {})
        folder = datasets.dataset(name).folder / "hierarchies"
        folder.mkdir(exist_ok=True)
        write_files({folder / file: text.encode() for file, text in texts.items()}, force=True)
        print(f"{len(texts)} files in {folder}")


if __name__ == "__main__":
    main()
