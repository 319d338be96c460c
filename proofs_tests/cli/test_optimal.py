"""``tcloseness optimal``: what each task proves and writes, the re-check of that, and the limits."""

from __future__ import annotations

import csv
import os
import pty
import random
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from proofs_tests.cli.commands import PAPERS, adult_file, recheck, run, validated
from proofs_tests.cli.processes import forked
from tcloseness import methods
from tcloseness.cli.output import progress_text
from tcloseness.limits import Clock
from tcloseness.microdata import Hierarchy
from tcloseness.optimal import Progress
from tcloseness.optimal.partition import Outcome

DATA = PAPERS.parent / "adult"


@pytest.fixture
def square(tmp_path, monkeypatch):
    """The points (1,1), (2,2), (8,8), (9,9), each with a value of its own half."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("x,y,s\n1,1,a\n2,2,b\n8,8,a\n9,9,b\n", encoding="utf-8")
    return ("in.csv", "-q", "x,y", "-s", "s")


@pytest.fixture
def towns(tmp_path, monkeypatch):
    """North has towns a and b, south c and d; records a, b, c, c, d, d."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("town,s,who\na,x,1\nb,y,2\nc,x,3\nc,y,4\nd,x,5\nd,y,6\n", encoding="utf-8")
    Path("town.csv").write_text("a,north,*\nb,north,*\nc,south,*\nd,south,*\n", encoding="utf-8")
    return ("in.csv", "-q", "town", "-s", "s", "--hierarchies", ".")


@pytest.fixture
def spread(tmp_path, monkeypatch):
    """Class p has five x, two y and one z; class q one x and one y."""
    monkeypatch.chdir(tmp_path)
    rows = ["p,x"] * 5 + ["p,y"] * 2 + ["p,z", "q,x", "q,y"]
    Path("in.csv").write_text("\n".join(["q,s", *rows, ""]), encoding="utf-8")
    return ("in.csv", "-q", "q", "-s", "s")


def written(file: str = "out.csv") -> list[list[str]]:
    with open(file, encoding="utf-8", newline="") as rows:
        return list(csv.reader(rows))


def sidecar() -> dict:
    return validated(Path("out.json").read_text(encoding="utf-8"))


WRITE = ("--output", "out.csv", "--format", "json")

# ---------------------------------------------------------------------- the tasks


@pytest.mark.parametrize("more", [(), ("--formulation", "assignment"), ("--formulation", "set-partitioning")], ids=str)
def test_a_partition_of_least_loss_is_proved_and_written(square, more):
    """{1, 2} and {8, 9} have NCP 1/8 each in both columns; of four records and two columns GCP is 1/8."""
    answer = run("optimal", "partition", *square, "--k", "2", "--loss", "gcp", *more, *WRITE)
    found = answer.record
    assert (answer.code, answer.err, found) == (0, "", sidecar())
    assert (found["status"], found["objective"]["value"], found["bound"]["value"]) == ("optimal", "1/8", "1/8")
    assert (found["gap"]["value"], found["solver"], found["minimized"]) == ("0", "HiGHS", "GCP")
    assert found["proof"].endswith(", checked")
    assert written() == [
        ["x", "y", "s"],
        *([a, a, s] for a, s in zip(["1-2", "1-2", "8-9", "8-9"], "abab", strict=True)),
    ]
    assert recheck(found).code == 0


def test_the_text_answers_first_with_the_proof(square):
    text = run("optimal", "partition", *square, "--k", "2", "--loss", "gcp").out.splitlines()
    assert text[:2] == [
        "Optimal: the least GCP is 1/8 = 0.125, under k = 2.",
        "Proof: exact argument: linear programming duality in whole numbers, checked.",
    ]


def test_the_second_solver_finds_the_same_and_never_says_optimal(square):
    answer = run("optimal", "partition", *square, "--k", "2", "--loss", "gcp", "--solver", "cbc", *WRITE)
    assert (answer.code, answer.record["status"], answer.record["objective"]["value"]) == (3, "feasible", "1/8")
    assert Fraction(answer.record["bound"]["value"]) < Fraction(1, 8)
    assert recheck(sidecar()).code == 0


def test_a_cut_of_least_loss_goes_through_uneven_nodes(towns):
    """At k = 2 a and b must be one: {north, c, d} costs 2 · 2/4 = 1; of the levels only * and {north, south} do, the
    latter at 6 · 2/4 = 3.
    """
    answer = run("optimal", "cut", *towns, "--k", "2", "--keep", "who", *WRITE)
    found = answer.record
    assert (answer.code, found["objective"]["value"], found["done"]["cut of town"]) == (0, "1", "north, c, d")
    assert [row[0] for row in written()[1:]] == ["c", "c", "d", "d", "north", "north"]
    assert sorted(row[2] for row in written()[1:]) == list("123456")
    assert recheck(found).code == 0
    levels = run("optimal", "cut", *towns, "--k", "2", "--recoding", "full-domain", "--format", "json").record
    assert (levels["objective"]["value"], levels["done"]["cut of town"]) == ("3", "north, south")


def test_the_fewest_records_are_suppressed_and_marked(spread):
    """In p, x may have half of the records that stay: 3 of 6, so two of five go."""
    answer = run("optimal", "suppression", *spread, "--frequency-l", "2", *WRITE)
    found = answer.record
    assert (answer.code, found["objective"]["value"], found["suppressed_records"]) == (0, "2", 2)
    assert sorted(written()[1:]) == sorted([["*", "x"]] * 2 + [["p", "x"]] * 3 + [["p", "y"]] * 2
                                           + [["p", "z"], ["q", "x"], ["q", "y"]])  # fmt: skip
    assert "--suppressed '*' --reference all" in found["check"]
    assert "2 suppressed record(s) stand in the table" in answer.err
    assert recheck(found).code == 0


def test_the_fewest_values_are_hidden_and_every_record_stays(spread):
    answer = run("optimal", "hiding", *spread, "--k", "2", "--frequency-l", "2", *WRITE)
    found = answer.record
    assert (answer.code, found["objective"]["value"], found["suppressed_records"]) == (0, "2", 0)
    assert (found["measured"]["k"], found["measured"]["classes"]) == (2, 2)
    rows = written()[1:]
    assert [row[0] for row in rows] == ["p"] * 8 + ["q"] * 2
    assert [row[1] for row in rows].count("") == 2
    assert sorted(row[1] for row in rows if row[1]) == list("xxxxyyyz")
    assert found["check"] is None  # Q is that of all values, and the table does not show it
    assert run("check", "out.csv", "-q", "q", "-s", "s", "--missing", "drop", "--frequency-l", "2").code == 0
    assert run("check", "out.csv", "-q", "q", "-s", "s", "--missing", "category", "--k", "2").code == 0


def test_a_hidden_value_is_told_from_a_missing_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("q,s\na,x\na,x\na,\n", encoding="utf-8")
    answer = run(
        "optimal", "hiding", "in.csv", "-q", "q", "-s", "s", "--frequency-l", "2", "--missing", "category", *WRITE
    )
    assert (answer.code, answer.record["objective"]["value"]) == (0, "1")
    assert sorted(row[1] for row in written()[1:]) == ["", "*", "x"]
    assert answer.record["conventions"]["hidden values"].startswith("cells with *;")


@pytest.mark.parametrize("stands", ["", "*", "**"])
def test_a_hidden_value_is_told_from_every_value_wherever_that_stands(stands, tmp_path, monkeypatch):
    """Of x, x, x and one that could be taken for a mark, x or it is hidden; whichever row is the last, one mark stands
    for the hidden ones only.
    """
    monkeypatch.chdir(tmp_path)
    marks = ["", "*", "**"][: ["", "*", "**"].index(stands) + 1]
    sensitive = ["x"] * 5 + marks
    Path("in.csv").write_text("\n".join(["q,s", *(f"a,{value}" for value in sensitive), ""]), encoding="utf-8")
    for seed in range(6):
        answer = run(
            "optimal", "hiding", "in.csv", "-q", "q", "-s", "s", "--frequency-l", "2", "--missing", "category",
            "--seed", str(seed), "--force", *WRITE,
        )  # fmt: skip
        shown, hidden = Counter(row[1] for row in written()[1:]), 5 - len(marks)
        assert (answer.code, answer.record["objective"]["value"]) == (0, str(hidden)), answer.err
        assert shown == Counter(["x"] * len(marks) + marks + ["*" * len(marks)] * hidden)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_class_that_shows_nothing_still_counts_for_k(tmp_path, monkeypatch, form):
    """Class a has one value only, so all three are hidden; its size 3 stays the least."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("\n".join(["q,s", *["a,x"] * 3, *["b,x", "b,y"] * 2, ""]), encoding="utf-8")
    answer = run(
        "optimal", "hiding", "in.csv", "-q", "q", "-s", "s", "--k", "3", "--frequency-l", "2", "--format", form
    )
    assert answer.code == 0
    if form == "text":
        assert "k-anonymity            3         ≥ 3" in answer.out
        return
    of_k, of_l = answer.record["verdicts"]
    assert (answer.record["objective"]["value"], answer.record["done"]["classes that show none"]) == ("3", 1)
    assert (of_k["worst"][0]["records"], of_l["worst"][0]["records"]) == (3, 4)


def test_records_are_suppressed_at_a_node(towns):
    """At level 1 north has x and y, south two of each: nothing goes; at level 0 a and b have one value each."""
    ask = ("optimal", "suppression", *towns, "--frequency-l", "2", "--format", "json")
    assert run(*ask, "--node", "1").record["objective"]["value"] == "0"
    answer = run(*ask, "--node", "0", "--output", "out.csv")
    assert (answer.record["objective"]["value"], [row[0] for row in written()[1:]]) == (
        "2",
        ["*", "*", "c", "c", "d", "d"],
    )
    assert answer.record["generalized"] == {"town": "level 0 of 2"}
    assert recheck(answer.record).code == 0


def test_one_column_is_shown_as_means(tmp_path, monkeypatch):
    """{1, 2, 3, 4} and {20, 21, 22}: 9/4 + 1/4 + 1/4 + 9/4 and 1 + 0 + 1 are 7."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{x},s{i}" for i, x in enumerate([20, 1, 2, 21, 3, 4, 22])]
    Path("in.csv").write_text("\n".join(["pay,s", *rows, ""]), encoding="utf-8")
    answer = run("optimal", "microaggregation", "in.csv", "-q", "pay", "-s", "s", "--k", "3", *WRITE)
    found = answer.record
    assert (answer.code, found["objective"]["value"], found["solver"]) == (0, "7", None)
    assert [row[0] for row in written()[1:]] == ["2.5"] * 4 + ["21"] * 3
    assert recheck(found).code == 0


@pytest.mark.parametrize(("values", "means"), [("0,0,1", "1/3"), ("-1,0", "-0.5"), ("0.1,0.2,0.4,0.5", "0.3")])
def test_a_mean_is_a_decimal_where_it_has_one_that_ends(tmp_path, monkeypatch, values, means):
    monkeypatch.chdir(tmp_path)
    numbers = values.split(",")
    Path("in.csv").write_text("\n".join(["pay,s", *(f"{x},s" for x in numbers), ""]), encoding="utf-8")
    assert (
        run("optimal", "microaggregation", "in.csv", "-q", "pay", "-s", "s", "--k", str(len(numbers)), *WRITE).code == 0
    )
    assert {row[0] for row in written()[1:]} == {means}


# ---------------------------------------------------------------------- no solution, and limits


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (
            "partition",
            "all 4 records as one class violate k-anonymity (value 4: a class must have at least 5 records",
        ),
        ("suppression", "no class of 4 has records that satisfy k-anonymity by themselves"),
        ("hiding", "4 of 4 classes have fewer than k = 5 records"),
    ],
)
def test_what_has_no_solution_exits_with_1_and_says_why(square, task, reason):
    answer = run("optimal", task, *square, "--k", "5", *WRITE)
    assert (answer.code, answer.record["status"]) == (1, "infeasible")
    assert answer.record["reason"].startswith(reason)
    assert not Path("out.csv").exists()
    text = run("optimal", task, *square, "--k", "5").out
    assert text.startswith("Infeasible: nothing satisfies k = 5.\n")
    assert reason[1:20] in text


def test_too_few_numbers_make_no_group(square):
    answer = run("optimal", "microaggregation", "in.csv", "-q", "x", "-s", "s", "--k", "5", "--format", "json")
    assert (answer.code, answer.record["reason"]) == (1, "4 values make no group of k = 5")


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return adult_file(tmp_path_factory)


@pytest.fixture
def forty(people, tmp_path, monkeypatch):
    """Forty records of Adult."""
    monkeypatch.chdir(tmp_path)
    pd.read_csv(people, dtype=str).iloc[:40].to_csv("in.csv", index=False)
    return ("in.csv", "-q", "age,education,hours-per-week", "-s", "occupation")


@pytest.mark.long
@pytest.mark.solver
def test_at_the_time_limit_what_was_found_is_written_with_its_bound_and_the_exit_is_3(forty):
    """The assignment of forty records is far from proved in a second."""
    answer = run("optimal", "partition", *forty, "--k", "4", "--formulation", "assignment", "--time-limit", "1", *WRITE)
    found = answer.record
    assert (answer.code, found["status"], found["time_limit_seconds"]) == (3, "feasible", 1)
    objective, bound, gap = (Fraction(found[name]["value"]) for name in ("objective", "bound", "gap"))
    assert 0 <= bound < objective == bound + gap
    assert recheck(sidecar()).code == 0


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.skipif(os.name != "posix", reason="terminals as on POSIX")
def test_a_terminal_is_told_incumbent_bound_and_gap_and_no_terminal_nothing(forty):
    ask = ("optimal", "partition", *forty, "--k", "4", "--formulation", "assignment", "--time-limit", "4")
    master, slave = pty.openpty()
    done = forked(ask, stderr=slave)  # where loading the package takes none of the time
    os.close(slave)
    shown = os.read(master, 65536).decode()
    os.close(master)
    assert (done.code, done.out[:9]) == (3, b"Feasible:")
    assert " s  incumbent " in shown
    assert "  bound " in shown
    assert "  gap " in shown


@pytest.mark.parametrize(
    ("left", "least", "most"), [(100, 24, 25), (2, 0.4, 0.5), (0.1, 0.4, 0.5), (-0.2, 0.2, 0.3), (-0.6, 0, 1e-6)]
)
def test_the_heuristics_of_the_start_take_a_quarter_of_the_time_and_end_half_a_second_past_it(left, least, most):
    """Also where reading took longer than there was: what they may still take is then less than half a second."""
    clock = Clock(10, begun=time.monotonic() - 10 + left)
    assert least <= methods._part(clock).time_limit <= most


def test_progress_has_a_dash_for_what_is_not_known():
    assert progress_text(Progress(1.0, Fraction(7, 2), None)) == "incumbent 3.5  bound –  gap –"
    assert progress_text(Progress(1.0, Fraction(7, 2), Fraction(3))) == "incumbent 3.5  bound 3  gap 0.5"


# ---------------------------------------------------------------------- wrong usage

WRONG = [
    (("magic", "in.csv"), "'magic' is not one of 'partition'"),
    (("partition",), "Missing argument 'TABLE'"),
    (("partition", "in.csv"), "no threshold is given"),
    (("partition", "in.csv", "--t", "0.1"), "no ground distance for 's'"),
    (("partition", "in.csv", "--k", "2", "--loss", "entropy"), "--loss 'entropy' is not one of ncp"),
    (
        ("partition", "in.csv", "--k", "2", "--formulation", "magic"),
        "--formulation 'magic' is unknown; it is one of auto",
    ),
    (
        ("partition", "in.csv", "--k", "2", "--time-limit", "0"),
        "--time-limit 0.0: it must be a finite number of seconds > 0\n",
    ),
    (("partition", "in.csv", "--epsilon", "1"), "is not known to judge each class by itself"),
    (
        ("partition", "in.csv", "--k", "2", "--node", "00"),
        "--node is for suppression and hiding and sensitive-generalization, and not for partition",
    ),
    (
        ("suppression", "in.csv", "--k", "2", "--loss", "ncp"),
        "--loss is for partition and cut and sensitive-generalization, and not for suppression",
    ),
    (("suppression", "in.csv", "--entropy-l", "2"), "is not linear in the counts of a class"),
    (("suppression", "in.csv", "--k", "2", "--node", "00"), "--hierarchies names no folder"),
    (("cut", "in.csv", "--k", "2"), "--hierarchies names no folder"),
    (("cut", "in.csv", "--k", "2", "--numeric", "x"), "--numeric is for partition, and not for cut"),
    (("microaggregation", "in.csv", "--k", "2"), "the quasi-identifiers are x, y; name one"),
    (("microaggregation", "in.csv", "--k", "2", "--solver", "cbc"), "--solver is for partition"),
    (("partition", "in.csv", "--k", "2", "--output", "in.csv", "--force"), "never overwritten"),
    (("partition", "in.csv", "--k", "2", "--output", "taken.csv"), "'taken.csv' exists"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_usage_says_what_and_how_and_writes_nothing(square, words, message):
    Path("taken.csv").write_text("mine", encoding="utf-8")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    answer = run("optimal", *words, *square[1:])
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert "Traceback" not in answer.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_microaggregation_is_of_numbers_and_for_k_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("x,s\n1,a\nmany,b\n", encoding="utf-8")
    ask = ("optimal", "microaggregation", "in.csv", "-q", "x", "-s", "s")
    assert "needs numbers, and 'x' has the value 'many'" in run(*ask, "--k", "2").err
    assert "give --k, without --distinct-l" in run(*ask, "--k", "2", "--distinct-l", "2").err


# ---------------------------------------------------------------------- Adult


@pytest.mark.long
@pytest.mark.solver
@pytest.mark.parametrize("task", ["suppression", "hiding"])
def test_adult_at_a_node_needs_the_fewest_records_or_values(people, tmp_path, task):
    """With no value in more than half of a class, of m records of the commonest value and r others m − r must go."""
    folder, columns, levels = DATA / "hierarchies" / "T1", ["age", "education", "race", "sex"], (2, 1, 1, 0)
    answer = run("optimal", task, people, "-q", ",".join(columns), "-s", "occupation", "--hierarchies", str(folder),
                 "--frequency-l", "2", "--node", "2110", "--format", "json",
                 "--output", str(tmp_path / "out.csv"))  # fmt: skip
    found = answer.record
    frame = pd.read_csv(people, dtype=str)
    for column, level in zip(columns, levels, strict=True):
        frame[column] = frame[column].map(
            {path[0]: path[level] for path in Hierarchy.from_csv(folder / f"{column}.csv").paths}
        )
    cells = frame.groupby([*columns, "occupation"]).size()
    classes = cells.groupby(level=columns)
    fewest = (2 * classes.max() - classes.sum()).clip(lower=0).sum()
    assert (answer.code, found["status"], found["records"]) == (0, "optimal", 30162)
    assert 0 < int(found["objective"]["value"]) == fewest
    if task == "suppression":
        checked = recheck(found, tmp_path)
        assert (checked.code, checked.record["suppressed"]) == (0, fewest)


@pytest.mark.long
@pytest.mark.solver
def test_a_cut_of_adult_costs_no_more_than_the_best_level(people):
    folder = str(DATA / "hierarchies" / "T1")
    ask = ("optimal", "cut", people, "-q", "age,sex", "-s", "occupation", "--hierarchies", folder,
           "--k", "50", "--format", "json")  # fmt: skip
    subtree, levels = run(*ask), run(*ask, "--recoding", "full-domain")
    assert (subtree.code, levels.code) == (0, 0)
    assert Fraction(subtree.record["objective"]["value"]) <= Fraction(levels.record["objective"]["value"])


@pytest.mark.slow
def test_adult_is_too_large_for_a_partition_and_that_is_undecided(people):
    answer = run("optimal", "partition", people, "-q", "age,sex", "-s", "occupation", "--k", "5",
                 "--formulation", "set-partitioning")  # fmt: skip
    assert (answer.code, answer.out) == (3, "")
    assert answer.err.startswith("error: ")


@pytest.mark.slow
@pytest.mark.solver
def test_at_the_time_limit_a_partition_is_not_worse_than_any_heuristic_makes(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.read_csv(people, dtype=str).iloc[:60].to_csv("in.csv", index=False)
    ask = ("in.csv", "-q", "age,hours-per-week", "-s", "occupation", "--k", "5", "--distinct-l", "3", "--seed", "4",
           "--format", "json")  # fmt: skip
    found = run("optimal", "partition", *ask, "--time-limit", "3").record
    assert found["status"] in ("feasible", "optimal")
    for method in ("mondrian", "mondrian-relaxed", "mdav", "confidential"):
        made = run("anonymize", *ask, "--method", method).record
        ncp = Fraction(made["losses"]["NCP"]["value"])
        assert Fraction(found["objective"]["value"]) <= ncp
    assert found["done"]["started from"]


@pytest.mark.long
def test_a_limit_of_memory_is_refused_by_name_with_exit_3(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i * 37 % 401},{i * 53 % 397},{i % 3}" for i in range(400)]
    Path("in.csv").write_text("\n".join(["x,y,s", *rows, ""]), encoding="utf-8")
    answer = run("optimal", "partition", "in.csv", "-q", "x,y", "-s", "s", "--k", "3", "--memory-limit", "1M", *WRITE)
    assert (answer.code, answer.out) == (3, "")
    assert "1 MB may be taken" in answer.err
    assert "greater --memory-limit" in answer.err
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("task", ["suppression", "hiding"])
def test_real_stars_are_told_from_what_is_suppressed_or_hidden(tmp_path, monkeypatch, task):
    """Group * has two x and one y: one x goes. Its group has the marker's name, and one value is a star."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("q,s\n*,x\n*,x\n*,*\np,*\np,x\n", encoding="utf-8")
    answer = run("optimal", task, "in.csv", "-q", "q", "-s", "s", "--frequency-l", "2", *WRITE)
    assert (answer.code, answer.record["objective"]["value"]) == (0, "1")
    rows = Counter(map(tuple, written()[1:]))
    if task == "suppression":
        assert rows == Counter([("**", "x"), ("*", "x"), ("*", "*"), ("p", "*"), ("p", "x")])
        assert recheck(answer.record).code == 0
    else:
        assert rows == Counter([("*", ""), ("*", "x"), ("*", "*"), ("p", "*"), ("p", "x")])


@pytest.mark.parametrize(
    ("asked", "by_values"),
    [(("--k", "2"), 0), (("--k", "2", "--distinct-l", "2"), 1), (("--k", "2", "--t", "1", "--ground", "s=equal"), 1)],
    ids=["k", "l", "t"],
)
@pytest.mark.solver
def test_no_partition_starts_from_the_sensitive_values_where_nothing_is_asked_of_them(
    tmp_path, monkeypatch, asked, by_values
):
    """Classes of near sensitive values give them away, and k-anonymity alone does not ask for such classes."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("q,s\n1,a\n2,b\n8,a\n9,b\n", encoding="utf-8")
    tried = []
    real = methods.run_method
    monkeypatch.setattr(
        methods, "run_method", lambda method, *rest, **more: tried.append(method) or real(method, *rest, **more)
    )
    assert run("optimal", "partition", "in.csv", "-q", "q", "-s", "s", *asked, "--format", "json").code == 0
    assert len(tried) == len(methods.STARTS) - 1 + by_values
    assert tried.count("confidential") == by_values


@pytest.mark.solver
@pytest.mark.parametrize("solved", [True, False], ids=["to the end", "from the start alone"])
def test_a_merely_k_anonymous_partition_stays_as_it_is_whoever_has_which_value(tmp_path, monkeypatch, solved):
    """Also where the search finds nothing in its time, and the answer is a heuristic's."""
    monkeypatch.chdir(tmp_path)
    if not solved:
        nothing = Outcome("none", None, 0, "nothing")
        monkeypatch.setattr("tcloseness.optimal.partition.Task.solve", lambda *_: nothing)
    seen = set()
    people = [(0, 3), (0, 4), (1, 5), (4, 0), (5, 0), (6, 1), (4, 9), (5, 9), (6, 8), (9, 3), (9, 4), (9, 5)]
    for values in ("aaabbbcccddd", "abcdabcdabcd", "ddccbbaaddcb"):
        rows = [f"{x},{y},{value},{i}" for i, ((x, y), value) in enumerate(zip(people, values, strict=True))]
        Path("in.csv").write_text("\n".join(["x,y,s,i", *rows, ""]), encoding="utf-8")
        run("optimal", "partition", "in.csv", "-q", "x,y", "-s", "s", "--keep", "i", "--k", "3", "--seed", "1",
            "--output", "out.csv", "--force")  # fmt: skip
        shown = pd.read_csv("out.csv", dtype=str)
        seen.add(tuple(shown.sort_values("i")[["x", "y", "i"]].itertuples(index=False, name=None)))
    assert len(seen) == 1


@pytest.mark.solver
@pytest.mark.parametrize("task", ["suppression", "hiding"])
def test_which_of_equal_values_go_is_drawn_and_not_read_off_other_columns(tmp_path, monkeypatch, task):
    """Of thirty x beside ten y twenty go, in one of 30 million ways: two draws are the same once in so many runs."""
    monkeypatch.chdir(tmp_path)
    rows = [f"q,{'y' if i < 10 else 'x'},{i}" for i in range(40)]
    Path("in.csv").write_text("\n".join(["q,s,i", *rows, ""]), encoding="utf-8")
    seen = []
    for seed in ((), (), ("--seed", "1"), ("--seed", "1"), ("--seed", "2")):
        answer = run("optimal", task, "in.csv", "-q", "q", "-s", "s", "--keep", "i", "--frequency-l", "2", *seed,
                     "--output", "out.csv", "--force")  # fmt: skip
        assert answer.code == 0
        assert ("Not for publication: drawn with the given seed" in " ".join(answer.out.split())) == bool(seed)
        shown = pd.read_csv("out.csv", dtype=str, keep_default_na=False)
        gone = shown["q"] == "*" if task == "suppression" else shown["s"] == ""
        assert gone.sum() == 20
        seen.append(frozenset(shown["i"][gone]))
    assert seen[0] != seen[1]
    assert seen[2] == seen[3] != seen[4]


@pytest.mark.long
@pytest.mark.solver
@pytest.mark.parametrize("task", ["partition", "cut", "suppression", "hiding", "microaggregation"])
def test_with_a_seed_the_order_of_the_rows_changes_nothing_and_ties_are_drawn_with_it(tmp_path, monkeypatch, task):
    """What goes, and which of equal records does, is by the seed, and not by where a record stands in the file."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{q},{s},{i}" for i, (q, s) in enumerate([*((5, s) for s in "xxxyyyzw"), *((7, s) for s in "xyzw")])]
    Path("h").mkdir()
    Path("h/q.csv").write_text("5,all\n7,all\n", encoding="utf-8")
    asked = {
        "partition": ("--k", "2", "--t", "7/32", "--ground", "s=equal", "--formulation", "column-generation"),
        "cut": ("--k", "2", "--hierarchies", "h"),
        "microaggregation": ("--k", "3"),
    }.get(task, ("--k", "1", "--t", "1/16", "--ground", "s=equal"))
    draw, seen = random.Random(3), []
    for seed in ("1", "1", "2", "3", "4", "5"):
        Path("in.csv").write_text("\n".join(["q,s,i", *rows, ""]), encoding="utf-8")
        answer = run("optimal", task, "in.csv", "-q", "q", "-s", "s", "--keep", "i", *asked, "--seed", seed,
                     "--output", "out.csv", "--force", "--format", "json")  # fmt: skip
        assert (answer.code, answer.record["seed"]) == (0, int(seed))
        seen.append((Path("out.csv").read_text(encoding="utf-8"), answer.record["conventions"]["draws"]))
        draw.shuffle(rows)
    assert seen[0] == seen[1]
    assert seen[0][1] == "seed 1 given: repeatable, not for publication"
    if task in ("suppression", "hiding"):
        assert len({text for text, _ in seen}) > 2
