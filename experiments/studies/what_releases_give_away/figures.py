"""The figures of the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["cures", "healed", "releases", "worlds"]


def cures(found: pd.DataFrame, path: Path) -> Path:
    """Draw the share of generalized cells that are certain, and NCP, for each way to show the same classes."""
    names = [f"{m}, {of}" for m, of in dict.fromkeys(zip(found["method"], found["model"], strict=True))]
    ways = list(dict.fromkeys(found["labels"]))
    shares = {way: _of(found, names, way, "share") for way in ways}
    prices = {way: _of(found, names, way, "NCP per cell") for way in ways}
    panels = [("generalized cells that are certain", shares), ("NCP per cell", prices)]
    return _bars(panels, names, path, percent=(True, False))


def _of(found: pd.DataFrame, names: Sequence[str], way: str, column: str) -> list[float]:
    mine = found[found["labels"] == way]
    by_name = dict(zip(mine["method"] + ", " + mine["model"], mine[column], strict=True))
    return [float(by_name.get(name, float("nan"))) for name in names]


def worlds(found: pd.DataFrame, path: Path) -> Path:
    """Draw the share of persons whose value is certain by classes alone, and by each level."""
    names = [f"{m}, {of}" for m, of in dict.fromkeys(zip(found["method"], found["model"], strict=True))]
    panels = []
    for quasi_identifiers, mine in found.groupby("quasi-identifiers", sort=False):
        classes = _of(mine.assign(labels="c"), names, "c", "certain by classes")
        shares = {"by the classes alone": classes}
        for level in dict.fromkeys(found["level"]):  # in both panels, so that one colour is one level
            words = f"by that it is {level}" if level in ("minimal", "optimal") else f"by {level}"
            shares[words] = _of(mine.assign(labels=mine["level"]), names, level, "certain by level")
        panels.append((f"{quasi_identifiers} quasi-identifiers", shares))
    return _bars(panels, names, path, percent=(True,) * len(panels))


def healed(found: pd.DataFrame, path: Path) -> Path:
    """Draw how many persons are certain by classes alone, and by the method before and after its cure."""
    names = [f"{m}, {of}" for m, of in zip(found["method"], found["model"], strict=True)]
    ways = {
        "by the classes alone": "certain by classes",
        "by the method": "certain",
        "by the method, cured": "certain, cured",
    }
    bars = {said: found[column].astype(float).tolist() for said, column in ways.items()}
    return _bars([("persons whose value is certain", bars)], names, path, percent=(False,))


def releases(found: pd.DataFrame, ways: Sequence[str], path: Path) -> Path:
    """Draw how many persons two releases make certain, by what is used."""
    return _bars(
        [("persons whose value is certain", {way: found[way].astype(float).tolist() for way in ways})],
        [text.replace(" and ", "\nand ") for text in found["releases"]],
        path,
        percent=(False,),
    )


def _bars(
    panels: Sequence[tuple[str, Mapping[str, Sequence[float]]]],
    names: Sequence[str],
    path: Path,
    *,
    percent: Sequence[bool],
) -> Path:
    """Draw bars by name; a name without a number in a panel is not in it, and a bar without one takes no room."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.ticker import PercentFormatter

    from experiments.figures import save
    from tcloseness.report.figures import INK, MASS, MOVE, REFERENCE, STYLE

    looks: Any = (MOVE, MASS, REFERENCE, INK)
    most = max(len(bars) for _, bars in panels)
    shown = [[i for i in range(len(names)) if any(v[i] == v[i] for v in bars.values())] for _, bars in panels]
    alike = all(mine == shown[0] for mine in shown)
    rows = [len(shown[0])] if alike else [*map(len, shown)]  # panels with other names are one below the other
    thick = 0.8 / most
    with rc_context(STYLE):
        height = 0.9 + 0.5 * len(rows) + sum(rows) * (0.16 + 0.14 * most)
        figure = Figure(figsize=(2.8 + 3.4 * (len(panels) if alike else 1.4), height), layout="constrained")
        grid: Any = {"ncols": len(panels), "sharey": True} if alike else {"nrows": len(panels), "height_ratios": rows}
        axes_of = figure.subplots(**grid, squeeze=False).flatten()
        for axes, (title, bars), share, mine in zip(axes_of, panels, percent, shown, strict=True):
            for row, i in enumerate(mine):
                there = [(look, values[i]) for look, values in zip(looks, bars.values(), strict=False)]
                there = [(look, value) for look, value in there if value == value]
                for place, (look, value) in enumerate(there):
                    y = row + thick * (place + 0.5 - len(there) / 2)
                    axes.barh(y, value, thick, color=look)
                    said = f"{value:.1%}" if share else f"{value:,.4g}" if value < 1 else f"{value:,.0f}"
                    axes.text(value, y, f" {said}", va="center", fontsize=7.5)
            axes.set_title(title, loc="left", fontsize=10)
            axes.set_xlim(0, 1.18 * max([v for values in bars.values() for v in values if v == v], default=1) or 1)
            if share:
                axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            if not alike or axes is axes_of[0]:
                axes.set_yticks(range(len(mine)), [names[i] for i in mine], fontsize=8.5)
            axes.set_ylim(len(mine) - 0.4, -0.6)
        legend = [Patch(color=look, label=label) for look, label in zip(looks, panels[0][1], strict=False)]
        figure.legend(handles=legend, frameon=False, loc="outside lower center", ncols=4)
    return save(figure, path)
