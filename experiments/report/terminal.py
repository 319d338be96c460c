"""The claims that have results as a table for the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from experiments.report.found import Found, compared_in, summary
from experiments.verdicts import Kind, Verdict

__all__ = ["print_claims"]


def print_claims(found: Found, console: Console) -> None:
    """Print each claim with its stated number, ours and the verdict; what does not hold is bold."""
    if not console.is_terminal:
        console = Console(width=140, file=console.file)
    table = Table(title="Claims of the papers, recomputed", title_justify="left", expand=True)
    table.add_column("claim", no_wrap=True)
    table.add_column("what is said", no_wrap=True, overflow="ellipsis", ratio=5)
    table.add_column("stated", justify="right", no_wrap=True)
    table.add_column("ours", justify="right", no_wrap=True)
    table.add_column("verdict", ratio=6)
    for answer in compared_in(found.answers):
        claim = answer.claim
        table.add_row(
            claim.id,
            f"{claim.place}: {claim.statement}",
            claim.stated or "",
            answer.ours,
            str(Verdict(answer.kind, answer.why)),
            style="bold" if answer.kind is Kind.FAILS else "",
        )
    console.print(table)
    for line in summary(found):
        console.print(line)
    if found.reused:
        console.print(f"Reused, as nothing that they depend on has changed: {', '.join(found.reused)}.")
