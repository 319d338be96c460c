"""anonypyx: its models on each class, which the adapter forms, since the package forms classes of its own.

Columns of text are categorical, as in its documentation. ``--objects`` leaves them as objects, which the package also
takes; ``--default-metric`` asks t-closeness by the metric that it takes if none is named.
"""

from __future__ import annotations

import sys
from typing import Any

from tcloseness.conformance.adapters.frames import classes, frame, one_sensitive, only_text
from tcloseness.conformance.adapters.serving import Answers, Parameters, Skip, Table, number, serve

__all__ = ["main"]


def main() -> None:
    """Serve standard input."""
    from anonypyx import models

    objects, default = "--objects" in sys.argv, "--default-metric" in sys.argv
    metric = models.max_distance_metric if default else models.earth_movers_distance_categorical

    def satisfied(model: Any, table: Table, data: Any) -> bool:
        return all(model.is_enforcable(data.iloc[rows]) for rows in classes(table))

    def k(table: Table, parameters: Parameters) -> dict[str, Any]:
        data = frame(table, categories=not objects)
        return {"satisfied": satisfied(models.kAnonymity(int(parameters["k"])), table, data)}

    def distinct(table: Table, parameters: Parameters) -> dict[str, Any]:
        name, data = one_sensitive(table), frame(table, categories=not objects)
        return {"satisfied": satisfied(models.DistinctLDiversity(int(parameters["l"]), name), table, data)}

    def t(table: Table, parameters: Parameters) -> dict[str, Any]:
        only_text(table)
        name, data = one_sensitive(table), frame(table, categories=not objects)
        threshold = number(parameters["t"])
        if threshold > 1:
            raise Skip("t is at most 1")
        model = models.tCloseness(threshold, data, name, metric)
        reference = models.get_frequency(data, name)
        value = max(metric(models.get_frequency(data.iloc[rows], name), reference) for rows in classes(table))
        return {"value": value, "satisfied": satisfied(model, table, data)}

    answers: Answers = (
        {"t-equal": t} if objects or default else {"k-anonymity": k, "distinct-l": distinct, "t-equal": t}
    )
    name = "anonypyx" + (" (text as objects)" if objects else "") + (" (default metric)" if default else "")
    serve(name, "anonypyx", answers)


if __name__ == "__main__":
    main()
