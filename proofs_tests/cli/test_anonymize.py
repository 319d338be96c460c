"""``tcloseness anonymize``: every method's table passes its own re-check, and says what was done."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.cli.commands import PAPERS, adult_file, recheck, run, validated
from proofs_tests.effort import effort
from proofs_tests.lattice.cases import cases
from tcloseness.cli.anonymize import Method

DATA = PAPERS.parent / "adult"
METHODS = [method.value for method in Method]

AGES = "".join(f"{age},{age // 10}0s,{'young' if age < 40 else 'old'},*\n" for age in range(20, 60))


@pytest.fixture
def patients(tmp_path, monkeypatch):
    """Twelve records, and a hierarchy of ages; each of three diseases has four of them."""
    monkeypatch.chdir(tmp_path)
    rows = [(20 + 3 * i, 47600 + 7 * i % 50, ["flu", "cold", "gout"][i % 3], f"person {i}") for i in range(12)]
    pd.DataFrame(rows, columns=["age", "zip", "disease", "name"]).to_csv("in.csv", index=False)
    Path("levels").mkdir()
    Path("levels", "age.csv").write_text(AGES, encoding="utf-8")
    return ("anonymize", "in.csv", "-q", "age,zip", "-s", "disease", "--ground", "disease=equal")


LEVELS = ("--hierarchy", "age=levels/age.csv", "--suppress-only", "zip")
FOR = {"datafly": (*LEVELS, "--suppression", "0"), "anatomy": ("--frequency-l", "2")}
"""What a method needs besides."""


def written(file: str) -> list[list[str]]:
    with open(file, encoding="utf-8", newline="") as rows:
        return list(csv.reader(rows))


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("method", METHODS)
def test_what_each_method_writes_passes_its_own_check_with_the_same_numbers(patients, method, form):
    answer = run(*patients, "--method", method, "--k", "3", "--t", "0.4", *FOR.get(method, ()), "--keep", "name",
                 "--output", "out.csv", "--format", form)  # fmt: skip
    assert (answer.code, answer.err) == (0, "")
    done = validated(Path("out.json").read_text(encoding="utf-8"))
    checked = recheck(done)
    assert (checked.code, checked.err) == (0, "")
    numbers = {each["model"]: each["value"] for each in checked.record["summary"]}
    assert numbers["k-anonymity"] == str(done["measured"]["k"])
    assert numbers["distinct l-diversity"] == str(done["measured"]["distinct_l"])
    assert numbers["t-closeness"] == done["measured"]["t"]["value"]
    assert checked.record["records"] + checked.record["suppressed"] == 12
    assert checked.record["classes"] == done["measured"]["classes"]
    assert (done["method"]["name"], done["thresholds"]["k"], done["thresholds"]["t"]) == (method, "3", "2/5")
    if form == "json":
        assert answer.record == done
    else:
        assert answer.out.startswith("Yes: ")
        assert f"by {done['method']['title']}." in " ".join(answer.out.split())
    header, *rows = written("out.csv")
    assert {row[header.index("name")] for row in rows} == {f"person {i}" for i in range(12)}
    for file in done["anonymized"]:
        assert file["sha256"] == hashlib.sha256(Path(file["file"]).read_bytes()).hexdigest()


def test_the_answer_says_first_that_it_holds_then_what_is_attained_and_the_loss(tmp_path, monkeypatch):
    """x = y = 1, 2, 8, 9 and k = 2: the median cut gives {1, 2} and {8, 9}; each NCP is 1/8, so GCP is 1/8. Each class
    has one a and one b, as the table has: t = 0.
    """
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("x,y,s\n1,1,a\n2,2,b\n8,8,a\n9,9,b\n", encoding="utf-8")
    ask = ("anonymize", "in.csv", "-q", "x,y", "-s", "s", "--method", "mondrian", "--k", "2")
    answer = run(*ask, "--t", "0", "--ground", "s=equal", columns=120)
    first, second, *_ = answer.out.splitlines()
    assert first == "Yes: all 2 classes satisfy k = 2, t = 0 (equal), by Mondrian, strict."
    assert second.startswith("Attained: k-anonymity 2, t-closeness 0. Loss: GCP 0.125 ")
    assert "nothing" in answer.out.partition("written\n")[2]  # no file was named
    assert sorted(os.listdir()) == ["in.csv"]
    found = run(*ask, "--format", "json").record
    assert found["losses"]["GCP"] == {"value": "1/8", "decimal": "0.125", "range": ["0", "1"]}
    assert (found["anonymized"], found["check"]) == ([], None)
    assert found["generalized"] == {"x": "numeric", "y": "numeric"}


def test_a_quasi_identifier_is_generalized_as_it_is_told(patients):
    """Of the ages 20, 23, … 53 the median cut has six on each side; of the hierarchy's children seven are young."""
    ask = (
        *patients[:2],
        "-q",
        "age",
        *patients[4:],
        "--method",
        "mondrian",
        "--k",
        "5",
        "--output",
        "out.csv",
        "--force",
    )
    seen = {}
    for option in (
        (),
        ("--hierarchies", "levels"),
        ("--categorical", "age"),
        ("--hierarchies", "levels", "--numeric", "age"),
    ):
        assert run(*ask, *option).code == 0
        ages = {row[0] for row in written("out.csv")[1:]}
        assert len(ages) == 2
        seen[" ".join(option)] = ages
    assert seen[""] == seen["--hierarchies levels --numeric age"] == {"20-35", "38-53"}
    assert seen["--hierarchies levels"] == {"young", "old"}
    assert seen["--categorical age"] == {"{20, 23, 26, 29, 32, 35}", "{38, 41, 44, 47, 50, 53}"}


def test_datafly_marks_what_it_suppresses_and_the_check_knows_the_marker(patients):
    """By decades there are 4, 3, 3 and 2 records: at k = 3 the two of the fifties go, a cold and a gout."""
    answer = run(*patients[:2], "-q", "age", *patients[4:], "--method", "datafly", "--k", "3", *LEVELS[:2],
                 "--suppression", "0.2", "--output", "out.csv")  # fmt: skip
    done = validated(Path("out.json").read_text(encoding="utf-8"))
    assert (answer.code, done["suppressed_records"], done["done"]["levels"]) == (0, 2, {"age": 1})
    assert [row[0] for row in written("out.csv")[1:]] == ["20s"] * 4 + ["30s"] * 3 + ["40s"] * 3 + ["*"] * 2
    assert "--suppressed '*' --reference all" in done["check"]
    assert done["suppressed_together"] == {"records": 2, "distinct_values": 2, "status": "violated"}
    assert "the 2 suppressed record(s) stand in the table with their sensitive values" in answer.err
    assert recheck(done).code == 0


def test_anatomy_writes_two_tables_whose_classes_agree(patients):
    """The second counts the sensitive values of the first's classes; new names avoid old ones."""
    frame = pd.read_csv("in.csv").rename(columns={"zip": "class", "disease": "count"})
    frame.to_csv("in.csv", index=False)
    answer = run("anonymize", "in.csv", "-q", "age,class", "-s", "count", "--method", "anatomy", "--frequency-l", "3",
                 "--output", "out.csv")  # fmt: skip
    assert answer.code == 0
    people, values = pd.read_csv("out.csv"), pd.read_csv("out.sensitive.csv")
    assert list(people.columns) == ["age", "class", "class_"]
    assert list(values.columns) == ["class_", "count", "count_"]
    assert people[["age", "class"]].equals(frame[["age", "class"]])  # as they were
    original = people.assign(count=frame["count"]).groupby(["class_", "count"]).size()
    assert original.to_dict() == values.set_index(["class_", "count"])["count_"].to_dict()
    done = validated(Path("out.json").read_text(encoding="utf-8"))
    assert done["columns"]["left_out"] == ["name"]
    assert [file["file"] for file in done["anonymized"]] == ["out.csv", "out.sensitive.csv"]
    assert recheck(done).code == 0


@pytest.mark.parametrize(
    ("header", "rows", "options"),
    [
        ("q;s", ["1;x", "2;y", "8;x", "9;y"], ["--separator", ";"]),
        ("q,s", ["Köln,x", "Köln,y", "Ulm,x", "Ulm,y"], ["--encoding", "latin-1"]),
        ("q,s", ["Ulm,x", "Ulm,", "Rom,x", "Rom,"], ["--missing", "category"]),
        ("q,s", [",x", ",y", "b,x", "b,y"], ["--missing", "category"]),
        ("q,s", [",x", "1,x", "1,y", "2,"], ["--missing", "drop"]),
        ('q,"s, t"', ["1,x", "2,y"], []),
        ("-q,s", ["1,x", "2,y"], []),
        ("q,s", ["1,x", "2,y"], ["--domain", "s=x,y,z"]),
        ("q,s", ['"a, b",x', '"c ""d""",y', "{e},x", "f,y"], []),
    ],
    ids=["separator", "encoding", "category", "missing q", "drop", "comma", "dash", "domain", "quotes"],
)
def test_the_check_that_is_written_reads_the_file_as_it_is_written(tmp_path, header, rows, options):
    encoding = "latin-1" if "--encoding" in options else "utf-8"
    table = tmp_path / "in.csv"
    table.write_text("\n".join([header, *rows, ""]), encoding=encoding)
    qi, sa = next(csv.reader([header], delimiter=";" if ";" in header else ","))
    answer = run("anonymize", str(table), "--quasi-identifiers", qi, "--sensitive", sa, "--method", "mondrian",
                 "--k", "2", *options, "--output", str(tmp_path / "out.csv"))  # fmt: skip
    assert answer.code == 0, answer
    done = validated((tmp_path / "out.json").read_text(encoding="utf-8"))
    checked = recheck(done, tmp_path)
    assert (checked.code, checked.err) == (0, "")
    assert checked.record["classes"] == done["measured"]["classes"]
    assert {each["model"]: each["value"] for each in checked.record["summary"]}["t-closeness"] == done["measured"]["t"][
        "value"
    ]


@st.composite
def questions(draw):
    """A small table with a hierarchy, and what is asked of it; not everything can be reached."""
    case = draw(cases(max_attributes=2))
    method = draw(st.sampled_from(METHODS))
    asked = {"--k": str(draw(st.integers(1, 4)))}
    if method in ("swapping", "closeness-first", "sabre") or draw(st.booleans()):
        asked["--t"] = draw(st.sampled_from(["0", "0.3", "1/2"]))
    if method == "anatomy":
        asked["--frequency-l"] = draw(st.sampled_from(["1", "2"]))
    elif draw(st.booleans()):
        asked["--entropy-l"] = draw(st.sampled_from(["1.5", "2"]))
    kinds = {
        name: draw(st.sampled_from(["--hierarchy", "--suppress-only", "--categorical"])) for name in case.hierarchies
    }
    return case, method, asked, kinds, draw(st.sampled_from(["equal", "ordered"]))


@pytest.mark.long
@effort(5 / 12)
@given(questions())
def test_what_is_written_passes_its_check_or_the_exit_says_that_nothing_is(question):
    case, method, asked, kinds, ground = question
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        pd.DataFrame(case.rows, columns=[*case.hierarchies, "s"]).astype(str).to_csv(place / "in.csv", index=False)
        options = []
        for name, hierarchy in case.hierarchies.items():
            hierarchy.to_csv(place / f"{name}.csv")
            kind = "--hierarchy" if method == "datafly" else kinds[name]
            options += [kind, f"{name}={place / f'{name}.csv'}" if kind == "--hierarchy" else name]
        answer = run("anonymize", str(place / "in.csv"), "-q", ",".join(case.hierarchies), "-s", "s",
                     "--method", method, *options, *(word for pair in asked.items() for word in pair),
                     "--ground", f"s={ground}", "--output", str(place / "out.csv"), "--format", "json")  # fmt: skip
        assert answer.code in (0, 1, 3), answer.err
        assert (place / "out.csv").exists() == (answer.code == 0)
        if answer.code == 0:
            checked = recheck(validated((place / "out.json").read_text(encoding="utf-8")), place)
            assert (checked.code, checked.record["classes"]) == (0, answer.record["measured"]["classes"])
            assert checked.record["suppressed"] == answer.record["suppressed_records"]


def test_the_table_may_come_from_standard_input(patients):
    content = Path("in.csv").read_bytes()
    answer = run(patients[0], "-", *patients[2:], "--method", "mdav", "--k", "3", "--format", "json", stdin=content)
    assert answer.record["table"] == {"file": "standard input", "sha256": hashlib.sha256(content).hexdigest()}


# ---------------------------------------------------------------------- what goes wrong


def test_a_model_that_no_table_reaches_exits_with_1_in_the_words_of_the_error(patients):
    """Three diseases: no class has four different ones, and to generalize further does not help."""
    answer = run(*patients, "--method", "mondrian", "--distinct-l", "4", "--output", "out.csv")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("error: distinct l-diversity is violated by the whole table as one class (value 3)")
    assert sorted(os.listdir()) == ["in.csv", "levels"]


def test_a_method_that_ends_without_reaching_the_model_exits_with_3(patients):
    """At the top of every hierarchy all twelve are one class, and 13 are asked for."""
    answer = run(*patients, "--method", "datafly", "--k", "13", *LEVELS, "--suppression", "0.1", "--output", "out.csv")
    assert (answer.code, answer.out) == (3, "")
    assert "Datafly reached the top of every hierarchy, and 12 of 12 records still violate k-anonymity" in answer.err
    assert not Path("out.csv").exists()


WRONG = [
    (("--method", "magic", "--k", "2"), "'magic' is not one of 'mondrian'"),
    ((), "no threshold is given"),
    (("--method", "mdav"), "no threshold is given"),
    (("--method", "sabre", "--k", "2"), "SABRE builds classes for one t-closeness with a threshold"),
    (("--method", "closeness-first", "--k", "2"), "builds classes for one t-closeness"),
    (("--method", "anatomy", "--k", "2"), "Anatomy makes classes for an l-diversity"),
    (("--method", "datafly", "--k", "2"), "--hierarchies names no folder"),
    (("--method", "mdav", "--k", "2", "--suppression", "0.1"), "--suppression is for --method datafly"),
    (
        ("--method", "mdav", "--k", "2", "--hierarchies", "levels"),
        "or --numeric or --categorical zip to do without one",
    ),
    (("--method", "mdav", "--k", "2", "--hierarchies", "none"), "is not a folder"),
    (("--method", "mdav", "--k", "2", "--hierarchy", "age=none.csv"), "none.csv cannot be read"),
    (("--method", "mdav", "--k", "2", "--numeric", "age", "--categorical", "age"), "both say how 'age' is generalized"),
    (("--method", "mdav", "--k", "2", "--numeric", "disease"), "'disease', which is not a quasi-identifier"),
    (("--method", "mdav", "--k", "2", "--weight", "zip"), "No such option"),
    (("--method", "mdav", "--k", "2", "--output", "in.csv", "--force"), "never overwritten"),
    (("--method", "mdav", "--k", "2", "--output", "taken.csv"), "'taken.csv' exists"),
    (("--method", "mdav", "--k", "2", "--output", "out.xlsx"), "must end in .csv, .tsv, .parquet or .txt"),
    (("--method", "anatomy", "--frequency-l", "2", "--output", "two.csv"), "'two.sensitive.csv' exists"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=[" ".join(o) or "nothing" for o, _ in WRONG])
def test_wrong_usage_says_what_and_how_and_writes_nothing(patients, options, message):
    for name in ("taken.csv", "two.sensitive.csv"):
        Path(name).write_text("mine", encoding="utf-8")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    answer = run(*patients, *options)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert "Traceback" not in answer.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_name_that_is_no_number_is_not_numeric(patients):
    answer = run(*patients[:2], "-q", "name", *patients[4:], "--method", "mdav", "--k", "2", "--numeric", "name")
    assert answer.code == 2
    assert "--numeric names 'name'" in answer.err
    assert "first 'person 0', which is not a number" in answer.err


def test_several_sensitive_columns_are_refused(patients):
    answer = run(*patients[:4], "-s", "disease,name", "--method", "mdav", "--k", "2")
    assert answer.code == 2
    assert "--sensitive names 2 columns (disease, name)" in answer.err


# ---------------------------------------------------------------------- Adult


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return adult_file(tmp_path_factory)


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("mondrian", ("--k", "5", "--t", "0.3")),
        ("datafly", ("--k", "5", "--t", "0.3")),
        ("anatomy", ("--frequency-l", "4")),
    ],
)
def test_adult_is_anonymized_and_rechecked(people, tmp_path, method, asked):
    """30,162 records; the hierarchical distance over 14 occupations."""
    shutil.copy(DATA / "hierarchies" / "occupation-S1.csv", tmp_path)
    ground = f"occupation=hierarchical:{DATA / 'hierarchies' / 'occupation-S1.csv'}"
    answer = run("anonymize", people, "-q", "age,education,race,sex", "-s", "occupation", "--method", method,
                 "--hierarchies", str(DATA / "hierarchies" / "T1"), "--ground", ground, *asked,
                 "--output", str(tmp_path / "out.csv"), "--format", "json")  # fmt: skip
    assert answer.code == 0, answer.err
    done = validated((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (done["records"], answer.record) == (30162, done)
    checked = recheck(done, tmp_path)
    assert checked.code == 0
    assert checked.record["classes"] == done["measured"]["classes"] > 1
    numbers = {each["model"]: each["value"] for each in checked.record["summary"]}
    assert numbers["t-closeness"] == done["measured"]["t"]["value"]
    assert numbers["k-anonymity"] == str(done["measured"]["k"])


# ---------------------------------------------------------------------- draws


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
def test_with_a_seed_the_order_of_the_rows_in_the_file_changes_nothing_that_is_written(patients, method):
    """Not even which of two people with equal ages, codes and diseases is in which class; their kept names differ."""
    header, *rows = Path("in.csv").read_text(encoding="utf-8").splitlines()
    rows += [row.replace("person", "twin") for row in rows]
    ask = (*patients, "--method", method, "--k", "3", "--t", "0.4", *FOR.get(method, ()), "--keep", "name",
           "--output", "out.csv", "--force", "--format", "json")  # fmt: skip
    seen, asked = {}, (("1", rows), ("1", rows[::-1]), ("1", sorted(rows)), ("2", rows))
    for number, (seed, lines) in enumerate(asked):
        Path("in.csv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
        answer = run(*ask, "--seed", seed)
        assert answer.code == 0, answer.err
        written = [Path(file["file"]).read_bytes() for file in answer.record["anonymized"]]
        shown = {name: value for name, value in answer.record.items() if name != "table"}
        seen[number] = (written, shown)
        assert recheck(answer.record).code == 0
        assert validated(json.dumps(answer.record))["seed"] == int(seed)
    assert seen[0] == seen[1] == seen[2]
    draws_nothing = method in ("mondrian", "datafly")
    if draws_nothing or method in ("mdav", "anatomy"):
        assert (seen[0][0] == seen[3][0]) == draws_nothing
    text = run(*ask[:-2], "--seed", "1").out
    assert ("Nothing was drawn, so the seed 1 changes nothing." in text) == draws_nothing
    assert ("Not for publication: drawn with the given seed 1" in " ".join(text.split())) != draws_nothing


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("mondrian", "datafly")])
def test_without_a_seed_it_is_drawn_anew_and_the_record_says_that_the_seed_is_secret(patients, method, monkeypatch):
    secret = bytes(range(101, 133))
    monkeypatch.setattr("secrets.token_bytes", lambda size: secret[:size])
    answer = run(*patients, "--method", method, "--k", "3", "--t", "0.4", *FOR.get(method, ()), "--output", "out.csv",
                 "--format", "json")  # fmt: skip
    assert answer.record["seed"] is None
    assert answer.record["conventions"]["draws"] == "drawn at random with a secret seed"
    everything = (
        answer.out
        + answer.err
        + "".join(Path(file).read_text(encoding="utf-8") for file in os.listdir() if Path(file).is_file())
    )
    for text in (secret.hex(), str(int.from_bytes(secret, "big")), str(int.from_bytes(secret, "little")), str(secret)):
        assert text not in everything
    assert "ublication" not in everything


@pytest.mark.parametrize("seed", ["-1", "1.0", "x", "", " 1", "1_0", "٣", str(2**128), "1" * 5000])
def test_what_is_no_seed_is_refused(patients, seed):
    answer = run(*patients, "--method", "mdav", "--k", "3", f"--seed={seed}")
    assert answer.code == 2
    assert "is not a whole number from 0 to 2¹²⁸ − 1" in answer.err


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_what_is_written_is_a_function_of_the_rows(patients, method):
    """Sorted by what each row shows: the place of a row says nothing that the row does not."""
    run(*patients, "--method", method, "--k", "3", "--t", "0.4", *FOR.get(method, ()), "--keep", "name",
        "--output", "out.csv")  # fmt: skip
    for file in [path for path in os.listdir() if path.startswith("out") and path.endswith(".csv")]:
        _, *rows = written(file)

        def natural(row: list[str]) -> list[list[tuple[int, int, str]]]:
            return [
                [(0, int(each), "") if each.isdigit() else (1, 0, each) for each in re.findall(r"\d+|\D+", cell)]
                for cell in row
            ]

        assert rows == sorted(rows, key=natural)


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_ends_any_method_with_3_and_nothing_is_written(patients, method):
    before = sorted(os.listdir())
    ask = (*patients, "--method", method, "--k", "3", "--t", "0.4", *FOR.get(method, ()), "--output", "out.csv")
    answer = run(*ask, "--time-limit", "0.000001")
    assert (answer.code, answer.out) == (3, "")
    assert "the time limit of 1e-06 seconds was reached while" in answer.err
    assert sorted(os.listdir()) == before
    assert run(*ask, "--time-limit", "600", "--memory-limit", "8G").code == 0
    assert run(*ask, "--time-limit", "soon").code == run(*ask, "--memory-limit", "much").code == 2


def test_intervals_are_shown_on_the_grid_that_is_named_and_its_price_beside_tight_labels(patients):
    """The ages are 20, 23, … 53, and of 12 records 4 classes of three: 20-26, 29-35, 38-44, 47-53."""
    ask = ("anonymize", "in.csv", "-q", "age", "-s", "disease", "--k", "3", "--format", "json")
    tight = run(*ask).record
    found = run(*ask, "--grid", "age=10:5", "--output", "out.csv").record
    assert {row[0] for row in written("out.csv")[1:]} == {"15-34", "25-44", "35-44", "45-54"}
    assert found["gives_away"]["labels"] == {"age": {"says": "several", "grid": [10, 5]}}
    prices = [each["losses"]["GCP"]["decimal"][:5] for each in (tight, found)]
    told = next(sentence for sentence in found["answer"] if sentence.startswith("On the grid"))
    assert all(price in told for price in prices)
    assert prices[0] < prices[1]
    certain = [each["gives_away"]["tight"]["counts"]["generalized cells"]["certain"] for each in (tight, found)]
    assert certain == [8, 0]
    assert tight["gives_away"]["cures"][0].startswith("--grid age=10 ")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--grid", "age"), "--grid 'age' names no column; write COLUMN=WIDTH"),
        (("--grid", "age=x"), "--grid age='x' is not COLUMN=WIDTH or COLUMN=WIDTH:ORIGIN of whole numbers"),
        (("--grid", "age=1"), "whole number ≥ 2"),
        (("--grid", "age=5", "--grid", "age=2"), "--grid is given twice for column 'age'"),
        (("--grid", "age=5", *LEVELS), "--grid: 'age' is not a quasi-identifier that shows intervals"),
        (("--grid", "age=5", "--method", "anatomy", "--frequency-l", "2"), "--grid is for intervals"),
    ],
)
def test_grids_that_cannot_be_are_refused_by_name(patients, options, told):
    answer = run(*patients, "--k", "3", *options)
    assert answer.code == 2
    assert told in " ".join(answer.err.split())


@pytest.mark.parametrize(
    ("method", "asked", "word"),
    [
        ("mondrian", (), "from the quasi-identifiers alone, and records with equal ones are treated alike"),
        ("mdav", (), "from the quasi-identifiers alone, and records with equal ones are put in a secretly drawn order"),
        ("mdav", ("--seed", "1"), "Do not publish it"),
        ("mondrian", ("--seed", "1"), "are treated alike"),
        ("mondrian", ("--distinct-l", "2"), "The method looked at the sensitive values"),
        ("confidential", (), "The method looked at the sensitive values"),
        ("anatomy", ("--frequency-l", "2"), "drawn at random with a secret seed"),
    ],
)
def test_what_whoever_knows_the_method_learns_is_said_of_each_method_and_model(patients, method, asked, word):
    answer = run(*patients, "--k", "3", "--method", method, *asked, "--format", "json")
    assert answer.code == 0
    code = answer.record["gives_away"]["code"]["sentences"]
    assert len(code) == 3
    assert word in " ".join(code)
    assert (answer.record["gives_away"]["tight"] is None) == (method == "anatomy")
