"""Texts that no encoding has, half a character or a NUL, wherever a text can be given: right, or an error by name."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tcloseness as tc
from tcloseness.errors import TClosenessError

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")

ODD = ["a\ud800b", "\udcff", "a\0b"]

ROLES: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s"}


def counted(value: str = "a", qi: str = "q", sensitive: str = "s") -> tc.FrequencySet:
    counts = {(value, "x"): 2, ("b", value): 1, ("b", "y"): 3}
    return tc.FrequencySet.from_counts(counts, quasi_identifiers=qi, sensitive=sensitive)


def framed(odd: str) -> pd.DataFrame:
    return pd.DataFrame([["a", "x"], ["b", "y"]], columns=pd.Index([odd, "s"], dtype=object))


def release(odd: str) -> tc.Release:
    return tc.Release.full_domain(counted(odd))


def framed_table(odd: str) -> tc.Microdata:
    cells = [[odd, "x"], ["b", "y"], [odd, "y"], ["b", "x"]]
    frame = pd.DataFrame(cells, columns=pd.Index([odd, "s"], dtype=object), dtype=object)
    return tc.Microdata.from_frame(frame, quasi_identifiers=odd, sensitive="s")


ENTRIES: dict[str, Callable[[str, Path], object]] = {
    "from_counts, quasi-identifier": lambda odd, _: counted(qi=odd).digest,
    "from_counts, sensitive": lambda odd, _: counted(sensitive=odd).digest,
    "from_counts, value": lambda odd, _: counted(odd).digest,
    "a frame's column": lambda odd, _: tc.FrequencySet.read(framed(odd), quasi_identifiers=odd, sensitive="s").digest,
    "a column that is not there": lambda odd, file: tc.FrequencySet.read(file, quasi_identifiers=odd, sensitive="s"),
    "path": lambda odd, _: tc.FrequencySet.read(odd, **ROLES),
    "paths": lambda odd, file: tc.FrequencySet.read([file, odd], **ROLES),
    "pattern": lambda odd, _: tc.FrequencySet.read(f"{odd}*", **ROLES),
    "read_table": lambda odd, _: tc.read_table(odd),
    "separator": lambda odd, file: tc.FrequencySet.read(file, **ROLES, separator=odd),
    "separator of one": lambda odd, file: tc.FrequencySet.read(file, **ROLES, separator=odd[-1]),
    "encoding": lambda odd, file: tc.FrequencySet.read(file, **ROLES, encoding=odd),
    "missing_texts": lambda odd, file: tc.FrequencySet.read(file, **ROLES, missing_texts=[odd]),
    "missing_texts of the engine": lambda odd, file: tc.FrequencySet.read(
        file, **ROLES, missing_texts=[odd], memory="1GB"
    ),
    "memory": lambda odd, file: tc.FrequencySet.read(file, **ROLES, memory=odd),
    "temporary": lambda odd, file: tc.FrequencySet.read(file, **ROLES, memory="1GB", temporary=odd),
    "orders": lambda odd, file: tc.FrequencySet.read(file, **ROLES, orders={"s": ["x", "y", odd]}).digest,
    "orders of a column": lambda odd, file: tc.FrequencySet.read(file, **ROLES, orders={odd: ["x"]}),
    "domains": lambda odd, file: tc.FrequencySet.read(file, **ROLES, domains={"s": ["x", "y", odd]}).digest,
    "suppressed": lambda odd, file: tc.FrequencySet.read(file, **ROLES, suppressed=odd).digest,
    "merge_spellings": lambda odd, file: tc.FrequencySet.read(file, **ROLES, merge_spellings=odd),
    "check": lambda odd, _: tc.check(counted(odd), k=1, ground={"s": "equal"}, t=1).to_dict(),
    "certificate": lambda odd, _: tc.check(counted(odd), k=1).certificate().to_json(),
    "anonymize": lambda odd, _: tc.anonymize.mondrian(framed_table(odd), tc.KAnonymity(2)).table,
    "hierarchy": lambda odd, _: tc.Hierarchy([[odd, "*"]], name=odd).label(odd, 1),
    "hierarchy's file": lambda odd, _: tc.Hierarchy.from_csv(odd),
    "hierarchy's writing": lambda odd, file: tc.Hierarchy([[odd, "*"]]).to_csv(file.with_name("h.csv")),
    "hierarchy's place": lambda odd, _: tc.Hierarchy([["a", "*"]]).to_csv(odd),
    "rows": lambda odd, _: release(odd).rows().to_csv(),
    "sql": lambda odd, _: release(odd).sql("own"),
    "sql's table": lambda odd, _: release("a").sql(odd),
    "expressions": lambda odd, _: release(odd).expressions(uncovered=odd),
    "write": lambda odd, file: release(odd).write(file.with_name("out.csv")),
    "write Parquet": lambda odd, file: release(odd).write(file.with_name("out.parquet")),
    "write, place": lambda odd, _: release("a").write(f"{odd}.csv"),
    "write, separator": lambda odd, file: release("a").write(file.with_name("o.csv"), separator=odd[-1]),
    "write, source": lambda odd, file: release("a").write(file.with_name("o.csv"), odd, keep=["n"]),
    "write, keep": lambda odd, file: release("a").write(file.with_name("o.csv"), file, keep=[odd]),
}


@pytest.mark.parametrize("odd", ODD, ids=ascii)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_text_that_no_encoding_has_is_taken_or_named(entry: str, odd: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "in.csv"
    file.write_text("q,s,n\na,x,1\na,y,2\nb,x,3\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(TClosenessError):
            ENTRIES[entry](odd, file)
