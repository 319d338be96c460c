"""What was found on Adult, asked of four other data sets: monotonicity, costs, heuristics, attacks.

Each question is asked of all five in the same way, Adult among them, so that the answers can be compared. Lattices are
searched whole, on all records and under hierarchies of our own; small tables are drawn, and their optima proved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from experiments import dataset_lattices as lattices
from experiments.proofs import files_of, plain_name
from experiments.report.findings import BEYOND, holds_on
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.small_tables import SmallTable, proof_files
from experiments.studies import optimality_gap, price_of_privacy
from experiments.studies.beyond_adult.asked_again import asked_again
from experiments.studies.beyond_adult.attacks import attacked
from experiments.studies.beyond_adult.figures import draw_attacks, draw_costs, draw_edges, draw_gaps, draw_verdicts
from experiments.studies.monotonicity import edges
from experiments.studies.monotonicity.edges import Found
from experiments.studies.monotonicity.models import asked
from experiments.studies.monotonicity.totals import Total, by_model
from tcloseness.certificates import Envelope
from tcloseness.models import EntropyLDiversity, KAnonymity, PrivacyModel, TCloseness

__all__ = ["STUDY", "Grid", "costs", "of_lattice"]


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    tables: tuple[str, ...]
    shares: tuple[str, ...]
    k: int
    thresholds: tuple[str, ...]
    distinct: tuple[int, ...]
    frequency: tuple[int, ...]
    attack_k: int
    attack_l: str
    attack_t: str
    sizes: tuple[int, ...]
    draws: tuple[int, ...]
    gap_k: int
    gap_l: int
    gap_t: str
    seconds: int


Proved = dict[tuple[str, str, str], Envelope]


def models(grid: Grid) -> list[tuple[str, str, PrivacyModel]]:
    """Return the models whose cost is asked for: name, threshold as text, and the model with k-anonymity."""
    every = price_of_privacy.models(grid.k, grid.thresholds, tuple({*grid.distinct, *grid.frequency}))
    kept = {price_of_privacy.DISTINCT: grid.distinct, price_of_privacy.FREQUENCY: grid.frequency}
    chosen = [one for one in every if one[0] not in kept or int(one[1]) in kept[one[0]]]
    return sorted(chosen, key=lambda one: (one[0], -float(one[1]) if one[0] == price_of_privacy.T else float(one[1])))


def costs(name: str, grid: Grid, proved: Proved) -> pd.DataFrame:
    """Return the least loss of a full-domain generalization of a table, by loss, model and threshold."""
    rows = []
    wanted = models(grid)
    for loss in ("dm", "gcp"):
        of_models = dict[str, Envelope]()
        named = {f"{model} {threshold}": one for model, threshold, one in wanted}
        found = price_of_privacy.full_domain(lattices.rolled_up(name), grid.k, named, loss, of_models)
        for (model, threshold, _), row in zip(wanted, found, strict=True):
            rows.append(
                {"data": lattices.table(name).title, "loss": loss, "model": model, "threshold": threshold} | row
            )
        proved |= {(name, loss, model): envelope for model, envelope in of_models.items()}
    return pd.DataFrame(rows)


def lattice_files(proved: Mapping[tuple[str, str, str], Envelope]) -> dict[str, bytes]:
    """Return the files of the certificates of full-domain optima, each by its table, loss and model."""
    tables = {name: lattices.rolled_up(name).frequencies for name in dict.fromkeys(name for name, _, _ in proved)}
    return files_of(
        {plain_name(" ".join(key)): envelope for key, envelope in proved.items()},
        {plain_name(name): (counted, lattices.table(name).sensitive) for name, counted in tables.items()},
        [
            hierarchy
            for name in tables
            for hierarchy in lattices.table(name).hierarchies(lattices.table(name).quasi_identifiers).values()
        ],
    )


def of_lattice(name: str, shares: tuple[str, ...]) -> list[Found]:
    """Follow every model along every edge of a table's lattice."""
    found = [each for one in asked(name) for each in edges.follow(name, one.name, shares)]
    edges.tabulated.cache_clear()  # the classes of a lattice take up to a gigabyte
    return found


def run(study: StudyRun) -> StudyResult:
    """Ask all questions of all tables, and say of each finding on how many of them it holds."""
    grid = study.grid(Grid)
    gap = optimality_gap.Grid(grid.sizes, grid.draws, grid.gap_k, grid.gap_l, grid.gap_t, grid.seconds)
    titles = {name: lattices.table(name).title for name in grid.tables}

    followed = {titles[n]: by_model(of_lattice(n, grid.shares)) for n in study.progress(grid.tables, "monotonicity")}
    of_lattices, of_small = Proved(), dict[tuple[SmallTable, str], Envelope]()
    cost = pd.concat(
        [costs(name, grid, of_lattices) for name in study.progress(grid.tables, "full-domain optima")],
        ignore_index=True,
    )
    criteria: dict[str, PrivacyModel] = {
        f"k = {grid.attack_k}": KAnonymity(grid.attack_k),
        f"entropy l = {grid.attack_l}": EntropyLDiversity(grid.attack_l),
        f"k = {grid.attack_k}, t = {grid.attack_t}": KAnonymity(grid.attack_k)
        & TCloseness(grid.attack_t, ground="equal"),
    }
    attack = pd.DataFrame(
        row for name in study.progress(grid.tables, "attacks") for row in attacked(lattices.table(name), criteria)
    )
    sizes = zip(grid.sizes, grid.draws, strict=True)
    work = [
        (name, number, records, named)
        for (records, draws), name in product(sizes, grid.tables)
        for number in range(draws)
        for named in optimality_gap.models(gap).items()
    ]
    gaps = pd.DataFrame(
        {"data": titles[name]} | row
        for name, number, records, named in study.progress(work, "heuristics and optima")
        for row in optimality_gap.gaps(
            lattices.drawn_from(name, records, number, study.seed), *named, grid.seconds, study.seed, of_small
        )
    ).astype({"classes": "Int64"})
    known = no_less_than(gaps).groupby("data", sort=False)
    medians = pd.concat([optimality_gap.shares(part, study.seed).assign(data=title) for title, part in known])
    medians = medians[["data", *medians.columns.drop("data")]].reset_index(drop=True)
    verdicts = asked_again(followed, cost, attack, medians)
    found, nothing = _findings(verdicts), int(cost["optimum"].isna().sum())
    proved = len(of_lattices) - nothing + len(of_small)
    optima = len(of_lattices) - nothing + len(gaps[["table", "model"]].drop_duplicates())
    pictures = [
        (
            draw_verdicts(verdicts, study.folder / "verdicts.png"),
            "Whether each finding of the studies of Adult holds on each data set, asked of all in the same way: of "
            "Adult with seven quasi-identifiers under hierarchies that were not fitted. The numbers that say so are in "
            "the table of verdicts.",
        ),
        (
            draw_costs(cost, study.folder / "costs.png"),
            f"Least GCP of a full-domain generalization, as a multiple of that of {grid.k}-anonymity alone, by t "
            "(left) and by l of distinct l-diversity (right), all records and nodes. A line ends where nothing "
            "satisfies the model.",
        ),
        (
            draw_attacks(attack, study.folder / "attacks.png"),
            "The greatest share of the records that an attack reveals in a minimal table of a model, by attack and "
            "data set; of skewness the records whose class makes one value more likely by more than a half.",
        ),
        (
            draw_gaps(medians, study.folder / "gaps.png"),
            "Median of GCP ÷ least GCP by method, with its 95 % interval, over tables that are drawn from each data "
            "set; 1 is optimal.",
        ),
        (
            draw_edges(followed, grid.shares[-1], study.folder / "violating_edges.png"),
            "Shares of the edges along which a table that satisfies the model is generalized to one that does not, "
            f"with up to {100 * float(grid.shares[-1]):g} % of the records suppressed.",
        ),
    ]
    return StudyResult(
        {
            "findings": found,
            "verdicts": verdicts,
            "edges": _edges(followed),
            "costs": cost,
            "attacks": attack,
            "gaps": gaps,
        }
        | {"shares": medians},
        [Figure(path, caption) for path, caption in pictures],
        {},
        _summary(found, attack, proved, optima, nothing),
        lattice_files(of_lattices) | proof_files(of_small),
    )


def no_less_than(gaps: pd.DataFrame) -> pd.DataFrame:
    """Return gaps with 1 as the ratio where the optimum is only bounded: the ratio to the bound may be too great."""
    ratio = gaps[optimality_gap.RATIO]
    return gaps.assign(**{optimality_gap.RATIO: ratio.where(gaps["is optimal"] | ratio.isna(), 1.0)})


def _edges(followed: Mapping[str, Sequence[Sequence[Total]]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "data": title,
            "model": total.model,
            "threshold": total.threshold,
            "may be suppressed": total.share,
            "declares itself monotone": "yes" if total.declared else "no",
            "search prunes": "yes" if total.prunable else "no",
            "edges": total.edges,
            "violating edges": total.violating,
            "in %": round(100 * total.violating / total.edges, 3),
            "smallest witness": f"{total.smallest.lower} to {total.smallest.upper}" if total.smallest else "",
            "value below": total.smallest.lower_value if total.smallest else "",
            "value above": total.smallest.upper_value if total.smallest else "",
        }
        for title, rows in followed.items()
        for row in rows
        for total in row
    )


def _findings(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return for each finding on how many data sets it holds, and on which it does not."""
    rows = []
    for finding, of in verdicts.groupby("finding", sort=False):
        said = holds_on([{str(key): str(value) for key, value in row.items()} for row in of.to_dict("records")])
        where, _, fails = said.partition(", not on ")
        rows.append({"finding": finding, "statement": of["statement"].iloc[0], "it": where, "not on": fails})
    return pd.DataFrame(rows)


def _summary(findings: pd.DataFrame, attacks: pd.DataFrame, proved: int, optima: int, nothing: int) -> str:
    sets = attacks["data"].nunique()
    said = [
        f"{row['statement'].rstrip('.')}: {row['it']}" + (f", not on {row['not on']}." if row["not on"] else ".")
        for _, row in findings.iterrows()
    ]
    but = list(findings.loc[findings["not on"] != "", "finding"])
    telling = attacks[attacks["attack"] != "skewness"].reset_index(drop=True)  # which makes a value likely, not known
    worst = telling.loc[telling.groupby("data", sort=False)["most records revealed"].idxmax()]
    revealed = "; ".join(
        f"{row['data']}, {row['most records revealed']:,} of {row['records']:,} records by {row['attack']} under "
        f"{row['criterion']} (values: {row['values there']})"
        if row["most records revealed"]
        else f"{row['data']}, none"
        for _, row in worst.iterrows()
    )
    fails = f", not everywhere: {', '.join(but)}" if but else ""
    return (
        f"Of {len(said)} findings of the studies of Adult that are asked again {len(said) - len(but)} hold on all "
        f"{sets} data sets{fails}. {' '.join(said)} The most records of which homogeneity, background knowledge or "
        f"similarity reveals the value or its group in a minimal table: {revealed}. "
        + (
            f"Each of the {optima}"
            if proved == optima
            else f"Where no optimum is proved, a heuristic counts as optimal: {proved} of the {optima}"
        )
        + " optima, of lattices and of small tables, is proved by a certificate"
        + (f", and so is that no node satisfies the model (in {nothing} of the searches)." if nothing else ".")
    )


STUDY = Study(
    BEYOND,
    "Does what was found on Adult hold on other data?",
    run,
    basis="every node and edge of each lattice and all records that lack none of the attributes asked for; for the "
    "heuristics tables drawn from each data set: their medians are of a sample, with an interval.",
    data=tuple(lattices.TABLES),
    needs="It reads four data sets beside Adult, 85 megabytes to fetch and 254 on the disk, and takes some minutes.",
)
