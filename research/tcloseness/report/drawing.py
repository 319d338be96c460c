"""Matplotlib and MarkupSafe, as figures use them: loaded by this file alone, which says how to install them."""

from __future__ import annotations

from tcloseness.extras import needing
from tcloseness.page_templates import REPORT

with needing(*REPORT):
    import matplotlib as mpl
    from markupsafe import Markup, escape
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch, Patch
    from matplotlib.path import Path as Curve
    from matplotlib.ticker import MaxNLocator, NullFormatter, NullLocator

__all__ = [
    "Axes",
    "Curve",
    "FancyArrowPatch",
    "Figure",
    "FigureCanvasSVG",
    "LineCollection",
    "Markup",
    "MaxNLocator",
    "NullFormatter",
    "NullLocator",
    "Patch",
    "escape",
    "mpl",
]
