"""``tcloseness attack``: what releases give away, by files alone; and that what is certain is proved and true."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations, product
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from proofs_tests.cli.commands import SCHEMAS, run
from tcloseness.attacks import published
from tcloseness.attacks.disclosure import Level
from tcloseness.cli import records_beside, two_tables as two_tables_module
from tcloseness.cli.anonymize import FORMAT
from tcloseness.cli.attack import NO_CHECKER

PEOPLE = pd.DataFrame(
    {
        "age": [20, 24, 27, 31, 36, 38, 44, 49],
        "zip": [1, 1, 2, 2, 3, 3, 4, 4],
        "ill": ["flu", "cold", "flu", "gout", "cold", "flu", "gout", "cold"],
    }
)
ONE = "age,ill\n20-27,flu\n20-27,cold\n20-27,flu\n31-49,gout\n31-49,cold\n31-49,flu\n31-49,gout\n31-49,cold\n"
TWO = "age,ill\n20-24,flu\n20-24,cold\n27-31,flu\n27-31,gout\n36-49,cold\n36-49,flu\n36-49,gout\n36-49,cold\n"
ROLES = ("-q", "age", "-s", "ill")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_csv("people.csv", index=False)
    Path("one.csv").write_text(ONE, encoding="utf-8")
    Path("two.csv").write_text(TWO, encoding="utf-8")


def asked(*words):
    answer = run("attack", *words, "--format", "json")
    assert (answer.code, answer.err) == (0, ""), answer.err
    return answer.record  # valid under the schema


@pytest.mark.parametrize("table", [(), ("--table", "people.csv")])
@pytest.mark.parametrize(("tight", "certain"), [((), 0), (("--tight", "age"), 4)])
def test_tight_intervals_give_their_ends_away_and_others_nothing(table, tight, certain):
    found = asked("one.csv", *ROLES, *table, *tight)
    assert found["counts"]["generalized cells"] == {"certain": certain, "possible": 8 - certain, "open": 0, "total": 8}
    assert found["status"] == ("certain" if certain else "nothing certain")
    assert found["number_of_facts"] == certain // 2
    assert asked("one.csv", *ROLES, *table, "--level", "labels")["counts"]["generalized cells"]["certain"] == 0


def test_every_fact_has_a_certificate_that_verify_accepts_of_this_file_alone():
    found = asked("one.csv", *ROLES, "--tight", "age", "--certificate", "proof.json")
    assert found["certificate"] == "proof.json"
    checked = run("verify", "proof.json", "--table", "one.csv")
    assert checked.code == 0
    assert "4 values of quasi-identifiers in 2 facts" in " ".join(checked.out.split())
    assert run("verify", "proof.json", "--table", "one.csv", "--format", "json").record["certificates"][0]["holds"]
    assert run("verify", "proof.json", "--table", "two.csv").code == 2
    assert run("verify", "proof.json").code == 2
    assert run("verify", "proof.json", "--table", "one.csv", "--with", "two.csv").code == 2


def test_what_anonymize_wrote_is_read_by_the_record_beside_it():
    assert run("anonymize", "people.csv", "-q", "age,zip", "-s", "ill", "--k", "2", "--output", "out.csv").code == 0
    record = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert record["format"] == records_beside.FORMAT == FORMAT
    told = record["gives_away"]["tight"]
    found = asked("out.csv")
    assert (found["counts"], found["sentences"]) == (told["counts"], told["sentences"])
    assert asked("out.csv", "--table", "people.csv")["counts"] == told["counts"]
    Path("out.csv").write_text(Path("out.csv").read_text(encoding="utf-8") + "\n", encoding="utf-8")
    changed = run("attack", "out.csv")
    assert changed.code == 2
    assert "name its columns with --quasi-identifiers, and --sensitive where" in " ".join(changed.err.split())


def two_tables(*seed):
    make = ("--method", "anatomy", "--frequency-l", "2", "--output", "out.csv", "--force", *seed)
    assert run("anonymize", "people.csv", "-q", "age,zip", "-s", "ill", *make).code == 0
    return "out.csv", "--level", "code", "--frequency-l", "2"


def test_the_first_of_two_tables_shows_no_labels_and_is_refused_with_the_level_that_takes_both():
    two_tables()
    for words, told in (((), "--level is tight"), (("--with", "one.csv", "--key", "age"), "--with names another")):
        answer = run("attack", "out.csv", *words)
        assert (answer.code, answer.out) == (2, "")
        said = " ".join(answer.err.split())
        assert "one of two tables that are joined by class, and shows no labels" in said
        assert told in said
        assert "--level code" in said


QUASI = "age,class\n4,0\n9,1\n10,1\n12,0\n"
VALUES = "class,ill,count\n0,cold,1\n0,flu,1\n1,flu,1\n1,gout,1\n"
DRAWN = ("quasi.csv", "--sensitive-table", "values.csv", *ROLES, "--level", "code", "--frequency-l", "2")


def written_apart(quasi=QUASI, values=VALUES):
    Path("quasi.csv").write_text(quasi, encoding="utf-8")
    Path("values.csv").write_text(values, encoding="utf-8")


def test_of_two_tables_whose_records_were_drawn_in_order_values_are_read_off():
    """Class 0 was made first, so its record with flu is the younger of its two: 4, not 12, as numbers."""
    written_apart()
    found = asked(*DRAWN)
    assert {fact["subject"]: fact["values"] for fact in found["facts"]} == {"row 0": ["flu"], "row 3": ["cold"]}
    assert found["counts"]["persons"] == {"certain": 2, "possible": 0, "open": 2, "total": 4}
    assert (found["contradiction"], found["sensitive_table"]) == (None, "values.csv")
    proved = asked(*DRAWN, "--certificate", "p.json")
    assert proved == {**found, "certificate": "p.json"}
    both = ("verify", "p.json", "--table", "quasi.csv", "--sensitive-table", "values.csv")
    checked = run(*both)
    assert (checked.code, checked.err) == (0, "")
    said = " ".join(checked.out.split())
    assert "proved of quasi.csv and values.csv: the value of 2 persons of 4 is certain, if records were drawn" in said
    assert "checked against every row of both tables" in said
    assert run(*both, "--format", "json").record["certificates"][0]["holds"]
    assert run(*both, "--with", "quasi.csv").code == run(*both[:4]).code == 2
    assert "give --table, and --sensitive-table" in " ".join(run(*both[:4]).err.split())
    Path("values.csv").write_text(VALUES.replace("gout", "hiv"), encoding="utf-8")
    assert "about another table" in " ".join(run(*both).err.split())


def test_of_two_tables_that_are_written_otherwise_there_is_a_certificate_too():
    """A separator and an absent value of one's own; each file is read by its own name."""
    written_apart(QUASI.replace(",", ";").replace("12", "?"), VALUES.replace(",", ";"))
    options = ("--separator", ";", "--missing", "category", "--missing-text", "?")
    certain = asked(*DRAWN, *options, "--certificate", "p.json")["counts"]["persons"]["certain"]
    both = ("verify", "p.json", "--table", "quasi.csv", "--sensitive-table", "values.csv")
    assert certain
    assert f"the value of {certain} persons of 4 is certain" in " ".join(run(*both).out.split())
    Path("quasi.tsv").write_text(QUASI.replace(",", "\t"), encoding="utf-8")
    Path("values.csv").write_text(VALUES, encoding="utf-8")
    asked("quasi.tsv", *DRAWN[1:], "--certificate", "q.json")
    assert run("verify", "q.json", "--table", "quasi.tsv", "--sensitive-table", "values.csv").code == 0


@pytest.mark.parametrize(("release", "values"), [("-", "values.csv"), ("quasi.csv", "-")])
def test_what_a_pipe_gave_is_certified_although_it_can_be_read_only_once(release, values):
    written_apart()
    piped = (QUASI if release == "-" else VALUES).encode()
    line = ("attack", release, "--sensitive-table", values, *DRAWN[3:], "--certificate", "p.json")
    assert run(*line, stdin=piped).code == 0
    assert run("verify", "p.json", "--table", "quasi.csv", "--sensitive-table", "values.csv").code == 0
    twice = run("attack", "-", "--sensitive-table", "-", *DRAWN[3:], stdin=piped)
    assert (twice.code, twice.out) == (2, "")
    assert "give '-' for one table" in " ".join(twice.err.split())


@pytest.mark.parametrize("file", ["quasi.csv", "values.csv", "one.csv"])
def test_a_file_that_changes_before_it_is_certified_is_refused(file, monkeypatch):
    """It is read again for the certificate, which would be about other rows than the answer."""
    written_apart()
    drawn, labels = two_tables_module.TwoTables.drawn_in_order, published.PublishedLabels.disclosed

    def changed(then):
        def first(*given, **options):
            Path(file).write_text(Path(file).read_text(encoding="utf-8") + "\n", encoding="utf-8")
            return then(*given, **options)

        return first

    monkeypatch.setattr(two_tables_module.TwoTables, "drawn_in_order", changed(drawn))
    monkeypatch.setattr(published.PublishedLabels, "disclosed", changed(labels))
    line = ("one.csv", *ROLES, "--tight", "age") if file == "one.csv" else DRAWN
    answer = run("attack", *line, "--certificate", "p.json")
    assert (answer.code, answer.out) == (2, "")
    assert f"{file} has changed since it was read; run the command again" in " ".join(answer.err.split())
    assert not Path("p.json").exists()


def test_an_option_for_text_files_is_obeyed_by_those_beside_a_parquet_file():
    written_apart(values=VALUES.replace(",", ";"))
    pd.DataFrame({"age": [4, 9, 10, 12], "class": [0, 1, 1, 0]}).to_parquet("quasi.parquet")
    options = ("--separator", ";", "--encoding", "cp1252")
    assert asked("quasi.parquet", *DRAWN[1:], *options)["counts"]["persons"]["certain"] == 2
    PEOPLE.to_parquet("people.parquet")
    Path("one.csv").write_text(ONE.replace(",", ";"), encoding="utf-8")
    assert asked("one.csv", *ROLES, "--table", "people.parquet", *options)["status"] == "nothing certain"
    pd.read_csv("one.csv", sep=";").to_parquet("one.parquet")
    refused = run("attack", "one.parquet", *ROLES, "--table", "people.parquet", "--separator", ";")
    assert refused.code == 2
    assert "--separator ';' cannot apply" in refused.err


def test_of_two_tables_that_no_checker_reads_and_of_draws_without_a_certain_value_there_is_no_certificate():
    pd.DataFrame({"age": [4, 9, 10, 12], "class": [0, 1, 1, 0]}).to_parquet("quasi.parquet")
    written_apart()
    for release, told in (("quasi.parquet", "checkers read CSV files"), ("quasi.csv", "there is nothing to prove")):
        written_apart("age,class\n4,0\n4,1\n4,1\n4,0\n")
        refused = run("attack", release, *DRAWN[1:], "--certificate", "p.json")
        assert refused.code == 2
        assert not Path("p.json").exists()
        assert told in " ".join(refused.err.split())


def test_of_equal_quasi_identifiers_the_order_of_the_rows_is_used_if_it_is_said_to_be_known():
    written_apart("age,class\n4,0\n4,1\n4,1\n4,0\n")
    assert asked(*DRAWN)["counts"]["persons"]["certain"] == 0
    assert asked(*DRAWN, "--by-rows")["counts"]["persons"]["certain"] == 2


def test_of_two_tables_that_were_drawn_in_secret_nothing_is_read_off_and_with_the_seed_some_of_it():
    """What anonymize writes is found by its record, and its draws are not in order: flu and cold in class after
    class, six classes of eight records in pairs. With the seed every original is released again."""
    ask = two_tables("--seed", "7")
    drawn = asked(*ask)
    assert drawn["sensitive_table"] == "out.sensitive.csv"
    assert drawn["contradiction"] is None or drawn["number_of_facts"] == 0
    found = asked(*ask, "--table", "people.csv", "--seed", "7")
    people, values = pd.read_csv("out.csv"), pd.read_csv("out.sensitive.csv")
    held = {group: set(part["ill"]) for group, part in values.groupby("class")}
    assert found["candidates"] == 2 ** len(held)
    assert 1 <= found["consistent"] < found["candidates"]
    for fact in found["facts"]:
        row = int(fact["subject"].removeprefix("record "))
        assert set(fact["values"]) <= held[people["class"][row]]
        assert PEOPLE["ill"][row] in fact["values"]
    for words in (("--seed", "8"), ("--seed", "7", "--method", "mondrian", "--k", "2")):
        other = run("attack", *ask, "--table", "people.csv", *words)
        assert (other.code, other.out) == (2, "")


def test_another_table_of_sensitive_values_than_the_record_names_is_said():
    ask = two_tables("--seed", "7")
    values = pd.read_csv("out.sensitive.csv")
    values.to_csv("same.csv", index=False)
    values.assign(ill=values["ill"].replace("flu", "mumps")).to_csv("other.csv", index=False)
    assert run("attack", *ask, "--sensitive-table", "same.csv").err == ""
    answer = run("attack", *ask, "--sensitive-table", "other.csv")
    assert answer.code in (0, 3)
    assert "other.csv is not the table of sensitive values that the record beside out.csv names" in " ".join(
        answer.err.split()
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--hierarchy-separator", ";"), "no hierarchy is read from a file"),
        (("--hierarchy-ragged", "repeat-leaf"), "no hierarchy is read from a file"),
        (("--ground-separator", ";"), "no ground distance is read from a file"),
        (("--ragged", "keep"), "no ground distance is a hierarchy's"),
        (("--ground", "equal"), "--table was not"),
        (("--order", "ill=a,b"), "--table was not"),
        (("--domain", "ill=a,b"), "--table was not"),
    ],
)
@pytest.mark.parametrize("way", ["labels", "tight", "with", "drawn"])
def test_an_option_that_no_level_would_obey_is_refused(way, words, told):
    written_apart()
    ways = {"with": ("one.csv", *ROLES, "--with", "two.csv", "--key", "who"), "drawn": DRAWN}
    answer = run("attack", *ways.get(way, ("one.csv", *ROLES, "--level", way)), *words)
    assert (answer.code, answer.out) == (2, "")
    assert words[0] in answer.err
    assert told in " ".join(answer.err.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--most", "3"), "--most 3 was given, and --table was not"),
        (("--seed", "3"), "--seed 3 was given, and --table was not"),
        (("--method", "mdav"), "--method mdav was given, and --table was not"),
        (("--knows", "release"), "--knows release was given"),
        (("--hierarchies", "trees"), "--hierarchies trees was given"),
        (("--ground", "equal"), "--ground"),
        (("--t", "0.4"), "joins classes after it has drawn them"),
        (("--suppressed", "*"), "--suppressed * was given"),
        (("--suppress-only", "age"), "--suppress-only age was given"),
        (("--order", "ill=a,b"), "--order ill=a,b was given"),
        (("--tight", "age"), "--tight age was given"),
    ],
)
def test_what_draws_in_order_do_not_use_is_refused(words, told):
    written_apart()
    answer = run("attack", *DRAWN, *words)
    assert (answer.code, answer.out) == (2, "")
    assert told in " ".join(answer.err.split())


@pytest.mark.parametrize(
    ("quasi", "values", "told"),
    [
        (QUASI, "class,ill\n0,flu\n", "the table of sensitive values has three"),
        (QUASI, VALUES.replace("class", "group"), "the table of sensitive values has three"),
        (QUASI, VALUES.replace("ill", "sick"), "for the class, 'ill', and the number"),
        (QUASI, VALUES.replace("flu,1\n1", "flu,2\n1"), "has a value twice"),
        (QUASI, VALUES.replace("gout,1", "gout,one"), "column 'count'"),
        *((QUASI, VALUES.replace("gout,1", f"gout,{n}"), f"a value {n} time(s)") for n in ("0", "-1", "1/2")),
        (QUASI.replace("age", "years"), VALUES, "no column 'age'"),
        ("age,age,class\n4,4,0\n", VALUES, "2 columns named 'age'"),
        (QUASI, VALUES.replace("0,cold", "2,cold"), "have other classes"),
        (QUASI, VALUES.replace("gout", ""), "column 'ill' of values.csv has 1 empty cell"),
        (QUASI.replace("12", ""), VALUES, "--missing category takes them as a value"),
    ],
)
def test_two_files_that_are_not_two_tables_are_refused_by_name(quasi, values, told):
    written_apart(quasi, values)
    answer = run("attack", *DRAWN)
    assert (answer.code, answer.out) == (2, "")
    assert told in " ".join(answer.err.split())


@pytest.mark.parametrize("which", ["ill", "age"])
def test_cells_of_two_tables_that_cannot_be_values_are_refused_by_name(which):
    """Parquet has lists in cells."""
    frames = {"quasi.parquet": pd.DataFrame({"age": [4, 9, 10, 12], "class": [0, 1, 1, 0]}),
              "values.parquet": pd.DataFrame({"class": [0, 0, 1, 1], "ill": list("abac"), "count": 1})}  # fmt: skip
    for name, frame in frames.items():
        shown = frame.assign(**{which: [[cell] for cell in frame[which]]}) if which in frame else frame
        shown.to_parquet(name)
    answer = run("attack", "quasi.parquet", "--sensitive-table", "values.parquet", *DRAWN[3:])
    assert (answer.code, answer.out) == (2, "")
    assert f"column '{which}' holds a cell that cannot be a value" in " ".join(answer.err.split())


ODD_RECORDS = {
    "no columns": lambda record: record.pop("columns"),
    "columns are a list": lambda record: record.update(columns=[]),
    "no list of names": lambda record: record["columns"].update(quasi_identifiers=None),
    "a name is a number": lambda record: record["columns"].update(quasi_identifiers=[3]),
    "the sensitive column is a number": lambda record: record["columns"].update(sensitive=3),
    "no marker": lambda record: record.pop("suppressed_marker"),
    "labels are a number": lambda record: record.update(gives_away=3),
    "no grid": lambda record: record["gives_away"].update(labels={"age": {"says": "attained"}}),
    "an odd grid": lambda record: record["gives_away"].update(labels={"age": {"says": "several", "grid": [1]}}),
    **{
        f"a grid of width {width}": lambda record, width=width: record["gives_away"].update(
            labels={"age": {"says": "several", "grid": [width, 0]}}
        )
        for width in (1, 0, -5)
    },
    "a file elsewhere": lambda record: record["anonymized"][1].update(file="../out.sensitive.csv"),
    "a file without a name": lambda record: record["anonymized"][1].update(file=""),
    "a file that is a number": lambda record: record["anonymized"][1].update(file=3),
    "no file": lambda record: record["anonymized"][1].pop("file"),
}


@pytest.mark.parametrize("odd", list(ODD_RECORDS))
def test_a_record_that_anonymize_does_not_write_is_refused_by_name(odd):
    ask = two_tables()
    record = json.loads(Path("out.json").read_text(encoding="utf-8"))
    ODD_RECORDS[odd](record)
    Path("out.json").write_text(json.dumps(record), encoding="utf-8")
    answer = run("attack", *ask)
    assert (answer.code, answer.out) == (2, "")
    assert "out.json has another form than the records of anonymize" in " ".join(answer.err.split())


@pytest.mark.parametrize("content", [b"", b"\xff", b"3", b"[]", b'{"format": 3}', b"[" * 100_000], ids=len)
def test_a_file_of_another_kind_beside_a_release_is_not_taken_for_a_record(content):
    ask = two_tables()
    Path("out.json").write_bytes(content)
    answer = run("attack", *ask)
    assert (answer.code, answer.out) == (2, "")
    assert "there is no record of anonymize beside" in " ".join(answer.err.split())


def test_a_second_table_that_has_changed_is_not_taken_for_that_of_the_record():
    ask = two_tables()
    Path("out.sensitive.csv").write_text(VALUES, encoding="utf-8")
    answer = run("attack", *ask)
    assert (answer.code, answer.out) == (2, "")
    assert "out.sensitive.csv beside it is not there or has changed" in " ".join(answer.err.split())
    Path("out.sensitive.csv").unlink()
    assert run("attack", *ask).err == answer.err
    assert run("attack", "one.csv", *ROLES, "--by-rows").code == 2
    made = run("attack", "one.csv", *ROLES, "--level", "code", "--method", "anatomy", "--frequency-l", "2",
               "--table", "people.csv")  # fmt: skip
    assert "the method makes two tables, and RELEASE is one" in " ".join(made.err.split())


@pytest.mark.parametrize("programs", [(), ("--programs",)])
def test_two_releases_reveal_what_their_counts_leave_no_choice_in(programs):
    """Record 3 (27) is in {flu, cold, flu} and {flu, gout}: flu. So record 4 (31) has gout, of {gout, flu}; and of 20
    and 24, who have flu and cold in the second release as in the first, it is not known who has which.
    """
    found = asked("one.csv", "--with", "two.csv", "--table", "people.csv", *ROLES, *programs, "--certificate", "p.json")
    assert found["level"] == "several releases"
    assert {fact["subject"]: fact["values"] for fact in found["facts"]} == {"3": ["flu"], "4": ["gout"]}
    assert found["counts"]["persons"]["certain"] == 2
    assert found["counts"]["persons, by one release alone"]["certain"] == 0
    assert run("verify", "p.json", "--table", "one.csv", "--with", "two.csv").code == 0
    assert run("verify", "p.json", "--table", "two.csv", "--with", "one.csv").code == 2


def test_releases_are_linked_by_a_key_without_the_table():
    keys = pd.Series([f"p{i}" for i in range(1, 9)], name="id")
    for name, text in (("one", ONE), ("two", TWO)):
        rows = pd.read_csv(Path(f"{name}.csv"), dtype=str)
        assert text.count("\n") == 9
        pd.concat([keys, rows], axis=1).to_csv(f"{name}_keyed.csv", index=False)
    found = asked("one_keyed.csv", "--with", "two_keyed.csv", "--key", "id", *ROLES)
    assert {fact["subject"]: fact["values"] for fact in found["facts"]} == {"p3": ["flu"], "p4": ["gout"]}


@pytest.mark.long
def test_the_code_is_run_again_on_every_original():
    PEOPLE.assign(age=range(8)).to_csv("people.csv", index=False)
    make = ("--method", "mondrian", "--k", "2", "--distinct-l", "2")
    assert run("anonymize", "people.csv", *ROLES, *make, "--output", "out.csv").code == 0
    found = asked("out.csv", "--level", "code", *make, "--table", "people.csv")
    assert found["level"] == "code"
    assert found["counts"]["persons"]["total"] == 8
    assert found["counts"]["persons"]["open"] == 0
    refused = run("attack", "out.csv", "--level", "code", "--method", "mondrian", "--k", "3", "--table", "people.csv")
    assert refused.code == 2
    assert "the method makes another release" in refused.err
    many = run("attack", "out.csv", "--level", "code", *make, "--table", "people.csv", "--most", "2")
    assert many.code == 3


@pytest.mark.long
def test_what_is_certain_by_running_a_method_again_is_said_not_to_be_certified():
    """Both of one class have a, whatever is known of the method; where nobody's value is certain, nothing is said."""
    for ill, certain in (("aabc", True), ("abbc", False)):
        pd.DataFrame({"age": [1, 2, 8, 9], "ill": list(ill)}).to_csv("people.csv", index=False)
        make = ("-q", "age", "-s", "ill", "--method", "mondrian", "--k", "2")
        assert run("anonymize", "people.csv", *make, "--output", "out.csv", "--force").code == 0
        answer = run("attack", "out.csv", "--level", "code", *make, "--table", "people.csv")
        said = "not certified: what is certain at --level code is shown by running the method on every original"
        assert answer.code in (0, 1, 3)
        assert (said in " ".join(answer.out.split())) == certain
        words = ("attack", "out.csv", "--level", "code", *make, "--table", "people.csv", "--format", "json")
        found = run(*words, "--html", "page.html", "--force").record
        assert found["not_certified"] == (NO_CHECKER.format("code") if certain else None)
        assert found["certificate"] is None
        assert (NO_CHECKER.format("code") in Path("page.html").read_text(encoding="utf-8")) == certain
        refused = run("attack", "out.csv", "--level", "code", *make, "--table", "people.csv", "--certificate", "p.json")
        assert refused.code == 2
        assert said in " ".join(refused.err.split())
        assert not Path("p.json").exists()


def test_a_minimal_node_says_what_one_step_finer_would_have_violated():
    """Wong et al. 2007: q1 alone has one value, so q1 and q2 are shown as one class."""
    rows = [("q1", "hiv")] * 2 + [("q2", "hiv")] + [("q2", "none")] * 3
    pd.DataFrame(rows, columns=["q", "ill"]).to_csv("people.csv", index=False)
    pd.DataFrame(rows, columns=["q", "ill"]).assign(q="*").sort_values("ill").to_csv("all.csv", index=False)
    ask = ("all.csv", "-q", "q", "-s", "ill", "--table", "people.csv", "--suppress-only", "q", "--level", "minimal")
    found = asked(*ask, "--distinct-l", "2")
    assert found["candidates"] == 20
    assert found["consistent"] < found["candidates"]


def optimal(*words):
    return asked("out.csv", *ROLES, "--level", "optimal", "--table", "people.csv", *words)


@pytest.mark.long
def test_an_optimal_node_says_that_every_cheaper_node_violates():
    """Ages 1 to 8 by twos and fours, distinct 2-diversity: level 1 is of least height unless some age alone has two
    values, so that it says nothing; level 2 says that some pair has one value."""
    fours = {n: "1-4" if n < 5 else "5-8" for n in range(1, 9)}
    twos = {n: f"{n - 1 + n % 2}-{n + n % 2}" for n in range(1, 9)}
    Path("age.csv").write_text("".join(f"{n},{twos[n]},{fours[n]},*\n" for n in range(1, 9)), encoding="utf-8")
    tree = ("--hierarchy", "age=age.csv", "--distinct-l", "2")
    for ills, shown in (("fcfgcfgc", twos), ("ffcgcfgc", fours)):
        PEOPLE.assign(age=range(1, 9), ill=list(ills)).to_csv("people.csv", index=False)
        find = ("--optimum", "height", *tree, "--output", "out.csv", "--force")
        assert run("search", "people.csv", *ROLES, *find).code == 0
        assert set(rows("out.csv")) == set(shown.values())
        halves = [sorted(set(permutations(half))) for half in (ills[:4], ills[4:])]
        if shown is twos:
            halves = [sorted(set(permutations(ills[i : i + 2]))) for i in range(0, 8, 2)]
        worlds = [sum(each, ()) for each in product(*halves)]
        left = [w for w in worlds if shown is twos or any(w[i] == w[i + 1] for i in range(0, 8, 2))]
        found = optimal("--loss", "height", "--among", "nodes", *tree)
        assert (found["candidates"], found["consistent"]) == (len(worlds), len(left))
        assert found["level"] == "optimal"


@pytest.mark.slow
def test_an_optimal_partition_says_that_every_cheaper_partition_violates():
    """Ages 1, 2, 4, 7. The pairs 1, 2 and 4, 7 cost least, (1·2 + 3·2)/6; then 1, 4 and 2, 7; and 1, 7 and 2, 4; then
    all four. Each needs two values in each pair, which a, a, b, b leave to the second alone and to the third."""
    costs = {((0, 1), (2, 3)): 8, ((0, 2), (1, 3)): 16, ((0, 3), (1, 2)): 16, ((0, 1, 2, 3),): 24}

    def least(held):
        return min(cost for pairs, cost in costs.items() if all(len({held[i] for i in g}) > 1 for g in pairs))

    for ills in ("aabb", "abab"):
        pd.DataFrame({"age": [1, 2, 4, 7], "ill": list(ills)}).to_csv("people.csv", index=False)
        model = ("--k", "2", "--distinct-l", "2")
        make = ("--loss", "ncp", "--output", "out.csv", "--force")
        assert run("optimal", "partition", "people.csv", *ROLES, *model, *make).code == 0
        found = optimal(*model, "--loss", "ncp", "--among", "partitions")
        shown = [tuple(map(int, label.split("-"))) for label in (rows("out.csv"))]
        ages = {1: 0, 2: 1, 4: 2, 7: 3}
        classes = {label: [i for age, i in ages.items() if label[0] <= age <= label[1]] for label in set(shown)}
        pairs = next(p for p in costs if {(min(g), max(g)) for g in p} == {(ages[a], ages[b]) for a, b in classes})
        worlds = {
            w for w in permutations(ills) if all(Counter(w[i] for i in g) == Counter(ills[i] for i in g) for g in pairs)
        }
        left = [w for w in worlds if least(w) == costs[pairs]]
        assert least(ills) == costs[pairs]
        assert (found["candidates"], found["consistent"]) == (len(worlds), len(left))


def rows(file):
    return pd.read_csv(file, dtype=str)["age"].tolist()


@pytest.mark.parametrize(
    ("written", "words", "told"),
    [
        ("1-2,a\n1-2,a\n4-7,b\n4-7,b\n", ("--among", "partitions"), "is violated"),
        ("1-7,a\n1-7,b\n1-7,a\n1-7,b\n", ("--among", "partitions"), "and the least is 4/3; it is not optimal"),
        ("1-9,a\n1-9,a\n1-9,b\n1-9,b\n", ("--among", "partitions"), "under the least labels of each class"),
        ("1-4,a\n1-4,b\n2-7,a\n2-7,b\n", ("--among", "partitions"), "fit several classes of RELEASE or none"),
        ("1-7,a\n1-7,a\n1-7,b\n1-7,b\n", ("--among", "nodes"), "is about a release of whole levels"),
        ("1-7,a\n1-7,a\n1-7,b\n1-7,b\n", (), "give --loss and --among"),
    ],
)
def test_what_is_not_an_optimum_is_refused_by_name(written, words, told):
    ills = ["a", "b", "a", "b"] if "2-7" in written else [line[-1] for line in written.split()]
    pd.DataFrame({"age": [1, 2, 4, 7], "ill": ills}).to_csv("people.csv", index=False)
    Path("out.csv").write_text("age,ill\n" + written, encoding="utf-8")
    ask = ("--level", "optimal", "--table", "people.csv", "--k", "2", "--distinct-l", "2", "--loss", "ncp")
    answer = run("attack", "out.csv", *ROLES, *ask, *words)
    assert (answer.code, answer.out) == (2, "")
    assert told in " ".join(answer.err.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("one.csv",), "name its columns with --quasi-identifiers, and --sensitive where"),
        (("one.csv", *ROLES, "--tight", "zip"), "'zip' is not a quasi-identifier of this table"),
        (("one.csv", *ROLES, "--with", "two.csv"), "give one of the two"),
        (("one.csv", *ROLES, "--key", "age"), "--with was not"),
        (("one.csv", *ROLES, "--programs"), "--with was not"),
        (("one.csv", *ROLES, "--with", "two.csv", "--key", "age"), "is a quasi-identifier or the sensitive column"),
        (("one.csv", *ROLES, "--method", "mondrian"), "--level is tight"),
        (("one.csv", *ROLES, "--k", "2"), "--level is tight"),
        (("one.csv", *ROLES, "--level", "code", "--method", "mondrian", "--k", "2"), "give --table"),
        (("one.csv", *ROLES, "--level", "code", "--table", "people.csv", "--k", "2"), "give --method"),
        (("one.csv", *ROLES, "--level", "code", "--table", "people.csv", "--method", "mondrian"), "thresholds"),
        (("one.csv", *ROLES, "--level", "labels", "--with", "two.csv"), "is about one release"),
        (("one.csv", *ROLES, "--redact", "--certificate", "p.json"), "--redact withholds them"),
        (("one.csv", *ROLES, "--level", "minimal", "--table", "people.csv", "--k", "2"), "whole levels"),
        (("one.csv", *ROLES, "--suppress-only", "age"), "give --table too"),
        (("one.csv", *ROLES, "--most", "7"), "--level is tight"),
        (("one.csv", *ROLES, "--loss", "dm"), "--level is tight"),
        (("one.csv", *ROLES, "--among", "nodes", "--level", "minimal"), "--level is minimal"),
        (("one.csv", *ROLES, "--level", "labels", "--tight", "age"), "--level is labels"),
        (("one.csv", *ROLES, "--level", "code", "--tight", "age"), "--level is code"),
        (("one.csv", *ROLES, "--with", "two.csv", "--key", "zip", "--tight", "age"), "--with was given"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(words, told):
    answer = run("attack", *words)
    assert (answer.code, answer.out) == (2, "")
    assert told in " ".join(answer.err.split())


@pytest.mark.parametrize("label", ["[20, 27)", "(-inf, 27]", "[20; 27[", "2*"])
def test_labels_that_do_not_say_their_ends_are_not_taken_to_be_tight_or_exact(label):
    Path("one.csv").write_text(ONE.replace("20-27", f'"{label}"'), encoding="utf-8")
    answer = run("attack", "one.csv", *ROLES, "--tight", "age")
    assert answer.code == 2
    if label != "2*":
        counts = asked("one.csv", *ROLES)["counts"]
        assert (counts["cells"]["certain"], counts["cells"]["total"]) == (0, 8)


BY_LEVEL = {
    "labels": ("one.csv", *ROLES, "--level", "labels"),
    "tight": ("one.csv", *ROLES, "--tight", "age"),
    "minimal": ("all.csv", "-q", "q", "-s", "ill", "--level", "minimal", "--distinct-l", "2"),
    "optimal": ("all.csv", "-q", "q", "-s", "ill", "--level", "optimal", "--distinct-l", "2", "--among", "nodes"),
    "code": ("all.csv", "-q", "q", "-s", "ill", "--level", "code", "--method", "datafly", "--distinct-l", "2"),
    "drawn in order": DRAWN,
    "several releases": ("one.csv", "--with", "two.csv", "--table", "people.csv", *ROLES),
}


def test_the_schema_is_a_schema_and_knows_every_level():
    schema = SCHEMAS["tcloseness-attack-1"]
    schema.check_schema(schema.schema)
    assert (
        set(BY_LEVEL) - {"drawn in order"} == set(get_args(Level)) == set(schema.schema["properties"]["level"]["enum"])
    )


@pytest.mark.parametrize("level", BY_LEVEL)
def test_the_json_of_a_level_follows_the_schema_which_refuses_what_it_does_not_know(level):
    words = BY_LEVEL[level]
    if "all.csv" in words:
        rows = pd.DataFrame([("q1", "hiv")] * 2 + [("q2", "hiv")] + [("q2", "none")] * 3, columns=["q", "ill"])
        rows.to_csv("few.csv", index=False)
        rows.assign(q="*").sort_values("ill").to_csv("all.csv", index=False)
        words = (*words, "--table", "few.csv", "--suppress-only", "q")
        words = (*words, "--loss", "height") if level == "optimal" else words
    written_apart()
    record = asked(*words)
    assert record["level"] == ("code" if level == "drawn in order" else level)
    assert asked(*words, "--redact")["facts"] == []
    schema = SCHEMAS[record["format"]]
    counts, fact = record["counts"], record["facts"][:1]
    broken = [
        *({key: record[key] for key in record if key != left_out} for left_out in record),
        {**record, "more": 1},
        {**record, "status": "fine"},
        {**record, "level": "everything"},
        {**record, "counts": {**counts, "cells": {"certain": -1, "possible": 0, "open": 0, "total": 0}}},
        *({**record, "facts": [{**each, "proof": {}}]} for each in fact),
        {**record, "level": "labels" if {"consistent", "contradiction"} & set(record) else "code"},
    ]
    for each in broken:
        assert not schema.is_valid(each)


def test_nothing_of_the_table_is_printed_if_it_is_withheld():
    answer = run("attack", "one.csv", *ROLES, "--tight", "age", "--redact", "--html", "page.html")
    assert answer.code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert all(value not in answer.out + page.partition("<body")[2] for value in ("20-27", "flu", "gout"))
    whole = run("attack", "one.csv", *ROLES, "--tight", "age")
    assert "have age 20 and 27" in " ".join(whole.out.split())
