"""The templates of pages: text is text, what is missing is said, and nothing is compiled twice."""

from __future__ import annotations

import pytest
from jinja2 import Template, UndefinedError

from tcloseness.page_templates import rendered, templates_of


@pytest.mark.parametrize(("room", "template"), [("report", "check.html"), ("conformance", "matrix.html")])
def test_a_template_is_compiled_once_and_escapes_every_text(room: str, template: str) -> None:
    templates = templates_of(room)
    assert templates_of(room).get_template(template) is templates.get_template(template)
    escaping: Template = templates.from_string("{{ text }}")
    assert escaping.render(text="<b>") == "&lt;b&gt;"


def test_a_value_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rendered("report", "card.html")
