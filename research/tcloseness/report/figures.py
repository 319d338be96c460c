"""Figures of a transformation: the mass movements that turn P into Q, as in Figures 1 and 2 of the tutorial.

Dosselmann, Sadeqi, Hamilton, "A Tutorial on Computing t-Closeness". Importing this module loads matplotlib.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcloseness.exact import number_text
from tcloseness.report.drawing import Curve, FancyArrowPatch, Figure, mpl
from tcloseness.transport import Certificate, crossings, moves_of
from tcloseness.writing import write_files

if TYPE_CHECKING:
    from tcloseness.report.drawing import Axes

__all__ = ["INK", "MASS", "MOVE", "REFERENCE", "STYLE", "arrow", "draw_moves", "image", "plot_moves", "save"]

INK = "#22252a"
MASS = "#2f6f9f"
REFERENCE = "#c9ced6"
MOVE = "#d1622b"
"""The colours: text, the class's distribution P, the reference Q, and what moves; readable in grey."""

WIDEST = 24.0
"""Inches that a figure is wide at most."""

NAMED = 40
"""Of more values than these only some are named, and gaps have no numbers."""

_LONG = 9
"""Characters of a fraction that fit above a gap."""

SIDES = ("P (class)", "Q (reference)")
"""What the two distributions are called in a legend."""

STYLE: dict[str, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "savefig.bbox": "tight",
    "svg.hashsalt": "tcloseness",
    "text.parse_math": False,  # a value such as $10-$20 is not a formula
}


def plot_moves(
    certificate: Certificate,
    *,
    labels: Sequence[str] = (),
    title: str = "",
    path: str | os.PathLike[str] | None = None,
    force: bool = False,
    sides: tuple[str, str] = SIDES,
) -> Figure:
    """Draw the transformation of P into Q: bars for both, an arc for each move, and what crosses each gap.

    The arcs are the moves (actions B of the tutorial). Under an ordered distance a second panel shows the mass that
    crosses each gap between neighbouring values (its actions A), as exact fractions: each arc passes over the gaps that
    it crosses, so the moves above a gap sum to its bar.

    Parameters
    ----------
    certificate
        A certificate of EMD(P, Q); its coupling is drawn.
    labels
        The values' names; by default those of the certificate, else the codes.
    title
        The figure's title; by default the distance.
    path
        Where to save it (PNG or SVG by its suffix).
    force
        Whether an existing file may be overwritten; else it is an `InputError`.
    sides
        What P and Q are called.

    Returns
    -------
    matplotlib.figure.Figure
    """
    with mpl.rc_context(STYLE):
        m = certificate.ground.m
        cuts = certificate.ground.cuts
        gaps = cuts is not None and len(cuts) > 0 and not cuts.low.any()
        figure = Figure(figsize=(min(max(5.0, 1.2 + 0.78 * m), WIDEST), 5.2 if gaps else 3.9), layout="constrained")
        if gaps:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3.2, 1))
            draw_moves(upper, certificate, labels=labels, title=title, sides=sides)
            upper.tick_params(axis="x", labelbottom=True)
            _draw_gaps(lower, certificate)
        else:
            draw_moves(figure.subplots(), certificate, labels=labels, title=title, sides=sides)
        if path is not None:
            save(figure, path, force=force)
    return figure


def draw_moves(
    axes: Axes,
    certificate: Certificate,
    *,
    labels: Sequence[str] = (),
    title: str = "",
    sides: tuple[str, str] = SIDES,
) -> None:
    """Draw `plot_moves` into given axes."""
    names = list(labels or certificate.labels or map(str, range(certificate.ground.m)))
    p = [float(x) for x in certificate.p]
    q = [float(x) for x in certificate.q]
    places = range(len(p))
    top = max(*p, *q)
    axes.bar([x - 0.19 for x in places], p, 0.36, color=MASS, label=sides[0])
    axes.bar([x + 0.19 for x in places], q, 0.36, color=REFERENCE, label=sides[1])
    found = moves_of(certificate)
    heaviest = max((float(move.mass) for move in found), default=1.0)
    for move in found:
        _arc(axes, move.source, move.target, top, float(move.mass) / heaviest, len(p))
    if found:
        axes.plot([], [], color=MOVE, label="mass that moves")
    reach = max((abs(move.source - move.target) for move in found), default=0)
    axes.set_ylim(0, top * (1.12 + 0.75 * reach / max(len(p) - 1, 1)))
    some = slice(None, None, 1 + len(names) // NAMED)
    axes.set_xticks(list(places)[some], names[some])
    longest = max(map(len, names))
    if longest > 6:
        axes.tick_params(axis="x", rotation=35)
        for tick in axes.get_xticklabels():
            tick.set_horizontalalignment("right")
    axes.set_ylabel("probability")
    axes.set_yticks(_ticks(top))
    value = certificate.value
    exact = number_text(value)
    decimal = f" = {float(value):.4g}" if "/" in exact else ""
    axes.set_title(
        title or f"EMD = {exact}{decimal} ({certificate.ground.name} distance)", loc="left", fontsize=11, pad=24
    )
    axes.legend(
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        borderaxespad=0.2,
        fontsize=9,
        ncols=3,
        columnspacing=1.2,
    )


def _draw_gaps(axes: Axes, certificate: Certificate) -> None:
    found = crossings(certificate.p, certificate.q, certificate.ground)
    heights = [float(abs(crossing.mass)) for crossing in found]
    axes.bar([k + 0.5 for k in range(len(found))], heights, 0.62, color=MOVE, alpha=0.75)
    for k, crossing in enumerate(found if len(found) < NAMED else ()):
        arrow = "" if not crossing.mass else (" →" if crossing.mass > 0 else " ←")
        exact = number_text(abs(crossing.mass))
        said = exact if len(exact) <= _LONG else f"{heights[k]:.3g}"
        axes.text(k + 0.5, heights[k], said + arrow, ha="center", va="bottom", fontsize=8.5)
    axes.set_ylim(0, (max(heights) or 1) * 1.45)
    axes.set_ylabel("mass across\nthe gap", fontsize=9)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)


def _arc(axes: Axes, source: int, target: int, base: float, weight: float, m: int) -> None:
    reach = abs(source - target) / max(m - 1, 1)
    height = base * 1.08
    # the control point's height makes long moves arch over short ones, whatever their direction
    apex = height + base * 1.25 * reach
    arrow(axes, [(source, height), ((source + target) / 2, apex), (target, height)], 2, 0.8 + 1.4 * weight)


def arrow(axes: Axes, vertices: Sequence[tuple[float, float]], width: float, line: float, **more: Any) -> None:
    """Draw the arrow of a move along a curve: where it begins, what it bends to, where it ends."""
    curve = Curve(vertices, [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3])
    head = f"-|>,head_length=4,head_width={width}"
    axes.add_patch(
        FancyArrowPatch(path=curve, arrowstyle=head, color=MOVE, linewidth=line, alpha=0.9, zorder=3, **more)
    )


def _ticks(top: float) -> list[float]:
    step = next(s for s in (0.05, 0.1, 0.2, 0.25, 0.5) if top / s <= 5 or s == 0.5)
    return [round(step * i, 3) for i in range(int(top / step + 1e-9) + 1)]


def save(figure: Figure, path: str | os.PathLike[str], *, force: bool = True) -> Path:
    """Save a figure, over what is there unless `force` is False, and return the file; see `image`."""
    target = Path(path)
    write_files({target: lambda: image(figure, target.suffix)}, force=force)
    return target


def image(figure: Figure, suffix: str) -> bytes:
    """Return a figure as a file's bytes, without a date in it, so that equal figures are equal files."""
    dated = {".svg": "Date", ".pdf": "CreationDate"}.get(suffix, "Software")
    content = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(content, format=suffix.removeprefix("."), metadata={dated: None})
    return content.getvalue()
