"""The bench: only proved optima count, its table and figure, and how two runs are compared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from experiments import bench
from experiments.bench import proofs
from experiments.bench.programs import PROGRAMS, Program, grown
from experiments.bench.timing import Curve, Row, medians, program
from experiments.provenance import provenance
from tcloseness.errors import StudyError
from tcloseness.optimal import Infeasible, optimal_microaggregation


def solved(records: int) -> Any:
    return lambda: optimal_microaggregation(range(records), 2, seed=0)


def test_sizes_of_programs_ascend() -> None:
    for each in PROGRAMS:
        assert each.sizes == tuple(sorted(set(each.sizes)))


@pytest.mark.long
def test_all_sizes_are_timed_and_drawn(tmp_path: Path) -> None:
    curves = grown((Program("p", "k = 2", (4, 8), solved),))
    assert [(one.sizes, len(one.seconds)) for one in curves] == [((4, 8), 2)]
    curves += [Curve("another panel", name, (1, 10), (0.5, 2.0)) for name in ("a", "b")]
    assert bench.draw(curves, tmp_path / "times.png").read_bytes().startswith(b"\x89PNG")


def test_an_answer_without_proof_is_no_measurement() -> None:
    with pytest.raises(StudyError, match="without a proven optimum"):
        grown((Program("p", "k = 2", (1, 2), lambda _: lambda: Infeasible("none")),))


ROWS = [
    Row("a", 0.02, "a loop", 1.0, 1 / 20, 11.0),
    Row("b", 3.0, "proved optimal", None, 2),
    Row("c", 2e9, "bytes of a plain array", 1e9, unit="bytes"),
]


def test_the_table_says_which_goals_are_reached() -> None:
    lines = bench.table(ROWS, provenance()).splitlines()
    assert "| a | 1/20 | 11 | **1/50** | 20.00 ms | a loop: 1.00 s |" in lines
    assert "| b | 2.00 s |  | 3.00 s (not reached) | 3.00 s | proved optimal |" in lines
    assert "| c | 2.0 | 2.00 GB | bytes of a plain array: 1.00 GB |" in lines


def test_a_proof_is_measured_with_its_size_and_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [proofs.Instance("a cut", proofs._cut(("sex",), 5), 1, 0.1)]
    monkeypatch.setattr(proofs, "INSTANCES", few)
    rows, _ = proofs.measure(False)
    assert [row.what for row in rows] == ["certificate of a cut", "check of the certificate of a cut"]
    (*_, line) = proofs.summary(rows).splitlines()
    assert re.fullmatch(r"\| a cut \| proved, [\d.]+ m?s \| [\d.]+ KiB \| [\d.]+ ms \|", line), line


def test_two_runs_are_compared_by_what_both_measured() -> None:
    then = [{"what": "a", "ratio": 0.04}, {"what": "gone", "ratio": 1.0}]
    now = [{"what": "a", "ratio": 0.02}, {"what": "new", "ratio": 3.0}]
    assert bench.compared(then, now).splitlines()[2:] == ["| a | 1/25 | 1/50 | 0.50 |"]


def test_a_run_of_a_part_is_recorded_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(bench, "RESULTS", tmp_path)
    monkeypatch.setattr(bench, "FAMILIES", {"small": lambda peers: (ROWS, [Curve("p", "n", (1, 2), (1.0, 2.0))])})
    bench.run(["small"], peers=False)
    record = json.loads((tmp_path / "bench.json").read_text())
    assert [row["ratio"] for row in record["rows"]] == [0.02, 3.0, 2.0]
    assert (tmp_path / "bench.png").exists()
    bench.run(peers=False, target=tmp_path / "other.json", against=tmp_path / "bench.json")
    assert json.loads((tmp_path / "other.json").read_text())["rows"] == record["rows"]
    assert "| a | 1/50 | 1/50 | 1.0 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["distance"]}, "nothing called 'distance'"),
        ({"names": ["distances"], "write": True}, "whole runs"),
        ({"peers": False, "write": True}, "whole runs"),
        ({"against": Path(__file__)}, "is not the bench.json of another run"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_measured(options: Any, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        bench.run(**options)


def test_candidates_take_turns_after_one_that_is_not_counted() -> None:
    order = []
    clock = iter(range(100))
    found = medians({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 2, lambda: next(clock))
    assert order == ["a", "b"] * 3
    assert found == {"a": 1, "b": 1}


def test_a_program_of_its_own_gives_its_last_line() -> None:
    assert program("import os; print('x'); print(1.5, os.environ['TOLD'])", TOLD="2") == [1.5, 2.0]


def test_the_first_page_shows_a_proof_of_everything_that_is_measured() -> None:
    table = re.search(r"<!-- bench:begin -->\n(.*?)<!-- bench:end -->", bench.README.read_text("utf-8"), re.DOTALL)
    assert table is not None
    rows = [line.strip("| ").split(" | ") for line in table[1].splitlines()[2:]]
    assert [row[0] for row in rows] == [instance.name for instance in proofs.INSTANCES]
    assert all(row[1].startswith("proved, ") and row[2].endswith(" KiB") and row[3].endswith("s") for row in rows)


@pytest.mark.parametrize("names", [[], ["engines"], ["proofs"]])
def test_what_is_written_into_the_documentation_is_of_its_own_family(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole run writes all tables of the page; a family alone writes its own, and leaves the others as they are."""
    pairs = (("bench", "of old"), ("bench engines", "of old"), ("bench proofs", "of old"))
    parts = "".join(f"<!-- {name}:begin -->\n{text}\n<!-- {name}:end -->\n" for name, text in pairs)
    for name in ("PAGE", "README", "PICTURE", "RESULTS"):
        monkeypatch.setattr(bench, name, tmp_path / name)
    for name in ("PAGE", "README"):
        (tmp_path / name).write_text(parts)
    curve = Curve("panel", "curve", (1, 10), (0.5, 2.0))
    families = {
        name: lambda _, name=name: ([Row(f"row of {name}", 1.0, "a loop", 1.0)], [curve])
        for name in ("proofs", "lattices", "engines")
    }
    monkeypatch.setattr(bench, "FAMILIES", families)
    monkeypatch.setattr(proofs, "summary", lambda rows: "of proofs\n")
    bench.run(names, write=True)
    page, readme = ((tmp_path / name).read_text() for name in ("PAGE", "README"))
    tables = re.findall("<!-- (.*?):begin -->(.*?)<!-- .*?:end -->", page, flags=re.DOTALL)
    assert len(tables) == 3
    for (name, text), family in zip(tables, ("lattices", "engines", "proofs"), strict=True):
        assert ("of old" in text) == (bool(names) and names != [family]), name
        assert re.findall(r"row of (\w+)", text) == ([] if "of old" in text else [family])
    assert ("of proofs" in readme) == (names != ["engines"])
    assert (tmp_path / "PICTURE").exists() == (not names)
