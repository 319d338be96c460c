"""Pages of audits in a real browser, from disk: what it makes of them, if they fit, and what it complains of."""

from __future__ import annotations

import io

import pytest
from matplotlib.image import imread

from proofs_tests.chromium import MEASURE, fitting
from proofs_tests.report.pages import HOSTILE, audit_of, salaries_and_diseases
from tcloseness.report.html import page


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    rows = [(f"{cell} q{n % 2}", cell) for n, cell in enumerate(HOSTILE)]
    long = [(f"{'a long name without a blank'.replace(' ', '_') * 4} {i}", "w" * 200) for i in range(3)]
    return {
        "li": page(
            salaries_and_diseases(k=3, t="0.375"), table="li_table4.csv", command="tcloseness check " + "x" * 300
        ),
        "hostile": page(audit_of([*rows, *long], t="0.2"), table=HOSTILE[0] + "t" * 200, digest="f" * 64),
    }


@pytest.mark.parametrize("name", ["li", "hostile"])
@pytest.mark.parametrize("width", [390, 1200])
def test_a_page_fits_the_window_and_fetches_nothing(tmp_path, chromium, pages, name, width):
    file = tmp_path / "page.html"
    file.write_text(pages[name], encoding="utf-8")
    chromium.open(file, width=width)
    assert chromium.evaluate(MEASURE) == fitting(width)
    assert (chromium.console, chromium.requested) == ([], [])


def test_the_page_as_it_is_runs_under_its_own_policy_and_shows_the_verdicts(tmp_path, chromium, pages):
    file = tmp_path / "page.html"
    file.write_text(pages["li"], encoding="utf-8")
    chromium.open(file, width=390, height=1600)
    dom = chromium.dom()
    assert chromium.console == []
    assert dom.count("✓ satisfied") == 2
    assert dom.count("✗ violated") == 1
    assert dom.count("<svg ") == 9
    pixels = imread(io.BytesIO(chromium.picture()))
    assert pixels.shape[:2] == (1600, 390)
    dark = (pixels[:, :, :3].sum(axis=2) < 1.2).mean(axis=1)
    assert (dark[:1600].reshape(8, 200).max(axis=1) > 0.01).all(), "a part of the page is blank"


def test_no_cell_becomes_an_element(tmp_path, chromium, pages):
    file = tmp_path / "page.html"
    file.write_text(pages["hostile"], encoding="utf-8")
    chromium.open(file, width=390)
    dom = chromium.dom()
    assert chromium.console == []
    assert "<script" not in dom
    assert "<img" not in dom
    assert "&lt;script&gt;alert(1)&lt;/script&gt;ttt" in dom
