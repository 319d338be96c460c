"""How commands end: one table; 1 only after a verdict; a fault, a limit and an interrupt by codes of their own."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest
from typer.main import get_command

import tcloseness
from proofs_tests.cli.commands import EXAMPLE_EMD, LI4, QI, run
from proofs_tests.cli.scenarios import CORES, SCENARIOS, make_inputs
from tcloseness import errors
from tcloseness.cli import app
from tcloseness.cli.ending import Terminated
from tcloseness.cli.exit_codes import FAULT, INTERRUPTED, LIMIT, MEANINGS, ROWS, TERMINATED, USAGE, VIOLATED, markdown

ROOT = Path(__file__).parents[2]
COMMANDS = get_command(app).commands


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    make_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)


# ---------------------------------------------------------------------- one table


def test_the_table_has_a_row_for_every_command_and_for_the_studies():
    assert set(ROWS) == {*COMMANDS, "experiments", "experiments compare"}


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_help_prints_the_table():
    text = words(run("--help", columns=200).out)
    for code, meaning in MEANINGS.items():
        assert f"{code} {meaning}" in text
    for name, row in ROWS.items():
        assert f"{name} " + "; ".join(f"{code} {meaning}" for code, meaning in row.own.items()) in text


def every_command(group=None, path=()):
    for name, command in (group or get_command(app)).commands.items():
        yield (*path, name)
        if hasattr(command, "commands"):
            yield from every_command(command, (*path, name))


@pytest.mark.parametrize("path", list(every_command()), ids=" ".join)
def test_the_help_of_a_command_prints_its_row_and_says_nothing_else_of_codes(path):
    text = run(*path, "--help", columns=200).out
    before, _, after = text.partition("Exit codes:")
    row = ROWS[path[0]].meanings
    assert words(after).startswith(" ".join(f"{code} {meaning}" for code, meaning in row.items()))
    assert not re.search(r"\b[Ee]xit", before.replace("and exit.", ""))


def test_the_page_of_the_commands_has_the_table():
    assert markdown() in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def test_no_text_of_the_package_speaks_of_codes_in_words_of_its_own():
    """They are said by the table alone."""
    for file in (Path(tcloseness.__file__).parent / "cli").glob("*.py"):
        if file.name != "exit_codes.py":
            assert not re.search(r"[Ee]xits with|Exit codes: \d", file.read_text(encoding="utf-8")), file.name


@pytest.mark.parametrize("name", ROWS)
def test_a_row_gives_each_status_a_code_that_it_explains(name):
    row = ROWS[name]
    assert set(row.own) <= {0, 1, 2, 3}
    assert set(row.statuses.values()) <= set(row.meanings)
    assert (VIOLATED in row.meanings) == (VIOLATED in row.own)


# ---------------------------------------------------------------------- whatever breaks

FOREIGN = [
    ZeroDivisionError("x"), OverflowError("cannot convert float infinity to integer"), RecursionError("depth"),
    KeyError("flu"), AttributeError("x"), AssertionError(), OSError(errno.EIO, "I/O"), EOFError(), StopIteration(),
    UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), ValueError("Exceeds the limit (4300 digits)"), UserWarning("x"),
    SystemExit(0), SystemExit(1), SystemExit("text"), GeneratorExit(), NotImplementedError(), BaseException("bare"),
    ExceptionGroup("several", [ValueError("a")]), ImportError("no module"), errors.TClosenessError.__mro__[1]("x"),
]  # fmt: skip

NAMED = [
    (errors.InputError("named"), USAGE), (errors.TableError("named"), USAGE), (errors.ProtocolError("named"), USAGE),
    (errors.LimitReached("named"), LIMIT), (errors.NotReached("named"), LIMIT), (errors.SolverError("named"), LIMIT),
    (errors.TimeLimitReached("named"), LIMIT), (errors.MemoryLimitReached("named"), LIMIT),
    (MemoryError("Unable to allocate 7 TiB"), LIMIT), (OSError(errno.ENOMEM, "Cannot allocate memory"), LIMIT),
    (ImportError("x.so: failed to map segment from shared object"), LIMIT),
    (KeyboardInterrupt(), INTERRUPTED), (Terminated(), TERMINATED),
]  # fmt: skip


def raising(error):
    def fail(*_arguments, **_options):
        raise error

    return fail


@pytest.mark.parametrize("name", CORES)
@pytest.mark.slow
def test_a_foreign_exception_is_a_fault_of_tcloseness_and_no_verdict(name, inputs, monkeypatch):
    line, before = SCENARIOS[name].line(), sorted(Path().rglob("*"))
    for error in FOREIGN:
        monkeypatch.setattr(CORES[name], raising(error))
        answer = run(*line)
        assert (answer.code, answer.out) == (FAULT, ""), repr(error)
        assert "a fault of tcloseness, and no verdict. Please report" in answer.err
        assert f"tcloseness {tcloseness.__version__}, Python 3." in answer.err
        assert f"command: tcloseness {line[0]}" in answer.err
        assert type(error).__name__ in answer.err.splitlines()[-1]
        assert "test_exit_codes.py" in answer.err
        assert "Traceback" not in answer.err
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("name", CORES)
def test_a_limit_and_an_interrupt_have_codes_of_their_own(name, inputs, monkeypatch):
    before = sorted(Path().rglob("*"))
    for error, code in NAMED:
        monkeypatch.setattr(CORES[name], raising(error))
        answer = run(*SCENARIOS[name].line())
        assert (answer.code, answer.out) == (code, ""), repr(error)
        if isinstance(error, errors.TClosenessError):
            assert answer.err.splitlines()[-1] == "error: named"
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("name", CORES)
def test_what_has_no_solution_is_said_by_a_command_that_gives_verdicts_only(name, inputs, monkeypatch):
    monkeypatch.setattr(CORES[name], raising(errors.InfeasibleError("none")))
    answer = run(*SCENARIOS[name].line())
    assert answer.code == (VIOLATED if VIOLATED in ROWS[name.split()[0]].own else LIMIT)


def test_a_fault_names_the_options_and_no_value(inputs, monkeypatch):
    monkeypatch.setattr(CORES["check"], raising(KeyError("flu")))
    answer = run("check", "table.csv", "-q", "q", "--sensitive=s", "--order", "s=flu,cold,cough", "--k", "2")
    command = next(line for line in answer.err.splitlines() if "command: " in line)
    assert command == "  command: tcloseness check -q --sensitive --order --k"
    assert answer.err.count("flu") == 1  # the exception's own message
    redacted = run("check", "table.csv", "-q", "q", "-s", "s", "--redact")
    assert redacted.code == FAULT
    assert "flu" not in redacted.err
    assert redacted.err.rstrip().endswith("KeyError")


def test_a_fault_while_an_answer_is_printed_is_one_too(inputs, monkeypatch):
    for core in ("tcloseness.report.text.print_audit", "tcloseness.cli.check.result_console"):
        with monkeypatch.context() as patch:
            patch.setattr(core, raising(IndexError("x")))
            assert run("check", "table.csv", "-q", "q", "-s", "s").code == FAULT


def test_a_measure_that_ends_the_program_does_not_decide_how_the_command_ends(inputs):
    for text in ("import sys; sys.exit(0)", "raise SystemExit(1)", "import os; raise KeyError"):
        Path("ends.py").write_text(text, encoding="utf-8")
        answer = run("validate", "ends.py:x")
        assert (answer.code, answer.out) == (USAGE, "")
        assert "cannot be imported" in answer.err
    Path("ends.py").write_text("def f(p, q):\n    raise SystemExit(0)\n", encoding="utf-8")
    answer = run("validate", "ends.py:f", "--no-proofs", "--m", "2-2", "--only", "finite")
    assert answer.code == VIOLATED
    assert "raises SystemExit: 0" in answer.out


# ---------------------------------------------------------------------- never 1 without a verdict

ODD = ("1e400", "1e-400", "-1e400", "1e5000", "1" * 5000, "0." + "0" * 5000 + "1", "1/0", "nan", "inf", "", " ", "-",
       "\0", "٣", "1_000", "[" * 100_000, "1" + "0" * 400, "1/" + "3" * 5000, "9" * 4301, "\ud800")  # fmt: skip

OPTIONS = [
    ("check", LI4, *QI, "-s", "Salary", "--ground", "Salary=ordered", option)
    for option in ("--k", "--t", "--beta", "--distinct-l", "--entropy-l", "--delta-disclosure", "--recursive",
                   "--order", "--domain", "--suppressed", "--missing-text", "--separator", "--encoding", "--weight")
]  # fmt: skip
OPTIONS += [
    (*EXAMPLE_EMD[:1], *EXAMPLE_EMD[3:], "--p"),
    (*EXAMPLE_EMD, "--values"),
    (*EXAMPLE_EMD, "--certificate"),
    ("search", LI4, *QI, "-s", "Salary", "--hierarchies", "absent", "--k", "2", "--suppression"),
    ("anonymize", LI4, *QI, "-s", "Salary", "--method", "mondrian", "--k"),
    ("optimal", "partition", LI4, *QI, "-s", "Salary", "--time-limit", "1", "--k"),
    ("optimal", "partition", LI4, *QI, "-s", "Salary", "--k", "9", "--time-limit"),
    ("verify",),
    ("validate",),
    ("conform", "show"),
    ("conform", "lint"),
    ("conform", "run", "--vectors"),
]


@pytest.mark.parametrize("line", OPTIONS, ids=lambda line: f"{line[0]} {line[-1]}")
@pytest.mark.slow
def test_an_odd_text_for_an_option_is_never_a_violation_nor_a_fault(line, tmp_path, monkeypatch):
    """A threshold may be answered; a text that is none is refused."""
    monkeypatch.chdir(tmp_path)
    for text in ODD:
        answer = run(*line, text)
        assert answer.code in ROWS[line[0]].meanings, answer
        assert answer.code != FAULT, (text[:20], answer.err[-1500:])
        if answer.code == VIOLATED:
            assert line[0] == "check"
            assert answer.out.startswith("violated")
        if answer.code == USAGE:
            assert answer.err.startswith(("error: ", "Usage", "warning: "))


@pytest.mark.parametrize("command", ["verify", "conform show", "conform lint"])
def test_deep_json_is_refused_by_name(command, tmp_path):
    for text in ("[" * 200_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "[1e400]", "[" + "9" * 5000 + "]", "\x00", ""):
        file = tmp_path / "deep.json"
        file.write_text(text, encoding="utf-8")
        answer = run(*command.split(), str(file))
        assert answer.code in (USAGE, VIOLATED) if command == "conform lint" else answer.code == USAGE, answer.err[
            -1500:
        ]
