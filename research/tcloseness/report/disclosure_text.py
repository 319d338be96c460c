"""What a release gives away, in plain sentences for the one who publishes, and what would give away less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tcloseness.anonymize import Anatomized
from tcloseness.attacks import Disclosure, label_disclosure
from tcloseness.methods import OF_VALUES
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import asks_of_values
from tcloseness.release import Anonymized, Release
from tcloseness.release.draws import NOTHING_DRAWN
from tcloseness.release.grid import suggested_widths
from tcloseness.report.short_text import printable
from tcloseness.report.text import assumed, table_of

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["GivenAway", "cures", "given_away", "of_the_code", "print_disclosure"]


@dataclass(frozen=True)
class GivenAway:
    """What a release gives away to somebody who knows how its labels were made, or the whole method.

    Attributes
    ----------
    labels
        What the labels say; None for a table that shows the quasi-identifiers as they are.
    code
        What the method says beyond the groups, in sentences.
    cures
        What would give away less, in sentences.
    made
        By quasi-identifier what each label says of the values of its class, and the width and the origin of its grid.
    """

    labels: Disclosure | None
    code: tuple[str, ...]
    cures: tuple[str, ...]
    made: Mapping[str, tuple[str, tuple[int, int] | None]]

    @property
    def lines(self) -> dict[str, str]:
        """The sentences, by what somebody knows."""
        return {
            **({} if self.labels is None else {"by its labels": self.labels.sentence}),
            "by its method": " ".join(self.code),
            **({"less of it": " ".join(self.cures)} if self.cures else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, without a value of the table."""
        counts = {} if self.labels is None else {what: n.to_dict() for what, n in self.labels.counts.items()}
        return {
            "labels": {
                name: {"says": says, "grid": None if grid is None else list(grid)}
                for name, (says, grid) in self.made.items()
            },
            "tight": None if self.labels is None else {"counts": counts, "sentences": list(self.labels.sentences)},
            "code": {"sentences": list(self.code)},
            "cures": list(self.cures),
        }


def given_away(
    found: Anonymized | Anatomized, model: PrivacyModel, *, method: str | None, seed: int | None
) -> GivenAway:
    """Return what the answer of a method of the package, or of one's own (None), gives away, in linear time."""
    code = of_the_code(found, model, method=method, seed=seed)
    if isinstance(found, Anatomized):
        return GivenAway(None, code, (), {})
    release = found.release
    labels = label_disclosure(release)
    made = {name: (each.says, each.grid) for name, each in release.recodings.items()}
    return GivenAway(labels, code, cures(release, labels), made)


def of_the_code(
    found: Anonymized | Anatomized, model: PrivacyModel, *, method: str | None, seed: int | None
) -> tuple[str, ...]:
    """Say what somebody learns beyond the groups who knows the method, and everybody's quasi-identifiers."""
    of_values = isinstance(found, Anatomized) or bool(found.partition.table.sensitive)
    nothing = "No sensitive column was named, so there is no value of one to learn from the groups."
    if method is None and not of_values:
        return ("This method is one of your own, and what it gives away is not known.", nothing)
    if method is None:
        return (
            "This method is one of your own, and what it does with the sensitive values is not known.",
            "If its groups depend on them, whoever knows the method can rule out some values.",
            "Of a small table, tcloseness attack --level code counts how many.",
        )
    drawn = found.conventions["draws"] != NOTHING_DRAWN
    if seed is not None and drawn:
        return (
            "This table was drawn with a seed that was given.",
            "Whoever learns or guesses the seed can run the method again, and compare.",
            "Do not publish it; leave --seed out to draw with a secret one.",
        )
    if isinstance(found, Anatomized):
        return (
            "The quasi-identifiers are published as they are, and only the link to the sensitive value is hidden.",
            "It is hidden because records were drawn at random with a secret seed that is kept nowhere, which whoever "
            "knows the method cannot draw again.",
            "A statistical guess from the two tables can still be right far more often than chance, and a larger ℓ "
            "leaves less to guess.",
        )
    if asks_of_values(model) or method in OF_VALUES:
        return (
            "The method looked at the sensitive values to decide who is in which group.",
            "So whoever knows it, and everybody's quasi-identifiers, may be able to rule out values in a group; of a "
            "small table, tcloseness attack --level code counts for how many persons that settles the value.",
            "Groups that are made for --k alone, with a k so large that the other thresholds hold, do not depend on "
            "them.",
        )
    grouped = "The groups were made from the quasi-identifiers alone, and records with equal ones are "
    grouped += "put in a secretly drawn order." if drawn else "treated alike."
    if not of_values:
        return grouped, nothing
    return (
        grouped,
        "So whoever knows the method, and everybody's quasi-identifiers, learns no more than which values each group "
        "has.",
        "Where all members of a group have one value that is enough; --distinct-l 2 rules it out.",
    )


def cures(release: Release, found: Disclosure) -> tuple[str, ...]:
    """Say by which options the labels of a release would give away less."""
    if not found.counts["generalized cells"].certain:
        return ()
    said = []
    widths = suggested_widths(release)
    if widths:
        options = " ".join(f"--grid {name}={width}" for name, width in widths.items())
        said.append(f"{options} shows intervals in cells of a grid, and says what that costs.")
    sets = [
        name
        for name, each in release.recodings.items()
        if each.says == "attained" and each.hierarchy is None and not each.numeric and each.heights.any()
    ]
    if sets:
        options = " ".join(f"--hierarchy {name}=FILE" for name in sets)
        said.append(f"{options} shows a value of a hierarchy in place of a set of values.")
    if any(each.says == "attained" and each.hierarchy is not None for each in release.recodings.values()):
        said.append("tcloseness search shows whole levels of the hierarchies, which do not depend on a group's values.")
    return tuple(said)


def print_disclosure(
    found: Disclosure,
    console: Console,
    *,
    assumed_of: Mapping[str, str],
    written: Mapping[str, str],
    certified: bool,
    facts: int = 3,
) -> None:
    """Print what a release discloses: the sentences, the numbers, the strongest facts, and what was assumed.

    `certified` says whether the command has a certificate of what is certain.
    """
    for sentence in found.sentences:
        console.print(Text(printable(sentence)))
    console.print()
    numbers = table_of("what", "certain", "possible", "open", "all", numbers=True)
    for what, each in found.counts.items():
        numbers.add_row(what, *(f"{number:,}" for number in (each.certain, each.possible, each.open, each.total)))
    console.print(numbers)
    if facts and found.facts:
        console.print()
        console.print(Text("the strongest facts", style="bold"))
        for fact in found.facts[:facts]:
            console.print(Text(f"  {fact.status}: {printable(fact.sentence)}"))
        if len(found.facts) > facts:
            more = "; --certificate FILE has those that are certain" if certified else ""
            left = f"  {facts} of {len(found.facts):,}{more}"
            console.print(Text(left, style="dim"))
    known = {"level": found.level, **found.known}
    for title, lines in {"written": written, "assumed": {**assumed_of, **known, **found.conventions}}.items():
        if lines:
            console.print()
            console.print(assumed(lines, title=title))
