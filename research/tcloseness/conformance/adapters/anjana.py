"""ANJANA anonymizes: a table satisfies a model, it says so, if it hands the table back as it was.

Each quasi-identifier has a hierarchy of one step, to ``*``. No record may be suppressed, and k is 1 where the question
has none. δ is in nats; the distance of t-closeness follows the column's type; l of entropy and c are whole.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tcloseness.conformance.adapters.frames import for_numbers, for_text, frame, one_sensitive
from tcloseness.conformance.adapters.serving import Parameters, Skip, Table, number, serve

__all__ = ["main"]

ROWS = 2_000


def main() -> None:
    """Serve standard input."""
    from anjana import anonymity

    def unchanged(ask: Any, table: Table, *thresholds: Any, sensitive: bool = True, k: int = 1) -> dict[str, Any]:
        data = frame(table, most=ROWS)
        places = list(table["quasi_identifiers"])
        steps = {name: {0: data[name].to_numpy(), 1: ["*"] * len(data)} for name in places}
        attribute = [one_sensitive(table)] if sensitive else []
        made = ask(data.copy(), [], places, *attribute, k, *thresholds, 0, steps)
        return {"satisfied": len(made) == len(data) and made[list(data.columns)].equals(data)}

    def k(table: Table, parameters: Parameters) -> dict[str, Any]:
        return unchanged(anonymity.k_anonymity, table, sensitive=False, k=int(parameters["k"]))

    def alpha(table: Table, parameters: Parameters) -> dict[str, Any]:
        return unchanged(anonymity.alpha_k_anonymity, table, number(parameters["alpha"]), k=int(parameters["k"]))

    def distinct(table: Table, parameters: Parameters) -> dict[str, Any]:
        return unchanged(anonymity.l_diversity, table, int(parameters["l"]))

    def entropy(table: Table, parameters: Parameters) -> dict[str, Any]:
        return unchanged(anonymity.entropy_l_diversity, table, whole(parameters["l"]))

    def recursive(table: Table, parameters: Parameters) -> dict[str, Any]:
        return unchanged(anonymity.recursive_c_l_diversity, table, whole(parameters["c"]), whole(parameters["l"]))

    def close(table: Table, parameters: Parameters) -> dict[str, Any]:
        if Fraction(parameters["t"]) > 1:
            raise Skip("t is at most 1")
        return unchanged(anonymity.t_closeness, table, number(parameters["t"]))

    def basic(table: Table, parameters: Parameters) -> dict[str, Any]:
        return unchanged(anonymity.basic_beta_likeness, table, number(parameters["beta"]))

    def enhanced(table: Table, parameters: Parameters) -> dict[str, Any]:
        return unchanged(anonymity.enhanced_beta_likeness, table, number(parameters["beta"]))

    def delta(table: Table, parameters: Parameters) -> dict[str, Any]:
        if parameters["base"] != "e":
            raise Skip("delta is in nats")
        return unchanged(anonymity.delta_disclosure, table, number(parameters["delta"]))

    serve(
        "ANJANA",
        "anjana",
        {
            "k-anonymity": k,
            "alpha-k": alpha,
            "distinct-l": distinct,
            "entropy-l": entropy,
            "recursive-cl": recursive,
            "t-equal": for_text(close),
            "t-ordered": for_numbers(close),
            "beta-basic": basic,
            "beta-enhanced": enhanced,
            "delta-disclosure": delta,
        },
    )


def whole(text: str) -> int:
    """Return a threshold as a whole number; `Skip` if it is none."""
    found = Fraction(text)
    if found.denominator != 1:
        raise Skip("it takes whole thresholds")
    return int(found)


if __name__ == "__main__":
    main()
