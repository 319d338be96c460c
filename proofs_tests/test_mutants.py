"""The mutation check itself: which faults it makes, which tests it asks, and that its list of survivors is of today."""

from __future__ import annotations

import ast
import importlib
import json
import re

import pytest

from proofs_tests.mutants import journal
from proofs_tests.mutants.__main__ import CORE
from proofs_tests.mutants.in_place import put
from proofs_tests.mutants.operators import Mutant, mutants_of
from proofs_tests.mutants.page import explained, page
from proofs_tests.mutants.processes import PACKAGE
from proofs_tests.mutants.reach import Reach

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
    mutants = {m.id for f in files for m in mutants_of(f, (PACKAGE / f).read_text(encoding="utf-8"))}
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
    put(faulty, re.sub(r"\d", lambda found: str(int(found[0]) * 2), source))
    assert values() == [2, 10, 4, 2, 10, 12, 14, 8, 16, 18]
    put(faulty, source)
    assert values() == [1, 5, 2, 1, 5, 6, 7, 4, 8, 9]
    assert faulty.plain is plain
