"""QIDLearningLib: `metrics.data_privacy` measures every class; the worst class is handed on.

Its t-closeness is documented as a Kullback-Leibler divergence. It is asked all the same, for the equal distance, since
that is the name under which a user finds it.
"""

from __future__ import annotations

from typing import Any

from tcloseness.conformance.adapters.frames import frame, only_text
from tcloseness.conformance.adapters.serving import Parameters, Table, serve

__all__ = ["main"]


def main() -> None:
    """Serve standard input."""
    from QIDLearningLib.metrics import data_privacy

    def k(table: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": min(data_privacy.k_anonymity(frame(table), list(table["quasi_identifiers"])).values)}

    def distinct(table: Table, parameters: Parameters) -> dict[str, Any]:
        places, names = list(table["quasi_identifiers"]), list(table["sensitive"])
        return {"value": min(data_privacy.l_diversity(frame(table), places, names).values)}

    def t(table: Table, parameters: Parameters) -> dict[str, Any]:
        only_text(table)
        places, names = list(table["quasi_identifiers"]), list(table["sensitive"])
        return {"value": max(data_privacy.t_closeness(frame(table), places, names).values)}

    serve("QIDLearningLib", "QIDLearningLib", {"k-anonymity": k, "distinct-l": distinct, "t-equal": t})


if __name__ == "__main__":
    main()
