"""Speed, as ratios inside one run: the machines that this runs on are shared and noisy, and a ratio survives that.

Candidates are interleaved and medians are taken. Nothing here is a test.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from experiments import adult, adult_lattices, arx_example, optimal_times
from experiments.adult_hierarchies import occupation_groups
from experiments.grouping_times import grouping
from experiments.metric_times import QUASI_IDENTIFIERS, any_metric
from experiments.provenance import ROOT, provenance
from experiments.runner import RESULTS
from experiments.timing import PYCANON, Row, medians, peer, shown_seconds
from tcloseness.audit import check
from tcloseness.ground import Cuts, Equal, Hierarchical, Ordered
from tcloseness.lattice import (
    RollUp,
    SearchResult,
    exhaustive,
    exhaustive_each,
    incognito,
    minimal_generalizations,
    optimum,
)
from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness
from tcloseness.transport.batched import class_emds
from tcloseness.writing import write_files

__all__ = ["run"]

BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def run(*, write: bool = False, peers: bool = True) -> None:
    """Measure everything, print the table, and write ``results/bench.md``."""
    console = Console(stderr=True)
    path = adult.write_csv()
    rows: list[Row] = []
    steps: list[tuple[str, Callable[[], list[Row]]]] = [
        ("batched EMD, 1,000,000 classes × 14 values", batched),
        ("sparse EMD, growing domain", sparse),
        ("t-closeness of Adult", lambda: adult_t(path, peers=peers)),
        ("EMDs by a matrix", lambda: any_metric() if peers else []),
        ("the whole audit of Adult", lambda: audit(path, peers=peers)),
        ("every node of a lattice", sweeps),
        ("searches of a lattice", searches),
        ("optima of nine models", optima),
        ("time against size of the exact programs", exact_programs),
        ("methods that group near records", grouping),
        ("whole processes", lambda: processes(path)),
        ("a million different values", million_values),
    ]
    for name, step in steps:
        console.print(f"[dim]{name} …[/dim]")
        rows += step()
    table = _table(rows)
    print(table)
    RESULTS.mkdir(exist_ok=True)
    write_files({RESULTS / "bench.md": table.encode()}, force=True)
    if write:
        _into_page(table)


def batched() -> list[Row]:
    """Exact EMDs of 1,000,000 classes against one addition of the same counts."""
    rng = np.random.default_rng(0)
    m, g = 14, 1_000_000
    counts = rng.poisson(rng.dirichlet(np.ones(m))[:, None] * 40, size=(m, g)).astype(np.int64)
    counts[0] += 1
    classes = ClassCounts.from_matrix(counts)
    domain = Domain.declare(range(m))
    groups = Hierarchy.from_groups([{"a": range(5), "b": range(5, 10), "c": range(10, 14)}])
    grounds: dict[str, Ordered | Equal | Hierarchical] = {
        "ordered": Ordered(m),
        "equal": Equal(m),
        "hierarchical": Hierarchical(groups, domain),
    }
    out = np.empty_like(counts)

    def work(cuts: Cuts) -> Callable[[], object]:
        return lambda: class_emds(classes, cuts)

    candidates: dict[str, Callable[[], object]] = {"np.add": lambda: np.add(counts, counts, out=out)}
    candidates |= {name: work(ground.cuts) for name, ground in grounds.items()}
    found = medians(candidates, 9)
    return [
        (
            f"EMD of 1,000,000 classes × 14 values, {name} distance, exact",
            shown_seconds(found[name]),
            f"one np.add over the same int64 counts: {shown_seconds(found['np.add'])}",
            f"{found[name] / found['np.add']:.2f}",
        )
        for name in grounds
    ]


def sparse() -> list[Row]:
    """100,000 classes of 5 cells each: the time per cell while the domain grows a hundredfold."""
    rng = np.random.default_rng(1)
    g, per_class = 100_000, 5
    rows: list[Row] = []
    for name, ground in (("ordered", Ordered), ("equal", Equal)):
        candidates: dict[str, Callable[[], object]] = {}
        for m in (1_000, 100_000):
            values = np.sort(
                rng.integers(0, m // per_class, size=(g, per_class)) + np.arange(per_class) * (m // per_class)
            )
            classes = ClassCounts.from_cells(
                Domain.declare(range(m)),
                np.arange(0, g * per_class + 1, per_class),
                values.ravel(),
                rng.integers(1, 4, size=g * per_class),
            )
            cuts = ground(m).cuts
            candidates[f"{m:,}"] = lambda classes=classes, cuts=cuts: class_emds(classes, cuts)  # type: ignore[misc]
        found = medians(candidates, 3)
        small, large = found["1,000"], found["100,000"]
        rows.append(
            (
                f"EMD of 100,000 classes over 100,000 values, 500,000 cells, {name} distance",
                shown_seconds(large),
                f"the same cells over 1,000 values: {shown_seconds(small)}",
                f"{large / small:.2f}",
            )
        )
    return rows


def adult_t(path: Path, *, peers: bool) -> list[Row]:
    """t of the 30,162 records from a loaded frame, equal distance, beside pycanon on the same frame."""
    frame = pd.read_csv(path)

    def ours() -> object:
        table = FrequencySet.from_frame(frame, quasi_identifiers=QUASI_IDENTIFIERS, sensitive="occupation")
        return TCloseness(ground="equal").evaluate(table.class_counts()).value

    what = "t of Adult from a loaded frame (30,162 records, 7 quasi-identifiers)"
    if not peers:
        return [(what, shown_seconds(medians({"ours": ours}, 15)["ours"]), "not measured", "")]
    theirs = _pycanon(path, _T)
    found = medians({"ours": ours}, 15)["ours"]
    return [(what, shown_seconds(found), f"pycanon {PYCANON}, one run: {theirs:.1f} s", f"1/{theirs / found:,.0f}")]


def audit(path: Path, *, peers: bool) -> list[Row]:
    """All that `tcloseness.check` measures of two sensitive attributes, beside one groupby of the same columns."""
    frame = pd.read_csv(path)
    sensitive = ["occupation", "class"]

    def ours() -> object:
        table = FrequencySet.from_frame(frame, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=sensitive)
        return check(table, ground=dict.fromkeys(sensitive, "equal"))

    found = medians(
        {"ours": ours, "groupby": lambda: frame.groupby([*QUASI_IDENTIFIERS, *sensitive]).size()},
        9,
    )
    what = "whole audit of Adult, two sensitive attributes, from a loaded frame"
    rows = [
        (
            what,
            shown_seconds(found["ours"]),
            f"one pandas groupby(…).size() of the columns: {shown_seconds(found['groupby'])}",
            f"{found['ours'] / found['groupby']:.1f}",
        )
    ]
    if peers:
        theirs = _pycanon(path, _EVERYTHING)
        rows.append(
            (
                what,
                shown_seconds(found["ours"]),
                f"pycanon {PYCANON}, all its checks of occupation alone, one run: {theirs:.0f} s",
                f"1/{theirs / found['ours']:,.0f}",
            )
        )
    return rows


_T = "anonymity.t_closeness(frame, qi, ['occupation'])"
_EVERYTHING = (
    "[check(frame, qi, ['occupation']) for check in (anonymity.alpha_k_anonymity, anonymity.l_diversity, "
    "anonymity.entropy_l_diversity, anonymity.recursive_c_l_diversity, anonymity.basic_beta_likeness, "
    "anonymity.enhanced_beta_likeness, anonymity.t_closeness, anonymity.delta_disclosure)]; "
    "anonymity.k_anonymity(frame, qi)"
)


def _pycanon(path: Path, work: str) -> float:
    return float(
        peer(
            "import sys, time, pandas as pd\n"
            "from pycanon import anonymity\n"
            f"frame = pd.read_csv({str(path)!r}); qi = {list(QUASI_IDENTIFIERS)!r}\n"
            f"begun = time.perf_counter(); {work}\n"
            "print(time.perf_counter() - begun)\n"
        )
    )


FIVE = "k = 6, distinct l = 3, entropy l = 2, recursive (4,3), hierarchical t = 0.2"


def _five(k: int) -> tuple[Any, ...]:
    close = TCloseness("0.2", ground=occupation_groups("S1"))
    return KAnonymity(k), DistinctLDiversity(3), EntropyLDiversity(2), RecursiveCLDiversity(3, c=4), close


def sweeps() -> list[Row]:
    """Every node of the seven-attribute lattice decided for five models, and the same of ten times the records."""
    table = adult_lattices.rolled("T1")
    frame = adult.load("train-complete")
    repeated = pd.concat([frame] * 10, ignore_index=True)
    names = list(table.lattice.quasi_identifiers)
    ten = RollUp(
        FrequencySet.from_frame(
            repeated,
            quasi_identifiers=names,
            sensitive="occupation",
            orders={"occupation": sorted(frame["occupation"].unique())},
        ),
        table.lattice.hierarchies,
    )

    def sweep(of: RollUp, k: int) -> Callable[[], object]:
        def work() -> object:
            of.forget()
            return exhaustive_each(of, _five(k))

        return work

    columns = [*names, "occupation"]
    found = medians(
        {
            "once": sweep(table, 6),
            "ten": sweep(ten, 60),
            "groupby": lambda: frame.groupby(columns).size(),
            "large groupby": lambda: repeated.groupby(columns).size(),
        },
        7,
        time.process_time,
    )
    nodes = len(table.lattice)
    return [
        (
            f"all {nodes:,} nodes of Adult's lattice decided for five models ({FIVE}), each by itself: "
            f"{nodes / found['once']:,.0f} nodes a second of CPU time",
            shown_seconds(found["once"]),
            f"one pandas groupby(…).size() of the columns: {shown_seconds(found['groupby'])}",
            f"{found['once'] / found['groupby']:.0f}",
        ),
        (
            f"the same for Adult × 10 (301,620 records, k = 60): {nodes / found['ten']:,.0f} nodes a second",
            shown_seconds(found["ten"]),
            f"for Adult: {shown_seconds(found['once'])} (one groupby of the 301,620: "
            f"{shown_seconds(found['large groupby'])})",
            f"{found['ten'] / found['once']:.2f}",
        ),
    ]


def searches() -> list[Row]:
    """All minimal generalizations, from the compressed table: our search beside the exhaustive one and Incognito."""
    table = adult_lattices.rolled("T1")
    models = {
        "k = 5": KAnonymity(5),
        "k = 5 and hierarchical t = 0.2": KAnonymity(5) & TCloseness("0.2", ground=occupation_groups("S1")),
        "entropy l = 2": EntropyLDiversity(2),
        "recursive (4,2)": RecursiveCLDiversity(2, c=4),
    }

    def run(search: Callable[..., SearchResult], model: Any) -> Callable[[], object]:
        def work() -> object:
            table.forget()
            return search(table, model)

        return work

    rows: list[Row] = []
    ways: dict[str, Callable[..., SearchResult]] = {
        "ours": minimal_generalizations,
        "exhaustive": exhaustive,
        "Incognito": incognito,
    }
    for name, model in models.items():
        found = medians({way: run(search, model) for way, search in ways.items()}, 7, time.process_time)
        checked = {way: search(table, model).work.checked for way, search in ways.items()}
        rows += [
            (
                f"all minimal nodes of {len(table.lattice):,}, {name}: {checked['ours']} nodes checked; CPU time",
                shown_seconds(found["ours"]),
                f"{other}, {checked[other]:,} nodes checked: {shown_seconds(found[other])}",
                f"1/{found[other] / found['ours']:.1f}",
            )
            for other in ("exhaustive", "Incognito")
        ]
    return rows


def optima() -> list[Row]:
    """The nodes of least ARX loss under nine models, also with suppression, beside one groupby of all columns."""
    table = arx_example.rolled()
    frame = adult.load("train-complete").astype(str)

    def run(model: Any, suppression: Fraction) -> Callable[[], object]:
        def work() -> object:
            table.forget()
            return optimum(table, model, loss=arx_example.ArxLoss(), suppression=suppression)

        return work

    ways: dict[str, Callable[[], object]] = {
        f"{name}{', 4 % may be suppressed' if share else ''}": run(model, share)
        for share in (Fraction(0), Fraction(4, 100))
        for name, model in arx_example.nine_questions().items()
    }
    ways["groupby"] = lambda: frame.groupby(list(frame.columns)).size()
    found = medians(ways, 9, time.process_time)
    one = found.pop("groupby")
    return [
        (
            f"optimum of {len(table.lattice):,} nodes, {name}, from the compressed table; CPU time",
            shown_seconds(seconds),
            f"one pandas groupby(…).size() of all {len(frame.columns)} columns as text: {shown_seconds(one)}",
            f"{seconds / one:.2f}",
        )
        for name, seconds in found.items()
    ]


def exact_programs() -> list[Row]:
    """CPU time until an optimum is proven, against that of half the records; the figure has all sizes."""
    timed = optimal_times.measure()
    RESULTS.mkdir(exist_ok=True)
    optimal_times.draw(timed, RESULTS / "optimal_time.png")
    return [
        (
            f"optimal {one.program.name}, {one.program.question}, {one.program.sizes[-1]:,} records of Adult; CPU time",
            shown_seconds(one.seconds[-1]),
            f"the same of {one.program.sizes[-1] // 2:,} records: {shown_seconds(one.half)}",
            f"{one.seconds[-1] / one.half:.1f}",
        )
        for one in timed
    ]


def processes(path: Path) -> list[Row]:
    """Whole processes, cold: the command line on the 30,162 records, and its help."""
    python = Path(sys.executable)
    command = [
        str(python.parent / "tcloseness"),
        "check",
        str(path),
        "--sensitive",
        "occupation",
        "--ground",
        "occupation=equal",
    ]
    command += [word for name in QUASI_IDENTIFIERS for word in ("--quasi-identifiers", name)]

    def process(*words: str) -> Callable[[], object]:
        return lambda: subprocess.run(words, check=True, capture_output=True)

    found = medians(
        {
            "check": process(*command),
            "help": process(str(python.parent / "tcloseness"), "--help"),
            "pandas": process(str(python), "-c", "import pandas"),
            "python": process(str(python), "-c", "pass"),
        },
        5,
    )
    return [
        (
            "tcloseness check on the 30,162 records, whole process",
            f"{found['check']:.2f} s",
            f"python -c 'import pandas': {found['pandas']:.2f} s",
            f"{found['check'] / found['pandas']:.2f}",
        ),
        (
            "tcloseness --help, whole process",
            f"{found['help']:.2f} s",
            f"python -c pass: {found['python']:.2f} s",
            f"{found['help'] / found['python']:.1f}",
        ),
    ]


def million_values() -> list[Row]:
    """CPU time of a whole check of a million records: each with a value of its own, beside ten values."""
    draw, records = np.random.default_rng(2007), 1_000_000
    found = []
    with tempfile.TemporaryDirectory() as folder:
        classes = draw.integers(0, 100, records)
        for name, values in (("many", draw.permutation(records)), ("few", draw.integers(0, 10, records))):
            text = pd.DataFrame({"class": classes, "value": values}).to_csv(index=False)
            write_files({Path(folder) / f"{name}.csv": text.encode()})
        for ground in ("equal", "ordered", "ordered-by-value"):
            options = ("--quasi-identifiers", "class", "--sensitive", "value", "--ground", f"value={ground}")
            spent: dict[str, list[float]] = {"many": [], "few": []}
            for _ in range(3):
                for name, seconds in spent.items():
                    before = resource.getrusage(resource.RUSAGE_CHILDREN)
                    command = (sys.executable, "-m", "tcloseness", "check", str(Path(folder) / f"{name}.csv"), *options)
                    subprocess.run(command, check=True, capture_output=True)
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            many, few = min(spent["many"]), min(spent["few"])
            what = f"tcloseness check of 1,000,000 records, each value another, {ground}: CPU, whole process"
            found.append((what, f"{many:.2f} s", f"ten values: {few:.2f} s", f"{many / few:.2f}"))
    return found


def _table(rows: list[Row]) -> str:
    made = provenance()
    packages = made["packages"]
    versions = ", ".join(f"{name} {packages[name]}" for name in ("numpy", "pandas", "numba"))
    lines = [
        "| what | ours | yardstick | ratio |",
        "|---|---|---|---|",
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]
    lines.append(
        f"Medians of interleaved runs on {made['processor']}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}, {versions}. The machine is shared: read the ratios."
    )
    return "\n".join(lines) + "\n"


def _into_page(table: str) -> None:
    page = ROOT / "docs" / "speed.md"
    text = page.read_text(encoding="utf-8")
    fresh = re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: f"{BEGIN}\n{table}{END}", text, flags=re.DOTALL)
    write_files({page: fresh.encode()}, force=True)
