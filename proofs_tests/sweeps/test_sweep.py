"""A sweep answers each point of its grid as the table itself does, keeps each answer, and goes on where it ended."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.toys.sweeping import DyingModel, FailingModel, SlowModel
from tcloseness.errors import InputError
from tcloseness.sweeps import sweep
from tcloseness.sweeps.cells import OUTCOMES

FRAME = pd.DataFrame(
    {
        "zip": ["47677", "47602", "47678", "47905", "47909", "47906"] * 2,
        "age": [29, 22, 27, 43, 52, 47, 23, 24, 28, 30, 31, 40],
        "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10, 3, 4, 5],
    }
)
HIERARCHIES = {
    "zip": tc.Hierarchy.prefixes(FRAME["zip"], name="zip"),
    "age": tc.Hierarchy.intervals(FRAME["age"], [5, 10, 20], name="age"),
}


def table() -> tc.Table:
    return tc.Table(
        FRAME, quasi_identifiers=["zip", "age"], sensitive="salary", ground="ordered", hierarchies=HIERARCHIES
    )


REFUSALS = ((tc.errors.InfeasibleError, "infeasible"), (tc.errors.NotReached, "not reached"))

GRID = {"method": ["mondrian", "mdav", "datafly"], "k": [2, 3, 13], "t": ["1/3", None], "seed": 1}


@pytest.mark.long
def test_each_cell_is_what_the_table_answers_itself() -> None:
    mine = table()
    found = sweep(mine, processes=1, **GRID)
    assert found.axes == ("method", "k", "t")
    points = list(product(GRID["method"], GRID["k"], GRID["t"]))
    assert len(found.cells) == len(points)
    for (method, k, t), cell in zip(points, found.cells, strict=True):
        assert cell.parameters == {"method": method, "k": k, **({"t": t} if t else {}), "seed": 1}
        raised = [kind for kind, word in REFUSALS if cell.outcome == word]
        if raised:
            with pytest.raises(raised[0], match=re.escape(cell.message)):
                mine.anonymize(method, k=k, t=t, seed=1)
            assert cell.quantities == {}
            continue
        answer = mine.anonymize(method, k=k, t=t, seed=1)
        assert cell.outcome == "satisfied"
        losses = answer.losses(k=k)
        for name, loss in losses.items():
            assert cell.quantities[name] == tc.models.protocol.value_texts(loss.value)["value"]
            assert float(cell.decimals[name]) == float(loss.value)
        assert cell.quantities["k-anonymity"] == str(answer.partition.sizes.min())


def test_every_verb_is_swept_and_each_kind_of_answer_has_its_word() -> None:
    found = sweep(table(), ["check", "search", "optimal"], k=[2, 13], processes=1)
    assert [(cell.verb, cell.outcome) for cell in found.cells] == [
        ("check", "violated"),
        ("check", "violated"),
        ("search", "satisfied"),
        ("search", "violated"),
        ("optimal", "optimal"),
        ("optimal", "infeasible"),
    ]
    assert found.axes == ("verb", "k")
    refused = sweep(table(), k=["x"], processes=1).cells[0]
    assert refused.outcome == "refused"
    assert "'x', which is not a number" in refused.message
    late = sweep(table(), "search", k=2, time_limit=1e-9, processes=1).cells[0]
    assert late.outcome == "time limit"
    full = sweep(table(), "search", k=2, memory_limit=1, processes=1).cells[0]
    assert full.outcome == "memory limit"
    assert {"satisfied", "violated", "optimal", "infeasible", "refused", "time limit"} <= set(OUTCOMES)


def test_what_fails_or_dies_is_a_fault_of_its_own_cell_alone() -> None:
    models = [FailingModel(), tc.KAnonymity(2)]
    found = sweep(table(), models=models, processes=1)
    assert [cell.outcome for cell in found.cells] == ["fault", "satisfied"]
    assert "ZeroDivisionError" in found.cells[0].message


@pytest.mark.slow
def test_a_process_that_dies_takes_its_own_cell_with_it_alone(tmp_path: Path) -> None:
    models = [tc.KAnonymity(2), DyingModel(), tc.KAnonymity(3), tc.KAnonymity(4)]
    found = sweep(table(), models=models, processes=2, folder=tmp_path)
    assert [cell.outcome for cell in found.cells] == ["satisfied", "fault", "satisfied", "satisfied"]
    assert "signal 9" in found.cells[1].message
    assert len(list(tmp_path.glob("cell-*.json"))) == 3  # a fault is tried again


@pytest.mark.slow
def test_draws_do_not_depend_on_the_number_of_processes() -> None:
    grid = {"method": ["mdav", "swapping"], "k": [2, 3], "t": "1/2", "seed": [1, 2]}
    alone, together = (sweep(table(), processes=number, **grid) for number in (1, 3))
    assert alone == together
    names = [name for name in alone.to_frame() if name != "seconds"]
    assert alone.to_frame()[names].equals(together.to_frame()[names])


def test_a_finished_cell_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sweep(table(), processes=1, folder=tmp_path, **{**GRID, "k": [2]})
    files = {file: file.read_bytes() for file in tmp_path.glob("cell-*.json")}
    assert len(files) == len(first.cells) == 6
    assert not any(cell.reused for cell in first.cells)
    asked = []
    anonymize = tc.Table.anonymize

    @functools.wraps(anonymize)
    def noted(self: tc.Table, *given: object, **named: object) -> object:
        asked.append(named)
        return anonymize(self, *given, **named)

    monkeypatch.setattr(tc.Table, "anonymize", noted)
    again = sweep({"renamed": table()}, processes=1, folder=tmp_path, **{**GRID, "k": [2, 3]})
    assert [cell.reused for cell in again.cells] == [cell.parameters["k"] == 2 for cell in again.cells]
    assert [each["k"] for each in asked] == [3] * 6
    assert {file: file.read_bytes() for file in files} == files
    for cell in first.cells:
        (same,) = [each for each in again.cells if each.key == cell.key]
        assert (same.quantities, same.outcome) == (cell.quantities, cell.outcome)


def test_another_table_ground_distance_hierarchy_seed_or_version_is_another_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = {"quasi_identifiers": ["zip", "age"], "sensitive": "salary", "ground": "ordered", "hierarchies": HIERARCHIES}
    other = FRAME.assign(salary=FRAME["salary"].replace(3, 4))
    flat = {**HIERARCHIES, "zip": tc.Hierarchy.suppression(FRAME["zip"], name="zip")}
    tables = [
        tc.Table(FRAME, **base),
        tc.Table(other, **base),
        tc.Table(FRAME.iloc[::-1], **base),  # draws depend on the order of the rows
        tc.Table(FRAME, **{**base, "ground": "equal"}),
        tc.Table(FRAME, **{**base, "hierarchies": flat}),
        tc.Table(FRAME, **{**base, "hierarchies": {"zip": flat["zip"]}}, categorical=["age"]),
    ]
    named = {str(i): each for i, each in enumerate(tables)}
    found = sweep(named, "check", k=2, processes=1, folder=tmp_path)
    keys = {cell.key for cell in found.cells}
    seeded = sweep(tables[0], k=[2, "2"], seed=[1, 2], t=["0.5", "0.4"], processes=1, folder=tmp_path)
    assert len(keys | {cell.key for cell in seeded.cells}) == len(tables) + 8
    from tcloseness.sweeps import kept

    monkeypatch.setattr(kept, "__version__", "another")
    assert not any(cell.reused for cell in sweep(tables[0], "check", k=2, processes=1, folder=tmp_path).cells)


def spoiled(record: dict) -> list[str]:
    """The text of a cell with one part missing, or that is not what a sweep writes."""
    without = [{name: each for name, each in record.items() if name != lost} for lost in record if lost in READ]
    other = {"message": 1, "seconds": "x", "outcome": "fault", "quantities": {"GCP": {"exact": "1", "decimal": "x"}}}
    return [*map(json.dumps, without), *(json.dumps({**record, name: each}) for name, each in other.items())]


READ = ("format", "key", "outcome", "message", "quantities", "seconds")


def test_what_is_kept_is_read_again_whatever_was_asked(tmp_path: Path) -> None:
    asked = {"k": 2, "t": [float("nan"), float("inf"), "\ud800", 0.5], "seed": 1, "processes": 1, "folder": tmp_path}
    first, again = (sweep(table(), **asked) for _ in range(2))
    assert [cell.outcome for cell in first.cells] == ["refused"] * 3 + ["satisfied"]
    assert all(cell.reused for cell in again.cells)
    assert again.to_dict() == first.to_dict()
    assert again.to_frame().equals(first.to_frame())
    json.dumps(first.to_dict(), allow_nan=False).encode()


@pytest.mark.long
def test_models_that_differ_in_what_their_text_leaves_out_are_different_questions(tmp_path: Path) -> None:
    values = sorted(set(FRAME["salary"]))
    near, far = (tc.Hierarchy([(value, value > cut, "all") for value in values], name="salary") for cut in (3, 6))
    assert repr(near) == repr(far)
    wide = np.ones((len(values), len(values)), dtype=int) - np.eye(len(values), dtype=int)
    grounds = [near, far, wide, pd.DataFrame(wide, values, values), "equal", "ordered"]
    models = [tc.TCloseness("1/2", ground=ground) for ground in grounds]
    asked = {"k": 2, "seed": 1, "processes": 1}
    kept = sweep(table(), models=models, folder=tmp_path, **asked)
    assert len({cell.key for cell in kept.cells}) == len(models)
    assert kept == sweep(table(), models=models, **asked) or [cell.quantities for cell in kept.cells] == [
        cell.quantities for cell in sweep(table(), models=models, **asked).cells
    ]
    assert all(cell.reused for cell in sweep(table(), models=models, folder=tmp_path, **asked).cells)


def test_a_check_takes_the_arguments_of_check_and_no_result_is_lost() -> None:
    models = (tc.KAnonymity(3), tc.KAnonymity(4))
    (cell,) = sweep(table(), "check", models=[models], k=2, processes=1).cells
    assert {f"k-anonymity (k={k})" for k in (2, 3, 4)} <= set(cell.quantities)


def test_nothing_of_the_users_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (cell,) = sweep(table(), k=2, seed=1, processes=1, folder=tmp_path).cells
    file = tmp_path / f"cell-{cell.key}.json"
    record = json.loads(file.read_text())
    others = [{}, {**record, "key": "0"}, {**record, "quantities": {"a": 1}}]
    for content in ("mine", *map(json.dumps, others), *spoiled(record)):
        file.write_text(content)
        with pytest.raises(InputError, match="is not one, and it is not overwritten"):
            sweep(table(), k=2, seed=1, processes=1, folder=tmp_path)
        assert file.read_text() == content
    assert (tmp_path / "notes.txt").read_text() == "mine"
    with pytest.raises(InputError, match=r"notes\.txt"):
        sweep(table(), k=2, seed=1, processes=1, folder=tmp_path / "notes.txt")


SCRIPT = """
import sys, signal, pandas as pd, tcloseness as tc
from proofs_tests.sweeps.test_sweep import table
from proofs_tests.toys.sweeping import SlowModel
signal.signal(signal.SIGINT, signal.default_int_handler)
tc.sweep(table(), models=[tc.KAnonymity(2), SlowModel(30), tc.KAnonymity(3)], seed=1, processes=int(sys.argv[2]),
         folder=sys.argv[1])
"""


def begun(folder: Path, processes: int) -> subprocess.Popen[str]:
    """Start a sweep of three cells, the second of which takes long, and wait for what can be done beside it."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), str(processes)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OF_SWEEP": str(folder)},
    )
    wanted = 1 if processes == 1 else 2
    for _ in range(600):
        if len(list(folder.glob("cell-*.json"))) >= wanted or process.poll() is not None:
            break
        time.sleep(0.1)
    assert len(list(folder.glob("cell-*.json"))) == wanted
    return process


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_an_interrupt_is_one_and_says_what_is_done_and_how_to_go_on(tmp_path: Path, processes: int) -> None:
    process = begun(tmp_path, processes)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == -signal.SIGINT or process.returncode == 130 or process.returncode == 1
    done = 1 if processes == 1 else 2
    assert f"KeyboardInterrupt: the sweep was interrupted: {done} of 3 cells are done" in said
    assert "the same call goes on from there" in said
    assert not children(tmp_path)
    again = sweep(table(), models=[tc.KAnonymity(2), tc.KAnonymity(3)], seed=1, processes=1, folder=tmp_path)
    assert sum(cell.reused for cell in again.cells) == done


@pytest.mark.slow
def test_a_killed_sweep_loses_the_cells_in_work_alone_and_leaves_no_process(tmp_path: Path) -> None:
    process = begun(tmp_path, 2)
    assert len(children(tmp_path)) >= 2
    process.kill()
    process.communicate()
    for _ in range(50):
        if not children(tmp_path):
            break
        time.sleep(0.1)
    assert not children(tmp_path)
    again = sweep(table(), models=[tc.KAnonymity(2), tc.KAnonymity(3)], seed=1, processes=1, folder=tmp_path)
    assert all(cell.reused for cell in again.cells)


def children(folder: Path) -> list[int]:
    """The processes of a sweep into a folder: they inherit the environment of the first."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if f"OF_SWEEP={folder}".encode() in (each / "environ").read_bytes():
                found.append(int(each.name))
        except OSError:
            continue
    return [number for number in found if number != os.getpid()]


HOLDS_A_FUNCTION = SlowModel(lambda: 0)  # type: ignore[arg-type]

WRONG = [
    ({"kk": 2}, "has no argument 'kk'"),
    ({"k": []}, "the axis k is empty"),
    ({"k": 2, "method": "mondrain"}, "method 'mondrain' is unknown; .*did you mean 'mondrian'"),
    ({"k": 2, "method": ["mdav", "mdaw"], "verb": ["check", "anonymize"]}, "did you mean 'mdav'"),
    ({"processes": 0}, "processes is 0"),
    ({"processes": 1.5}, "processes is 1.5"),
    ({"k": 2, "verb": "chek"}, "verb 'chek' is unknown"),
    ({"k": 2, "verb": []}, "the axis verb is empty"),
    ({"k": 2, "verb": {}}, "verb {} is unknown"),
    ({"k": 2, "verb": [np.array(["check"])]}, "is unknown"),
    ({"k": 2, "verb": ["check", "search"], "losses": ["dm-star"]}, "losses measures releases, and check makes none"),
    ({"k": 2, "losses": None}, "as losses, and was given None"),
    ({"k": 2, "losses": "gcp"}, "as losses, and was given 'gcp'"),
    ({"models": [[tc.KAnonymity(2)]]}, r"models holds \[KAnonymity\(k=2\)\], which is not a privacy model; .* tuple"),
    ({"k": 2, "models": [lambda: 1]}, "which is not a privacy model"),
    ({"k": 2, "models": [(tc.KAnonymity(2), 3)]}, "models holds 3, which is not a privacy model"),
    ({"k": 2, "models": tc.KAnonymity}, "models holds"),
    (
        {"k": [2, 3], "models": HOLDS_A_FUNCTION, "processes": 2},
        r"cell 1 cannot be given to another process .* processes=1",
    ),
    ({"models": [HOLDS_A_FUNCTION], "folder": "x"}, "cannot be recognised when the sweep is called again"),
]


@pytest.mark.parametrize(("asked", "words"), WRONG)
def test_a_wrong_sweep_is_named_before_anything_is_asked(asked: dict, words: str, tmp_path: Path) -> None:
    given = {**asked, **({"folder": tmp_path} if "folder" in asked else {})}
    with pytest.raises(InputError, match=words):
        sweep(table(), **given)
    assert not list(tmp_path.glob("*.json"))


def test_a_folder_is_a_path() -> None:
    for folder in (5, b"x", ["x"]):
        with pytest.raises(InputError, match=r"as folder, and was given .* give a text, or a pathlib\.Path"):
            sweep(table(), k=2, folder=folder)


def test_a_sweep_takes_tables_only() -> None:
    for given in (FRAME, {}, {"a": FRAME}):
        with pytest.raises(InputError, match="give a Table"):
            sweep(given, k=2)


def test_a_frame_has_a_row_a_cell_with_exact_text_beside_the_decimals() -> None:
    frame = sweep({"a": table(), "b": table()}, method=["mondrian", "mdav"], k=[2, 13], processes=1, seed=1).to_frame()
    assert len(frame) == 8
    assert list(frame["table"]) == ["a"] * 4 + ["b"] * 4
    assert frame["k"].tolist() == [2, 13] * 4
    held = frame[frame["outcome"] == "satisfied"]
    assert [float(tc.exact.as_fraction(text)) for text in held["GCP exact"]] == held["GCP"].tolist()
    assert frame[frame["outcome"] == "infeasible"]["GCP"].isna().all()
