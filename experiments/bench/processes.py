"""Speed as a user has it: from a loaded frame, and whole processes from files."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from experiments import adult
from experiments.bench.distances import QUASI_IDENTIFIERS
from experiments.bench.timing import PEERS, Curve, Row, as_installed, medians, peer
from tcloseness.audit import check
from tcloseness.microdata import FrequencySet
from tcloseness.models import TCloseness
from tcloseness.writing import write_files

__all__ = ["measure"]


def measure(peers: bool) -> tuple[list[Row], list[Curve]]:
    """An audit from a frame and from files, beside pycanon, DuckDB and a group-by of pandas."""
    path = adult.write_csv()
    return [*_from_a_frame(path, peers), *_cold(path), *_million_values(), *_many_rows(peers)], []


def _from_a_frame(path: Path, peers: bool) -> list[Row]:
    frame = pd.read_csv(path)
    sensitive = ["occupation", "class"]

    def t() -> object:
        table = FrequencySet.from_frame(frame, quasi_identifiers=QUASI_IDENTIFIERS, sensitive="occupation")
        return TCloseness(ground="equal").evaluate(table.class_counts()).value

    def audit() -> object:
        table = FrequencySet.from_frame(frame, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=sensitive)
        return check(table, ground=dict.fromkeys(sensitive, "equal"))

    columns = [*QUASI_IDENTIFIERS, *sensitive]
    found = medians({"t": t, "audit": audit, "groupby": lambda: frame.groupby(columns).size()}, 9)
    what = "whole audit of Adult, two sensitive attributes, from a loaded frame"
    rows = [Row(what, found["audit"], "one pandas groupby(…).size() of the columns", found["groupby"])]
    if peers:
        pycanon = f"pycanon {PEERS['pycanon']}, one run"
        rows += [
            Row("t of Adult from a loaded frame, 7 quasi-identifiers", found["t"], pycanon, _pycanon(path, _T)),
            Row(f"{what}, all of pycanon's checks", found["audit"], f"{pycanon}, occupation", _pycanon(path, _ALL)),
        ]
    return rows


_T = "anonymity.t_closeness(frame, qi, ['occupation'])"
_ALL = (
    "[check(frame, qi, ['occupation']) for check in (anonymity.alpha_k_anonymity, anonymity.l_diversity, "
    "anonymity.entropy_l_diversity, anonymity.recursive_c_l_diversity, anonymity.basic_beta_likeness, "
    "anonymity.enhanced_beta_likeness, anonymity.t_closeness, anonymity.delta_disclosure)]; "
    "anonymity.k_anonymity(frame, qi)"
)


def _pycanon(path: Path, work: str) -> float:
    (seconds,) = peer(
        "import time, pandas as pd\n"
        "from pycanon import anonymity\n"
        f"frame = pd.read_csv({str(path)!r}); qi = {list(QUASI_IDENTIFIERS)!r}\n"
        f"begun = time.process_time(); {work}\n"
        "print(time.process_time() - begun)\n"
    )
    return seconds


def _spent(*command: str) -> float:
    """Return the CPU seconds of a whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=as_installed())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _in_turn(commands: dict[str, tuple[str, ...]], repeats: int) -> dict[str, float]:
    """Return the least CPU seconds of each process; they take turns."""
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            spent[name].append(_spent(*command))
    return {name: min(seconds) for name, seconds in spent.items()}


def _check(path: Path, *options: str) -> tuple[str, ...]:
    return sys.executable, "-m", "tcloseness", "check", str(path), *options


def _cold(path: Path) -> list[Row]:
    roles = [word for name in QUASI_IDENTIFIERS for word in ("--quasi-identifiers", name)]
    found = _in_turn(
        {
            "check": _check(path, *roles, "--sensitive", "occupation", "--ground", "occupation=equal"),
            "help": (sys.executable, "-m", "tcloseness", "--help"),
            "pandas": (sys.executable, "-c", "import pandas"),
            "python": (sys.executable, "-c", "pass"),
        },
        5,
    )
    return [
        Row("tcloseness check of Adult, whole process", found["check"], "python -c 'import pandas'", found["pandas"]),
        Row("tcloseness --help, whole process", found["help"], "python -c pass", found["python"]),
    ]


def _million_values() -> list[Row]:
    """A check of a million records, each with a value of its own, beside ten values."""
    draw, records = np.random.default_rng(2007), 1_000_000
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.csv" for name in ("many", "few")}
        classes = draw.integers(0, 100, records)
        for name, values in (("many", draw.permutation(records)), ("few", draw.integers(0, 10, records))):
            text = pd.DataFrame({"class": classes, "value": values}).to_csv(index=False)
            write_files({files[name]: text.encode()})
        for ground in ("equal", "ordered", "ordered-by-value"):
            options = ("--quasi-identifiers", "class", "--sensitive", "value", "--ground", f"value={ground}")
            found = _in_turn({name: _check(file, *options) for name, file in files.items()}, 3)
            what = f"tcloseness check of 1,000,000 records, each value another, {ground}, whole process"
            rows.append(Row(what, found["many"], "ten values", found["few"], 5))
    return rows


def _many_rows(peers: bool) -> list[Row]:
    """A check of Adult a hundred times, 3,016,200 rows, beside DuckDB's group-by of the same file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "many.csv"
        text = pd.concat([adult.load("train-complete")] * 100).to_csv(index=False)
        write_files({file: text.encode()})
        roles = [word for name in QUASI_IDENTIFIERS for word in ("--quasi-identifiers", name)]
        ours = _spent(*_check(file, *roles, "--sensitive", "occupation", "--ground", "occupation=equal"))
        if not peers:
            return []
        columns = ", ".join(f'"{name}"' for name in (*QUASI_IDENTIFIERS, "occupation"))
        (theirs,) = peer(
            "import time, duckdb\n"
            "begun = time.process_time(); duckdb.execute('set threads = 1')\n"
            f"duckdb.sql('''select {columns}, count(*) from read_csv({str(file)!r}, all_varchar=true) "
            f"group by {columns}''').fetchall()\n"
            "print(time.process_time() - begun)\n"
        )
    what = f"DuckDB {PEERS['duckdb']}, reading and group-by alone"
    return [Row("tcloseness check of 3,016,200 rows in a CSV file, whole process", ours, what, theirs)]
