"""The command line reads every source alike, obeys each option or refuses it by name, and says what it read."""

from __future__ import annotations

import gzip
import importlib.util
import re

import pandas as pd
import pytest

from proofs_tests.cli.commands import run
from tcloseness.errors import TableWarning

ROWS = [("a", "x"), ("a", "?"), ("a", "x"), ("b", "? "), ("b", "x"), ("b", "x")]
CSV = "q,v\n" + "".join(f"{q},{v}\n" for q, v in ROWS)
PARQUET = importlib.util.find_spec("pyarrow") is not None


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(CSV, encoding="utf-8")
    (tmp_path / "t.tsv").write_text(CSV.replace(",", "\t"), encoding="utf-8")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    if PARQUET:
        pd.DataFrame(ROWS, columns=["q", "v"], dtype=object).to_parquet("t.parquet")
    return tmp_path


SOURCES = ["t.csv", "t.tsv", "t.csv.gz", "-", *(["t.parquet"] if PARQUET else [])]


@pytest.mark.parametrize("source", SOURCES)
def test_a_missing_text_is_obeyed_in_every_source(folder, source):
    """Without it two values of v are seen (ℓ = 2); with it one."""
    ask = ("check", source, "-q", "q", "-s", "v", "--distinct-l", "2", "--missing-text", "?", "--missing", "drop")
    answer = run(*ask, "--format", "json", stdin=CSV.encode())
    assert answer.code == 1
    without = run(*ask[:-4], "--format", "json", stdin=CSV.encode())
    assert without.code == 0


@pytest.mark.skipif(not PARQUET, reason="pyarrow is not installed")
@pytest.mark.parametrize(("option", "value"), [("--separator", ","), ("--encoding", "utf-8")])
def test_what_cannot_apply_to_parquet_is_refused_by_name(folder, option, value):
    answer = run("check", "t.parquet", "-q", "q", "-s", "v", option, value)
    assert (answer.code, answer.out) == (2, "")
    assert f"error: {option} '{value}' cannot apply: file t.parquet is Parquet" in answer.err


def test_an_encoding_is_of_the_other_files_where_the_table_has_none(folder):
    pytest.importorskip("pyarrow")
    (folder / "h.csv").write_bytes('x,Köln\n?,Köln\n"? ",Köln\n'.encode("latin-1"))
    ask = ("check", "t.parquet", "-q", "q", "-s", "v", "--ground", "v=hierarchical:h.csv")
    assert run(*ask, "--encoding", "latin-1").code == 0
    assert "give --encoding" in run(*ask).err


UNUSED = [
    ("--ground-separator", ";", "no ground distance is read from a file"),
    ("--ragged", "keep", "no ground distance is a hierarchy's"),
    ("--hierarchy-separator", ";", "no hierarchy is read from a file"),
    ("--hierarchy-ragged", "repeat-leaf", "no hierarchy is read from a file"),
]


@pytest.mark.parametrize(("option", "value", "why"), UNUSED)
@pytest.mark.parametrize("command", ["check", "search", "anonymize", "optimal", "emd"])
def test_an_option_that_nothing_would_obey_is_refused(folder, command, option, value, why):
    words = {
        "check": ("check", "t.csv", "-q", "q", "-s", "v"),
        "search": ("search", "t.csv", "-q", "q", "-s", "v", "--suppress-only", "q", "--k", "2"),
        "anonymize": ("anonymize", "t.csv", "-q", "q", "-s", "v", "--method", "mondrian", "--k", "2"),
        "optimal": ("optimal", "partition", "t.csv", "-q", "q", "-s", "v", "--k", "2"),
        "emd": ("emd", "--p", "1,0", "--q", "0,1", "--ground", "equal"),
    }[command]
    if command in ("check", "emd") and option.startswith("--hierarchy"):
        return  # they have none
    answer = run(*words, option, value)
    assert (answer.code, answer.out) == (2, "")
    assert option in answer.err
    assert why in answer.err


# ---------------------------------------------------------------------- what stands for what


def test_a_missing_category_of_the_sensitive_column_can_be_named_in_every_way(folder):
    (folder / "m.csv").write_text("q,v\na,x\na,\nb,x\nb,y\n", encoding="utf-8")
    (folder / "tree.csv").write_text("x,*\n(missing),*\ny,*\n", encoding="utf-8")
    (folder / "matrix.csv").write_text(",x,y,(missing)\nx,0,1,1\ny,1,0,1\n(missing),1,1,0\n", encoding="utf-8")
    ask = ("check", "m.csv", "-q", "q", "-s", "v", "--missing", "category", "--t", "1", "--ground")
    for more in (
        ("v=ordered", "--order", "v=x,(missing),y"),
        ("v=equal", "--domain", "v=x,y,(missing),z"),
        ("v=hierarchical:tree.csv",),
        ("v=matrix:matrix.csv",),
    ):
        assert run(*ask, *more).code == 0
    (folder / "m.csv").write_text("q,v\na,x\na,(missing)\nb,x\nb,y\n", encoding="utf-8")
    for more in (("v=ordered", "--order", "v=x,(missing),y"), ("v=matrix:matrix.csv",), ("v=hierarchical:tree.csv",)):
        answer = run(*ask, *more)
        assert answer.code == 2
        assert "(missing)" in answer.err


def test_a_matrix_label_may_hold_a_line_break(folder):
    (folder / "m.csv").write_text('q,v\na,"x\ny"\nb,z\n', encoding="utf-8")
    (folder / "matrix.csv").write_text(',"x\ny",z\n"x\ny",0,1\nz,1,0\n', encoding="utf-8")
    assert run("check", "m.csv", "-q", "", "-s", "v", "--t", "1", "--ground", "v=matrix:matrix.csv").code == 0


def test_a_hierarchy_that_misses_a_value_names_attribute_file_and_records(folder):
    (folder / "q.csv").write_text("a,*\n", encoding="utf-8")
    (folder / "tree.csv").write_text("x,*\n?.,*\n", encoding="utf-8")
    answer = run("search", "t.csv", "-q", "q", "-s", "v", "--hierarchies", ".", "--k", "2")
    for words in ("hierarchy 'q'", "1 of 2 values, first 'b'", "3 record(s)", "q.csv"):
        assert words in answer.err
    answer = run("check", "t.csv", "-q", "q", "-s", "v", "--ground", "v=hierarchical:tree.csv")
    for words in ("column 'v'", "tree.csv", "first '?'", "2 record(s)", "'?.' looks the same as '?'"):
        assert words in answer.err


@pytest.mark.parametrize("name", ["../../x", "a/b", "/etc/x", "a\\b", "..", ".", "", "x" * 300])
def test_a_column_names_no_file_outside_the_folder(folder, name):
    (folder / "in").mkdir()
    (folder / "x.csv").write_text("a,*\nb,*\n", encoding="utf-8")
    (folder / "n.csv").write_text("q,v\n".replace("q", f'"{name}"') + "a,x\na,y\nb,x\nb,y\n", encoding="utf-8")
    answer = run("search", "n.csv", "-q", name, "-s", "v", "--hierarchies", "in", "--k", "2")
    assert (answer.code, answer.out) == (2, "")
    if name not in ("..", ".", ""):
        assert "cannot be the name of a file in the folder 'in'" in answer.err
        named = run("search", "n.csv", "-q", name, "-s", "v", "--hierarchy", f"{name}=x.csv", "--k", "2")
        assert named.code == 0


# ---------------------------------------------------------------------- numbers on an axis

METHODS = ["mondrian", "mondrian-relaxed", "mdav", "closeness-first", "sabre", "swapping"]


@pytest.mark.parametrize("method", METHODS)
def test_equal_numbers_have_one_place_in_every_method(folder, method):
    rows = [("62", "x"), ("62.0", "y"), ("7", "x"), ("007", "y"), ("33", "x"), ("33.00", "y"), ("8", "x"), ("9", "y")]
    (folder / "n.csv").write_text("age,d\n" + "".join(f"{a},{d}\n" for a, d in rows), encoding="utf-8")
    ask = ("anonymize", "n.csv", "-q", "age", "-s", "d", "--method", method, "--k", "2")
    if method in ("closeness-first", "sabre", "swapping"):
        ask = (*ask, "--t", "1", "--ground", "d=equal")
    for more in ((), ("--numeric", "age")):
        answer = run(*ask, *more, "--output", "out.csv", "--force")
        assert answer.code == 0
        assert "age: numeric (all its values are numbers or dates)" in " ".join(answer.out.split())
        assert "{" not in (folder / "out.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [("anonymize", "--method", "mdav"), ("optimal", "partition")])
def test_a_column_of_numbers_never_becomes_sets_of_texts_in_silence(folder, command):
    first, *more = command
    words = (first, *more, "n.csv") if first == "optimal" else (first, "n.csv", *more)
    (folder / "n.csv").write_text("age,d\n62,x\n62,y\n7,x\n,y\n", encoding="utf-8")
    ask = (*words, "-q", "age", "-s", "d", "--k", "2", "--missing", "category")
    for numeric in ((), ("--numeric", "age")):
        answer = run(*ask, *numeric)
        assert (answer.code, answer.out) == (2, "")
        for part in ("'age' holds numbers and 1 row(s) with a missing value", "--missing drop", "--categorical"):
            assert part in answer.err
    assert run(*ask, "--categorical", "age").code == 0
    (folder / "n.csv").write_text("age,d\n62,x\n62,y\n7,x\n1_0,y\n", encoding="utf-8")
    answer = run(*ask, "--numeric", "age")
    assert (answer.code, "first '1_0', which is not a number" in answer.err) == (2, True)


# ---------------------------------------------------------------------- what was read


@pytest.mark.parametrize("command", ["check", "search", "anonymize", "optimal"])
def test_columns_without_a_role_are_named_and_identifiers_warned_of(folder, command):
    rows = [("ann", "1", "a", "x"), ("bob", "1", "a", "y"), ("cyd", "1", "b", "x"), ("dan", "1", "b", "y")]
    (folder / "n.csv").write_text("name,note,q,d\n" + "".join(",".join(r) + "\n" for r in rows), encoding="utf-8")
    words = {
        "check": ("check", "n.csv"),
        "search": ("search", "n.csv", "--suppress-only", "q"),
        "anonymize": ("anonymize", "n.csv", "--method", "mondrian"),
        "optimal": ("optimal", "partition", "n.csv"),
    }[command]
    answer = run(*words, "-q", "q", "-s", "d", "--k", "2")
    assert answer.code == 0
    assert "columns without a role name, note" in " ".join(answer.out.split())
    assert "warning: column 'name' (no role) has a different value in each of the 4 rows" in answer.whole_err
    answer = run(*words, "-q", "q", "-s", "d", "--k", "2", "--format", "json")
    assert answer.record["conventions"]["columns without a role"] == "name, note"


def test_spellings_are_merged_where_that_is_asked_for(folder):
    (folder / "n.csv").write_text("q,d\na,<=50K\na,<=50K.\nb,<=50K\nb,>50K\n", encoding="utf-8")
    ask = ("check", "n.csv", "-q", "q", "-s", "d", "--distinct-l", "2")
    apart, merged = run(*ask), run(*ask, "--merge-spellings", "d")
    assert (apart.code, merged.code) == (0, 1)
    assert "'<=50K' (2 row(s)) and '<=50K.' (1 row(s))" in apart.err
    assert merged.err == ""
    assert "1 spelling(s) of 1 row(s) merged in 'd'" in " ".join(merged.out.split())


# ---------------------------------------------------------------------- --redact

SECRETS = ["Quinsy", "Zoster", "83151"]


VALUE_OR_COLUMN = ("--order", "--domain", "--ground", "--weight", "--merge-spellings", "-q", "-s")


def redacted_cases():
    """Wrong uses of a table that holds the secrets, and some that only warn."""
    check = ("check", "s.csv", "-q", "zip", "-s", "ill")
    return {
        "order": (*check, "--order", "ill=a,b"),
        "order with a secret": (*check, "--order", "ill=Quinsy,b,Quinsy"),
        "domain": (*check, "--domain", "ill=Zoster."),
        "ordered": (*check, "--ground", "ill=ordered"),
        "by value": (*check, "--ground", "ill=ordered-by-value"),
        "hierarchy": (*check, "--ground", "ill=hierarchical:h.csv"),
        "hierarchy that does not nest": (*check, "--ground", "ill=hierarchical:crossing.csv"),
        "matrix": (*check, "--ground", "ill=matrix:m.csv"),
        "weight": (*check, "--weight", "w"),
        "missing": (*check, "--missing-text", "Quinsy"),
        "marker": ("check", "s.csv", "-q", "same", "-s", "ill", "--suppressed", "83151"),
        "unknown column": ("check", "s.csv", "-q", "zap", "-s", "ill"),
        "no header": ("check", "one.csv", "-q", "zip", "-s", "ill"),
        "a short row": ("check", "short.csv", "-q", "zip", "-s", "ill"),
        "roles": ("check", "s.csv", "-q", "zip,ill", "-s", "ill"),
        "twins": ("check", "s.csv", "-q", "twin", "-s", "ill"),
        "values of a model": (*check, "--alpha", "Quinsy"),
        **{f"a value as {option}": (*check, option, "Quinsy") for option in VALUE_OR_COLUMN},
        **(
            {
                "numbers": ("check", "s.parquet", "-q", "zip", "-s", "n", "--order", "n=1"),
                "dates": ("check", "s.parquet", "-q", "zip", "-s", "day", "--order", "day=1"),
                "a number's hierarchy": (
                    "check",
                    "s.parquet",
                    "-q",
                    "zip",
                    "-s",
                    "n",
                    "--ground",
                    "n=hierarchical:h.csv",
                ),
                "weights of Parquet": ("check", "s.parquet", "-q", "zip", "-s", "n", "--weight", "f"),
            }
            if PARQUET
            else {}
        ),
    }


@pytest.mark.parametrize("case", redacted_cases())
def test_no_message_names_a_value_under_redact(folder, case):
    header = "zip,ill,w,same,twin"
    rows = ["83151,Quinsy,Zoster,83151,Quinsy", "83151,Zoster,1,83151,quinsy", "83152,Quinsy,2,83151,Zoster"]
    (folder / "s.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    (folder / "one.csv").write_text("Quinsy;Zoster\n83151;x\n", encoding="utf-8")
    (folder / "short.csv").write_text("zip,ill\n83151,Quinsy\nZoster\n", encoding="utf-8")
    (folder / "h.csv").write_text("Quinsy,*\nzoster,*\n", encoding="utf-8")
    (folder / "crossing.csv").write_text("Quinsy,a,b,*\nZoster,a,c,*\n", encoding="utf-8")
    (folder / "m.csv").write_text(",Quinsy,zoster\nQuinsy,0,1\nzoster,1,0\n", encoding="utf-8")
    if PARQUET:
        days = pd.to_datetime(["1983-01-05", "1983-01-05", "1984-03-02"])
        pd.DataFrame({"zip": ["a", "a", "b"], "n": [83151, 83151, 2], "f": [83151.5, 1, 2], "day": days}).to_parquet(
            "s.parquet"
        )
    answer = run(*redacted_cases()[case], "--redact")
    said = answer.whole_err + answer.out
    assert said
    for secret in (*SECRETS, "1983", "83152"):
        assert not re.search(re.escape(secret), said, re.IGNORECASE), answer.whole_err
    assert "Traceback" not in answer.err
    assert issubclass(TableWarning, UserWarning)


@pytest.mark.parametrize("word", ["category", "drop", "error", "keep", "networkx"])
def test_a_value_that_is_a_word_of_a_way_out_is_withheld_all_the_same(folder, word):
    """Such a word may be shown where it is one, after an equals sign, and nowhere else."""
    (folder / "w.csv").write_text(f"zip,ill\n1,{word}\n1,{word.upper()}\n2,x\n", encoding="utf-8")
    loud, quiet = (run("check", "w.csv", "-q", "zip", "-s", "ill", *more).err for more in ((), ("--redact",)))
    assert f"'{word}'" in loud
    assert f"'{word}'" not in quiet
    assert f"'{word.upper()}'" not in quiet
