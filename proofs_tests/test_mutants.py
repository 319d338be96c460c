"""The mutation check itself: which faults it makes, which tests it asks, and that its list of survivors is of today."""

from __future__ import annotations

import ast
import importlib
import json
import math
import re
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

from proofs_tests.mutants import journal, page as page_of_docs
from proofs_tests.mutants.__main__ import CORE
from proofs_tests.mutants.in_place import put
from proofs_tests.mutants.operators import Mutant, mutants_of, names_of
from proofs_tests.mutants.page import explained, page
from proofs_tests.mutants.processes import PACKAGE
from proofs_tests.mutants.reach import Reach
from proofs_tests.mutants.sample import (
    DECIDING,
    asked_about,
    draw,
    files_of,
    shares,
    table,
    wilson,
)

SOURCE = '''
LIMIT = 7

def within(x: int = 2, *, strict=True) -> bool:
    """Words, 3 < 4."""
    if not x:
        raise ValueError(f"{x + 1}")
    return (
        abs(x) < LIMIT - 1
        and strict
    )
'''


def test_the_faults_are_in_what_computes_and_nowhere_else():
    """Not in the constant outside of a function, an annotation, the words of an error, or the docstring."""
    found = {mutant.name: mutant for mutant in mutants_of("f.py", SOURCE)}
    assert sorted(found) == sorted(
        [
            "within: `2` → `3`",
            "within: `True` → `False`",
            "within: `if not x` → `if not not x`",
            "within: `not x` → `x`",
            "within: `abs(x) < LIMIT - 1 and strict` → `abs(x) < LIMIT - 1 or strict`",
            "within: `abs(x) < LIMIT - 1 and strict` → `abs(x) < LIMIT - 1`",
            "within: `abs(x) < LIMIT - 1 and strict` → `strict`",
            "within: `abs(x) < LIMIT - 1` → `abs(x) <= LIMIT - 1`",
            "within: `abs(x)` → `x`",
            "within: `LIMIT - 1` → `LIMIT + 1`",
            "within: `LIMIT - 1` → `LIMIT`",
            "within: `1` → `2`",
            "within: `1` → `0`",
        ]
    )
    plain = ast.unparse(ast.parse(SOURCE))
    sources = [mutant.source for mutant in found.values()]
    assert len({plain, *sources}) == len(sources) + 1
    assert found["within: `1` → `2`"].lines == range(8, 12)
    assert found["within: `not x` → `x`"].lines == range(6, 7)
    assert found["within: `2` → `3`"].lines == range(4, 5)


FURTHER = """
def cost(a: int, b: int, *, way: Literal["up", "down"] = "up", share: float = 0.5) -> int:
    if a > b:
        raise ValueError("no")
    require_whole(a)
    seen = {}
    for i in range(a):
        if (a, i) not in seen:
            seen[a, i] = math.floor(a / b) + a // b
    return put(a, b, -(-a // b)), rows.sum(axis=0), rows[:a], np.searchsorted(rows, 1, side="left"), max(a, b)
"""


def test_the_further_faults_come_behind_the_others_whose_names_they_leave():
    usual = [mutant.name for mutant in mutants_of("f.py", FURTHER)]
    both = list(mutants_of("f.py", FURTHER, further=True))
    assert [mutant.name for mutant in both[: len(usual)]] == usual
    assert [mutant.name for mutant in both] == names_of(FURTHER)
    assert [mutant.name for mutant in both[len(usual) :]] == [
        "cost: keys of `seen` without part 1 of 2",
        "cost: keys of `seen` without part 2 of 2",
        "cost: `way='up'` → `way='down'`",
        "cost: `share=0.5` → `share=1.0`",
        "cost: `if a > b` → `pass`",
        "cost: `require_whole(a)` → `pass`",
        "cost: `range(a)` → `range(a + 1)`",
        "cost: `range(a)` → `range(a - 1)`",
        "cost: `math.floor` → `math.ceil`",
        "cost: `a // b` → `-(-a // b)`",
        "cost: `put(a, b, -(-a // b))` → `put(b, a, -(-a // b))`",
        "cost: `-(-a // b)` → `a // b`",
        "cost: `rows.sum(axis=0)` → `rows.sum()`",
        "cost: `:a` → `:a + 1`",
        "cost: `side='left'` → `side='right'`",
    ]
    plain = ast.unparse(ast.parse(FURTHER))
    sources = [mutant.source for mutant in both]
    assert len({plain, *sources}) == len(sources) + 1
    forgets = next(mutant for mutant in both if "part 1" in mutant.name)
    assert "if (i,) not in seen:\n            seen[i,] = " in forgets.source
    assert forgets.lines == range(2, 11)
    some = mutants_of("f.py", FURTHER, further=True, chosen={"cost: `:a` → `:a + 1`"})
    assert [mutant.source for mutant in some] == [both[-2].source]


@pytest.mark.long
def test_a_sample_is_drawn_before_anything_is_run_and_each_time_the_same():
    """By room as many as its share; another seed draws others; the order is drawn as well."""
    sample = draw(60, 5, few())
    assert draw(60, 5, few()) == sample
    assert {each.mutant.id for each in draw(60, 6, few())} != {each.mutant.id for each in sample}
    assert len({each.mutant.id for each in sample}) == 60
    assert Counter(each.room for each in sample) == shares({room: len(each) for room, each in few().items()}, 60)
    rooms = [each.room for each in sample]
    assert rooms != sorted(rooms, key=list(few()).index)


def small(room):
    """The mutants of the first files of a room."""
    return [(file, name) for file in files_of(room)[:2] for name in names_of((PACKAGE / file).read_text("utf-8"))]


@cache
def few():
    """Those of three rooms; made where a test asks for them, not in every process that reads this."""
    return {room: small(room) for room in ("exact", "measures", "models")}


def test_shares_are_within_one_of_the_exact_ones():
    sizes = {"a": 3, "b": 1000, "c": 17, "d": 980}
    for number in range(1, 2001):
        found = shares(sizes, number)
        assert sum(found.values()) == number
        assert all(abs(found[room] - Fraction(number * size, 2000)) < 1 for room, size in sizes.items())
        assert all(found[room] <= size for room, size in sizes.items())
    for number in (0, 2001):
        with pytest.raises(SystemExit, match="a sample has from 1"):
            shares(sizes, number)


def test_the_ends_of_the_interval_are_the_shares_at_which_the_score_is_the_bound():
    """(p̂ − p)² = z²·p(1 − p)/n at both ends; none of all is 0, and all of all is 1."""
    z = 1.959963984540054
    for trials in (1, 7, 100, 1000):
        for hits in {0, 1, trials // 3, trials - 1, trials}:
            for end in wilson(hits, trials):
                assert math.isclose((hits / trials - end) ** 2, z * z * end * (1 - end) / trials, abs_tol=1e-12)
    assert wilson(0, 9)[0] == 0
    assert wilson(9, 9)[1] == 1
    assert wilson(0, 0) == (0, 1)


def test_a_sample_is_summed_up_by_room():
    sample = draw(12, 1, few())
    ids = [each.mutant.id for each in sample]
    fates = dict(zip(ids, ["killed"] * 8 + ["hangs", "survives", "late", ""], strict=True))
    lines = table(sample, fates, {ids[9]: "It is so."})
    low, high = wilson(9, 10)
    assert lines[-1] == f"| **all** | 12 | 11 | 9 | 1 | 1 | 90.0% ({low:.1%} to {high:.1%}) |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| exact", "| measures", "| models", "| **all**"]
    assert sum(int(line.split(" | ")[1]) for line in lines[2:-1]) == 12


@pytest.mark.slow
def test_every_room_of_the_sample_has_files_and_tests_about_them():
    for room in DECIDING:
        assert files_of(room), room
        for file in files_of(room):
            assert asked_about(file) or not names_of((PACKAGE / file).read_text("utf-8")), file


def test_the_tests_that_run_a_line_are_asked_the_likeliest_to_notice_first(tmp_path):
    """The quickest, as far as nothing else is known of them; every test, if an import runs the line."""
    path = tmp_path / "reach.json"
    lines = {"f.py": {"": [1, 2], "slow": [5, 6], "quick": [6, 7], "other": [9]}}
    path.write_text(json.dumps({"seconds": {"slow": 3, "quick": 1, "other": 2}, "lines": lines}), encoding="utf-8")
    reach = Reach.read([path])
    assert reach.tests("f.py", range(6, 8)) == ["quick", "slow"]
    assert reach.tests("f.py", range(6, 8), {"slow": 1}) == ["quick", "slow"]
    assert reach.tests("f.py", range(6, 8), {"slow": 2}) == ["slow", "quick"]  # 3/3.1 > 1/1.1
    assert reach.tests("f.py", range(5, 6)) == ["slow"]
    assert reach.tests("f.py", range(2, 3)) == ["quick", "other", "slow"]
    assert reach.tests("f.py", range(8, 9)) == reach.tests("g.py", range(5, 9)) == []


@pytest.mark.slow
def test_every_explained_survivor_is_a_mutant_of_the_code_as_it_is():
    reasons = explained()
    files = {mutant.split(": ")[0] for mutant in reasons}
    mutants = {f"{f}: {name}" for f in files for name in names_of((PACKAGE / f).read_text(encoding="utf-8"))}
    assert set(reasons) <= mutants


def test_what_is_known_holds_as_long_as_what_it_hangs_on(tmp_path, monkeypatch):
    """A survivor has to pass what is new; a killed one stays killed while its killer is the same."""
    monkeypatch.setattr(journal, "FOLDER", tmp_path)
    stamps = {"a.py": "1", "b.py": "2"}
    monkeypatch.setattr(journal, "fingerprint", lambda room, test, *, as_code, shared: f"{room} {stamps[test]}")
    names = ("survivor", "killed", "broken", "unknown")
    mutants = {name: Mutant("room/f.py", name, "", range(0)) for name in names}
    first = journal.Journal()
    first.write(mutants["survivor"], ["a.py", "b.py"], "survives", "")
    first.write(mutants["killed"], ["a.py", "b.py"], "killed", "a.py::test")
    first.write(mutants["broken"], ["a.py", "b.py"], "killed", "")  # no file of tests could be read

    def known():
        then = journal.Journal()
        return [(then.fate(m, stamps), sorted(then.passed(m, stamps))) for m in mutants.values()]

    assert known() == [("survives", ["a.py", "b.py"]), ("killed", []), ("killed", []), ("", [])]
    stamps["b.py"] = "3"
    assert known() == [("", ["a.py"]), ("killed", []), ("", []), ("", [])]
    stamps |= {"a.py": "4", "b.py": "2"}
    assert known() == [("", ["b.py"]), ("", []), ("", []), ("", [])]
    assert first.kills() == {}
    assert journal.Journal().kills() == {"room/f.py": {"a.py::test": 1}}


def test_every_file_that_is_mutated_has_tests_that_must_notice():
    for pattern, tests in CORE.items():
        for path in PACKAGE.glob(pattern):
            if path.name != "__init__.py":
                assert journal.test_files(each.format(stem=path.stem) for each in tests), path


def test_the_page_says_what_is_open():
    fates = {"a.py: f: `1` → `2`": "killed", "a.py: f: `1` → `0`": "survives", "b.py: g: `<` → `<=`": ""}
    text = page(fates, {})
    assert "| **all** | 3 | 1 | 1 | 1 |" in text
    assert "1 mutants are still to be run" in text
    assert "Survivors: 1, of which 1 are not explained" in text
    assert "still to be run" not in page({"a.py: f: `1` → `2`": "killed"}, {})


def test_the_page_keeps_what_it_says_of_files_that_are_not_run():
    fates = {"a.py: f: `1` → `2`": "killed", "a.py: f: `1` → `0`": "survives", "b.py: g.h: `<` → `<=`": "survives"}
    reasons = {"a.py: f: `1` → `0`": "It is so.", "b.py: g.h: `<` → `<=`": "It is so as well."}
    whole = page(fates, reasons)
    of_b = {id: fate for id, fate in fates.items() if id.startswith("b")}
    assert page(of_b, reasons, whole) == whole
    assert page(of_b, {"b.py: g.h: `<` → `<=`": "It is so as well."}, whole) == whole
    assert "| **all** | 3 | 1 | 2 | 0 |" in whole
    changed = page({"b.py: g.h: `<` → `<=`": "killed"}, reasons, whole)
    assert "| **all** | 3 | 2 | 1 | 0 |" in changed
    assert "as well" not in changed


def test_a_row_is_of_the_code_that_was_run(monkeypatch):
    """Of a file that has changed since then nothing is summed up; what survived is listed as of then."""
    stamps = {"a.py": "1", "b.py": "1"}
    monkeypatch.setattr(page_of_docs, "stamp", stamps.get)
    fates = {"a.py: f: `1` → `2`": "killed", "b.py: g: `<` → `<=`": "survives", "b.py: g: `1` → `2`": "killed"}
    whole = page(fates, {"b.py: g: `<` → `<=`": "It is so."}, scope=["a.py", "b.py", "c.py"])
    assert "| b.py | 2 | 1 | 1 | 100.00% |" in whole
    assert "**Never run:** `c.py`." in whole
    assert "Earlier states" not in whole
    assert page({}, {}, whole, scope=["a.py", "b.py", "c.py"]) == whole
    stamps["b.py"] = "2"
    then = page({}, {}, whole)
    assert "| **all** | 1 | 1 | 0 | 0 |" in then
    now, earlier = then.split("## Earlier states")
    assert "`b.py`" not in now
    assert "| `b.py` | 2 | 1 | 1 | 0 | `1` |" in earlier
    assert "## Survivors: 0, of which 0 are not explained" in earlier
    assert "It is so." in earlier.partition("earlier states of their files")[2]
    assert page({}, {}, then) == then
    stamps["b.py"] = "1"
    assert page({}, {}, then) == whole.replace("\n**Never run:** `c.py`.\n", "")


def test_the_page_keeps_the_part_on_the_sample():
    """What no test of the sample noticed is not taken for a survivor of the whole check."""
    whole = page({"a.py: f: `1` → `2`": "killed"}, {}, sample="Numbers.\n\n- `b.py`, `g`: `1` → `2`")
    assert "## A sample of all deciding rooms\n\nNumbers.\n\n- `b.py`, `g`: `1` → `2`\n" in whole
    assert "Survivors: 0," in whole
    assert page({"a.py: f: `1` → `2`": "killed"}, {}, whole) == whole
    assert page({}, {}, whole) == whole


def test_a_fault_is_put_into_functions_methods_and_what_is_wrapped_around_them(tmp_path, monkeypatch):
    """The module stays the same object, and so do its functions, wherever they were taken."""
    source = """
import functools, contextlib
FIRST = 1
def plain(x, y=2, *, z=3): return x + y + z
@functools.cache
def kept(x): return x + 1
class Some:
    share = 4
    def method(self): return 5
    @property
    def given(self): return 6
    @staticmethod
    def still(): return 7
    @classmethod
    def of(cls): return cls.share, 8
    @functools.cached_property
    def once(self): return 9
"""
    (tmp_path / "faulty.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    faulty = importlib.import_module("faulty")
    plain, some = faulty.plain, faulty.Some

    def values():
        one = some()
        numbers = [faulty.FIRST, plain(0), plain(0, z=0), faulty.kept(0), one.method(), one.given, some.still()]
        faulty.kept.cache_clear()
        return [*numbers, *some.of(), one.once]

    assert values() == [1, 5, 2, 1, 5, 6, 7, 4, 8, 9]
    assert not put(faulty, source)
    assert put(faulty, re.sub(r"\d", lambda found: str(int(found[0]) * 2), source))
    assert values() == [2, 10, 4, 2, 10, 12, 14, 8, 16, 18]
    assert put(faulty, source)
    assert values() == [1, 5, 2, 1, 5, 6, 7, 4, 8, 9]
    assert faulty.plain is plain
