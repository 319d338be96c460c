"""What a ratio takes values for that are absent from a class is one of two things."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_tests.certificates.changes import ODD
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.measures import Measure
from tcloseness.errors import InputError


@pytest.mark.parametrize("odd", [*ODD, "Infinite", "skip"], ids=lambda odd: repr(odd)[:20])
def test_absent_values_are_infinite_or_skipped_and_nothing_else(odd: Any) -> None:
    with pytest.raises(InputError, match="'infinite' or 'skipped'"):
        Measure({"measure": "ratio", "absent": odd}, Conditions([], ["text:x", "text:y"], [1, 1]))
