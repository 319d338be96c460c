"""A figure as SVG inside a page: real text in the page's own font, names of its own, nothing that points elsewhere."""

from __future__ import annotations

import io
import re
import warnings

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

__all__ = ["inline_svg"]

_RASTER = 144
"""Dots per inch of what is rasterised."""

_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
_NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"')
_STYLE = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
_SIZE = re.compile(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"')
_TAG = re.compile(r"<[^<>]*>")
_FAMILY = re.compile(r" font-family: [^;\"]*;")
_IDS = re.compile(r'( id="|url\(#|xlink:href="#)')
_BLANKS = re.compile(r"\s*\n\s*")


def inline_svg(figure: Figure, *, name: str, label: str) -> Markup:
    """Return a figure as an ``<svg>`` element.

    Parameters
    ----------
    figure
        A matplotlib figure; parts that it asks to rasterise are embedded.
    name
        A prefix for all ids in it, unlike that of any other figure of the page.
    label
        What the figure shows, for those who do not see it.
    """
    target = io.StringIO()
    # the texts are measured in matplotlib's font, which may lack a sign that the reader's browser has
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tcloseness"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing", category=UserWarning)
        figure.dpi = _RASTER
        # figure.savefig would draw everything twice
        FigureCanvasSVG(figure).print_svg(target, metadata={"Date": None})
    text = target.getvalue()
    # no cell can look like these parts: every < and > of a cell is escaped
    for pattern in (_PROLOGUE, _METADATA, _COMMENTS, _STYLE):
        text = pattern.sub("", text, count=0 if pattern is _COMMENTS else 1)
    head, bracket, body = text.partition(">")
    head = _SIZE.sub(r"\1", _NAMESPACES.sub("", head))
    head += f' role="img" aria-label="{escape(label)}"'
    body = _TAG.sub(lambda tag: _BLANKS.sub(" ", _IDS.sub(rf"\g<1>{name}-", _FAMILY.sub("", tag[0]))), body)
    return Markup(head + bracket + _BLANKS.sub("\n", body).strip())
