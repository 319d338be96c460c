"""Put the pictures of results on the pages of the examples: the figures that the last line of a block is.

The package draws figures that pyplot does not know of, so Sphinx-Gallery does not find them by itself. What a result's
``plot()`` returns goes onto the page as images, with the question that each answers and how it is read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tcloseness.report.figures import STYLE, image
from tcloseness.report.showing import Pictures

SHOWN_AS_IMAGES = r"matplotlib\.|tcloseness\.report\.showing\.Pictures"
"""The types of last lines whose words are not printed under their images."""


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures of a block, and return the text that shows them; an image scraper of Sphinx-Gallery."""
    shown = ""
    drawn = _figures(_last_value(block.content, block_vars["example_globals"]))
    for (figure, question, caption), path in zip(drawn, block_vars["image_path_iterator"], strict=False):
        png = image(figure, ".png")
        Path(path).write_bytes(png)
        place = Path(path).relative_to(gallery_conf["src_dir"]).as_posix()
        width = int.from_bytes(png[16:20], "big") * 96 // STYLE["savefig.dpi"]  # as wide as it was drawn
        shown += f"\n.. figure:: /{place}\n   :alt: {question}\n   :width: {width}px\n"
        shown += f"\n   **{question}** {caption}\n" if caption else ""
    return shown


def _last_value(code: str, names: dict[str, Any]) -> Any:
    """Return what the last line of a block is, where that is an expression; Sphinx-Gallery keeps it until the next."""
    body = ast.parse(code).body
    return names.get("___") if body and isinstance(body[-1], ast.Expr) else None


def _figures(value: Any) -> Iterator[tuple[Figure, str, str]]:
    """Go through the figures of a value, each with its title and caption."""
    if isinstance(value, Pictures):
        for picture in value.each:
            yield picture.figure, picture.question, picture.caption
    elif isinstance(value, Figure):
        titles = [axes.get_title(loc) for axes in value.axes for loc in ("left", "center")]
        yield value, next(filter(None, titles), "a figure"), ""
