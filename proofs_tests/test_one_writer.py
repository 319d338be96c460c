"""Files are written in one place: nothing else in the package or the studies opens one to write."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import experiments
import tcloseness

ROOTS = (Path(tcloseness.__file__).parent, Path(experiments.__file__).parent)
FILES = {f"{root.name}/{file.relative_to(root)}": file for root in ROOTS for file in sorted(root.rglob("*.py"))}

ALLOWED = {
    "tcloseness/writing.py": "the writer",
    "tcloseness/cli/ending.py": "the null device in place of a stream that is closed",
    "tcloseness/microdata/sources/strict.py": "Parquet that is open, for DuckDB, in a folder that is gone with it",
    "tcloseness/transport/solvers/highs.py": "the null device, into which a banner is printed",
    "tcloseness/conformance/adapters/serving.py": "the pipe of standard output, kept for the answers",
    "tcloseness/optimal/cbc.py": "a solver's own files, in a folder that is gone with it",
    "tcloseness/transport/solvers/highs_process.py": "likewise",
    "tcloseness/transport/solvers/highs_client.py": "likewise",
    "experiments/adult.py": "a table of them as CSV, renamed when it is complete",
    "experiments/fetching.py": "data as they are fetched, in a folder that is gone at the end; verified, then renamed",
    "experiments/kept.py": "what a study does not write any more, and the mark of one that ended, are removed",
    "experiments/bench/engines.py": "further names of a file, in a folder that is gone with it",
    "experiments/studies/scale/__init__.py": "likewise",
    "experiments/studies/fit/search.py": "parts of a sample that are not needed any more are removed",
}
"""What opens something to write besides the writer, and why that is not a file of anybody's."""

MODULES = {"os", "shutil", "tempfile", "np", "numpy", "json", "pickle"}
FUNCTIONS = re.compile(
    "replace|renames?|link|symlink|move|copy2?|copyfile|copytree|savez?|savetxt|dump|mkstemp|NamedTemporaryFile|unlink|"
    "remove|rmtree|truncate"
)
METHODS = re.compile("write_text|write_bytes|to_parquet|to_pickle|to_excel|tofile|symlink_to|hardlink_to|touch")


def written(node: ast.Call) -> bool:
    """Whether a call looks as if it wrote, moved or removed a file."""
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = getattr(getattr(function, "value", None), "id", "")
    given = [*node.args, *(each.value for each in node.keywords)]
    if name in ("open", "fdopen"):
        modes = [str(each.value) for each in given if isinstance(each, ast.Constant)]
        flags = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        to_write = any(set(mode) <= set("rwaxbt+U") and set(mode) & set("wax+") for mode in modes)
        return to_write or bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT"})
    if name == "to_csv":  # without a file it returns a text
        return bool(node.args) or any(each.arg in ("path", "path_or_buf") for each in node.keywords)
    if name == "savefig":  # into memory
        return not (node.args and getattr(node.args[0], "id", "") == "content")
    return bool(METHODS.fullmatch(name) or (FUNCTIONS.fullmatch(name) and owner in MODULES))


NAMES = re.compile(rf"\b(?:open|fdopen|to_csv|savefig|{METHODS.pattern}|{FUNCTIONS.pattern})\b")


def places(file: Path) -> list[int]:
    text = file.read_text(encoding="utf-8")
    if not NAMES.search(text):  # of most files the tree need not be made
        return []
    tree = ast.parse(text)
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and written(node)]


@pytest.mark.parametrize("call", [
    "open(f, 'w')", "open(f, mode='ab')", "p.open('x')", "p.open('r+')", "os.open(f, os.O_WRONLY | os.O_CREAT)",
    "p.write_text(t)", "p.write_bytes(b)", "figure.savefig(path)", "table.to_csv(path, index=False)",
    "frame.to_csv(path_or_buf=f)", "os.replace(a, b)", "shutil.move(a, b)", "json.dump(x, f)", "np.save(f, a)",
    "tempfile.NamedTemporaryFile()", "os.unlink(f)",
])  # fmt: skip
def test_a_call_that_writes_is_seen(call):
    assert written(ast.parse(call, mode="eval").body)


@pytest.mark.parametrize("call", [
    "open(f)", "open(f, 'rb')", "p.open(encoding='utf-8')", "text.replace('w', 'a')", "figure.savefig(content)",
    "table.to_csv(index=False)", "json.dumps(x)", "os.open(f, os.O_RDONLY)", "values.copy()",
])  # fmt: skip
def test_a_call_that_does_not_write_is_not_taken_for_one(call):
    assert not written(ast.parse(call, mode="eval").body)


def test_nothing_but_the_writer_writes_a_file():
    found = {name: places(file) for name, file in FILES.items()}
    wrong = [
        f"{name}, lines {lines}: write with tcloseness.writing.write_files"
        if lines
        else f"{name} writes nothing any more; take it off the list"
        for name, lines in found.items()
        if (name in ALLOWED) != bool(lines)
    ]
    assert not wrong, "\n".join(wrong)
