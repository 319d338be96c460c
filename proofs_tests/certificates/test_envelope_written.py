"""What an envelope is if it is not said otherwise, and how its text is written."""

from __future__ import annotations

from dataclasses import replace

from proofs_tests.certificates.test_envelope import ENVELOPE
from tcloseness.certificates import TASKS
from tcloseness.certificates.envelope import Task


def test_a_task_runs_no_function_of_the_users_own_unless_it_says_so() -> None:
    assert not Task("format-1", "it is so", print).trusts
    assert Task("format-1", "it is so", print, trusts=True).trusts
    trusting = {name for name, task in TASKS.items() if task.trusts}
    assert {name.split("-")[1] for name in trusting} == {"minimal", "optimum", "infeasible"}


def test_texts_of_every_script_stand_in_a_certificate_as_they_are() -> None:
    text = replace(ENVELOPE, sensitive="é 東京 \u2028").to_json()
    assert '"é 東京 \u2028"' in text
    assert "\\u" not in text
