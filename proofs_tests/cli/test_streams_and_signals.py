"""Real streams, disks and signals: nothing that cannot be written passes for an answer, and nothing is lost or half."""

from __future__ import annotations

import atexit
import contextlib
import gc
import inspect
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

from proofs_tests.cli.commands import run
from proofs_tests.cli.interrupts import OLD, SIGNALS, trial
from proofs_tests.cli.processes import CLOSED, forked
from proofs_tests.cli.scenarios import SCENARIOS, make_inputs
from tcloseness import cli
from tcloseness.certificates import seal
from tcloseness.cli import ending
from tcloseness.cli.exit_codes import CLOSED_PIPE, DONE, FAULT, INTERRUPTED, LIMIT, USAGE
from tcloseness.errors import TableError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals, pipes and devices as on POSIX")

QUIET = ("validate", "conform run")
"""Scenarios that start processes or take seconds: they are tried in fewer ways."""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    make_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def _loaded(tmp_path_factory):
    """What the commands load is loaded once, so that their forks begin with their work."""
    folder, before = tmp_path_factory.mktemp("loaded"), Path.cwd()
    make_inputs(folder)
    os.chdir(folder)
    for scenario in SCENARIOS.values():
        assert run(*scenario.line()).code == 0
        for file in scenario.files:
            os.unlink(file)
    os.chdir(before)


def full() -> int:
    return os.open("/dev/full", os.O_WRONLY)


def gone() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def some(names: Iterable[str], *quick: str) -> list[Any]:
    """Return names, of which only some are tried in a quick run."""
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names]


DISKS = [name for name in SCENARIOS if name not in (*QUIET, "conform generate")]

LINES = {
    **{name: scenario.arguments for name, scenario in SCENARIOS.items() if name not in (*QUIET, "conform generate")},
    "check as JSON": (*SCENARIOS["check"].arguments, "--format", "json"),
    "verify": ("verify", "proof.json"),
    "verify what does not hold": ("verify", "broken.json"),
    "check what does not hold": ("check", "table.csv", "-q", "q,n", "-s", "s", "--k", "5"),
    "conform lint": ("conform", "lint", "vectors.json"),
    "help": ("--help",),
    "help of check": ("check", "--help"),
    "version": ("--version",),
}


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("name", some(LINES, "verify what does not hold", "help"))
def test_output_that_cannot_be_written_is_never_an_answer(name):
    assert run(*SCENARIOS["emd"].line()).code == 0
    proof = json.loads(Path("proof.json").read_text("utf-8"))
    broken = {**proof, "emd": "1/7"}
    Path("broken.json").write_text(json.dumps({**broken, "sha256": seal(broken)}), encoding="utf-8")
    right = forked(LINES[name])
    assert right.code == ("does not hold" in name), right.err
    for stdout, code in ((full, USAGE), (lambda: CLOSED, USAGE), (gone, CLOSED_PIPE)):
        ended = forked(LINES[name], stdout=stdout())
        assert (ended.code, ended.out) == (code, b"")
        if code == CLOSED_PIPE:
            assert b"error" not in ended.err
        else:
            assert b"error: standard output cannot be written: " in ended.err
    for stderr in (full, lambda: CLOSED, gone):
        assert forked(LINES[name], stderr=stderr()).code == right.code
    assert forked(LINES[name], stdin=CLOSED).code == right.code
    assert forked(LINES[name], stdin=CLOSED, stdout=CLOSED, stderr=CLOSED).code == USAGE


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
def test_a_table_from_an_input_that_is_closed_is_wrong_input():
    for command in (("check", "-"), ("anonymize", "-", "--method", "mondrian"), ("search", "-", "--hierarchies", ".")):
        ended = forked([*command, "-q", "q", "-s", "s", "--k", "2"], stdin=CLOSED)
        assert (ended.code, ended.out) == (USAGE, b"")
        assert ended.err.startswith(b"error: ")


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
def test_an_input_that_is_opened_never_takes_the_place_of_a_closed_output():
    """Else what is printed would be written into the file that was opened next."""
    before = Path("table.csv").read_bytes()
    forked(SCENARIOS["optimal"].line(), stdout=CLOSED, stderr=CLOSED)
    assert Path("table.csv").read_bytes() == before


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
def test_a_long_output_that_is_cut_anywhere_ends_quietly():
    for taken in (0, 1, 100, 5000):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.read(reader, taken) if taken else None
            os._exit(0)
        os.close(reader)
        ended = forked([*SCENARIOS["check"].arguments, "--format", "json"], stdout=writer)
        os.close(writer)
        os.waitpid(child, 0)
        assert ended.code in (0, CLOSED_PIPE)
        assert b"error" not in ended.err


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
def test_a_fault_is_told_by_a_process_too():
    def break_it():
        import tcloseness

        tcloseness.check = lambda *_a, **_k: 1 / 0

    ended = forked(SCENARIOS["check"].arguments, prepare=break_it)
    assert (ended.code, ended.out) == (FAULT, b"")
    assert b"ZeroDivisionError" in ended.err


def test_a_fault_while_the_commands_are_loaded_is_a_fault():
    code = "import sys; sys.modules['typer'] = None; from tcloseness.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout) == (FAULT, "")
    assert "a fault of tcloseness, and no verdict" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("megabytes", [80, 120, 160])
def test_without_memory_to_load_libraries_there_is_no_verdict(megabytes):
    """OpenBLAS ends a process that has no memory for it with code 1."""
    resource = pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-m", "tcloseness", *SCENARIOS["check"].line()],
        capture_output=True,
        check=False,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)),
    )
    if done.returncode != DONE:  # where so much is enough
        assert (done.returncode, done.stdout) == (LIMIT, "")
        assert "the memory is exhausted" in done.stderr


def test_the_package_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "tcloseness", "--version"], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("tcloseness ")


# ---------------------------------------------------------------------- signals


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("name", some(SCENARIOS, "emd", "conform generate"))
def test_a_signal_at_any_moment_loses_nothing_and_claims_nothing(name, tmp_path):
    random = Random(name)
    whole = forked(SCENARIOS[name].line())
    assert whole.code == 0
    numbers = [number for number in SIGNALS for _ in range(3)]
    found = [trial(name, tmp_path, random, longest=whole.seconds, number=number) for number in numbers]
    assert not all(each.finished for each in found)


@pytest.mark.slow
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("name", SCENARIOS)
def test_many_signals_lose_nothing(name, tmp_path):
    random = Random(f"many {name}")
    whole = forked(SCENARIOS[name].line())
    for _ in range(20 if name in QUIET else 60):
        trial(name, tmp_path, random, longest=whole.seconds)


@pytest.mark.long
def test_an_interrupt_while_python_loads_the_commands_ends_with_130():
    """In a new process: the signal comes at moments from the first line of the program on."""
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); print(flush=True)"
    command = f"{heard}; from tcloseness.cli import main; print('here', flush=True); main()"
    for moment in (None, 0.0, 0.02, 0.1, 0.3):
        with subprocess.Popen(
            [sys.executable, "-c", command, *SCENARIOS["check"].line()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            if moment is not None:
                assert process.stdout.readline() == b"here\n"
                time.sleep(moment)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        if process.returncode == -signal.SIGINT:  # before the first line of `main`
            assert moment in (None, 0.0)
            assert b", in main\n" not in err
        else:
            assert process.returncode in (0, INTERRUPTED)
            assert b"Traceback" not in err
        assert process.returncode or out
        page = Path("page.html")
        if process.returncode != 0 and page.exists():  # the signal came when all was written
            assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
        page.unlink(missing_ok=True)


MODULE = """
import atexit, sys
from tcloseness.cli import main_of_module

def run():
    print("half an answer", flush=True)
    exec("raise KeyboardInterrupt")

atexit.register(lambda: print("left", file=sys.stderr))
main_of_module(run)
"""


def test_an_interrupt_of_code_that_was_a_text_ends_a_module_with_130_and_what_is_to_be_done_at_its_end(tmp_path):
    """Python itself would end it by the signal."""
    (tmp_path / "interrupted.py").write_text(MODULE, encoding="ascii")
    line = [sys.executable, "-m", "interrupted"]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "half an answer\n", "left\n")


def answers() -> None:
    print("an answer")


def fails() -> None:
    print("half an answer")
    raise ZeroDivisionError


def is_wrong() -> None:
    raise TableError("no table")


def is_interrupted() -> None:
    print("half an answer")
    signal.raise_signal(signal.SIGINT)


ENDS = {answers: DONE, fails: FAULT, is_wrong: USAGE, is_interrupted: INTERRUPTED}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", ENDS, ids=lambda program: program.__name__)
def test_a_signal_at_any_step_of_main_is_an_exit_code_and_nothing_else(program, number, monkeypatch, capfd):
    """At each line that Python runs, of this package or of its own library, from the first of `main` on."""
    monkeypatch.setattr(sys, "argv", ["tcloseness"])
    monkeypatch.setattr(ending, "_signals", ending._Signals())
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    step, codes = 0, []
    while len(codes) <= step:
        step, place, begun = 0, "", False

        def trace(frame: FrameType, event: str, _: Any, at: int = len(codes)) -> Any:
            nonlocal step, place, begun
            if frame.f_code is cli.main.__code__ and frame.f_lineno <= FIRST:
                return trace  # the call, and the word ``try``
            step += 1
            begun = begun or (step <= at and frame.f_code is program.__code__)
            if step == at + 1 and (number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_DFL):
                place = f"{event} {frame.f_code.co_qualname}:{frame.f_lineno}"
                signal.raise_signal(number)
            return trace

        before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
        tracing, streams, stdout = sys.gettrace(), (sys.stdin, sys.stdout, sys.stderr), os.dup(1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.settrace(trace)
        try:
            cli.main(program)
        except SystemExit as end:
            code = end.code
        except BaseException as error:  # an interrupt would end the tests
            raise AssertionError(place) from error
        finally:
            sys.settrace(tracing)
            sys.stdin, sys.stdout, sys.stderr = streams
            os.dup2(stdout, 1)
            os.close(stdout)
            for each, handler in before.items():
                signal.signal(each, handler)
            atexit.unregister(signal.signal)
        out, err = capfd.readouterr()
        assert code in (ENDS[program], SIGNALS[number]), place
        assert "Traceback" not in err, place
        assert begun or not place or (code, out) == (SIGNALS[number], ""), place
        assert out == "an answer\n" if code == DONE else not out or program is answers, place
        codes.append(code)
    assert codes[-1] == ENDS[program]  # no signal came
    assert number == signal.SIGTERM or codes[0] == INTERRUPTED
    assert SIGNALS[number] in codes
    assert len(codes) > 50


FIRST = cli.main.__code__.co_firstlineno + next(
    number for number, line in enumerate(inspect.getsource(cli.main).splitlines()) if line.strip().startswith("try:")
)
"""The line of the word ``try`` in `main`: Python itself looks for a signal only after it."""


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
def test_an_interrupt_that_somebody_swallows_is_one_all_the_same():
    def swallow():
        import tcloseness

        real = tcloseness.check

        def check(*arguments, **options):
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            return real(*arguments, **options)

        tcloseness.check = check

    assert forked(SCENARIOS["check"].arguments, prepare=swallow).code == INTERRUPTED


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("meanwhile", ["nothing", "a signal at each of its lines"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_python_must_ignore_comes_once_more_without_a_word(number, meanwhile):
    """As where it comes while an object is deleted: what waits then ends all the same.

    Also if more come while the ignored one is looked at, as those that are sent once more on a busy machine.
    """

    class Deleted:
        def __del__(self):
            signal.raise_signal(number)

    def trace(frame, event, _):
        if frame.f_code.co_qualname == "hear_signals.<locals>.ignored":
            signal.raise_signal(number)
            if event == "return":  # what is sent once more should come by then
                time.sleep(0.1)
            return trace
        return None

    def delete():
        import tcloseness

        def check(*_arguments, **_options):
            sys.settrace(trace if meanwhile != "nothing" else None)
            Deleted()
            sys.settrace(None)
            time.sleep(60)

        tcloseness.check = check

    ended = forked(SCENARIOS["check"].arguments, prepare=delete)
    assert (ended.code, ended.out) == (SIGNALS[number], b"")
    assert b"gnored" not in ended.err
    assert b"Traceback" not in ended.err
    assert ended.seconds < 30


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_becomes_another_exception_is_one_all_the_same(number):
    """As where foreign code that is interrupted finds itself in a state of which it complains."""

    def turn():
        import tcloseness

        def check(*_arguments, **_options):
            try:
                signal.raise_signal(number)
            finally:
                raise ValueError("inconsistent")

        tcloseness.check = check

    ended = forked(SCENARIOS["check"].arguments, prepare=turn)
    assert (ended.code, ended.out) == (SIGNALS[number], b"")
    assert b"fault" not in ended.err


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_midst_of_writing_leaves_all_files_or_none(number):
    def interrupt():
        real = os.fsync

        def fsync(descriptor):
            signal.raise_signal(number)
            real(descriptor)

        os.fsync = fsync

    before = {path.name for path in Path().iterdir()}
    ended = forked(SCENARIOS["anonymize"].line(), prepare=interrupt)
    assert (ended.code, ended.out) == (SIGNALS[number], b"")
    assert {path.name for path in Path().iterdir()} - before in (set(), set(SCENARIOS["anonymize"].files))


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, MemoryError])
def test_of_an_answer_that_is_not_whole_nothing_is_printed(error):
    def halfway():
        from tcloseness.report import text

        def print_audit(*_arguments, **_options):
            print("satisfied: everything holds")
            raise error

        text.print_audit = print_audit

    ended = forked(SCENARIOS["check"].arguments, prepare=halfway)
    assert ended.code not in (0, 1)
    assert ended.out == b""


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
def test_a_signal_that_is_ignored_stays_ignored():
    """As in a background job of a shell."""
    whole = forked(SCENARIOS["check"].arguments)
    ended = forked(
        SCENARIOS["check"].arguments,
        prepare=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        send=(whole.seconds / 2, signal.SIGINT),
    )
    assert (ended.code, ended.out) == (0, whole.out)


# ---------------------------------------------------------------------- a full disk, and several processes


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False, text=True
    )
    if done.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
@pytest.mark.parametrize("name", some(DISKS, "emd"))
def test_a_full_disk_leaves_what_was_there(name, small_disk):
    scenario = SCENARIOS[name]
    places = {option: str(small_disk / file) for option, file in scenario.outputs.items()}
    for forced in (False, True):
        for free in (0, 1, 2):
            for path in small_disk.iterdir():
                path.unlink()
            if forced:
                for file in scenario.files:
                    (small_disk / file).write_bytes(OLD)
            with open(small_disk / "filler", "wb", buffering=0) as filler:
                try:
                    while True:
                        filler.write(b"x" * 4096)
                except OSError:
                    filler.truncate(os.fstat(filler.fileno()).st_size - 4096 * free)
            before = {path.name: path.read_bytes() for path in small_disk.iterdir()}
            ended = forked([*scenario.line(**places), *(["--force"] if forced else [])])
            after = {path.name: path.read_bytes() for path in small_disk.iterdir()}
            if ended.code == 0:
                assert set(after) == {"filler", *scenario.files}
                continue
            assert (ended.code, ended.out) == (USAGE, b"")
            assert b"cannot be written: No space left on device" in ended.err
            assert after == before


@pytest.mark.long
@pytest.mark.usefixtures("_loaded")
def test_of_two_processes_that_write_the_same_files_one_does():
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            os._exit(forked(SCENARIOS["anonymize"].line()).code)
        children.append(child)
    codes = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    assert codes in ([0, USAGE], [0, 0])  # the second may have come when the first was done, and was refused then
    assert codes == [0, USAGE]
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]
