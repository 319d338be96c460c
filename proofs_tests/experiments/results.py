"""Results that no study found: what the runner writes for made-up studies, to be reported."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imsave
from rich.console import Console

from experiments import runner
from experiments.claims import Claim, Outcome, load_ledger
from experiments.kept import PROVENANCE
from experiments.proofs import CERTIFICATE, COUNTS, DISTANCE
from experiments.provenance import digest
from experiments.runner import Figure, Study, StudyResult, StudyRun
from proofs_tests.report.pages import HOSTILE

LEDGER = load_ledger()
ASSUMPTION = "it is read <otherwise>"
QUIET = Console(quiet=True)


def outcome_for(claim: Claim, holds: bool, assumption: str | None = ASSUMPTION) -> Outcome:
    """An outcome that makes a claim hold or not, in the latter case but for an assumption."""
    right: Any = True if claim.stated is None else Fraction(claim.stated.removeprefix("about "))
    if holds:
        return Outcome(right, {"the Moon is full": right}, detail=f"detail of {claim.id}")
    return Outcome(not right if right is True else right + 7, {assumption: right} if assumption else {})


def outcomes_for(study: str) -> dict[str, Outcome]:
    """For the claims of a study outcomes of every kind: each third fails, each ninth under no assumption."""
    own = [claim for claim in LEDGER.values() if claim.study == study]
    return {
        claim.id: outcome_for(claim, number % 3 != 0, ASSUMPTION if number % 9 else None)
        for number, claim in enumerate(own)
    }


def write(
    results: Path,
    name: str,
    *,
    outcomes: Mapping[str, Outcome] | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
    figures: Sequence[tuple[int, int, str]] = (),
    grid: Mapping[str, Any] | None = None,
    texts: tuple[str, str] = ("Is it so?", "It is."),
    smoke: bool = False,
    files: Mapping[str, bytes] | None = None,
    data: Sequence[str] = ("adult",),
) -> None:
    """Run a made-up study: figures are given by width, height and caption; texts are its question and its answer."""

    def run(study: StudyRun) -> StudyResult:
        drawn = []
        for number, (width, height, caption) in enumerate(figures):
            path = study.folder / f"figure_{number}.png"
            imsave(path, np.full((height, width, 3), number / 7))
            drawn.append(Figure(path, caption))
        study.used.update(grid or {})
        assert grid is None or study.seed
        return StudyResult(tables or {}, drawn, outcomes or {}, texts[1], files or {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "discover", lambda: {name: Study(name, texts[0], run, data=tuple(data))})
        runner.run_studies([name], results=results, smoke=smoke, console=QUIET)


def seal(folder: Path) -> None:
    """Describe the files of a study as they are now, as if they had been written so."""
    path = folder / PROVENANCE
    record = json.loads(path.read_text("utf-8"))
    record["files"] = {name: digest((folder / name).read_bytes()) for name in record["files"]}
    path.write_text(json.dumps(record), "utf-8")


def write_everything(results: Path) -> None:
    """Write a study with claims of every kind, one with tables and figures, and a smoke run full of hostile texts."""
    write(
        results,
        "worked_examples",
        outcomes=outcomes_for("worked_examples"),
        figures=[(1300, 700, "A wide one.")],
        files={f"table 1, k = 2{CERTIFICATE}": b"{}", f"table-1{DISTANCE}": b"{}", f"table-1{COUNTS}": b"[]"},
    )
    wide = pd.DataFrame({f"column {n}": [n / 7, 10.0**n, 3] for n in range(14)})
    write(
        results,
        "data_facts",
        outcomes=outcomes_for("data_facts"),
        tables={"wide": wide, "long": pd.DataFrame({"n": range(1000), "of seven": np.arange(1000) / 7})},
        figures=[(400, 300, "One."), (1700, 640, "Another.")],
        grid={"ks": [2, 3, 5], "models": ["entropy", "recursive"], "limit": "1/20"},
    )
    write(
        results,
        "zz_hostile",
        tables={"cells": pd.DataFrame({cell: [cell, "w" * 70] for cell in HOSTILE})},
        figures=[(640, 60, " ".join(HOSTILE))],
        grid={cell: [cell, 1] for cell in HOSTILE},
        texts=(" ".join(HOSTILE), " ".join(reversed(HOSTILE)) + "w" * 200),
        smoke=True,
    )
