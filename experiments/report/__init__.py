"""What the studies found: a table for the terminal and ``results/claims.csv``, and everything as one HTML page,
``results/report.html``, and as an article, ``results/article.md``."""

from __future__ import annotations

import csv
import io
from contextlib import nullcontext
from pathlib import Path

from rich.console import Console

from experiments.claims import load_ledger
from experiments.report.found import Found, read_results
from experiments.report.terminal import print_claims
from tcloseness.errors import StudyError
from tcloseness.writing import lock, write_files

__all__ = ["claims_csv", "write_and_print"]


def write_and_print(results: Path) -> None:
    """Print the claims that have results, write ``report.html``, ``article.md`` and ``claims.csv``, and print where.

    Raises
    ------
    StudyError
        If no study has a whole result, the results of one cannot be read, or another process uses the folder.
    """
    from experiments.report.article import article  # loads jinja2
    from experiments.report.html import page  # and matplotlib

    with lock(results) if results.is_dir() else nullcontext():
        found = read_results(results, load_ledger())
        if not found.studies:
            raise StudyError(f"no study has results in {results}; run 'python -m experiments run' first")
        target = results / "report.html"
        files = {target: page(found).encode(), results / "article.md": article(found).encode()}
        write_files({**files, results / "claims.csv": claims_csv(found)}, force=True)
    print_claims(found, Console())
    print(f"report: {target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target}")


def claims_csv(found: Found) -> bytes:
    """Return every claim of the ledger with its verdict as a CSV file."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("id", "paper", "place", "statement", "quote", "stated", "ours", "verdict", "why", "remark"))
    for answer in found.answers:
        claim = answer.claim
        words = (claim.id, claim.paper, claim.place, claim.statement, claim.quote or "", claim.stated or "")
        rows.writerow((*words, answer.ours, answer.kind.one, answer.why, answer.detail))
    return text.getvalue().encode()
