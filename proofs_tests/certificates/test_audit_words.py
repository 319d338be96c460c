"""What an audit shows, in a sentence for people: what each class meets, and what not every class does."""

from __future__ import annotations

import itertools

import pytest

from tcloseness.certificates.audit import in_words


@pytest.mark.parametrize("classes", [1, 2, 1234])
def test_each_condition_is_said_once_on_the_side_of_its_verdict(classes: int) -> None:
    of = "its one class" if classes == 1 else f"each of its {classes:,} classes"
    for many in range(4):
        asked = [f"condition {i}" for i in range(many)]
        for holds in itertools.product([True, False], repeat=many):
            said = in_words(asked, {"classes": classes, "holds": list(holds)})
            met = [text for text, each in zip(asked, holds, strict=True) if each]
            others = [text for text, each in zip(asked, holds, strict=True) if not each]
            if met and others:
                assert said == f"{of} meets what is asked: {', '.join(met)}; not each meets: {', '.join(others)}"
            elif met:
                assert said == f"{of} meets what is asked: {', '.join(met)}"
            elif others:
                assert said == f"not {of} meets what is asked: {', '.join(others)}"
            else:
                none = "its one class has no" if classes == 1 else f"no class of its {classes:,} has a"
                assert said == f"{none} worse value than those below"
