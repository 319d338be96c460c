"""The notebooks, as they were executed when the site was built: results are shown as HTML, and no cell failed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from proofs_tests.every_result import EXAMPLES

pytestmark = pytest.mark.site

SOURCES = sorted((Path(__file__).resolve().parent.parent.parent / "docs" / "notebooks").glob("*.ipynb"))
RESULTS = {kind.__name__ for kind in EXAMPLES} | {"Pictures"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_an_executed_notebook_shows_each_result_as_html(source: Path, built: Path) -> None:
    executed = json.loads((built.parent / "jupyter_execute" / "notebooks" / source.name).read_text(encoding="utf-8"))
    written = json.loads(source.read_text(encoding="utf-8"))
    assert [cell["source"] for cell in executed["cells"]] == [cell["source"] for cell in written["cells"]]
    shown, page = 0, (built / "notebooks" / f"{source.stem}.html").read_text(encoding="utf-8")
    for cell in executed["cells"]:
        for output in cell.get("outputs", ()):
            assert output["output_type"] in ("stream", "execute_result")
            data = output.get("data", {})
            kind = re.match(r"<(\w+)", "".join(data.get("text/plain", "")))
            if kind:
                assert kind[1] in RESULTS
                assert "".join(data["text/html"]).lstrip().startswith("<div")
                shown += 1
    assert shown >= 5
    assert page.count('<div class="tcloseness">') == shown
