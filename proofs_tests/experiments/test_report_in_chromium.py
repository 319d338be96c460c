"""The studies' report in a real browser, from disk: if it fits, if its figures are there, what it prints."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from experiments.report.found import read_results
from experiments.report.html import page
from proofs_tests.experiments.results import LEDGER, write_everything

MEASURE = """(() => {
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
const found = {inner: innerWidth, folded: layout(), rows: Object.fromEntries(all(".show").map(rows))};
all("details").forEach((e) => { e.open = true; });
found.unfolded = layout();
found.widest = Math.max(...all("img").map((e) => box(e).width));
return found;
})()"""


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("results")
    write_everything(folder)
    return page(read_results(folder, LEDGER))


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_shows_its_figures_filters_its_claims_and_fetches_nothing(tmp_path, chromium, report, width):
    file = tmp_path / "page.html"
    file.write_text(report, encoding="utf-8")
    chromium.open(file, width=width)
    found = chromium.evaluate(MEASURE)
    assert found["inner"] == width
    for state in ("folded", "unfolded"):
        assert found[state] == {"scroll": width, "beyond": 0, "images": 4}, state
    number = Counter(re.findall(r'<tr id="claim-[^"]*" class="(\w+)"', report))
    assert len(number) == 8
    assert found["rows"] == {"all": len(LEDGER), **number}
    assert found["widest"] > 1000, "a figure without a narrow twin is as wide as its text asks for"
    assert (chromium.console, chromium.requested) == ([], [])


@pytest.mark.slow
def test_the_page_as_it_is_runs_under_its_own_policy_and_prints(tmp_path, chromium, report):
    file = tmp_path / "page.html"
    file.write_text(report, encoding="utf-8")
    chromium.open(file)
    assert chromium.console == []
    content = chromium.paper()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) > 3
    assert len(re.findall(rb"/Subtype /Image\b", content)) >= 4, "figures are printed"
