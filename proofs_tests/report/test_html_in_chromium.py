"""Pages of audits in a real browser, from disk: what it makes of them, if they fit a phone, and what it complains of.

Skipped where Chromium is not installed, unless TCLOSENESS_REQUIRE_CHROMIUM=1 says that it must be.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from matplotlib.image import imread

from proofs_tests.report.pages import HOSTILE, audit_of, salaries_and_diseases
from tcloseness.report.html import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
)
MEASURE = """<script>
const root = document.documentElement, box = (element) => element.getBoundingClientRect();
const count = (where, what) => [...document.querySelectorAll(where)].filter(what).length;
const outside = (text, svg) => text.left < svg.left - 1 || text.right > svg.right + 1 || text.top < svg.top - 1
  || text.bottom > svg.bottom + 1;
addEventListener("load", () => parent.postMessage([
  innerWidth,
  root.scrollWidth,
  count("main *:not(thead, thead *)", (e) => box(e).right > innerWidth + 0.5),
  count("svg text", (e) => box(e).height < 9 && box(e).width > 0),
  count("svg text", (e) => outside(box(e), box(e.ownerSVGElement))),
  performance.getEntriesByType("resource").filter((e) => !e.name.startsWith("data:")).length,
].join(" "), "*"));
</script></body>"""
FRAME = """<!DOCTYPE html><body><script>
addEventListener("message", (m) => { document.body.dataset.measured = m.data; });
</script><iframe src="page.html" style="border: 0; width: WIDTHpx; height: 900px"></iframe></body>"""
"""A window is never narrower than some 500 pixels; a frame in it is as wide as a phone."""

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')


@pytest.fixture(scope="module", autouse=True)
def _browser():
    if CHROMIUM is None:
        if os.environ.get("TCLOSENESS_REQUIRE_CHROMIUM") == "1":
            pytest.fail("TCLOSENESS_REQUIRE_CHROMIUM=1, and there is no chromium; install it (Debian: chromium)")
        pytest.skip("there is no chromium on this machine (Debian: chromium)")


def chromium(file: Path, profile: Path, *arguments: str) -> tuple[str, str]:
    """What Chromium says of a file: standard output, and what the page's console got."""
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", *arguments, file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, encoding="utf-8")
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, "\n".join(console)


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
def test_a_page_fits_the_window_and_fetches_nothing(tmp_path, pages, name, width):
    file = tmp_path / "page.html"
    file.write_text(POLICY.sub("", pages[name]).replace("</body>", MEASURE), encoding="utf-8")
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.replace("WIDTH", str(width)), encoding="utf-8")
    dom, console = chromium(
        frame, tmp_path / "profile", "--window-size=1300,1000", "--virtual-time-budget=5000", "--dump-dom"
    )
    (measured,) = re.findall(r'data-measured="([^"]*)"', dom)
    inner, scroll, wide, small, cut, fetched = map(int, measured.split())
    assert inner == width
    assert scroll <= width
    assert (wide, small, cut, fetched) == (0, 0, 0, 0), "elements over the edge, small texts, texts cut off, requests"
    assert console == ""


def test_the_page_as_it_is_runs_under_its_own_policy_and_shows_the_verdicts(tmp_path, pages):
    file, picture = tmp_path / "page.html", tmp_path / "page.png"
    file.write_text(pages["li"], encoding="utf-8")
    dom, console = chromium(file, tmp_path / "profile", "--window-size=390,900", "--dump-dom")
    assert console == ""
    assert dom.count("✓ satisfied") == 2
    assert dom.count("✗ violated") == 1
    assert dom.count("<svg ") == 9
    chromium(file, tmp_path / "profile2", "--window-size=390,1600", f"--screenshot={picture}")
    pixels = imread(picture)
    assert pixels.shape[:2] == (1600, 390)
    dark = (pixels[:, :, :3].sum(axis=2) < 1.2).mean(axis=1)
    assert (dark[:1600].reshape(8, 200).max(axis=1) > 0.01).all(), "a part of the page is blank"


def test_no_cell_becomes_an_element(tmp_path, pages):
    file = tmp_path / "page.html"
    file.write_text(pages["hostile"], encoding="utf-8")
    dom, console = chromium(file, tmp_path / "profile", "--window-size=390,900", "--dump-dom")
    assert console == ""
    assert "<script" not in dom
    assert "<img" not in dom
    assert "&lt;script&gt;alert(1)&lt;/script&gt;ttt" in dom
