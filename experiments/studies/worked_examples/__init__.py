"""The papers' example tables: every number recomputed, every distance four ways, with certificates.

Sources are named as in ``data/papers/README.md``; the checks of each paper's claims are in the module of its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from experiments.claims import load_ledger, outcomes, verdict
from experiments.proofs import DISTANCE
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.worked_examples import (  # importing a module registers its checks
    dosselmann_2019,
    kantarcioglu,
    li_2007,
    machanavajjhala_2006,
    printed_constraints,
    small_tables,
    soria_comas_2013,
    theorems,
)
from experiments.studies.worked_examples.distances import Case, Solved, all_cases, solve
from experiments.verdicts import Kind, Verdict
from tcloseness.transport import Certificate

__all__ = [
    "STUDY",
    "dosselmann_2019",
    "kantarcioglu",
    "li_2007",
    "machanavajjhala_2006",
    "printed_constraints",
    "small_tables",
    "soria_comas_2013",
    "theorems",
]

NAME = "worked_examples"

FIGURES = {
    "salary_class_1": (
        Case("dosselmann_table3", 1, "Salary", "ordered"),
        "Salaries 3K, 4K, 5K (Dosselmann et al. 2019, Figure 2)",
    ),
    "salary_class_2": (Case("dosselmann_table3", 2, "Salary", "ordered"), "Salaries 6K, 8K, 11K"),
    "salary_class_3": (Case("dosselmann_table3", 3, "Salary", "ordered"), "Salaries 7K, 9K, 10K"),
    "section_2": (Case("dosselmann_section2", 1, "Value", "ordered"), "{14, 88} (Dosselmann et al. 2019, Figure 1)"),
    "disease_class_1": (
        Case("li_table4", 1, "Disease", "hierarchical"),
        "First class of Li et al. 2007, Table 4",
    ),
}
"""The transformations that are drawn: by file name, the distance and its title."""


def run(study: StudyRun) -> StudyResult:
    """Compute all distances, write and read back their certificates, draw the transformations, and check the claims."""
    solved = [solve(case) for case in study.progress(all_cases(), "distances")]
    proofs = {name: text for one in solved for name, text in _certificates(one)}
    ledger = load_ledger()
    mine = [claim.id for claim in ledger.values() if claim.study == NAME]
    found = outcomes(study.progress(mine, "claims", len(mine)))
    distances = pd.DataFrame([one.row() for one in solved])
    summary = _verdicts([verdict(ledger[key], outcome) for key, outcome in found.items()]) + (
        f" On {len(solved)} distances of {distances['table'].nunique()} tables closed form, networkx, PuLP and the "
        f"papers' formulas agree exactly, and {sum(len(one.certificates) for one in solved)} certificates verify."
    )
    return StudyResult({"distances": distances}, _draw(study.folder), found, summary, proofs=proofs)


def _verdicts(found: list[Verdict]) -> str:
    number = Counter(v.kind for v in found)
    agree = sum(n for kind, n in number.items() if kind.agrees)
    named = sum(v.why is not None for v in found if v.kind is Kind.FAILS)
    return (
        f"Of {len(found)} claims {agree} hold, {number[Kind.READ]} of them under a reading that is named, and "
        f"{number[Kind.PROVED]} of them are proved; {number[Kind.MISPRINT]} are misprints; {number[Kind.FAILS]} do not "
        f"hold, {named} of which would under an assumption that is named."
    )


def _certificates(one: Solved) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a distance's certificates, which hold once they are read."""
    for certificate in one.certificates:
        text = certificate.to_json()
        Certificate.from_json(text).verify()
        yield f"{one.case.slug}.{certificate.method}{DISTANCE}", text.encode()


def _draw(folder: Path) -> list[Figure]:
    from experiments.figures import save
    from tcloseness.report.figures import plot_moves

    drawn = []
    for name, (case, title) in FIGURES.items():
        certificate = solve(case).certificates[0]
        labels = [_short(label) for label in certificate.labels]
        path = folder / f"{name}.png"
        save(plot_moves(certificate, labels=labels, title=f"{title}: EMD = {certificate.value}"), path)
        drawn.append(Figure(path, f"{title}: the mass movements that turn the class into the table."))
    return drawn


def _short(label: str) -> str:
    """Write a salary as the papers do: 3000 as 3K."""
    return f"{label[:-3]}K" if label.isdigit() and label.endswith("000") else label


STUDY = Study(
    NAME,
    "Are the numbers of the papers' example tables right, and do all ways to compute a distance agree on them?",
    run,
    basis="the printed tables as a whole; nothing is a sample.",
    data=(),
)
