"""What is in the results' folder, beside the ledger: for each claim its answer, or why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments import runner
from experiments.claims import COMPARED, Claim, settled
from experiments.datasets import title
from experiments.kept import PROVENANCE, UNFINISHED, changed, last_run, read, why_not
from experiments.provenance import inputs
from experiments.runner import Study
from experiments.verdicts import Kind
from tcloseness.errors import StudyError

__all__ = [
    "Answer",
    "Found",
    "StudyFound",
    "compared_in",
    "count_text",
    "heading",
    "read_results",
    "summary",
]

IN_ORDER = (
    "worked_examples",
    "data_facts",
    "adult_audit",
    "homogeneity_attack",
    "similarity_attack",
    "efficiency",
    "data_quality",
    "fit",
    "monotonicity",
)
"""The studies as a reader best takes them; those that are not named here follow by name, then those with needs."""


@dataclass(frozen=True)
class Answer:
    """A claim and what became of it.

    Attributes
    ----------
    claim
        What the paper says.
    kind
        Its verdict's kind.
    why
        As in `Verdict`, or why there is no result.
    ours
        What we compute, as text.
    detail
        The check's remark.
    alternatives
        What comes out under other assumptions: assumption in words → value as text.
    """

    claim: Claim
    kind: Kind
    why: str = ""
    ours: str = ""
    detail: str = ""
    alternatives: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyFound:
    """A study's results.

    Attributes
    ----------
    folder
        Where its files are.
    record
        Its ``provenance.json``.
    answers
        To the claims that it checks, in the ledger's order.
    """

    folder: Path
    record: Mapping[str, Any]
    answers: tuple[Answer, ...]

    @property
    def name(self) -> str:
        """The study's name."""
        return str(self.record["study"])

    @property
    def title(self) -> str:
        """The study's name as a heading."""
        return heading(self.name)

    @property
    def reads(self) -> str:
        """The data sets that it reads, in words; nothing where it reads what the papers print only."""
        names = [title(name) for name in self.record["data"]]
        return f"{names[0]} alone" if len(names) == 1 else _listed(names) if names else ""

    @property
    def seeds(self) -> str:
        """With which seeds it has drawn, in words."""
        seeds = self.record["seeds"]
        if not seeds:
            return "nothing is drawn at random"
        return f"seed{'s' if len(seeds) > 1 or not seeds[0].isdigit() else ''} {_listed(seeds)}"


@dataclass(frozen=True)
class Found:
    """All results.

    Attributes
    ----------
    studies
        The studies that have a whole result.
    answers
        For each claim of the ledger, in its order.
    without
        The studies whose folder holds no whole result, and why.
    outdated
        The studies whose result was made from something else than what is here now, and what that is.
    reused
        The studies that the last run did not run again.
    not_run
        The studies without a result that need more than the standard ones do.
    """

    studies: tuple[StudyFound, ...]
    answers: tuple[Answer, ...]
    without: Mapping[str, str] = field(default_factory=dict)
    outdated: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reused: tuple[str, ...] = ()
    not_run: tuple[Study, ...] = ()


def read_results(results: Path, ledger: Mapping[str, Claim]) -> Found:
    """Read what the studies wrote.

    A result that another wording of its claim was compared with counts as none: its study has to run again. So does
    what a folder holds that is not whole: an interrupted study, or files that are not those that were written.

    Raises
    ------
    StudyError
        For a result that is whole and cannot be read.
    """
    records: dict[str, tuple[Path, dict[str, Any]]] = {}
    compared: dict[str, Answer] = {}
    without: dict[str, str] = {}
    outdated: dict[str, list[str]] = {}
    for folder in sorted({path.parent for name in (PROVENANCE, UNFINISHED) for path in results.glob(f"*/{name}")}):
        if why := why_not(folder):
            without[folder.name] = why
            continue
        record, claims = read(folder)
        try:
            records[record["study"]] = (folder, record)
            for found in claims:
                claim = ledger.get(found["id"])
                if claim is not None and claim.study == record["study"] and _is_about(found, claim):
                    compared[claim.id] = _answer(found, claim)
            now = inputs(folder.name, smoke=record["smoke"], seed=record["seed"], data=record["data"])
            if differs := changed(record, now):
                outdated[folder.name] = differs
        except (ValueError, KeyError, TypeError) as error:
            raise StudyError(
                f"the results of {folder.name} cannot be read ({error!r}); remove them or run that study again"
            ) from error
    answers = tuple(
        compared.get(key) or _no_answer(claim, claim.study in records or claim.study in without, without)
        for key, claim in ledger.items()
    )
    place = {name: number for number, name in enumerate(IN_ORDER)}
    names = sorted(records, key=lambda n: (bool(records[n][1]["needs"]), place.get(n, len(place)), n))
    return Found(
        tuple(
            StudyFound(*records[name], tuple(a for a in compared_in(answers) if a.claim.study == name))
            for name in names
        ),
        answers,
        without,
        outdated,
        tuple(name for name in last_run(results)["reused"] if name in records),
        tuple(study for study in runner.discover().values() if study.needs and study.name not in records),
    )


def heading(name: str) -> str:
    """Return a study's name as a heading.

    >>> heading("beyond_adult")
    'Beyond Adult'
    """
    return name.replace("_", " ").capitalize().replace(" adult", " Adult")


def compared_in(answers: Iterable[Answer]) -> list[Answer]:
    """Return the answers that compare a claim with what a study computed."""
    return [answer for answer in answers if answer.ours]


def _is_about(found: Mapping[str, Any], claim: Claim) -> bool:
    """Say whether a result was compared with the claim as it stands now."""
    return all(found[name] == getattr(claim, name) for name in COMPARED)


def _answer(found: Mapping[str, Any], claim: Claim) -> Answer:
    kind = Kind.of(found["kind"])
    return Answer(claim, kind, found["why"], found["ours"], found["detail"], found["alternatives"])


def _no_answer(claim: Claim, again: bool, without: Mapping[str, str]) -> Answer:
    known = settled(claim)
    if known is not None:
        return Answer(claim, known.kind, known.why or "")
    why = f"; {without[str(claim.study)]}" if claim.study in without else ""
    return Answer(claim, Kind.WAITS, f"waits for the study {claim.study} to be run{' again' if again else ''}{why}")


# ---------------------------------------------------------------------- in words


def summary(found: Found) -> list[str]:
    """Return how many claims have which verdict, in sentences."""
    number = Counter(answer.kind for answer in found.answers)
    compared = Counter(answer.kind for answer in compared_in(found.answers))
    recomputed = compared.total()
    would = sum(1 for answer in found.answers if answer.kind is Kind.FAILS and answer.why)
    parts = [count_text(compared[kind], kind) for kind in Kind if compared[kind]]
    if would:
        place = [kind for kind in Kind if compared[kind]].index(Kind.FAILS)
        parts[place] += f" ({would} of them would under an assumption that is named)"
    claims = f"{recomputed} claim{'' if recomputed == 1 else 's'} recomputed"
    lines = [f"{claims}: {_listed(parts)}." if parts else "No claim is recomputed yet."]
    waiting = Counter(str(answer.claim.study) for answer in found.answers if answer.kind is Kind.WAITS)
    if waiting:
        each = _listed([f"{n} for {study}" for study, n in sorted(waiting.items())])
        lines.append(f"{count_text(number[Kind.WAITS], Kind.WAITS)}; they wait for a study to be run: {each}.")
    settled_without = Counter(a.kind for a in found.answers if not a.ours and a.kind is not Kind.WAITS)
    if settled_without:
        known = _listed([count_text(n, kind) for kind, n in sorted(settled_without.items(), key=lambda x: -x[1])])
        lines.append(f"Without a study of ours: {known}; the source or the reason is beside each.")
    if found.without:
        each = _listed([f"{study} ({why})" for study, why in found.without.items()])
        lines.append(f"No whole result, to be run again: {each}.")
    if found.outdated:
        each = _listed([f"{study} ({', '.join(what)})" for study, what in found.outdated.items()])
        lines.append(f"Made from what has changed since, to be run again: {each}.")
    return lines


def count_text(number: int, kind: Kind) -> str:
    """Return ``1 holds``, ``2 hold`` and so on."""
    return f"{number} {kind.one if number == 1 else kind.many}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
