"""Files that repeat what the package says of itself: written from it, and compared with it by a test.

``python -m proofs_tests.written`` writes them: the options of the command line that give a model's threshold, the ways
to write a ground distance and the names of losses, which its help reads without loading any, the parts that the JSON
schemas of the commands' output have in common, and the table of definitions in docs/models.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import tcloseness
from proofs_tests import definitions
from tcloseness.ground import FORMS
from tcloseness.loss.names import LOSSES, OF_CLASSES
from tcloseness.loss.per_class import CellCost
from tcloseness.models.catalogue import OPTIONS
from tcloseness.models.protocol import Relation, Status

PACKAGE = Path(tcloseness.__file__).parent
SCHEMAS = sorted((PACKAGE / "report").glob("*.schema.json"))


def _text(description: str = "", **rules: Any) -> dict[str, Any]:
    return {"type": "string", **({"description": description} if description else {}), **rules}


def _object(description: str, required: list[str], properties: dict[str, Any], **rules: Any) -> dict[str, Any]:
    needed = {"required": required} if required else {}
    return {
        "type": "object",
        "description": description,
        **needed,
        "additionalProperties": False,
        "properties": properties,
        **rules,
    }


def _part(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _number_of(option: str, what: str) -> dict[str, Any]:
    return _text(f"{what} Exact{'; both, with a comma between' if OPTIONS[option].pair else ''}.")


GROUND_NAMES = list(dict.fromkeys(ground.name for ground in FORMS.values()))
"""The ground distances that can be written on the command line."""

PARTS: dict[str, Any] = {
    "status": {"enum": list(get_args(Status))},
    "relation": {
        "description": "How the value must stand to the threshold; null if the model does not say.",
        "enum": [*get_args(Relation), None],
    },
    "thresholds": _object(
        "What must be satisfied: by option, the exact number; and models of the user's own, with commas between.",
        [],
        {
            **{name.replace("_", "-"): _number_of(name, option.help) for name, option in OPTIONS.items()},
            "model": _text("The names of models of the user's own, as MODULE:NAME."),
        },
        minProperties=1,
    ),
    "count": {"type": "integer", "minimum": 0},
    "positive": {"type": "integer", "minimum": 1},
    "value": _text("A number as text: a whole number or a fraction, else its decimal."),
    "sha256": _text(pattern="^[0-9a-f]{64}$"),
    "file": _object(
        "A file that was read.",
        ["file", "sha256"],
        {
            "file": _text("Its name as it was given, or the pattern that several files of one table have."),
            "sha256": {"oneOf": [_part("sha256"), {"type": "null"}], "description": "Null where it is several files."},
        },
    ),
    "exact": _object(
        "A value as exact text and as a decimal.",
        ["value", "decimal"],
        {"value": _part("value"), "decimal": _text()},
    ),
    "conventions": {
        "type": "object",
        "description": "The choices that change a number, by name; tcloseness.conventions.MEANINGS says what each is "
        "about.",
        "additionalProperties": _text(),
    },
    "ground": _object(
        "The ground distance of t-closeness.",
        ["name"],
        {
            "name": _text(
                f'One of {", ".join(GROUND_NAMES)}; or with "object" the name that one of the user\'s own gives itself.'
            ),
            "object": _text("A ground distance of the user's own, as MODULE:NAME."),
            "file": _text("The hierarchy's or matrix's file."),
            "mended": _text("What was done to the entries of a matrix, and how far one was changed at most."),
            "sha256": _part("sha256"),
            "chosen": {"const": "by default", "description": "Where none was named."},
        },
        anyOf=[{"properties": {"name": {"enum": GROUND_NAMES}}}, {"required": ["object"]}],
    ),
    "hierarchies": {
        "type": "object",
        "description": "By quasi-identifier, the file of its hierarchy.",
        "additionalProperties": {
            "oneOf": [
                _part("file"),
                _object("Without a file.", ["levels"], {"levels": {"const": "as it is, or nothing"}}),
            ]
        },
    },
    "node": _text(
        "One level for each quasi-identifier: one digit each, or with dots between where a hierarchy is higher than 9.",
        pattern="^[0-9]+(\\.[0-9]+)*$",
    ),
}
"""By name, what every schema that has a part of this name says there."""


def options() -> str:
    """Return the file of the command line's thresholds."""
    shown = ("symbol", "metavar", "help", "pair", "needs_ground")
    found = {name: {each: getattr(option, each) for each in shown} for name, option in OPTIONS.items()}
    for option in found.values():
        option["pair"] = option["pair"] is not None
    for option in (each for each in found.values() if each["needs_ground"]):
        option["help"] += " Needs --ground."
    return _json(found)


def grounds() -> str:
    """Return the file of the ways to write a ground distance."""
    return _json({form: ground.forms[form] for form, ground in FORMS.items()})


def losses() -> str:
    """Return the file of the command line's losses."""
    found = {}
    for name, loss in LOSSES.items():
        cost = getattr(loss.made(classes=True, k=1, numeric=None), "class_cost", None)
        found[name] = {
            "help": loss.help,
            "of_classes": name in OF_CLASSES,
            "of_values": isinstance(cost, CellCost),
        }
    return _json(found)


def schema(file: Path) -> str:
    """Return a schema with its parts as they are written here."""
    found = json.loads(file.read_text("utf-8"))
    found["$defs"] = {name: PARTS.get(name, part) for name, part in found["$defs"].items()}
    return _json(found)


def _json(record: Any) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


FILES: dict[Path, Callable[[], str]] = {
    PACKAGE / "cli" / "thresholds.json": options,
    PACKAGE / "cli" / "grounds.json": grounds,
    PACKAGE / "cli" / "losses.json": losses,
    **{file: partial(schema, file) for file in SCHEMAS},
    definitions.PAGE: lambda: definitions.with_table(definitions.PAGE.read_text("utf-8")),
}
"""By file, what returns what it has to hold."""


if __name__ == "__main__":
    for file, made in FILES.items():
        file.write_text(made(), encoding="utf-8")
        print(file.relative_to(definitions.ROOT))
