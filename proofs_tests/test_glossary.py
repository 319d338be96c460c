"""One word for a thing, and the field's word: what the glossary replaced occurs nowhere again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tcloseness import errors

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "research" / "tcloseness"

_PART = r"(?:§|section|Definition|Theorem|Fact|Property|Principle|Observation|Example|Figure|Table|equation|Algorithm)"
_AUTHORS = "Li|Machanavajjhala|Dosselmann|Soria-Comas|LeFevre|Wong|Xiao|Xu|Cao|Ghinita|Bayardo|Brickell"
_COMPARED = (
    r"(?:more|less|worse|better|longer|greater|smaller|larger|wider|nearer|farther|higher|lower|fewer|need|solution)\b"
)

_COMMENT = re.compile(r"(?:^[ ]*# .*\n?)+|[ ]{2}# .*$", re.MULTILINE)

WORDS = {
    r"\b(?:TC|LD|TU|SD|CK|LLV|XT)\b(?!-\d)": (
        "the paper as it is cited, such as Li et al. 2007, §5.2", "as in TC §5.1", "claim TC-12"
    ),
    rf"(?<![,.] )\b(?:{_AUTHORS}) (?:19|20)\d\d\b": (
        "both authors of two, else the first with et al.", "by Li 2007, §4", "by Li et al. 2007, §4"
    ),
    r"\bVenkatasubramanian,? (?:and )?20\d\d|\bRamakrishnan 20\d\d": (
        "the first author with et al.", "LeFevre, DeWitt, Ramakrishnan 2005", "LeFevre et al. 2005"
    ),
    rf"\b(?:et al\.|and [A-Z][\w-]+) (?:19|20)\d\d {_PART}": (
        "a comma before the place", "Li et al. 2007 §5.2", "Li et al. 2007, §5.2"
    ),
    r"\b(?:et al\.|and [A-Z][\w-]+) (?:19|20)\d\d, section": (
        "§ and its number", "Li et al. 2007, section 6", "Li et al. 2007, §6"
    ),
    rf"(?<![Tt]here )\b(?:is|are|was|were|be) no (?!{_COMPARED})[a-zA-Z]": (
        "is not a, are not", "a text that is no number", "there is no number; it is no greater"
    ),
}  # fmt: skip
"""What is not written, as a pattern: what is written instead, and an example of each."""

NAMES = {
    "Levels": "Node, of the generalization lattice",
    "Kinds": "KindCounts, a frequency set",
    "PartitionCost": "Loss",
    "COSTS": "LOSSES",
    "Slot": "OpenClass",
    "wishes": "desiderata",
    "amounts": "values",
    "Subject": "the function that is examined, by name",
    "Scene": "what is checked, by name",
    "Examination": "checking",
    "judge": "check or decide",
}
"""Identifiers that the package does not have, and what has taken their place."""

ALLOWED = {
    # vectors and their notes are in ASCII, which has no §
    "research/tcloseness/conformance/paper_tables.py": ("sections 4 and 5.1",),
    "research/tcloseness/conformance/readings/closeness.py": ("2007, section 4", "2007, section 5"),
    "research/tcloseness/conformance/readings/distances.py": ("2007, section 4",),
    # a finding of the record, under the title that it was reported by
    "docs/conformance/findings.md": ("that are no distribution",),
}
"""By file, what matches a pattern and is meant: the words around it."""


def texts(file: Path, *, docstrings_only: bool) -> tuple[str, ...]:
    """Return the prose of a file, each piece on one line: comments and texts of Python, all of any other file."""
    content = file.read_text("utf-8")
    if file.suffix != ".py":
        return (" ".join(content.split()),)
    tree = ast.parse(content)
    nodes = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)] if docstrings_only else ast.walk(tree)
    found = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    if not docstrings_only:
        found |= {text.replace("# ", "") for text in _COMMENT.findall(content)}
    return tuple(" ".join(text.split()) for text in found)


@cache
def written() -> dict[str, tuple[str, ...]]:
    """Return by file what the project says: its package, its pages, and what its tests say of themselves."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    package = [each for kind in ("*.py", "*.html") for each in sorted(PACKAGE.rglob(kind))]
    tests = [each for each in sorted((ROOT / "proofs_tests").rglob("*.py")) if each != Path(__file__)]
    found = {each: texts(each, docstrings_only=False) for each in [*pages, *package]}
    found |= {each: texts(each, docstrings_only=True) for each in tests}
    checkers = ROOT / "proofs_tests" / "coq"
    others = [*(ROOT / "proofs_tests").glob("*.toml"), *checkers.glob("*.md")]
    others += [*(checkers / "driver").glob("*.ml"), *(checkers / "page").glob("*.*")]
    others += (ROOT / "examples").rglob("*.mjs")
    found |= {each: texts(each, docstrings_only=False) for each in sorted(others)}
    return {each.relative_to(ROOT).as_posix(): said for each, said in found.items()}


@pytest.mark.long
@pytest.mark.parametrize("pattern", WORDS)
def test_what_the_glossary_replaced_is_written_nowhere(pattern):
    found = [
        f"{file}: …{text[max(0, match.start() - 40) : match.end() + 40]}…"
        for file, said in written().items()
        for text in said
        for match in re.finditer(pattern, text)
        if not any(each in text[max(0, match.start() - 40) : match.end() + 40] for each in ALLOWED.get(file, ()))
    ]
    assert not found, f"write {WORDS[pattern][0]}:\n" + "\n".join(found)


@pytest.mark.long
def test_every_exception_is_still_needed():
    said = written()
    assert not [(file, each) for file, kept in ALLOWED.items() for each in kept if each not in " ".join(said[file])]


@pytest.mark.parametrize("pattern", WORDS)
def test_a_pattern_finds_what_is_not_written_and_lets_pass_what_is(pattern):
    _, wrong, right = WORDS[pattern]
    assert re.search(pattern, wrong)
    assert not any(re.search(each, right) for each in WORDS)


@cache
def _trees() -> dict[str, ast.Module]:
    files = sorted(PACKAGE.rglob("*.py"))
    return {each.relative_to(PACKAGE).as_posix(): ast.parse(each.read_text("utf-8")) for each in files}


@cache
def _identifiers() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for file, tree in _trees().items():
        for node in ast.walk(tree):
            names = (getattr(node, each, None) for each in ("id", "name", "attr", "arg"))
            for name in names:
                if isinstance(name, str):
                    found.setdefault(name, set()).add(file)
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_was_replaced_is_not_used_again(name):
    assert not _identifiers().get(name), f"its name is {NAMES[name]}"


def _classes() -> Iterator[tuple[str, str]]:
    for file, tree in _trees().items():
        yield from ((node.name, file) for node in tree.body if isinstance(node, ast.ClassDef))


@pytest.mark.long
def test_an_answer_never_shares_its_name_with_an_exception():
    assert {file for name, file in _classes() if name in errors.__all__} == {"errors.py"}


@pytest.mark.parametrize("name", ["Verdict", "Status", "Outcome", "Node", "Result"])
def test_a_word_for_an_answer_has_one_definition_in_the_package(name):
    defined = [
        file
        for file, tree in _trees().items()
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.Assign | ast.AnnAssign) and name in _targets(node)
    ]
    assert len(defined) <= 1, defined


def _targets(node: ast.ClassDef | ast.Assign | ast.AnnAssign) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [each.id for each in targets if isinstance(each, ast.Name)]
