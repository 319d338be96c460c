"""pyCANON: each function of `pycanon.anonymity` returns a number, which is handed on as it is.

The distance of t-closeness follows the column's type: ordered for numbers, equal for text. δ is in nats, also where
bits are asked. The function for (c,l)-diversity returns the c of the largest l, so other l are not asked. That c is
the smallest whole one that holds, so it decides on other c; the entropy's l is whole.
"""

from __future__ import annotations

from typing import Any

from tcloseness.conformance.adapters.frames import for_numbers, for_text, frame, one_sensitive
from tcloseness.conformance.adapters.serving import Parameters, Skip, Table, by_whole_c, serve

__all__ = ["main"]

CONVENTIONS = ("floor-of-exp", "k-achieved", "mean-risk-over-classes", "other-base")


def main() -> None:
    """Serve standard input."""
    from pycanon import anonymity, metrics

    def attributes(ask: Any) -> Any:
        def answer(table: Table, parameters: Parameters) -> dict[str, Any]:
            return {"value": ask(frame(table), list(table["quasi_identifiers"]), list(table["sensitive"]))}

        return answer

    def k(table: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": anonymity.k_anonymity(frame(table), list(table["quasi_identifiers"]))}

    def alpha(table: Table, parameters: Parameters) -> dict[str, Any]:
        places, names = list(table["quasi_identifiers"]), list(table["sensitive"])
        return {"value": anonymity.alpha_k_anonymity(frame(table), places, names)[0]}

    def recursive(table: Table, parameters: Parameters) -> dict[str, Any]:
        places, names = list(table["quasi_identifiers"]), list(table["sensitive"])
        c, l = anonymity.recursive_c_l_diversity(frame(table), places, names)  # noqa: E741
        if l != int(parameters["l"]):
            raise Skip(f"it answers for l = {l}, the largest there is")
        return by_whole_c(parameters["c"], c)

    def classification(table: Table, parameters: Parameters) -> dict[str, Any]:
        data, name = frame(table), one_sensitive(table)
        return {"value": metrics.classification_metric(data, data, list(table["quasi_identifiers"]), [name])}

    def discernibility(table: Table, parameters: Parameters) -> dict[str, Any]:
        data = frame(table)
        return {"value": metrics.discernability_metric(data, data, list(table["quasi_identifiers"]))}

    def average_size(table: Table, parameters: Parameters) -> dict[str, Any]:
        data = frame(table)
        return {"value": metrics.average_ecsize(data, data, list(table["quasi_identifiers"]))}

    def average_risk(table: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": metrics.average_rir(frame(table), list(table["quasi_identifiers"]))}

    serve(
        "pyCANON",
        "pycanon",
        {
            "k-anonymity": k,
            "alpha-k": alpha,
            "distinct-l": attributes(anonymity.l_diversity),
            "entropy-l": attributes(anonymity.entropy_l_diversity),
            "recursive-cl": recursive,
            "t-equal": for_text(attributes(anonymity.t_closeness)),
            "t-ordered": for_numbers(attributes(anonymity.t_closeness)),
            "beta-basic": attributes(anonymity.basic_beta_likeness),
            "beta-enhanced": attributes(anonymity.enhanced_beta_likeness),
            "delta-disclosure": attributes(anonymity.delta_disclosure),
            "discernibility": discernibility,
            "average-class-size": average_size,
            "average-risk": average_risk,
            "classification-metric": classification,
        },
        CONVENTIONS,
    )


if __name__ == "__main__":
    main()
