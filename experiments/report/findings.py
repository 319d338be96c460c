"""What the studies found, in the few sentences that a reader of the field asks for first, made from their results.

Each finding reads what its studies wrote and is left out if that is not here, if it is of a smoke run, or if the
numbers no longer say what the sentence says.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from experiments.claims import Claim
from experiments.intervals import percent
from experiments.report.found import Found
from experiments.verdicts import Kind

__all__ = ["BEYOND", "Finding", "findings", "holds_on"]

Row = dict[str, str]


@dataclass(frozen=True)
class Finding:
    """A finding.

    Attributes
    ----------
    head
        What was found, in a few words.
    text
        The same with its numbers.
    matters
        Whether it matters, and to whom.
    studies
        The studies that it rests on.
    asked
        By what name `BEYOND` asks it of other data, if it does.
    basis
        On which data sets it was found to hold; nothing if it is about no data.
    """

    head: str
    text: str
    matters: str
    studies: tuple[str, ...]
    asked: str = ""
    basis: str = ""


def findings(found: Found) -> list[Finding]:
    """Return the findings whose studies have results here."""
    return [_based(finding, found) for make in _FINDINGS for finding in _made(make, found)]


BEYOND = "beyond_adult"
"""The study that asks of other data what was found on Adult."""


def _based(finding: Finding, found: Found) -> Finding:
    """Say on which data a finding was found to hold, and that it rests on Adult alone where it does."""
    of = [study.record["data"] for study in found.studies if study.name in finding.studies]
    read = {name for names in of for name in names}
    if not read:
        return finding
    try:
        rows = _where(_table(found, BEYOND, "verdicts"), finding=finding.asked)
    except _NotHereError:
        rows = []
    if rows:
        among = ", Adult among them" if any(row["data"] == "Adult" for row in rows) else ""
        said = f"Asked of {len(rows)} data sets{among}: “{rows[0]['statement']}” It {holds_on(rows)}."
        return replace(finding, basis=said, studies=(*finding.studies, BEYOND))
    if read != {"adult"}:
        return finding
    later = f"; make reproduce-all asks it of others ({BEYOND.replace('_', ' ')})" if finding.asked else ""
    rests = "Rests" if all(of) else "What of it is about data rests"  # the rest is of theorems and printed tables
    return replace(finding, basis=f"{rests} on Adult alone{later}.")


def holds_on(rows: Sequence[Row]) -> str:
    """Say on how many data sets something holds, and on which it does not, with the numbers that say so."""
    fails = [f"{row['data']} ({row['numbers']})" for row in rows if row["holds"] != "yes"]
    return f"holds on {len(rows) - len(fails)} of {len(rows)}" + (f", not on {', '.join(fails)}" if fails else "")


def _made(make: Callable[[Found], Finding], found: Found) -> Iterator[Finding]:
    try:
        yield make(found)
    except _NotHereError:
        return


class _NotHereError(Exception):
    """What a finding reads is not in the results, or does not say so."""


def _table(found: Found, study: str, name: str) -> list[Row]:
    for one in found.studies:
        if one.name == study and not one.record["smoke"] and f"{name}.csv" in one.record["tables"]:
            with (one.folder / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
                return list(csv.DictReader(lines))
    raise _NotHereError


def _require(said: bool) -> None:
    if not said:
        raise _NotHereError


def _numbers(rows: Sequence[Row], column: str) -> list[float]:
    if any(column not in row for row in rows):
        raise _NotHereError
    numbers = [float(row[column]) for row in rows if row[column]]
    _require(bool(numbers))
    return numbers


def _where(rows: Sequence[Row], **wanted: str) -> list[Row]:
    return [row for row in rows if all(row.get(key.replace("_", " ")) == value for key, value in wanted.items())]


def _range(numbers: Sequence[float], form: str = ".1f") -> str:
    least, most = format(min(numbers), form), format(max(numbers), form)
    return least if least == most else f"{least} to {most}"


# ---------------------------------------------------------------------- the findings

_THEORY = ("worked_examples", "monotonicity")
"""The studies of definitions, theorems and printed examples; the others compute on data."""


def _theory_and_experiments(found: Found) -> Finding:
    def of(claim: Claim) -> str:
        return "theory" if claim.study in _THEORY else "data"

    decided = [a for a in found.answers if a.ours and a.kind is not Kind.WAITS]
    _require({a.claim.study for a in decided} >= {a.claim.study for a in found.answers if a.claim.study})
    theory, data = ([a for a in decided if of(a.claim) == part] for part in ("theory", "data"))
    right, reproduced = (sum(a.kind.agrees for a in part) for part in (theory, data))
    proved = sum(a.kind is Kind.PROVED for a in decided)
    fails, fitted = (sum(a.kind is kind for a in data) for kind in (Kind.FAILS, Kind.FITTED))
    misprints = sum(a.kind is Kind.MISPRINT for a in theory)
    _require(bool(theory and data) and right / len(theory) > 0.8 > reproduced / len(data))
    return Finding(
        "The theory is sound, the experiments are reproduced in part",
        f"{right} of {len(theory)} claims on definitions, theorems and worked examples hold, {proved} of them proved "
        f"by machine, and {misprints} are misprints; of the {len(data)} on real data {reproduced} hold, {fails} do "
        f"not, and {fitted} come out only under hierarchies fitted to them.",
        "It matters to whoever cites them: the models can be relied on, counts and costs from the experiments only "
        "with the hierarchies beside them, which are not published.",
        ("worked_examples", "data_facts"),
    )


def _cost_of_closeness(found: Found) -> Finding:
    rows = _table(found, "data_quality", "thresholds")
    column = "times the discernibility of k alone"
    strict, loose = (_numbers(_where(rows, t=t), column) for t in ("0.2", "0.5"))
    groupings = _table(found, "data_quality", "groupings")
    tried, hits = _numbers(groupings, "groupings"), _numbers(groupings, "within 1.25 times")
    _require(min(strict) > 1.5 and max(loose) < 1.25 and not any(hits) and len(set(tried)) == 1)
    return Finding(
        "t = 0.2 is not cheap on Adult",
        f"With k = 5 it costs {_range(strict)} times the discernibility of k-anonymity alone, and less than 1.25 times "
        f"under 0 of {tried[0]:,.0f} groupings of the occupations; t = 0.5 costs {_range(loose, '.2f')} times.",
        "It matters to everybody who takes t = 0.2 from the paper, which calls the loss minimal: under the equal "
        "distance it rules out every table that keeps gender.",
        ("data_quality",),
        "cost of t",
    )


def _similarity_attack(found: Found) -> Finding:
    rows = _table(found, "similarity_attack", "searches")
    entropy = _where(rows, criterion="entropy 2")
    minimal, open_ = _numbers(entropy, "minimal"), _numbers(entropy, "vulnerable, S1")
    revealed = [*_numbers(rows, "most records revealed, S1"), *_numbers(rows, "most records revealed, S2")]
    stated = _stated(found, "TC-23")
    _require(min(open_) > 0 and max(revealed) < stated / 2)
    return Finding(
        "The similarity attack is real, and smaller than printed",
        f"It opens {_range(open_, '.0f')} of the {_range(minimal, '.0f')} minimal entropy 2-diverse tables, and "
        f"reveals the group of at most {max(revealed):.0f} records in one under our hierarchies, not {stated:.0f}"
        f"{_rare(found)}.",
        "The case for t-closeness over l-diversity remains; its printed size does not, and no count of minimal tables "
        "can be checked without the hierarchies.",
        ("similarity_attack",),
        "similarity attack",
    )


def _rare(found: Found) -> str:
    """Return under how many drawn hierarchies the printed counts come out; nothing where that was not looked at."""
    try:
        rows = _where(_table(found, "fit", "shares"), counts="entropy 2-diverse", groups="S1", drawn="yes")
        looked, hits = _numbers(rows, "looked at")[0], _numbers(rows, "all counts as printed")[0]
    except _NotHereError:
        return ""
    minimal, vulnerable = (f"{_stated(found, key, Kind.FITTED):.0f}" for key in ("TC-22a", "TC-22b"))
    drawn = percent(int(hits), int(looked))
    return f"; the printed {minimal} tables with {vulnerable} open come out under {drawn} hierarchies drawn at random"


def _stated(found: Found, key: str, kind: Kind = Kind.FAILS) -> float:
    for answer in found.answers:
        if answer.claim.id == key and answer.claim.stated and answer.ours and answer.kind is kind:
            return float(answer.claim.stated)
    raise _NotHereError


def _microaggregation(found: Found) -> Finding:
    rows = _table(found, "confidential_microaggregation", "over_samples")
    shares = _where(rows, k="5", measure="disclosed within 0.25 sd")
    alone, close = (_where(shares, model=model) for model in ("k alone", "t = 0.1"))
    own, other = (_where(alone, partition_by=words) for words in ("confidential attribute", "quasi-identifiers"))
    hours, usual, closer, gain = (
        _where(some, confidential=name)
        for some, name in (
            (own, "hours-per-week"),
            (other, "hours-per-week"),
            (_where(close, partition_by="confidential attribute"), "hours-per-week"),
            (_where(close, partition_by="confidential attribute"), "capital-gain"),
        )
    )
    _require(min(_numbers(own, "low")) > 0.9 and max(_numbers(usual, "high")) < min(_numbers(own, "low")) / 2)
    return Finding(
        "Classes of like confidential values disclose them",
        f"At k = 5 they give away the hours per week of {_median(hours)} of the records to within a quarter of a "
        f"standard deviation, classes of like quasi-identifiers of {_median(usual)}; with t = 0.1 they still give away "
        f"the hours of {_median(closer)}, and the capital gain, of which most people have none, of {_median(gain)}.",
        "It matters to users of confidential microaggregation: k alone does not protect, and a small t protects as far "
        "as the attribute itself varies.",
        ("confidential_microaggregation",),
    )


def _median(rows: Sequence[Row]) -> str:
    """Return a median share with its interval."""
    middle, low, high = (_numbers(rows, column)[0] for column in ("median", "low", "high"))
    return f"{100 * middle:.1f}\N{NO-BREAK SPACE}% ({100 * low:.1f} to {100 * high:.1f})"


def _heuristics(found: Found) -> Finding:
    shares = _table(found, "optimality_gap", "shares")
    rows = [row for row in _where(shares, records="all") if row.get("median ratio")]
    by_model = [_where(rows, model=model) for model in dict.fromkeys(row["model"] for row in rows)]
    best = [min(of, key=lambda row: float(row["median ratio"])) for of in by_model]
    middle, low, high = (_numbers(best, column) for column in ("median ratio", "interval from", "interval to"))
    sizes = [int(row["records"]) for row in shares if row.get("records", "").isdigit()]
    tables, optimal = _numbers(rows, "tables"), _numbers(rows, "optimal")
    open_ = len(_table(found, "optimality_gap", "not_proved"))
    _require(min(low) > 1.05 and bool(sizes))
    proved = (
        "all optima proved"
        if not open_
        else f"{open_} optima bounded only: there the ratio is to the bound and may be less"
    )
    return Finding(
        "No heuristic comes near the optimum",
        f"On {max(tables):.0f} tables of {min(sizes)} to {max(sizes)} records ({proved}) the best of "
        f"{len({row['method'] for row in rows})} loses {_range(middle, '.2f')} times the least possible loss in the "
        f"median, by model (95 % intervals from {min(low):.2f} to {max(high):.2f}); {sum(optimal):,.0f} of "
        f"{sum(tables):,.0f} runs meet the optimum.",
        "It matters where methods are compared with each other only: all of them may be far from what is possible.",
        ("optimality_gap",),
        "heuristics",
    )


_FINDINGS: tuple[Callable[[Found], Finding], ...] = (
    _theory_and_experiments,
    _cost_of_closeness,
    _similarity_attack,
    _microaggregation,
    _heuristics,
)
