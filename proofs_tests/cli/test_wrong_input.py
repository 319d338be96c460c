"""Wrong usage and wrong input: exit 2, one line that says what, the value, the rule and the way out, no result."""

from __future__ import annotations

import pytest

from proofs_tests.cli.commands import EXAMPLE_EMD, LI4, QI, run

FILES = {
    "empty.csv": b"",
    "header.csv": b"q,v\n",
    "semicolons.csv": b"q;v\na;x\n",
    "latin.csv": "q,v\na,Köln\n".encode("latin-1"),
    "twice.csv": b"q,v,v\na,x,y\n",
    "holes.csv": b"q,v\na,x\na,\nb,\n",
    "long.csv": b"q,v\na,x,z\n",
    "plain.csv": b"q,v,n\na,x,1\nb,y,half\n",
    "hierarchy.csv": b"x,any\nz,any\n",
    "semicolon_hierarchy.csv": b"x;any\ny;any\n",
    "steep_matrix.csv": b",x,y\nx,0,1\ny,2,0\n",
    "empty_matrix.csv": b"",
    "matrix.csv": b",x,y\nx,0,1\ny,1,0\n",
    "odd_matrix.csv": b",x,y\nx,0,1\n",
    "short_matrix.csv": b",x,y\nx,0\ny,1,0\n",
    "twice_matrix.csv": b",x,y\nx,0,1\nx,1,0\n",
    "taken.json": b"{}",
}

CHECK = ("check", "plain.csv", "-q", "q", "-s", "v")
HALF = ("emd", "--p", "1/2,1/2", "--q", "1,0", "--ground")


def table(name, *more):
    return ("check", name, "-q", "q", "-s", "v", *more)


BAD = {
    # columns and files
    "unknown column": (
        ("check", LI4, "-q", "Zip Code,Age", "-s", "Salary"),
        "no column 'Zip Code'",
        "did you mean 'ZIP Code'",
    ),
    "one column, two roles": (("check", LI4, *QI, "-s", "Age"), "a column has one role"),
    "empty name": (
        ("check", LI4, "-q", "ZIP Code,,Age", "-s", "Salary"),
        "--quasi-identifiers 'ZIP Code,,Age'",
        "empty item",
    ),
    "no name": (("check", LI4, "-q", "Age,,ZIP Code", "-s", "Salary"), "empty item"),
    "missing file": (table("absent.csv"), "absent.csv", "cannot be read", "No such file"),
    "a folder": (table("."), "cannot be read"),
    "semicolons": (table("semicolons.csv"), "one column, 'q;v'", "split it by --separator ';'"),
    "latin-1": (table("latin.csv"), "not UTF-8", "give --encoding"),
    "unknown encoding": (table("plain.csv", "--encoding", "utf-99"), "encoding 'utf-99' is unknown"),
    "long separator": (table("plain.csv", "--separator", "::"), "must be one character"),
    "empty file": (table("empty.csv"), "is empty"),
    "no records": (table("header.csv"), "has a header and no records"),
    "long row": (table("long.csv"), "more cells than the header"),
    "duplicate columns": (table("twice.csv"), "2 columns named 'v'"),
    "missing values": (
        table("holes.csv"),
        "column 'v' has 2 row(s) with a missing value",
        "--missing category",
        "--missing drop",
    ),
    "fractional weight": ((*CHECK, "--weight", "n"), "weight column 'n'", "'half'"),
    # ground distances
    "misspelt distance": ((*CHECK, "--ground", "v=orderd"), "'orderd' is unknown", "did you mean 'ordered'"),
    "distance without column": (
        ("check", "plain.csv", "-q", "q", "-s", "v,n", "--ground", "equal"),
        "names no column",
        "v=equal",
    ),
    "misspelt distance of the only column": ((*CHECK, "--ground", "orderd"), "did you mean 'ordered'"),
    "distance of a quasi-identifier": ((*CHECK, "--ground", "q=equal"), "'q' is none of the columns"),
    "two distances": ((*CHECK, "--ground", "v=equal", "--ground", "v=equal"), "given twice for column 'v'"),
    "distance without file": ((*CHECK, "--ground", "v=hierarchical"), "write hierarchical:FILE"),
    "hierarchy file missing": ((*CHECK, "--ground", "v=hierarchical:absent.csv"), "absent.csv", "cannot be read"),
    "hierarchy with gaps": (
        (*CHECK, "--ground", "v=hierarchical:hierarchy.csv"),
        "does not cover 1 of 2 values, first 'y' (1 record(s) hold them)",
    ),
    "hierarchy with semicolons": (
        (*CHECK, "--ground", "v=hierarchical:semicolon_hierarchy.csv"),
        "give --ground-separator ';'",
    ),
    "order that is none": ((*CHECK, "--ground", "v=ordered"), "needs an order", "'x' is not a number"),
    "order with a gap": ((*CHECK, "--order", "v=x"), "misses 1 of 2 values", "first 'y'"),
    "order of nothing": ((*CHECK, "--order", "w=x,y"), "'w' is none of the columns"),
    "matrix file missing": ((*CHECK, "--ground", "v=matrix:absent.csv"), "matrix file absent.csv cannot be read"),
    "empty matrix": ((*CHECK, "--ground", "v=matrix:empty_matrix.csv"), "has no entries"),
    "matrix that is not a metric": (
        (*CHECK, "--ground", "v=matrix:steep_matrix.csv"),
        "d(0,1) = 1 and d(1,0) = 2 differ; correct it\n",
    ),
    "matrix without a row": ((*CHECK, "--ground", "v=matrix:odd_matrix.csv"), "value 'y' does not stand once"),
    "short matrix row": ((*CHECK, "--ground", "v=matrix:short_matrix.csv"), "line 2 has 2 cells and line 1 has 3"),
    "matrix row twice": ((*CHECK, "--ground", "v=matrix:twice_matrix.csv"), "value 'x' has two rows"),
    # thresholds
    "t without ground distance": ((*CHECK, "--t", "0.2"), "no ground distance for 'v'", "it is not guessed"),
    "negative t": ((*CHECK, "--ground", "v=equal", "--t", "-0.1"), "t = -1/10", "must be ≥ 0"),
    "t that is not a number": ((*CHECK, "--ground", "v=equal", "--t", "small"), "t is 'small', which is not a number"),
    "fractional k": ((*CHECK, "--k", "2.5"), "k = 5/2", "whole number ≥ 1"),
    "entropy below 1": ((*CHECK, "--entropy-l", "0"), "l = 0", "≥ 1"),
    "recursive without l": ((*CHECK, "--recursive", "3"), "--recursive '3'", "C,L, such as 3,2"),
    # masses
    "masses of another sum": (
        ("emd", "--p", "0.333,0.666", "--q", "1,0", "--ground", "equal"),
        "p sums to 999/1000",
        "--counts",
    ),
    "negative mass": (("emd", "--p", "-1,2", "--q", "1,0", "--ground", "equal"), "p[0] = -1 is negative"),
    "no mass": (
        ("emd", "--p", "0,0", "--q", "1,0", "--ground", "equal", "--counts"),
        "p sums to 0",
        "must be positive",
    ),
    "fractional counts": ((*HALF, "equal", "--counts"), "p[0] = 1/2", "whole number"),
    "lengths": (("emd", "--p", "1", "--q", "1,0", "--ground", "equal"), "p has 1 values, q 2"),
    "values without spacing": ((*HALF, "ordered-by-value"), "give --values"),
    "values that fall": ((*HALF, "ordered-by-value", "--values", "2,1"), "do not ascend"),
    "values that are texts": ((*HALF, "ordered-by-value", "--values", "a,b"), "needs numbers, and 'a' is not one"),
    "values twice": ((*HALF, "equal", "--values", "a,a"), "'a' occurs twice"),
    "closed form of a matrix": (
        (*HALF, "matrix:matrix.csv", "--solver", "closed-form"),
        "has no closed form",
        "--solver network-simplex or pulp",
    ),
    "values that the matrix misses": ((*HALF, "matrix:matrix.csv", "--values", "x,z"), "no entry for value 'z'"),
    "certificate overwritten": ((*EXAMPLE_EMD, "--certificate", "taken.json"), "'taken.json' exists", "--force"),
    "certificate nowhere": ((*EXAMPLE_EMD, "--certificate", "no/such/folder.json"), "cannot be written"),
    "certificate to nothing": ((*EXAMPLE_EMD, "--certificate", "-"), "is not the name of a file"),
    # usage
    "unknown command": (("chekc",), "No such command 'chekc'", "Did you mean 'check'"),
    "the end of an option": ((*CHECK, "--l", "1"), "No such option", "--distinct-l, --entropy-l, --frequency-l)"),
    "unknown option": ((*CHECK, "--tee", "1"), "No such option", "--tee", "tcloseness check --help"),
    "no table": (("check",), "Missing argument 'TABLE'"),
    "no columns": (("check", "plain.csv"), "Missing option", "--quasi-identifiers"),
    "unknown format": ((*CHECK, "--format", "xml"), "'xml' is not one of 'text', 'json'"),
    "unknown rule": ((*CHECK, "--missing", "guess"), "'guess' is not one of"),
    "unknown solver": ((*EXAMPLE_EMD, "--solver", "abacus"), "'abacus' is not one of", "closed-form"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_name(case, tmp_path, monkeypatch):
    arguments, *fragments = BAD[case]
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    answer = run(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error: ")
    assert "Traceback" not in answer.err
    for fragment in fragments:
        assert fragment in answer.err
