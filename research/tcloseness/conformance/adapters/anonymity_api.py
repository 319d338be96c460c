"""anonymity-api: the functions of `anonymity_api.verify`, each of which returns a number.

The distance of t-closeness follows the column's type: ordered for numbers, equal for text. The function for
(c,l)-diversity returns the c of the largest l, so other l are not asked. That c is the smallest whole one that
holds, so it decides on other c.
"""

from __future__ import annotations

from typing import Any

from tcloseness.conformance.adapters.frames import for_numbers, for_text, frame
from tcloseness.conformance.adapters.serving import Parameters, Skip, Table, by_whole_c, serve

__all__ = ["main"]

ROWS = 2_000
"""Its t-closeness takes rows² steps a class."""


def main() -> None:
    """Serve standard input."""
    from anonymity_api import verify

    def asked(ask: Any, table: Table) -> Any:
        return ask(frame(table, most=ROWS), list(table["quasi_identifiers"]), list(table["sensitive"]))

    def k(table: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": verify.k_anonymity(frame(table, most=ROWS), list(table["quasi_identifiers"]))}

    def distinct(table: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": asked(verify.distinct_l_diversity, table)}

    def entropy(table: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": asked(verify.entropy_l_diversity, table)}

    def recursive(table: Table, parameters: Parameters) -> dict[str, Any]:
        c, l = asked(verify.recursive_cl_diversity, table)  # noqa: E741
        if l != int(parameters["l"]):
            raise Skip(f"it answers for l = {l}, the largest there is")
        return by_whole_c(parameters["c"], c)

    def close(table: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": asked(verify.t_closeness, table)}

    serve(
        "anonymity-api",
        "anonymity-api",
        {
            "k-anonymity": k,
            "distinct-l": distinct,
            "entropy-l": entropy,
            "recursive-cl": recursive,
            "t-equal": for_text(close),
            "t-ordered": for_numbers(close),
        },
    )


if __name__ == "__main__":
    main()
