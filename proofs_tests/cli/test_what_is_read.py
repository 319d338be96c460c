"""No command writes over a file that it reads, by whatever name, whatever is forced; and records name no folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from proofs_tests.cli.commands import run
from proofs_tests.cli.interrupts import ENDS
from proofs_tests.cli.processes import forked
from proofs_tests.cli.scenarios import CORES, EVERY, SCENARIOS, make_inputs
from tcloseness.cli import app
from tcloseness.cli.command import is_written


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    make_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def commands(group=None, name=""):
    """Every command by name, from the application itself."""
    for word, command in (group or get_command(app)).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name}{word} ")
        else:
            yield f"{name}{word}", command


READ = {
    "check": {"table", "population", "population_hierarchy", "model", "measure", "loss", "ground"},
    "attack": {"release", "sensitive_table", "others", "table", "model", "hierarchies", "hierarchy", "ground"},
    "columns": {"table"},
    "compare": {"table", "releases", "model", "loss", "hierarchies", "hierarchy", "ground"},
    "search": {"table", "model", "loss", "hierarchies", "hierarchy", "ground"},
    "anonymize": {"table", "model", "loss", "hierarchies", "hierarchy", "ground"},
    "optimal": {"table", "model", "hierarchies", "hierarchy", "ground", "sensitive_hierarchy"},
    "emd": {"table", "ground"},
    "validate": {"measure", "ground"},
    "verify": {
        *("certificates", "ground", "table", "sensitive_table", "hierarchies", "hierarchy", "salt", "trust", "others")
    },
    "conform run": {"harness", "vectors"},
    "conform generate": set(),
    "conform lint": {"files"},
    "conform show": {"names"},
}
"""By command, the parameters that name what is read."""

FILE_WORDS = ("FILE", "DIR", "FOLDER", "TABLE", "RELEASE", "DISTANCE", "MODULE", "CERTIFICATE", "HARNESS", "REPORT")
"""What stands in a parameter's place in the help, if it names a file."""


def test_every_parameter_that_names_a_file_is_one_that_is_read_or_one_that_is_written():
    found = dict(commands())
    assert set(found) == set(READ)
    for name, command in found.items():
        for parameter in command.params:
            shown = str(parameter.metavar or "")
            if any(word in shown for word in FILE_WORDS):
                written = is_written(parameter)
                assert written != (parameter.name in READ[name]), (name, parameter.name, shown)


def test_it_is_known_how_each_written_file_ends_when_it_is_whole():
    assert {Path(file).suffix for scenario in EVERY.values() for file in scenario.files} <= ENDS.keys()


def test_every_command_that_writes_has_a_scenario_with_all_its_outputs():
    for name, command in commands():
        writes = {option for parameter in command.params if is_written(parameter) for option in parameter.opts}
        words = tuple(name.split())
        told = [set(each.outputs) for each in SCENARIOS.values() if each.arguments[: len(words)] == words]
        assert set().union(*told) == writes, name


CASES = [
    (name, read, output)
    for name, scenario in SCENARIOS.items()
    for read in scenario.reads
    for output in scenario.outputs
]


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_answered_and_writes_what_it_says(name, tmp_path):
    scenario = SCENARIOS[name]
    before = everything(tmp_path)
    answer = run(*scenario.line())
    assert answer.code == 0, answer.err
    after = everything(tmp_path)
    assert set(after) - set(before) == set(scenario.files)
    assert {file: after[file] for file in before} == before
    again = run(*scenario.line())
    assert (again.code, again.out) == (2, "")
    assert "exists and is not overwritten; give another name, or --force" in again.err
    assert everything(tmp_path) == after


@pytest.mark.long
@pytest.mark.parametrize(("name", "read", "output"), CASES)
@pytest.mark.parametrize("link", [os.symlink, pytest.param(os.link, marks=pytest.mark.slow)])
def test_nothing_that_is_read_is_overwritten(name, read, output, link, tmp_path, monkeypatch):
    """Each file that a command reads in the place of each file that it writes: under its own name where that ends
    right, and by links of the name that it would have. It is refused before any work."""
    scenario = SCENARIOS[name]
    if name != "conform show":
        monkeypatch.setattr(CORES[name], None)
    for written in scenario.files:
        link(os.path.abspath(read), written)
        before = everything(tmp_path)
        answer = run(*forced(scenario.line()))
        assert (answer.code, answer.out) == (2, ""), written
        assert "is what the command reads, and is never overwritten" in answer.err
        assert everything(tmp_path) == before
        os.unlink(written)
    for own in (read, os.path.abspath(read), f"levels/../{read}"):
        answer = run(*forced(scenario.line(**{output: own})))
        assert (answer.code, answer.out) == (2, "")
        assert "never overwritten" in answer.err or "must end in" in answer.err
        assert everything(tmp_path) == {file: content for file, content in before.items() if file not in scenario.files}


def forced(words: list[str]) -> list[str]:
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], "--force", *words[place:]]


def test_a_module_that_is_named_without_its_file_is_read_too(monkeypatch):
    monkeypatch.delitem(sys.modules, "my_measure", raising=False)
    words = list(SCENARIOS["validate"].line(**{"--html": "my_measure.py"}))
    words[1] = "my_measure:half"
    before = Path("my_measure.py").read_bytes()
    answer = run(*words, "--force")
    assert answer.code == 2
    assert "never overwritten" in answer.err
    assert Path("my_measure.py").read_bytes() == before


@pytest.mark.parametrize("measure", ["my_measure:half", "my_measure.py:half"])
def test_what_a_module_imports_is_read_too(measure, monkeypatch):
    monkeypatch.syspath_prepend(".")
    monkeypatch.delitem(sys.modules, "my_measure", raising=False)
    monkeypatch.delitem(sys.modules, "halves", raising=False)
    os.rename("my_measure.py", "halves.py")
    Path("my_measure.py").write_text("from halves import half\n", encoding="utf-8")
    words = list(SCENARIOS["validate"].line(**{"--html": "halves.py"}))
    words[1] = measure
    before = everything(Path())
    answer = run(*words, "--force")
    assert answer.code == 2
    assert "never overwritten" in answer.err
    assert {name: each for name, each in everything(Path()).items() if name in before} == before


def test_what_standard_input_is_redirected_from_is_read():
    table = Path("table.csv").read_bytes()
    with open("table.csv", "rb") as given:
        ended = forked(["check", "-", "-q", "q", "-s", "s", "--html", "table.csv", "--force"], stdin=given.fileno())
    assert ended.code == 2
    assert b"never overwritten" in ended.err
    assert Path("table.csv").read_bytes() == table


# ---------------------------------------------------------------------- records and pages


def test_the_record_of_verify_names_no_folder(tmp_path):
    assert run(*SCENARIOS["emd"].line()).code == 0
    names = ("proof.json", "table.csv", "absent.json")
    answer = run("verify", *(str(tmp_path / name) for name in names), "--format", "json")
    assert [each["file"] for each in answer.record["certificates"]] == list(names)
    assert str(tmp_path) not in answer.out


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.slow
def test_no_record_and_no_page_names_a_folder(name, form, tmp_path, monkeypatch):
    """All files stand in a folder named like a person, and are named by their whole names."""
    scenario = SCENARIOS[name]
    home = tmp_path / "home" / "jane.doe.4711"
    home.mkdir(parents=True)
    make_inputs(home)
    monkeypatch.chdir(tmp_path)
    before = set(everything(home))
    words = scenario.line(str(home))
    more = ["--format", form] if name != "conform generate" else []
    place = words.index("--") if "--" in words else len(words)
    answer = run(*words[:place], *more, *words[place:])
    assert answer.code == 0, answer.err
    written = {file: content for file, content in everything(home).items() if file not in before}
    assert set(written) == set(scenario.files)
    printed = {"standard output": answer.out.encode()} if "json" in more else {}
    for file, content in {**written, **printed}.items():
        for secret in (b"jane.doe", str(tmp_path).encode(), os.path.expanduser("~").encode() + b"/"):
            assert secret not in content, (file, content[max(0, content.index(secret) - 80) :][:200])


ASKED = ("table.csv", "-q", "q", "-s", "s", "--k", "2")
LINES = {
    "check": ("check", *ASKED),
    "search": ("search", *ASKED, "--suppress-only", "q", "--output", "out.csv"),
    "anonymize": ("anonymize", *ASKED, "--output", "out.csv"),
    "optimal": ("optimal", "partition", *ASKED, "--output", "out.csv"),
    "compare": ("compare", "table.csv", *ASKED),
}


@pytest.mark.parametrize("line", LINES.values(), ids=list(LINES))
def test_identifying_columns_are_neither_asked_about_nor_written(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("id,q,s\nP1,1,a\nP2,1,b\nP3,2,a\nP4,2,b\n", encoding="utf-8")
    assert "(--identifying 'id' says it does)" in run(*line).whole_err
    for made in Path().glob("out.*"):
        made.unlink()
    assert "--keep names 'id'" in run(*line, "--identifying", "id", "--keep", "id").err or "out.csv" not in line
    answer = run(*line, "--identifying", "id")
    assert answer.code == 0
    assert "warning" not in answer.whole_err
    assert "without a role" not in answer.out
    for made in Path().glob("out.*"):
        assert "P1" not in made.read_text(encoding="utf-8")
    assert "out.csv" not in line or Path("out.csv").read_text(encoding="utf-8").splitlines()[0] == "q,s"
    assert run(*line, "--identifying", "name").code == 2
    assert run(*line, "--identifying", "q").code == 2
