"""Checks of Kantarcioglu's lecture slides, "Other Privacy Definitions: l-diversity and t-closeness"."""

from __future__ import annotations

from itertools import combinations

from experiments.claims import Outcome, check
from experiments.studies.worked_examples.distances import OWN, UNIFORM, t_of
from experiments.studies.worked_examples.li_2007 import BOB, IF_UNIFORM, ONE_PERCENT, most_classes
from experiments.studies.worked_examples.tables import (
    disease_hierarchy,
    distinct_l,
    entropy_l,
    example,
    k_of,
    one_class,
    probabilities,
)

__all__ = ["UMEKO"]

UMEKO = {"Zipcode": "47673", "Age": 36}


@check("SL-1a", "SL-1b")
def _ten_tuples() -> dict[str, Outcome]:
    counts = one_class({"Cancer": 1, "Heart Disease": 1, "Flu": 8})
    return {
        "SL-1a": Outcome(distinct_l(counts), {"entropy l-diversity is meant": entropy_l(counts)}),
        "SL-1b": Outcome(max(probabilities(counts.row(0).values()))),
    }


@check("SL-2", "SL-3", "SL-7")
def _patients() -> dict[str, Outcome]:
    table = example("kantarcioglu_3_anonymous")
    counts = table.counts()
    umeko = table.values(table.class_of(UMEKO))
    k = k_of(counts)
    sizes = counts.class_sizes.tolist()
    results = [sum(chosen) for n in range(1, len(sizes) + 1) for chosen in combinations(sizes, n)]
    diseases = table.frame["Disease"].value_counts()
    return {
        "SL-2": Outcome(k),
        "SL-3": Outcome(
            sorted(umeko) == ["Cancer", "Cancer", "Heart Disease"],
            detail=f"her class has {', '.join(umeko)}; without heart disease only cancer is left",
        ),
        "SL-7": Outcome(
            min(results) >= k,
            {
                "a query may find nothing": min([0, *results]) >= k,
                "a query may ask for the disease": diseases.min() >= k,
            },
            f"every union of classes has {min(results)} records or more",
        ),
    }


@check("SL-4")
def _most_classes() -> Outcome:
    return Outcome(most_classes(ONE_PERCENT))


@check("SL-5a", "SL-5b", "SL-8")
def _similarity_attack() -> dict[str, Outcome]:
    table = example("kantarcioglu_3_diverse")
    salaries = sorted(int(s) for s in table.values(table.class_of(BOB), "Salary"))
    diseases = table.values(table.class_of(BOB), "Disease")
    both = [table.counts(name) for name in ("Salary", "Disease")]
    return {
        "SL-5a": Outcome(salaries[0] >= 20_000 and salaries[-1] <= 40_000, detail=", ".join(map(str, salaries))),
        "SL-8": Outcome(
            {str(disease_hierarchy().label(disease.lower(), 1)) for disease in diseases} == {"stomach disease"},
            detail=", ".join(diseases),
        ),
        "SL-5b": Outcome(min(map(distinct_l, both)), {"entropy l-diversity is meant": min(map(entropy_l, both))}),
    }


@check("SL-6a", "SL-6b")
def _table_5() -> dict[str, Outcome]:
    own, uniform = (t_of("kantarcioglu_table5", "Disease", "hierarchical", reference=q) for q in (OWN, UNIFORM))
    return {
        "SL-6a": Outcome(t_of("kantarcioglu_table5", "Salary", "ordered")),
        "SL-6b": Outcome(own, {IF_UNIFORM: uniform}),
    }
