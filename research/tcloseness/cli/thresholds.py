"""The thresholds of the command line as one privacy model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import pair
from tcloseness.cli.options import THRESHOLDS
from tcloseness.errors import InputError

if TYPE_CHECKING:
    from tcloseness.ground import GroundDistance
    from tcloseness.models import PrivacyModel

__all__ = ["Thresholds"]


@dataclass(frozen=True)
class Thresholds:
    """The thresholds as they were given; None where one was not."""

    k: Annotated[
        str | None,
        typer.Option("--k", metavar="K", help="Each class has at least K records.", rich_help_panel=THRESHOLDS),
    ] = None
    alpha: Annotated[
        str | None,
        typer.Option(
            "--alpha", metavar="A", help="No value fills more than the share A of a class.", rich_help_panel=THRESHOLDS
        ),
    ] = None
    distinct_l: Annotated[
        str | None,
        typer.Option(metavar="L", help="Each class has at least L different values.", rich_help_panel=THRESHOLDS),
    ] = None
    entropy_l: Annotated[
        str | None,
        typer.Option(metavar="L", help="Each class has entropy at least ln L.", rich_help_panel=THRESHOLDS),
    ] = None
    frequency_l: Annotated[
        str | None,
        typer.Option(
            "--frequency-l", metavar="L", help="No value fills more than 1/L of a class.", rich_help_panel=THRESHOLDS
        ),
    ] = None
    recursive: Annotated[
        str | None,
        typer.Option(
            metavar="C,L",
            help="In each class the commonest value is rarer than C times all values from the L-th commonest on.",
            rich_help_panel=THRESHOLDS,
        ),
    ] = None
    t: Annotated[
        str | None,
        typer.Option(
            "--t",
            metavar="T",
            help="Each class is at most T away from the reference distribution. Needs --ground.",
            rich_help_panel=THRESHOLDS,
        ),
    ] = None
    epsilon: Annotated[
        str | None,
        typer.Option(
            "--epsilon",
            metavar="E",
            help="No value's probability changes by more than exp(E) in a class.",
            rich_help_panel=THRESHOLDS,
        ),
    ] = None
    delta: Annotated[
        str | None,
        typer.Option(
            "--delta",
            metavar="D",
            help="No value's probability changes by D doublings or more in a class.",
            rich_help_panel=THRESHOLDS,
        ),
    ] = None
    beta: Annotated[
        str | None,
        typer.Option(
            "--beta",
            metavar="B",
            help="No value's probability rises by more than B times itself.",
            rich_help_panel=THRESHOLDS,
        ),
    ] = None
    enhanced_beta: Annotated[
        str | None,
        typer.Option(
            "--enhanced-beta",
            metavar="B",
            help="The same with the cap -ln p for common values.",
            rich_help_panel=THRESHOLDS,
        ),
    ] = None

    @property
    def given(self) -> dict[str, str]:
        """What was given, by option."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {f"--{name.replace('_', '-')}": text for name, text in found.items() if text is not None}

    @property
    def values(self) -> dict[str, Any]:
        """What was given, by keyword of `tcloseness.check`."""
        texts = {name.removeprefix("--").replace("-", "_"): text for name, text in self.given.items()}
        return {name: pair(text, "--recursive") if name == "recursive" else text for name, text in texts.items()}

    @property
    def exact(self) -> dict[str, str]:
        """What was given, by name, as exact text: ``"0.2"`` as ``"1/5"``."""
        from tcloseness.exact import as_fraction, number_text

        texts = {option.removeprefix("--"): text for option, text in self.given.items()}
        parts = {name: pair(text, "--recursive") if name == "recursive" else (text,) for name, text in texts.items()}
        return {name: ",".join(number_text(as_fraction(part, name)) for part in each) for name, each in parts.items()}

    def text(self, ground: str) -> str:
        """Return what must be satisfied, in words; with the ground distance's name."""
        from tcloseness.models.keywords import THRESHOLDS

        said = []
        for name, value in self.values.items():
            text = f"({','.join(value)})" if name == "recursive" else str(value).strip()
            said.append(f"{THRESHOLDS[name].symbol} = {text}{f' ({ground})' if name == 't' else ''}")
        return ", ".join(said)

    def model(self, ground: GroundDistance | None, sensitive: str) -> PrivacyModel:
        """Return the model that asks for all of them together.

        Parameters
        ----------
        ground
            The ground distance of t-closeness; None where none was named.
        sensitive
            The sensitive attribute's name, for messages.

        Raises
        ------
        InputError
            For a threshold out of range, a t without a ground distance, or no threshold at all.
        """
        from tcloseness.ground import Equal
        from tcloseness.models import Combination
        from tcloseness.models.keywords import models_of

        if self.t is not None and ground is None:
            raise InputError(
                f"--t {self.t} is given, and no ground distance for {sensitive!r}; give one, such as "
                f"--ground {sensitive}=equal: it is not guessed from the data"
            )
        models = models_of(self.values, ground or Equal(1))
        if not models:
            raise InputError("no threshold is given, so every table would do; give at least one, such as --k 5")
        return models[0] if len(models) == 1 else Combination(models)
