"""The templates of pages: text is text, what is missing is said, and nothing is compiled twice."""

from __future__ import annotations

import subprocess
import sys

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


BLOCKED = """
import sys
for name in {names}:
    sys.modules[name] = None
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in {names} else found(name, *more)
"""


@pytest.mark.parametrize(
    "use",
    [
        "import tcloseness.report.html",
        "import tcloseness.report.figures",
        "from tcloseness.page_templates import templates_of as f; f('report')",
        "from tcloseness.cli.options import Page as P; P('x.html').refuse()",
        "from tcloseness.cli.output import require_figure as f; f('x.png')",
    ],
)
@pytest.mark.long
def test_what_draws_and_makes_pages_may_be_missing_and_then_its_extra_is_named(use: str) -> None:
    program = BLOCKED.format(names=("matplotlib", "jinja2", "markupsafe")) + use
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("tcloseness.errors.MissingPackageError: figures and pages need matplotlib and Jinja2")
    assert last.endswith("python -m pip install 'tcloseness[report]'")


@pytest.mark.long
def test_nothing_else_needs_them() -> None:
    program = BLOCKED.format(names=("matplotlib", "jinja2", "markupsafe")) + (
        "import pandas as pd, tcloseness as tc, tcloseness.cli.command, tcloseness.report.text\n"
        "frame = pd.DataFrame({'q': [1, 1], 's': [1, 2]})\n"
        "tc.Table(frame, quasi_identifiers='q', sensitive='s').check(k=2)"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)
