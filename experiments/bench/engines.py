"""Tables of millions of rows, counted where they are: time and memory of whole processes, beside a group-by of DuckDB.

All of it on one thread, on the synthetic table of `experiments.lands_end`: the six quasi-identifiers that are not the
price, and the cost.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments import lands_end
from experiments.bench.timing import Curve, Row, program
from experiments.lands_end import SENSITIVE
from experiments.provenance import ROOT
from tcloseness.errors import StudyError

__all__ = ["COLUMNS", "GROUND", "MEMORY", "QUASI_IDENTIFIERS", "Spent", "audit", "grouped", "measure", "read", "run"]

QUASI_IDENTIFIERS = tuple(name for name in lands_end.ATTRIBUTES if name != "price")
COLUMNS = (*QUASI_IDENTIFIERS, SENSITIVE)

MEMORY = "1GB"
"""What DuckDB may take, in the yardsticks too."""

GROUND = "ordered"
"""The ground distance of the sensitive attribute."""

_COPIES = 10

_REPEATS = 3


@dataclass(frozen=True)
class Spent:
    """What a program took in a process of its own.

    Attributes
    ----------
    work, seconds
        The CPU seconds of its work, and of the whole process.
    peak
        The most memory that the process had, in bytes.
    facts
        Numbers that it found.
    """

    work: float
    seconds: float
    peak: float
    facts: tuple[float, ...]


_PEAK = """
def peak():
    try:
        with open("/proc/self/status") as status:  # what getrusage says includes the process that started this one
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
"""


def run(imports: str, work: str, *facts: str) -> Spent:
    """Run a program in a process of its own; its imports are not part of its work."""
    found = program(
        f"import resource, sys, time\n{imports}\nbegun = time.process_time()\n{work}\n"
        f"worked, spent = time.process_time() - begun, time.process_time()\n{_PEAK}\n"
        f"print(worked, spent, peak(), {', '.join(facts)})\n"
    )
    return Spent(found[0], found[1], found[2], tuple(found[3:]))


def grouped(files: Sequence[Path], columns: Sequence[str] = COLUMNS) -> Spent:
    """Let DuckDB group files by columns, the last of them sensitive; the fact is how many combinations there are."""
    reader = "read_parquet" if files[0].suffix == ".parquet" else "read_csv"
    text = ", all_varchar=true" if reader == "read_csv" else ""
    source = f"{reader}({list(map(str, files))!r}{text})"
    limits = {"threads": "1", "memory_limit": MEMORY, "preserve_insertion_order": "false"}
    limits["temp_directory"] = f"{files[0]}.temporary"
    query = f"create temp table counted as select {', '.join(columns)}, count(*) n from {source} group by all"
    return run(
        "import duckdb",
        f"engine = duckdb.connect(config={limits!r})\nengine.execute({query!r})\n"
        "combinations = engine.execute('select count(*) from counted').fetchall()[0][0]",
        "combinations",
    )


def _reading(files: Sequence[Path], columns: Sequence[str]) -> str:
    *roles, sensitive = columns
    return (
        f"table = FrequencySet.read({list(map(str, files))!r}, quasi_identifiers={roles!r}, sensitive={sensitive!r}, "
        f"threads=1, memory={MEMORY!r})\n"
    )


def read(files: Sequence[Path], columns: Sequence[str] = COLUMNS) -> Spent:
    """Make files a frequency set; the fact is how many combinations it has."""
    return run("from tcloseness import FrequencySet\nimport duckdb", _reading(files, columns), "len(table)")


def audit(files: Sequence[Path], columns: Sequence[str] = COLUMNS) -> Spent:
    """Audit files as `check` does; the facts are how many classes and records there are, the smallest class and t."""
    return run(
        "from tcloseness import FrequencySet, check",
        f"{_reading(files, columns)}found = check(table, ground={{{columns[-1]!r}: {GROUND!r}}}, t='0.2', k=5)\n"
        "found.to_dict()\nvalue = {each.model: each.value for each in found.attributes[0].results}",
        "found.classes",
        "found.records",
        "float(value['k-anonymity'])",
        "float(value['t-closeness'])",
    )


def measure(peers: bool) -> tuple[list[Row], list[Curve]]:
    """Reading, and whole audits, of CSV and Parquet; memory; and ten times as many rows."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        csv, parquet = (
            lands_end.write(place / f"repeated.{kind}", "repeated", columns=COLUMNS) for kind in ("csv", "parquet")
        )
        rows = [*_of_csv(csv), *_of_parquet(parquet), *_many(csv)]
        csv.unlink()
        rows += _written(lands_end.write(place / "priced.csv", "repeated", columns=(*COLUMNS, "price")))
        distinct = audit([lands_end.write(place / "distinct.csv", "distinct", columns=COLUMNS)])
    what = f"audit of {lands_end.ROWS:,} rows in {distinct.facts[0]:,.0f} classes, CSV: memory at its peak"
    rows.append(Row(what, distinct.peak, "rows nearly all distinct", None, 1.5e9, 8.05e9, unit="bytes"))
    return rows, []


def _least(file: Path) -> tuple[Spent, Spent, Spent]:
    """Return the least of what grouping, reading and auditing a file takes; they take turns."""
    found: list[list[Spent]] = [[way([file]) for way in (grouped, read, audit)] for _ in range(_REPEATS)]
    of_ways = zip(*found, strict=True)
    bare, reading, auditing = (min(spent, key=lambda each: each.seconds) for spent in of_ways)
    return bare, reading, auditing


def _of_csv(file: Path) -> list[Row]:
    bare, reading, auditing = _least(file)
    rows, classes = f"{lands_end.ROWS:,} rows", f"{auditing.facts[0]:,.0f} classes"
    group = "DuckDB's group-by of the file"
    return [
        Row(
            f"{rows} of a CSV file to {reading.facts[0]:,.0f} combinations, without imports",
            reading.work,
            group,
            bare.work,
            1.25,
            4,
        ),
        Row(f"audit of {rows} in {classes}, CSV, whole process", auditing.seconds, group, bare.seconds, 2, 5.3),
        Row("the same: memory at its peak", auditing.peak, "limit 1 GB", None, 0.7e9, 1.27e9, unit="bytes"),
    ]


def _of_parquet(file: Path) -> list[Row]:
    bare, reading, auditing = _least(file)
    combinations = reading.facts[0]
    return [
        Row(
            f"{lands_end.ROWS:,} rows of a Parquet file to {combinations:,.0f} combinations, without imports",
            reading.work,
            "DuckDB's group-by of the file and 0.3 µs a combination",
            bare.work + 0.3e-6 * combinations,
            1,
        ),
        Row(
            f"audit of {lands_end.ROWS:,} rows in {auditing.facts[0]:,.0f} classes, Parquet, whole process",
            auditing.seconds,
            "1.5 times DuckDB's group-by of the file and 1.2 s",
            1.5 * bare.seconds + 1.2,
            1,
        ),
    ]


def _written(file: Path) -> list[Row]:
    """The rows recoded, written from the counts alone, and with a further column of the file."""
    release = (
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from tcloseness import FrequencySet\nfrom tcloseness.lattice import RollUp\n"
        f"from experiments.lands_end import hierarchies\n{_reading([file], COLUMNS)}"
        f"trees = {{name: tree for name, tree in hierarchies().items() if name in {list(QUASI_IDENTIFIERS)!r}}}\n"
        "release = RollUp(table, trees).release((2, 1, 0, 1, 0, 0))"
    )
    target = str(file.with_name("recoded.csv"))
    limits = f"threads=1, memory={MEMORY!r}, force=True"
    copy = f"copy (from read_csv({str(file)!r}, all_varchar=true)) to {target!r} (header)"
    engine = f"engine = duckdb.connect(config={{'threads': '1', 'memory_limit': {MEMORY!r}}})"
    theirs, counts, joined = (
        min(run(imports, work).work for _ in range(_REPEATS))
        for imports, work in (
            ("import duckdb", f"{engine}\nengine.execute({copy!r})"),
            (release, f"release.write({target!r}, {limits})"),
            (release, f"release.write({target!r}, {str(file)!r}, keep=['price'], {limits})"),
        )
    )
    file.with_name("recoded.csv").unlink()
    yardstick = "DuckDB's copy of the file"
    what = f"writing {lands_end.ROWS:,} recoded rows as CSV"
    return [
        Row(f"{what}, from the counts", counts, yardstick, theirs, 2),
        Row(f"{what}, with a further column of the file", joined, yardstick, theirs, 2),
    ]


def _many(file: Path) -> list[Row]:
    """Ten files of the same rows, counted within 1 GB; the audit is that of one, with ten times the records."""
    files = [file.with_name(f"part-{number}.csv") for number in range(_COPIES)]
    for each in files:
        each.hardlink_to(file)
    bare, one, found = grouped(files), audit([file]), audit(files)
    for each in files:
        each.unlink()
    classes, records, k, t = one.facts
    if found.facts != (classes, _COPIES * records, _COPIES * k, t):
        raise StudyError(f"the audit of {_COPIES} copies finds {found.facts}, and that of one {one.facts}")
    size = file.stat().st_size * _COPIES / 1e9
    what = f"audit of {_COPIES * lands_end.ROWS:,} rows in CSV files of {size:.1f} GB"
    return [
        Row(f"{what}, whole process", found.seconds, "DuckDB's group-by of the files", bare.seconds),
        Row(f"{what}: memory at its peak", found.peak, "limit 1 GB", None, 1.1e9, unit="bytes"),
    ]
