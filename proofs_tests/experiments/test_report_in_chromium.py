"""The studies' report in a real browser, from disk: if it fits, if its figures are there, what it prints.

Skipped where Chromium is not installed, unless TCLOSENESS_REQUIRE_CHROMIUM=1 says that it must be.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape

import pytest

from experiments.report.found import read_results
from experiments.report.html import page
from proofs_tests.experiments.results import LEDGER, write_everything
from proofs_tests.report.test_html_in_chromium import FRAME, POLICY, _browser, chromium  # noqa: F401 (a fixture)

MEASURE = """<script>
const all = (what) => [...document.querySelectorAll(what)], box = (e) => e.getBoundingClientRect();
const boxed = "thead, thead *, .scroll *, .wide.only *, input";
const layout = () => ({
  scroll: document.documentElement.scrollWidth,
  beyond: all(`main *:not(${boxed})`).filter((e) => box(e).right > innerWidth + 0.5).length,
  images: all("img").filter((e) => e.complete && e.naturalWidth > 0 && box(e).width > 200).length,
});
const rows = (show) => {
  show.checked = true;
  return [show.id.slice(5), all("#claims tbody tr").filter((e) => box(e).height > 0).length];
};
addEventListener("load", () => {
  const found = {inner: innerWidth, folded: layout(), rows: Object.fromEntries(all(".show").map(rows))};
  all("details").forEach((e) => { e.open = true; });
  found.unfolded = layout();
  found.widest = Math.max(...all("img").map((e) => box(e).width));
  found.fetched = performance.getEntriesByType("resource").filter((e) => !e.name.startsWith("data:")).length;
  parent.postMessage(JSON.stringify(found), "*");
});
</script></body>"""


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("results")
    write_everything(folder)
    return page(read_results(folder, LEDGER))


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_shows_its_figures_filters_its_claims_and_fetches_nothing(tmp_path, report, width):
    file, frame = tmp_path / "page.html", tmp_path / "frame.html"
    file.write_text(POLICY.sub("", report).replace("</body>", MEASURE), encoding="utf-8")
    frame.write_text(FRAME.replace("WIDTH", str(width)), encoding="utf-8")
    window = ("--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom")
    dom, console = chromium(frame, tmp_path / "profile", *window)
    (measured,) = re.findall(r'data-measured="([^"]*)"', dom)
    found = json.loads(unescape(measured))
    assert found["inner"] == width
    for state in ("folded", "unfolded"):
        assert found[state] == {"scroll": width, "beyond": 0, "images": 4}, state
    number = Counter(re.findall(r'<tr id="claim-[^"]*" class="(\w+)"', report))
    assert len(number) == 8
    assert found["rows"] == {"all": len(LEDGER), **number}
    assert found["widest"] > 1000, "a figure without a narrow twin is as wide as its text asks for"
    assert found["fetched"] == 0
    assert console == ""


@pytest.mark.slow
def test_the_page_as_it_is_runs_under_its_own_policy_and_prints(tmp_path, report):
    file, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    file.write_text(report, encoding="utf-8")
    _, console = chromium(file, tmp_path / "profile", "--no-pdf-header-footer", f"--print-to-pdf={paper}")
    assert console == ""
    content = paper.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) > 3
    assert len(re.findall(rb"/Subtype /Image\b", content)) >= 4, "figures are printed"
