"""Links between the built pages lead to files and places that are there; what they load is among them."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

pytestmark = pytest.mark.site


class Page(HTMLParser):
    """The places of a page, and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {str(given[name]) for name in ("id", "name") if given.get(name)}
        link = given.get("href")
        if link is not None and tag == "a":
            self.targets.append(link)
        elif link is not None and given.get("rel") not in ("index", "search", "next", "prev", "canonical"):
            self.loaded.append(link)
        if given.get("src"):
            self.loaded.append(str(given["src"]))


def broken(folder: Path) -> list[str]:
    """Links of the pages of a folder that lead nowhere, and what is loaded from elsewhere."""
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        where = file.relative_to(folder)
        for link in page.targets + page.loaded:
            name, place = urldefrag(link)
            if ":" in name.split("/")[0] or name.startswith("//"):
                if link in page.loaded and not name.startswith("data:"):
                    found.append(f"{where} loads {link}")
                continue
            target = file if not name else (file.parent / unquote(name.split("?")[0])).resolve()
            if not target.is_file() or not target.is_relative_to(folder):
                found.append(f"{where} leads to {link}")
            elif place and target in pages and unquote(place) not in pages[target].places:
                found.append(f"{where} leads to {link}, which has no such place")
    return found


def test_every_link_leads_to_a_page_and_a_place_that_are_there(built: Path) -> None:
    assert broken(built.resolve()) == []


def test_every_page_can_be_reached_from_the_first(built: Path) -> None:
    root = built.resolve()
    left, seen = [root / "index.html"], set()
    while left:
        file = left.pop()
        if file in seen or file.suffix != ".html" or not file.is_file():
            continue
        seen.add(file)
        for link in Page(file.read_text(encoding="utf-8")).targets:
            name = urldefrag(link)[0]
            if name and ":" not in name.split("/")[0]:
                left.append((file.parent / unquote(name)).resolve())
    apart = {"genindex.html", "py-modindex.html", "search.html"}  # which the theme and readers open by themselves
    assert {str(file.relative_to(root)) for file in {*root.rglob("*.html")} - seen} <= apart


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ('<a href="gone.html">', "leads to gone.html"),
        ('<a href="other.html#gone">', "no such place"),
        ('<a href="#gone">', "no such place"),
        ('<a href="../outside.html">', "leads to ../outside.html"),
        ('<img src="gone.png">', "leads to gone.png"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loads //example.org/x.css"),
        ('<a href="other.html#here"><a href="https://example.org"><a href="#top"><p id="top">', None),
    ],
)
def test_a_broken_link_is_noticed(tmp_path: Path, fault: str, said: str | None) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (tmp_path / "outside.html").write_text("", encoding="utf-8")
    (folder / "other.html").write_text('<p id="here">', encoding="utf-8")
    (folder / "page.html").write_text(fault, encoding="utf-8")
    found = broken(folder)
    assert (found == []) if said is None else (len(found) == 1 and said in found[0])
