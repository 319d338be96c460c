"""The schemas of what results return as dictionaries: ``python -m proofs_tests.schemas`` reads them off examples.

An object has exactly the keys that all examples of a class have; a key that only some have may be left out. What is
keyed by names of columns, values or choices (`MAPS`) may have any. An object that is another class's is a reference.
The file is kept, and compared with what would be written: a key that is gone or has another type is then seen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tcloseness
from proofs_tests.every_result import EXAMPLES, every_example

__all__ = ["FILE", "made", "required"]

FILE = Path(tcloseness.__file__).with_name("results.schema.json")

MAPS = (
    *("conventions", "parameters", "levels", "terms", "losses", "subject", "excluded", "hierarchies", "done", "parts"),
    *("assumed", "searches", "desiderata", "open_question", "where", "thresholds", "inputs", "domains", "values"),
    *("entries", "quasi_identifiers", "counts", "class", "question", "expected", "proof", "model", "ground", "nodes"),
    *("reference", "shows", "sizes", "known"),
)
"""Keys of objects that are keyed by names: of columns, of values, of choices, of what a certificate proves."""

TWICE = ("entries", "nodes")
"""Those of them whose objects hold objects that are keyed by names again."""

OPEN = ("proof", "question", "expected", "ground", "model", "looks_like", "done", "assumed")
"""Keys of what has forms of its own, which other schemas or checkers say."""


def described(values: list[Any], key: str, forms: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the schema of everything that was seen in one place."""
    if key in OPEN:
        return {}
    kinds = {type(value) for value in values}
    any_of: list[dict[str, Any]] = [
        {"type": name}
        for kind, name in (
            (str, "string"),
            (bool, "boolean"),
            (int, "integer"),
            (float, "number"),
            (type(None), "null"),
        )
        if kind in kinds
    ]
    if list in kinds:
        items = [item for value in values if isinstance(value, list) for item in value]
        any_of.append({"type": "array", **({"items": described(items, key, forms)} if items else {})})
    if dict in kinds:
        any_of.append(of_objects([value for value in values if isinstance(value, dict)], key, forms))
    plain = [each["type"] for each in any_of if list(each) == ["type"]]
    if len(any_of) == len(plain) > 1:
        return {"type": sorted(plain)}
    return any_of[0] if len(any_of) == 1 else {"anyOf": any_of}


def of_objects(values: list[dict[str, Any]], key: str, forms: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    for name, known in forms.items():
        keys = set.intersection(*(set(each) for each in known))
        every = {key for each in known for key in each}
        if len(keys) >= 3 and all(keys <= set(each) <= every for each in values):
            known += [each for each in values if each not in known]  # the definition covers what is seen inside others
            return {"$ref": f"#/$defs/{name}"}
    return closed(values, forms, key)


def closed(values: list[dict[str, Any]], forms: dict[str, list[dict[str, Any]]], key: str = "") -> dict[str, Any]:
    if key in MAPS:
        inside = [each for value in values for each in value.values()]
        below = key if key in TWICE else ""
        return {"type": "object", **({"additionalProperties": described(inside, below, forms)} if inside else {})}
    keys = dict.fromkeys(key for value in values for key in value)
    return {
        "type": "object",
        "required": [key for key in keys if all(key in value for value in values)],
        "additionalProperties": False,
        "properties": {key: described([value[key] for value in values if key in value], key, forms) for key in keys},
    }


def required(name: str) -> list[str]:
    """Return the keys that a class's dictionary always has."""
    found: list[str] = json.loads(FILE.read_text(encoding="utf-8"))["$defs"][name]["required"]
    return found


def made() -> str:
    """Return the file's content."""
    forms: dict[str, list[dict[str, Any]]] = {kind.schema_name(): [] for kind in EXAMPLES}  # type: ignore[attr-defined]
    for each in every_example():
        forms[type(each).schema_name()].append(json.loads(json.dumps(each.to_dict())))
    definitions: dict[str, Any] = {}
    for _ in range(3):
        definitions = {name: closed(forms[name], forms) for name in sorted(forms)}
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
