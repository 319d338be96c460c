"""What all commands share: quick help, quiet ends, clean streams."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer import Context
from typer.core import TyperCommand

from proofs_tests.cli.commands import LI4, QI, interrupted, process, run
from tcloseness import __version__
from tcloseness.cli import check as check_command, main
from tcloseness.cli.completion import column, columns, one_of
from tcloseness.errors import LimitReached

HEAVY = ("pandas", "numpy", "matplotlib", "numba", "pulp", "networkx", "highspy", "scipy", "rich")
COMMANDS = ("check", "attack", "columns", "compare", "search", "anonymize", "optimal", "emd", "verify")


def completed(shell: str, *words: str) -> list[str]:
    """What a shell is told for the last word of a line."""
    line = {
        "bash": {"COMP_WORDS": "\n".join(("tcloseness", *words)).replace("\n", " "), "COMP_CWORD": str(len(words))},
        "zsh": {"_TYPER_COMPLETE_ARGS": shlex.join(("tcloseness", *words[:-1])) + f" {words[-1]}"},
        "fish": {
            "_TYPER_COMPLETE_ARGS": shlex.join(("tcloseness", *words[:-1])) + f" {words[-1]}",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        },
    }[shell]
    done = subprocess.run(
        [sys.executable, "-c", "from tcloseness.cli import main; main()"],
        env={**os.environ, **line, "_TCLOSENESS_COMPLETE": f"complete_{shell}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    found = re.findall(r'"([^"]+)"', done.stdout) if shell == "zsh" else done.stdout.split("\n")
    return [each.split("\t")[0] for each in found if each]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_values_of_options_and_columns_of_the_table(shell: str) -> None:
    assert completed(shell, "anonymize", "in.csv", "--method", "mon") == ["mondrian", "mondrian-relaxed"]
    assert completed(shell, "check", "--missing", "d") == ["drop"]
    assert completed(shell, "check", LI4, "-s", "S") == ["Salary"]
    assert completed(shell, "check", LI4, "-q", "Age,D") == ["Age,Disease"]
    assert completed(shell, "optimal", "partition", LI4, "-q", "A") == ["Age"]
    assert completed(shell, "check", "nowhere.csv", "-q", "A") == []
    assert "search" in completed(shell, "se")


@pytest.mark.parametrize(
    ("shell", "mark"), [("bash", "complete -o default"), ("zsh", "#compdef"), ("fish", "--command")]
)
def test_the_script_for_a_shell_can_be_had(shell: str, mark: str) -> None:
    words = [sys.executable, "-m", "tcloseness"]
    done = subprocess.run(
        words,
        env={**os.environ, "_TCLOSENESS_COMPLETE": f"source_{shell}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert mark in done.stdout


@pytest.mark.long
def test_columns_are_completed_as_the_line_says_that_the_table_is_read(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes("Größe;a,b;a\n1;2;3\n".encode("latin-1"))
    read = [str(table), "--separator=;", "--encoding", "latin-1"]
    assert completed("bash", "check", *read, "-q", "Größe,") == ["Größe,a"]
    ended = Context(TyperCommand("check"))
    ended.args = read
    whole = Context(TyperCommand("check"))
    whole.params = {"table": str(table), "separator": ";", "encoding": "latin-1"}
    for context in (ended, whole):
        assert columns(context, "G") == column(context, "G") == ["Größe"]
        assert columns(context, "a") == column(context, "a") == ["a,b", "a"]
        assert (columns(context, "a,"), column(context, "a,")) == (["a,Größe", "a,b"], ["a,b"])
        assert column(context, "Größe,") == []
    for args in (read[:2], ["x" * 5000], ["["], [str(table), "--separator", ";;"]):
        ended.args = args
        assert columns(ended, "a") == []


@pytest.mark.long
def test_help_imports_nothing_heavy():
    """One interpreter asks for every help in turn and says after each what was loaded."""
    asked = [["--help"], ["--version"], *([command, "--help"] for command in COMMANDS)]
    code = (
        "import sys\nfrom tcloseness.cli import app\n"
        f"for arguments in {asked!r}:\n"
        "    try:\n        app(arguments)\n    except SystemExit as end:\n        assert end.code == 0\n"
        f"    print(arguments, [m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == [f"{arguments} []" for arguments in asked]
    assert done.stdout.count("Usage: ") == len(asked) - 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example_that_runs_the_command(command):
    answer = run(command, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert f"  tcloseness {command} " in answer.out.partition("Example: ")[2]


def test_the_help_of_check_names_every_ground_distance_and_lists_options_under_headings():
    text = " ".join(run("check", "--help").out.split())
    for word in ("ordered, ordered-by-value, equal, hierarchical:FILE", "matrix:FILE", "Thresholds", "Columns:"):
        assert word in text


def test_the_help_of_what_generalizes_has_hierarchies_under_their_heading():
    for command in ("search", "anonymize", "optimal"):
        assert "  --hierarchies DIR " in run(command, "--help").out.partition("\nHierarchies:\n")[2]


def test_the_version_is_that_of_the_package():
    assert run("--version").out == f"tcloseness {__version__}\n"


def test_no_command_is_wrong_usage_and_shows_the_help():
    answer = run()
    assert (answer.code, answer.out) == (2, "")
    assert "Commands:" in answer.err


def test_a_limit_that_was_reached_is_undecided(monkeypatch):
    def give_up(_table):
        raise LimitReached("no proof within 10 s")

    monkeypatch.setattr(check_command, "open_source", give_up)
    answer = run("check", LI4, *QI, "-s", "Salary")
    assert (answer.code, answer.out, answer.err) == (3, "", "error: no proof within 10 s\n")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals and pipes as on POSIX")
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_closed_pipe_ends_quietly(form):
    code = "from tcloseness.cli import main; main()"
    reader, writer = os.pipe()
    os.close(reader)
    arguments = ["check", LI4, *QI, "-s", "Salary", "--format", form]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals and pipes as on POSIX")
def test_an_interrupt_ends_quietly_with_130():
    assert interrupted("check", "-", *QI, "-s", "Salary") == (130, b"", b"")


def test_an_interrupt_outside_of_a_command_ends_with_130(monkeypatch):
    def interrupted(**_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("tcloseness.cli.commands.app", interrupted)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130


@pytest.mark.long
def test_a_terminal_without_unicode_gets_valid_json_and_readable_text(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("q,v\na,Köln\n", encoding="utf-8")
    code = "from tcloseness.cli import main; main()"
    for form, expected in (("json", b'"K\\u00f6ln": 1'), ("text", b"k-anonymity")):
        command = [sys.executable, "-c", code, "check", str(file), "-q", "q", "-s", "v", "--k", "1", "--format", form]
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        done = subprocess.run(command, capture_output=True, check=False, env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        assert expected in done.stdout


@pytest.mark.long
def test_errors_leave_standard_output_empty():
    answer = process("check", "absent.csv", *QI, "-s", "Salary", "--format", "json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "error: file absent.csv cannot be read: No such file or directory\n"


def test_a_name_is_completed_by_those_that_begin_so():
    assert [one_of(["high", "higher", "low"])(text) for text in ("hig", "l", "", "x")] == [
        ["high", "higher"],
        ["low"],
        ["high", "higher", "low"],
        [],
    ]
