"""Small tables, exactly: each candidate original is released again, and those are counted that are released alike.

Of six records the release alone is known, and all tables of six are released. Of random tables everybody's
quasi-identifiers and class are known, and the sensitive values are asked for.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations_with_replacement, product
from math import log2
from operator import and_
from typing import Any, Literal

import pandas as pd

from experiments.runner import SEED
from experiments.studies.what_releases_give_away.asked import Asked
from tcloseness.attacks import ConsistentOriginals, label_disclosure, what_it_gives_away
from tcloseness.attacks.replay import Replay, shown_of, with_rows
from tcloseness.attacks.worlds import arranged
from tcloseness.errors import InfeasibleError, LimitReached, NotReached
from tcloseness.limits import Clock
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.optimal import Infeasible
from tcloseness.release import Release

__all__ = ["CODE", "SECRET", "Drawn", "all_tables", "drawn_tables", "table_of"]

VALUES = 8
"""The values of the one quasi-identifier of `all_tables`: 0 to 7."""

SECRETS = "aabbc"
PLACES = 40
"""What the sensitive values of `drawn_tables` are drawn from, and how many values each of two quasi-identifiers has."""

LEVELS: tuple[Literal["labels"], Literal["tight"], Literal["code"]] = ("labels", "tight", "code")

REPEATED = 3
"""How many of these occur where quasi-identifiers are equal."""


# ---------------------------------------------------------------------- the release alone is known


def table_of(values: Sequence[int], m: int = VALUES) -> Microdata:
    """Return a table of one quasi-identifier with values below m, and a sensitive value that all have."""
    return with_rows(_columns(len(values), m), [(value, 0) for value in values])


@cache
def _columns(n: int, m: int) -> Microdata:
    frame = pd.DataFrame({"x": [0] * n, "s": "a"})
    return Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s", domains={"x": range(m)})


def _doubling(m: int) -> dict[str, Hierarchy]:
    widths = [2**i for i in range(1, m.bit_length())]
    return {"x": Hierarchy.intervals(range(m), widths, origin=0, name="x")}


def all_tables(asked: Asked, n: int, m: int = VALUES) -> dict[str, object]:
    """Release every table of n records with values below m, and say what each level of knowledge leaves of it.

    Returns
    -------
    dict
        How many tables and releases there are; and for the levels labels, tight and code, the share of values that
        are certain and the bits that are left, the logarithm of how many tables may be the original; on average over
        all tables.
    """
    hierarchies = _doubling(m) if asked.method == "full-domain" else {}
    alike = defaultdict[Any, list[tuple[int, ...]]](list)
    released: dict[Any, Release] = {}
    tables = list(combinations_with_replacement(range(m), n))
    for values in tables:
        table = table_of(values, m)
        release = _release_of(asked.release(table, hierarchies)).on_rows(table)
        label = release.recodings["x"].labels.values
        shown = tuple(sorted(Counter(label[code] for code in release.codes["x"].tolist()).items(), key=str))
        alike[shown].append(values)
        released.setdefault(shown, release)
    certain, bits = Counter[str](), dict.fromkeys(LEVELS, 0.0)
    for shown, worlds in alike.items():
        for level in LEVELS[:2]:
            left = _fitting(released[shown], level)
            assert left.issuperset(worlds)
            known = label_disclosure(released[shown], level).counts["cells"].certain
            assert known <= _common(left), "no more than what is in every table that fits"
            certain[level] += len(worlds) * known
            bits[level] += len(worlds) * log2(len(left))
        certain["code"] += len(worlds) * _common(worlds)
        bits["code"] += len(worlds) * log2(len(worlds))
    row: dict[str, object] = {"tables": len(tables), "releases": len(alike), "bits of a table": log2(len(tables))}
    for each in LEVELS:
        row[f"certain by {each}"] = float(Fraction(certain[each], n * len(tables)))
        row[f"bits left by {each}"] = round(bits[each] / len(tables), 6)
    return row


def _release_of(found: Any) -> Release:
    release = getattr(found, "release", getattr(getattr(found, "solution", None), "release", None))
    assert isinstance(release, Release)
    return release


def _fitting(release: Release, level: str) -> set[tuple[int, ...]]:
    """Return the tables that fit the labels, and from which such labels can be made if they are tight."""
    recoding, parts = release.recodings["x"], []
    starts, places = recoding.below("table")
    tight = level == "tight" and recoding.says == "attained"
    for code, size in sorted(Counter(release.codes["x"].tolist()).items()):
        values = [recoding.values.values[place] for place in places[starts[code] : starts[code + 1]].tolist()]
        chosen = combinations_with_replacement(sorted(values), size)
        parts.append([v for v in chosen if not tight or (v[0] == min(values) and v[-1] == max(values))])
    return {tuple(sorted(sum(each, ()))) for each in product(*parts)}


def _common(worlds: Iterable[tuple[int, ...]]) -> int:
    return reduce(and_, map(Counter, worlds)).total()


# ---------------------------------------------------------------------- quasi-identifiers and classes are known


class Drawn:
    """Random tables of two quasi-identifiers and a sensitive attribute; in order, and the same in every run.

    Parameters
    ----------
    seed
        What they are drawn with.
    records
        How many each has.
    repeated
        Whether quasi-identifiers are equal between records; else those of all records differ.
    """

    def __init__(self, seed: int, records: int, *, repeated: bool) -> None:
        self.seed, self.records, self.repeated = seed, records, repeated

    def __iter__(self) -> Iterator[Microdata]:
        rng = random.Random(f"{self.seed} {self.records} {self.repeated}")
        while True:
            columns = {name: self._places(rng) for name in "xy"}
            secrets = [rng.choice(SECRETS) for _ in range(self.records)]
            frame = pd.DataFrame({**columns, "s": secrets})
            yield Microdata.from_frame(
                frame,
                quasi_identifiers=["x", "y"],
                sensitive="s",
                domains={**dict.fromkeys("xy", range(PLACES)), "s": sorted(set(SECRETS))},
            )

    def _places(self, rng: random.Random) -> list[int]:
        if self.repeated:
            return [rng.randrange(REPEATED) * (PLACES // REPEATED) for _ in range(self.records)]
        return rng.sample(range(PLACES), self.records)


def _trees() -> dict[str, Hierarchy]:
    return {name: Hierarchy.intervals(range(PLACES), [10, 20], name=name) for name in "xy"}


CODE, SECRET = "code and seed", "code, seed secret"
_OTHERS = {"optimal-partition": "optimal", "full-domain": "minimal"}
"""Which level there is beside those of the code, by method."""


def drawn_tables(
    asked: Asked, drawn: Drawn, tables: int, most: int, tries: int, seeds: int = 0
) -> list[dict[str, object]]:
    """Ask of random tables what the method's code says, and what minimality or optimality does.

    Parameters
    ----------
    asked, drawn
        The method, and the tables.
    tables
        How many are looked at: those with two classes or more and at most `most` candidates.
    most, tries
        The greatest number of candidates; and how many tables are drawn at most.
    seeds
        If positive, also what is possible with one of so many seeds, for a reader who does not know it: worlds of which
        each is shown to be one, by a run. There may be more, so nothing is said of who is certain unless all are found.

    Returns
    -------
    list of dict
        By level of knowledge, on average over the tables, what is left of the worlds and who is certain.
    """
    levels = [CODE, *([_OTHERS[asked.method]] if asked.method in _OTHERS else []), *([SECRET] if seeds else [])]
    found: dict[str, list[ConsistentOriginals]] = {level: [] for level in levels}
    passed = 0
    for _, table in zip(range(tries), drawn, strict=False):
        if len(found[CODE]) == tables:
            break
        answers = _answers(asked, table, levels, most, seeds)
        passed += answers is None
        for level, answer in (answers or {}).items():
            found[level].append(answer)
    return [_row(level, found[level], passed) for level in levels]


def _answers(
    asked: Asked, table: Microdata, levels: Sequence[str], most: int, seeds: int
) -> dict[str, ConsistentOriginals] | None:
    """Return by level what is known of a table; None where there is no release of two classes, or too many worlds."""
    method = _kept(asked.on(_trees() if asked.method == "full-domain" else {}))
    try:
        release = method(table)
        if isinstance(release, Infeasible) or _classes(release) < 2:
            return None
        given: Mapping[str, dict[str, Any]] = {
            CODE: {"level": "code", "method": method},
            "optimal": {"level": "optimal", "method": method},
            "minimal": {"level": "minimal", "model": asked.model},
        }
        found = {}
        for level in levels:
            if level == SECRET:
                answer: Any = _of_some_seed(asked, table, release, most, seeds)
            else:
                answer = what_it_gives_away(release, most=most, **given[level])
            found[level] = answer
    except (NotReached, InfeasibleError, LimitReached):
        return None
    return found


def _of_some_seed(asked: Asked, table: Microdata, release: Any, most: int, seeds: int) -> ConsistentOriginals:
    """Return the worlds that the method releases alike with the seed of the study or one of some others."""
    shown = shown_of(release, table)
    assert shown is not None
    replays = [Replay(asked.on({}, SEED + more), shown) for more in range(seeds)]
    return arranged(table, shown, lambda world: any(replay(world) for replay in replays), "code", most, Clock())


def _kept(method: Callable[[Microdata], Any]) -> Callable[[Microdata], Any]:
    """Return a method that makes the release of each world of one table once, whatever level it is asked for."""
    made: dict[tuple[int, ...], Any] = {}

    def release(world: Microdata) -> Any:
        secrets = tuple(world.sensitive[0].codes.tolist())
        if secrets not in made:
            made[secrets] = method(world)
        return made[secrets]

    return release


def _classes(found: Any) -> int:
    release = getattr(found, "release", None)
    return len(release.classes if isinstance(release, Release) else found.partition)


def _row(level: str, found: Sequence[ConsistentOriginals], passed: int) -> dict[str, object]:
    people = sum(each.counts["persons"].total for each in found)

    def share(what: str) -> float | None:
        return float(Fraction(sum(each.counts[what].certain for each in found), people)) if people else None

    undecided = level == SECRET and any(each.consistent < each.candidates for each in found)
    return {
        "level": level,
        "tables": len(found),
        "passed over": passed,
        "persons": people,
        "candidates": sum(each.candidates for each in found),
        "worlds left": _mean([Fraction(each.consistent, each.candidates) for each in found]),
        "certain by classes": share("persons, by their class alone"),
        "certain by level": None if undecided else share("persons"),
        "excluded values": sum(each.excluded for each in found),
        "greatest change": float(max((each.greatest_change for each in found), default=Fraction())),
    }


def _mean(shares: Sequence[Fraction]) -> float | None:
    return float(sum(shares, Fraction()) / len(shares)) if shares else None
