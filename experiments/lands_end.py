"""A stand-in for the Lands End database of Machanavajjhala et al. 2006: 4,591,581 sales of a shop, which nobody has.

The paper prints its number of rows, and each attribute with its number of values and the height of its hierarchy
(Figure 4). Rows of that shape are drawn here, in two forms: ``"distinct"``, where hardly two rows are equal, and
``"repeated"``, where there are about a third as many combinations as rows. The paper says neither which values there
are nor how often any occurs, and nothing of how attributes depend on each other; all that is made up here. So a
stand-in shows how much time and memory a table of this shape takes, and says nothing of how private the database was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tcloseness.microdata import Hierarchy

__all__ = [
    "ATTRIBUTES",
    "DOMAIN_SIZES",
    "HEIGHTS",
    "ROWS",
    "SENSITIVE",
    "Form",
    "blocks",
    "hierarchies",
    "texts",
    "write",
]

ROWS = 4_591_581
"""How many rows the database has."""

DOMAIN_SIZES = {
    "zipcode": 31_953,
    "order_date": 320,
    "gender": 2,
    "style": 1_509,
    "price": 346,
    "quantity": 1,
    "shipment": 2,
    "cost": 147,
}
"""How many values each attribute has, in the paper's order (Figure 4)."""

HEIGHTS = {"zipcode": 5, "order_date": 3, "gender": 1, "style": 1, "price": 4, "quantity": 1, "shipment": 1}
"""How many levels each hierarchy has above the values (Figure 4)."""

ATTRIBUTES, SENSITIVE = tuple(HEIGHTS), "cost"
"""The quasi-identifiers, and the sensitive attribute."""

Form = Literal["distinct", "repeated"]

KINDS = 100_000
"""How many different sales the rows of the form ``"repeated"`` are drawn from."""

_BLOCK = 2**18
"""So many rows are drawn at a time; each block has a seed of its own, so that a part of the table is its beginning."""

_EVENNESS = {"zipcode": 1_000, "order_date": 320, "style": 50, "price": 20}
"""The value of rank r has a weight of 1 / (r + evenness): a few values are common; in the whole table each occurs."""

Codes = Mapping[str, npt.NDArray[np.int32]]


def blocks(form: Form, rows: int = ROWS, *, seed: int = 2006) -> Iterator[Codes]:
    """Draw the first rows of the table, in blocks: by attribute the number of each row's value.

    The same seed draws the same rows on every machine (PCG64 of NumPy), and a smaller table is the beginning of a
    larger one.
    """
    kinds = _kinds(seed) if form == "repeated" else None
    for number, first in enumerate(range(0, rows, _BLOCK)):
        draw = np.random.default_rng([seed, form == "repeated", number])
        block = _sales(draw, _BLOCK) if kinds is None else _repeated(draw, kinds, _BLOCK)
        yield {name: codes[: rows - first] for name, codes in block.items()}


def _sales(draw: np.random.Generator, rows: int) -> dict[str, npt.NDArray[np.int32]]:
    """Draw sales: the attributes by themselves, but for the cost, which is near a share of the price."""
    found = {name: _ranked(draw, name, rows) if name in _EVENNESS else _even(draw, name, rows) for name in ATTRIBUTES}
    return {**found, SENSITIVE: _costs(draw, found["price"])}


def _kinds(seed: int) -> Codes:
    """Draw the different sales of the form ``"repeated"``: each zipcode is in one, and a style has one price."""
    draw = np.random.default_rng([seed, KINDS])
    kinds = _sales(draw, KINDS)
    places = draw.permutation(KINDS)[: DOMAIN_SIZES["zipcode"]]
    kinds["zipcode"][places] = np.arange(DOMAIN_SIZES["zipcode"], dtype=np.int32)
    kinds["price"] = (kinds["style"] * 7 % DOMAIN_SIZES["price"]).astype(np.int32)
    return kinds


def _repeated(draw: np.random.Generator, kinds: Codes, rows: int) -> dict[str, npt.NDArray[np.int32]]:
    """Draw rows from the kinds of sale; the costs of a kind differ."""
    of_row = draw.integers(0, KINDS, rows)
    found = {name: kinds[name][of_row] for name in ATTRIBUTES}
    return {**found, SENSITIVE: _costs(draw, found["price"])}


def _even(draw: np.random.Generator, name: str, rows: int) -> npt.NDArray[np.int32]:
    return draw.integers(0, DOMAIN_SIZES[name], rows, dtype=np.int32)


def _ranked(draw: np.random.Generator, name: str, rows: int) -> npt.NDArray[np.int32]:
    """Draw values by weights that fall with their rank; the common ones are spread over the domain."""
    m = DOMAIN_SIZES[name]
    above = np.cumsum(1 / (np.arange(m) + _EVENNESS[name]))
    ranks = np.searchsorted(above, draw.random(rows) * above[-1], side="right")
    step = next(s for s in range(m * 5 // 8, m) if np.gcd(s, m) == 1)
    codes: npt.NDArray[np.int32] = (ranks * step % m).astype(np.int32)
    return codes


def _costs(draw: np.random.Generator, prices: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Draw costs above their place by the price, in a bell of 55 values; past the greatest they go on at 0."""
    m = DOMAIN_SIZES[SENSITIVE]
    return ((prices * m // DOMAIN_SIZES["price"] + draw.binomial(54, 0.5, len(prices))) % m).astype(np.int32)


def texts(name: str) -> list[str]:
    """Return an attribute's values as they are written: zipcodes and prices have 5 and 4 digits, a day its number."""
    m = DOMAIN_SIZES[name]
    if name == "zipcode":
        return [f"{code * 100_000 // m:05}" for code in range(m)]
    if name == "price":
        return [f"{code * 10_000 // m:04}" for code in range(m)]
    if name == "style":
        return [f"{code:04}" for code in range(m)]
    if name == SENSITIVE:
        return [str(100 * code) for code in range(m)]
    return ["F", "M"] if name == "gender" else [str(code + 1) for code in range(m)]


def hierarchies() -> dict[str, Hierarchy]:
    """Return hierarchies of the paper's kinds: digits rounded, days to months of 30 and quarters of 90, suppression."""
    found = {}
    for name, height in HEIGHTS.items():
        values = texts(name)
        if name == "order_date":
            days = [(value, int(value) - 1) for value in values]
            rows = [(value, f"month {day // 30 + 1}", f"quarter {day // 90 + 1}", "*") for value, day in days]
            found[name] = Hierarchy(rows, name=name)
        elif height > 1:
            found[name] = Hierarchy.prefixes(values, name=name)
        else:
            found[name] = Hierarchy.suppression(values, name=name)
    return found


def write(
    path: Path, form: Form, rows: int = ROWS, *, columns: Sequence[str] = tuple(DOMAIN_SIZES), seed: int = 2006
) -> Path:
    """Write the table, or some of its columns, into a CSV or Parquet file by its name; every column is text."""
    import duckdb

    with duckdb.connect() as engine:
        engine.execute("set threads = 1")
        for name in columns:
            engine.execute(
                f"create table {name}_texts as select unnest(range(len($1)))::integer c, unnest($1) t", [texts(name)]
            )
        numbers = ", ".join(f"{name} integer" for name in columns)
        engine.execute(f"create table sales ({numbers})")
        for codes in blocks(form, rows, seed=seed):
            block: dict[str, Any] = {name: codes[name] for name in columns}  # noqa: F841 (the engine reads it by name)
            engine.execute(f"insert into sales select {', '.join(columns)} from block")
        joins = " ".join(f"join {name}_texts on {name}_texts.c = sales.{name}" for name in columns)
        shown = ", ".join(f"{name}_texts.t as {name}" for name in columns)
        how = "format parquet" if path.suffix == ".parquet" else "header"
        file = str(path).replace("'", "''")
        engine.execute(f"copy (select {shown} from sales {joins}) to '{file}' ({how})")
    return path
