"""The figure of what a release discloses: how much of it is certain, possible and open."""

from __future__ import annotations

from collections.abc import Mapping

from tcloseness.attacks import StatusCounts
from tcloseness.report.drawing import Figure, mpl
from tcloseness.report.figures import INK, MOVE, STYLE

__all__ = ["status_bars"]

_SHADES = {"certain": MOVE, "possible": "#b9c4d0", "open": "#eceff2"}
_STYLE = {**STYLE, "font.size": 11.5, "figure.dpi": 72}


def status_bars(counts: Mapping[str, StatusCounts]) -> Figure:
    """Draw by name, such as what is counted or a level of knowledge, which share is certain, possible and open.

    Examples
    --------
    >>> figure = status_bars({"tight labels": StatusCounts(30, 70), "on a grid": StatusCounts(2, 98)})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['tight labels: 30 of 100 certain', 'on a grid: 2 of 100 certain']
    """
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(4.7, 1.1 + 0.72 * len(counts)), layout="constrained")
        axes = figure.add_subplot()
        for place, (name, each) in enumerate(counts.items()):
            begin = 0.0
            for status, shade in _SHADES.items():
                share = 100 * getattr(each, status) / max(1, each.total)
                axes.barh(place, share, 0.4, left=begin, color=shade, label=status if not place else None)
                begin += share
            said = f"{name}: {each.certain:,} of {each.total:,} certain"
            axes.text(0, place - 0.28, said, ha="left", va="bottom", color=INK)
        axes.set_xlim(0, 100)
        axes.set_ylim(len(counts) - 0.6, -0.8)
        axes.set_yticks([])
        axes.set_xlabel("share in %")
        figure.legend(loc="outside lower center", ncols=len(_SHADES), frameon=False)
    return figure
