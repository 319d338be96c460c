"""The thresholds of the command line, and models of the user's own, as one privacy model.

The options are those of `tcloseness.models.catalogue`, read from a file that is written from it (``make written``),
since help must load no model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

from tcloseness.cli.arguments import pair
from tcloseness.cli.options import THRESHOLDS, option
from tcloseness.cli.output import file_name
from tcloseness.cli.user_objects import Users, blaming, loaded
from tcloseness.errors import InputError

if TYPE_CHECKING:
    from tcloseness.ground import GroundDistance
    from tcloseness.microdata import ClassCounts
    from tcloseness.models import ModelResult, PrivacyModel

__all__ = ["Thresholds", "option_of"]


def option_of(keyword: str) -> str:
    """Return the option of a keyword of `tcloseness.check`."""
    return f"--{keyword.replace('_', '-')}"


OPTIONS: dict[str, dict[str, Any]] = json.loads(
    resources.files("tcloseness.cli").joinpath("thresholds.json").read_text("utf-8")
)
"""By keyword of `tcloseness.check`: the option's metavar and help, its symbol, and what is given with it."""

_MODEL_HELP = (
    "A model of your own: an object with name, monotone and evaluate, or its class; MODULE is a module's name or a .py "
    "file. It is imported, that is, run. Repeatable."
)


@dataclass(frozen=True)
class Thresholds:
    """What must be satisfied."""

    texts: Mapping[str, str]  # the thresholds that were given, by keyword
    names: tuple[str, ...] = ()  # the models of the user's own, as ``MODULE:NAME``
    models: tuple[PrivacyModel, ...] = ()  # the same as objects

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """Return the options as parameters of a command."""
        options: dict[str, Any] = {
            name: Annotated[str | None, option(THRESHOLDS, each["metavar"], each["help"])]
            for name, each in OPTIONS.items()
        }
        options["model"] = Annotated[list[str] | None, option(THRESHOLDS, "MODULE:NAME", _MODEL_HELP)]
        return [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=options[name]) for name in options]

    @classmethod
    def of(cls, *, model: list[str] | None, **texts: str | None) -> Thresholds:
        """Return what was given, with the user's models loaded."""
        given = {name: text for name, text in texts.items() if text is not None}
        return cls(given, tuple(model or ()), tuple(_model(name) for name in model or ()))

    @property
    def given(self) -> dict[str, list[str]]:
        """What was given, by option."""
        found = {option_of(name): [text] for name, text in self.texts.items()}
        return {**found, **({"--model": list(self.names)} if self.names else {})}

    @property
    def values(self) -> dict[str, Any]:
        """The thresholds that were given, by keyword of `tcloseness.check`."""
        return {
            name: pair(text, option_of(name), OPTIONS[name]["metavar"]) if OPTIONS[name]["pair"] else text
            for name, text in self.texts.items()
        }

    def number(self, name: str) -> Fraction | None:
        """Return one threshold, if it was given."""
        from tcloseness.exact import as_fraction

        return as_fraction(self.texts[name], option_of(name)) if name in self.texts else None

    @property
    def exact(self) -> dict[str, str]:
        """What was given, by name, as exact text: ``"0.2"`` as ``"1/5"``."""
        from tcloseness.exact import as_fraction, number_text

        parts = {
            name.replace("_", "-"): value if isinstance(value, tuple) else (value,)
            for name, value in self.values.items()
        }
        found = {
            name: ",".join(number_text(as_fraction(part, option_of(name))) for part in each)
            for name, each in parts.items()
        }
        return {**found, **({"model": ",".join(map(file_name, self.names))} if self.names else {})}

    def text(self, ground: str) -> str:
        """Return what must be satisfied, as text; with the ground distance's name."""
        said = []
        for name, value in self.values.items():
            text = f"({','.join(value)})" if isinstance(value, tuple) else str(value).strip()
            said.append(f"{OPTIONS[name]['symbol']} = {text}{f' ({ground})' if OPTIONS[name]['needs_ground'] else ''}")
        return ", ".join([*said, *(model.name for model in self.models)])

    def model(self, ground: GroundDistance | None, sensitive: str) -> PrivacyModel:
        """Return the model that asks for all of them together.

        `InputError` for a threshold out of range, a t without a ground distance, or no threshold at all.
        """
        from tcloseness.models.catalogue import measured_of, models_of
        from tcloseness.models.combination import all_of
        from tcloseness.models.conditions import require_values_for
        from tcloseness.models.thresholds import called

        measured_of(self.values, sensitive)  # which refuses a model of values where there are none
        for name, text in self.texts.items():
            if ground is None and OPTIONS[name]["needs_ground"]:
                raise InputError(
                    f"{option_of(name)} {text} is given, and no ground distance for {sensitive!r}; give one, such as "
                    f"--ground {sensitive}=equal: it is not guessed from the data"
                )
        with called(option_of):
            models = (*models_of(self.values, ground), *self.models)
        if not models:
            raise InputError("no threshold is given, so every table would do; give at least one, such as --k 5")
        return require_values_for(all_of(models), sensitive)


def _model(text: str) -> PrivacyModel:
    from tcloseness.models import PrivacyModel
    from tcloseness.models.catalogue import MODELS
    from tcloseness.models.protocol import require_model

    found = loaded(text, "--model", "my_module:my_model or my_file.py:MyModel")
    with blaming(f"--model {text!r}"):
        if not isinstance(found, PrivacyModel):
            raise InputError(
                f"--model {text!r} is {found!r}, not a privacy model; it needs name, monotone and evaluate"
            )
    return found if type(found) in MODELS else require_model(_Users("--model", text, found))


class _Users(Users):
    """A model of the user's own."""

    @property
    def name(self) -> str:
        """Its name."""
        return self._of("name")  # type: ignore[no-any-return]

    @property
    def monotone(self) -> Any:
        """What a search may prune on."""
        return self._of("monotone")

    def __getattr__(self, name: str) -> Any:
        if not hasattr(type(self.found), name) and name not in getattr(self.found, "__dict__", {}):
            raise AttributeError(name)
        return self._of(name)

    def _of(self, name: str) -> Any:
        with blaming(f"{self.given}: {name}"):
            return getattr(self.found, name)

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Evaluate it."""
        from tcloseness.models import ModelResult

        found: ModelResult = self.called("evaluate", classes, answer=ModelResult)
        return found
