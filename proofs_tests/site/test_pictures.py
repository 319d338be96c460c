"""Pictures that the examples promise are on the built pages, and on the cards that lead to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.site

SOURCES = sorted((Path(__file__).resolve().parent.parent.parent / "docs" / "jobs_source").glob("*.py"))
CODE = '<div class="highlight-Python'


def without_their_pictures(page: str) -> list[str]:
    """The paragraphs of a page that promise a picture and stand above code that shows none."""
    above, *below = page.split(CODE)
    promises = [re.findall(r"<p>(.*?)</p>", text, re.DOTALL) for text in (above, *below)]
    pairs = zip(promises, below, strict=False)
    return [said[-1] for said, shown in pairs if said and "picture" in said[-1] and not re.search("<img|<svg", shown)]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_page_has_the_pictures_that_it_promises(source: Path, built: Path) -> None:
    page = (built / "jobs" / f"{source.stem}.html").read_text(encoding="utf-8")
    assert "<img" in page
    assert without_their_pictures(page) == []
    assert "&lt;Figure" not in page
    assert "&lt;Pictures" not in page


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_page_shows_code_as_a_reader_would_write_it(source: Path, built: Path) -> None:
    page = (built / "jobs" / f"{source.stem}.html").read_text(encoding="utf-8")
    assert "noqa" not in page
    assert "sphinx_gallery" not in page


def test_each_card_shows_a_picture_of_its_page(built: Path) -> None:
    """It is made of the page's first picture; the placeholder would be the same on several cards."""
    images, index = built / "_images", (built / "jobs" / "index.html").read_text(encoding="utf-8")
    cards = re.findall(r"_images/(sphx_glr_\w+_thumb\.png)", index)
    assert sorted(cards) == [f"sphx_glr_{source.stem}_thumb.png" for source in SOURCES]
    assert all((images / card.replace("thumb", "001")).is_file() for card in cards)
    assert len({(images / card).read_bytes() for card in cards}) == len(SOURCES)


@pytest.mark.parametrize(
    ("shown", "noticed"),
    [("<p>out</p>", True), ('<img src="a.png">', False), ("<svg></svg>", False), (f"{CODE}<img>", True)],
)
def test_a_promise_that_is_not_kept_is_noticed(shown: str, noticed: bool) -> None:
    page = f"<p>no promise</p>{CODE}a</div><p><strong>A picture of it</strong>:</p>{CODE}b</div>{shown}"
    assert bool(without_their_pictures(page)) is noticed
