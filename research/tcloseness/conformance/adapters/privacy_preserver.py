"""privacy-preserver: its tests of one class, by which its Mondrian decides, on each class; the adapter forms those."""

from __future__ import annotations

from typing import Any

from tcloseness.conformance.adapters.frames import classes, frame, one_sensitive, only_text
from tcloseness.conformance.adapters.serving import Parameters, Table, number, serve

__all__ = ["main"]


def main() -> None:
    """Serve standard input."""
    from preserver.mondrian_utils import utility

    def k(table: Table, parameters: Parameters) -> dict[str, Any]:
        data, least = frame(table), int(parameters["k"])
        return {"satisfied": all(utility.is_k_anonymous(data.index[rows], least) for rows in classes(table))}

    def distinct(table: Table, parameters: Parameters) -> dict[str, Any]:
        name, data, least = one_sensitive(table), frame(table), int(parameters["l"])
        parts = [data.index[rows] for rows in classes(table)]
        value = min(utility.l_diversity(data, part, name) for part in parts)
        return {"value": value, "satisfied": all(utility.is_l_diverse(data, part, name, least) for part in parts)}

    def t(table: Table, parameters: Parameters) -> dict[str, Any]:
        only_text(table)
        name, data = one_sensitive(table), frame(table)
        reference = utility.get_global_freq(data, name)
        threshold = number(parameters["t"])
        parts = [data.index[rows] for rows in classes(table)]
        value = max(utility.t_closeness(data, part, name, reference) for part in parts)
        close = [utility.is_t_close(data, part, {name}, name, reference, threshold) for part in parts]
        return {"value": value, "satisfied": all(close)}

    serve("privacy-preserver", "privacy-preserver", {"k-anonymity": k, "distinct-l": distinct, "t-equal": t})


if __name__ == "__main__":
    main()
