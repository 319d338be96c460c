"""anonypy: its tests of one class, by which its Mondrian decides, on each class; the adapter forms the classes.

The tests answer yes or no. A class is given as the labels of its rows, as the package itself does.
"""

from __future__ import annotations

from typing import Any

from tcloseness.conformance.adapters.frames import classes, frame, one_sensitive, only_text
from tcloseness.conformance.adapters.serving import Parameters, Table, number, serve

__all__ = ["main"]


def main() -> None:
    """Serve standard input."""
    from anonypy import anonymity

    def k(table: Table, parameters: Parameters) -> dict[str, Any]:
        data = frame(table, categories=True)
        least = int(parameters["k"])
        return {"satisfied": all(anonymity.is_k_anonymous(data.index[rows], least) for rows in classes(table))}

    def distinct(table: Table, parameters: Parameters) -> dict[str, Any]:
        name, data, least = one_sensitive(table), frame(table, categories=True), int(parameters["l"])
        found = [anonymity.is_l_diverse(data, data.index[rows], name, least) for rows in classes(table)]
        return {"satisfied": all(found)}

    def t(table: Table, parameters: Parameters) -> dict[str, Any]:
        only_text(table)
        name, data = one_sensitive(table), frame(table, categories=True)
        reference = anonymity.get_global_freq(data, name)
        threshold = number(parameters["t"])
        found = [anonymity.is_t_close(data, data.index[rows], name, reference, threshold) for rows in classes(table)]
        return {"satisfied": all(found)}

    serve("anonypy", "anonypy", {"k-anonymity": k, "distinct-l": distinct, "t-equal": t})


if __name__ == "__main__":
    main()
