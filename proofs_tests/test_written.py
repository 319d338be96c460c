"""What is written from the package is what the package says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from proofs_tests.definitions import source, statement
from proofs_tests.written import FILES, PARTS, SCHEMAS
from tcloseness.models.catalogue import MODELS


@pytest.mark.long
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_that_repeats_the_catalogue_agrees_with_it(file: Path) -> None:
    assert file.read_text("utf-8") == FILES[file](), "run: make written"


def test_every_part_is_in_a_schema_and_every_reference_has_its_part() -> None:
    schemas = [json.loads(file.read_text("utf-8")) for file in SCHEMAS]
    assert set(PARTS) == set(PARTS).intersection(*[set().union(*(each["$defs"] for each in schemas))])
    for each in schemas:
        text = json.dumps(each)
        assert not [name for name in each["$defs"] if f'"#/$defs/{name}"' not in text], "a part that nothing refers to"
        assert {part.partition('"')[0] for part in text.split('"#/$defs/')[1:]} == set(each["$defs"])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_model_says_its_definition_and_its_source(model: type) -> None:
    assert ": " in statement(model), "the docstring's first sentence is its name, a colon and what it asks"
    assert re.search(r"\b(19|20)\d\d\b", source(model)), "the docstring's References name a paper and its year"
