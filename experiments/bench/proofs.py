"""What proofs cost: an answer with its certificate and without, the certificate, and its check beside reading."""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
from rich.console import Console

import tcloseness as tc
from experiments import adult
from experiments.adult_hierarchies import QUASI_IDENTIFIERS, occupation_groups, preset
from experiments.bench.programs import CLOSE, HALF, THREE, sample
from experiments.bench.timing import Curve, Row, shown
from tcloseness.anonymize import mondrian
from tcloseness.certificates import Counts, HierarchyRows, canonical_text, check, read_certificate
from tcloseness.certificates.reading import read_table
from tcloseness.errors import StudyError
from tcloseness.lattice import RollUp, search_lattice
from tcloseness.loss import NormalizedCertaintyPenalty
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import EntropyLDiversity, KAnonymity, PrivacyModel, RecursiveCLDiversity, TCloseness
from tcloseness.models.certified import CertifiedTable
from tcloseness.optimal import (
    Optimal,
    optimal_cut,
    optimal_hiding,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
)
from tcloseness.optimal.certify import table_of
from tcloseness.transport.solvers.highs_client import cpu_seconds

__all__ = ["INSTANCES", "Instance", "measure", "summary"]

CERTIFICATE, CHECK = "certificate of ", "check of the certificate of "
_TIMES = 3
_SHORT = 1.0
"""CPU seconds; what is answered within them is answered and proved `_TIMES` times, and medians are taken."""


@dataclass(frozen=True)
class Question:
    """A question about a table that was read.

    Attributes
    ----------
    answer
        Answers it; what it returns has a `certificate`.
    table, file
        What that is about, and the CSV file that it was read from; without one, its counts are read.
    """

    answer: Callable[[], Any]
    table: CertifiedTable
    file: bytes = b""


@dataclass(frozen=True)
class Instance:
    """What is asked, and how much its proof may cost.

    Attributes
    ----------
    name
        The question in words.
    prepare
        Reads the table.
    adds
        How many times the CPU seconds of the answer its certificate may add.
    check
        The CPU seconds that its check may take beyond reading the table; None where it may take as long as that.
    """

    name: str
    prepare: Callable[[], Question]
    adds: float
    check: float | None


def _lattice(model: PrivacyModel, **asked: Any) -> Callable[[], Question]:
    """Ask about a CSV file, from its first byte on, as ``tcloseness search`` does."""

    def prepare() -> Question:
        names = list(QUASI_IDENTIFIERS["T1"])
        content = adult.load("train-complete").to_csv(index=False).encode()
        trees = {name: _of_texts(tree) for name, tree in preset("T1").items()}

        def table() -> FrequencySet:
            frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
            orders = {"occupation": sorted(frame["occupation"].unique())}
            return FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive="occupation", orders=orders)

        def answer() -> Any:
            return search_lattice(RollUp(table(), trees), model, ground="equal", **asked)

        return Question(answer, CertifiedTable.of(table(), "occupation", trees), content)

    return prepare


def _of_texts(hierarchy: Hierarchy) -> Hierarchy:
    return Hierarchy([tuple(map(str, path)) for path in hierarchy.paths], name=hierarchy.name)


def _classes(solve: Callable[..., Any], k: int, *more: Any) -> Callable[[], Question]:
    """Ask about the classes of Mondrian, as the study `suppress_or_hide` does."""

    def prepare() -> Question:
        names = list(QUASI_IDENTIFIERS["T1"])
        frame = adult.load("train-complete")
        orders = {"occupation": sorted(frame["occupation"].unique())}
        table = Microdata.from_frame(frame, quasi_identifiers=names, sensitive="occupation", orders=orders)
        release = mondrian(table, KAnonymity(k), preset("T1")).release
        return Question(lambda: solve(release, CLOSE, *more, seed=0), table_of(release, "occupation")[0])

    return prepare


def _cut(names: tuple[str, ...], k: int) -> Callable[[], Question]:
    def prepare() -> Question:
        trees = {name: preset("L1")[name] for name in names}
        table = Microdata.from_frame(
            adult.load("train-complete"), quasi_identifiers=list(names), sensitive="occupation"
        )
        certified = CertifiedTable.of(FrequencySet.of(table), "occupation", trees)
        return Question(lambda: optimal_cut(table, KAnonymity(k), hierarchies=trees), certified)

    return prepare


def _partition(model: PrivacyModel, records: int) -> Callable[[], Question]:
    def prepare() -> Question:
        table = sample(records, THREE)
        certified = CertifiedTable.of(FrequencySet.of(table), "occupation")
        return Question(lambda: optimal_partition(table, model, seed=0), certified)

    return prepare


_MODELS: dict[str, Any] = {
    "k = 5": KAnonymity(5),
    "k = 5, hierarchical t = 0.2": KAnonymity(5) & TCloseness("1/5", ground=occupation_groups("S1")),
    "k = 5, equal t = 0.2": KAnonymity(5) & TCloseness("1/5", ground="equal"),
    "entropy l = 2": EntropyLDiversity(2),
    "recursive (4,2)": RecursiveCLDiversity(c=4, l=2),
}


def _audit() -> Question:
    """Ask what Adult gives away, from a CSV file's first byte on."""
    names = list(QUASI_IDENTIFIERS["T1"])
    content = adult.load("train-complete").to_csv(index=False).encode()

    def table() -> FrequencySet:
        frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
        return FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive="occupation")

    def answer() -> Any:
        return tc.check(table(), ground={"occupation": "equal"}, t="1")

    return Question(answer, CertifiedTable.of(table(), "occupation"), content)


INSTANCES = (
    *(Instance(f"minimal of 3,240 nodes, {name}", _lattice(model), 1, None) for name, model in _MODELS.items()),
    Instance("NCP over 3,240 nodes, k = 5",
             _lattice(_MODELS["k = 5"], wanted="optimum", loss=NormalizedCertaintyPenalty()), 1, None),
    Instance("minimal of 3,240 nodes, k = 5, equal t = 0.2, 1 % may be suppressed",
             _lattice(_MODELS["k = 5, equal t = 0.2"], suppression=301), 1, None),
    Instance("audit, 11,089 classes", _audit, 1, None),
    Instance("suppression, 299 classes, t = 0.2", _classes(optimal_suppression, 50), 1, 0.1),
    Instance("hiding, 299 classes, t = 0.2", _classes(optimal_hiding, 50), 1, 0.1),
    Instance("sensitive generalization, 36 classes, t = 0.2",
             _classes(optimal_sensitive_generalization, 200, occupation_groups("S1")), 2, 1),
    Instance("sensitive generalization, 299 classes, t = 0.2",
             _classes(optimal_sensitive_generalization, 50, occupation_groups("S1")), 2, 1),
    Instance("cut, 30,162 records, 3 attributes, k = 5", _cut(("age", "marital-status", "race"), 5), 1, 0.1),
    Instance("cut, 30,162 records, 4 attributes, k = 10",
             _cut(("age", "education", "marital-status", "race"), 10), 1, 0.1),
    Instance("partition, 40 records, k = 3 and t = 1/2", _partition(HALF, 40), 2, 5),
    Instance("partition, 40 records, k = 5", _partition(KAnonymity(5), 40), 2, 5),
    Instance("partition, 100 records, k = 3", _partition(KAnonymity(3), 100), 2, 5),
)  # fmt: skip


def measure(peers: bool) -> tuple[list[Row], list[Curve]]:
    """What proofs add to their answers, and what checking one takes; no other package writes such proofs.

    Raises
    ------
    StudyError
        If an answer is not proved.
    """
    console = Console(stderr=True)
    rows: list[Row] = []
    for instance in INSTANCES:
        console.print(f"[dim]  proof of {instance.name} …[/dim]")
        question = instance.prepare()
        question.answer().certificate()  # what is compiled or imported once is not counted
        spent: list[tuple[float, float]] = []
        while not spent or (spent[0][0] < _SHORT and len(spent) < _TIMES):
            answering, answer = _timed(question.answer)
            if not getattr(answer, "status", None) == "satisfied" and not isinstance(answer, Optimal):
                raise StudyError(f"{instance.name} ended without a proven answer: {answer.to_dict()}")
            proving, envelope = _timed(answer.certificate)
            spent.append((answering, proving))
        answering, proving = map(statistics.median, zip(*spent, strict=True))
        content = envelope.to_json()
        counts, levels = question.table.counts, question.table.levels
        file = question.file or canonical_text(counts.columns, counts.counts).encode()
        reading = _median(partial(read_table, file, envelope))
        checking = _median(partial(_checked, content, counts, levels))
        size = f"{len(content.encode()) / 1024:,.1f} KiB"
        than = (
            "reading the CSV file" if instance.check is None else f"reading the counts takes {shown(reading, 'CPU s')}"
        )
        rows += [
            Row(f"{CERTIFICATE}{instance.name}", proving, "the answer", answering, instance.adds),
            Row(
                f"{CHECK}{instance.name}",
                checking,
                f"{size}; {than}",
                reading if instance.check is None else None,
                instance.check or 1,
            ),
        ]
    return rows, []


def summary(rows: Sequence[Row]) -> str:
    """Return what was proved, how large each proof is and what its check takes, as Markdown."""
    checks = {row.what.removeprefix(CHECK): row for row in rows if row.what.startswith(CHECK)}
    lines = ["| asked of Adult | answer | its certificate | its check |", "|---|---|---|---|"]
    for row in rows:
        if row.what.startswith(CERTIFICATE):
            name = row.what.removeprefix(CERTIFICATE)
            size, check = checks[name].yardstick.partition(";")[0], shown(checks[name].ours, "CPU s")
            lines.append(f"| {name} | proved, {shown(row.theirs or 0, 'CPU s')} | {size} | {check} |")
    return "\n".join(lines) + "\n"


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of this process and of HiGHS, and what the work returns."""
    begun = time.process_time() + cpu_seconds()
    answer = work()
    return time.process_time() + cpu_seconds() - begun, answer


def _median(work: Callable[[], Any]) -> float:
    return statistics.median(_timed(work)[0] for _ in range(_TIMES))


def _checked(content: str, counts: Counts, levels: HierarchyRows) -> None:
    check(read_certificate(content), counts, levels)
