"""Each built page in Chromium with the network off: nothing is missing, and everybody can read it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proofs_tests.site.browser import Visits, visit

pytestmark = pytest.mark.site


def test_every_page_was_seen(visits: Visits, built: Path) -> None:
    assert len(visits.pages) == len([*built.rglob("*.html")]) > 250
    assert visits.faults("failed") == {}


def test_a_page_asks_for_nothing_that_is_not_there(visits: Visits) -> None:
    assert visits.missing == []
    assert visits.faults("broken") == {}


def test_a_page_asks_nothing_of_other_machines(visits: Visits) -> None:
    assert visits.outside == []


def test_no_console_has_a_complaint(visits: Visits) -> None:
    assert visits.console == []


def test_formulas_are_shown_as_formulas(visits: Visits) -> None:
    assert visits.faults("raw") == {}
    assert visits.faults("wrong") == {}


def test_a_page_with_formulas_shows_as_many_as_it_has(visits: Visits, built: Path) -> None:
    written = {
        f"/{file.relative_to(built).as_posix()}": len(re.findall(r'class="[^"]*\bmath notranslate', html))
        for file in built.rglob("*.html")
        if "math notranslate" in (html := file.read_text(encoding="utf-8"))
    }
    assert {page: visits.pages[page]["formulas"] for page in written} == written
    assert sum(written.values()) > 0


def test_no_page_is_wider_than_a_phone(visits: Visits) -> None:
    assert visits.faults("wide") == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_from_its_ground(visits: Visits, theme: str) -> None:
    """By at least 4.5 to 1, large text by 3 to 1 (WCAG 2.2, 1.4.3)."""
    assert visits.faults(theme) == {}


def test_all_that_can_be_used_is_reached_by_keyboard_and_named(visits: Visits) -> None:
    assert visits.faults("unreachable") == {}
    assert visits.faults("names") == {}


GOOD = """<!DOCTYPE html><html lang="en"><title>t</title><body style="color: #000; background: #fff">
<a href="#main">Skip</a><main id="main"><h1>Heading</h1>HERE</main></body></html>"""
FAULTS = {
    "missing": '<img alt="a" src="gone.png">',
    "broken": '<img alt="a" src="gone.png">',
    "outside": '<img alt="a" src="https://example.org/a.png">',
    "console": "<script>console.error('fault')</script>",
    "raw": r"<p>the sum is \(\sum_i p_i\)</p>",
    "wide": '<div style="width: 500px">wide</div>',
    "cut off": f'<div style="overflow: hidden"><p style="width: 700px">{"a long text " * 9}</p></div>',
    "light": '<p style="color: #999">faint</p>',
    "dark": '<p style="color: #999">faint</p>',
    "unreachable": '<a href="#main" tabindex="-1">here</a>',
    "names": '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
}


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_a_fault_is_noticed(tmp_path: Path, fault: str | None) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "page.html").write_text(GOOD.replace("HERE", FAULTS.get(fault or "", "")), encoding="utf-8")
    seen = visit(folder, tmp_path / "profile", seconds=60)
    found = {"missing": seen.missing, "outside": seen.outside, "console": seen.console}
    found |= {kind: seen.pages["/page.html"][kind] for kind in FAULTS if kind not in found and kind != "cut off"}
    noticed = {kind for kind, what in found.items() if what}
    assert noticed == set() if fault is None else ("wide" if fault == "cut off" else fault) in noticed
