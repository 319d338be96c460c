"""How the tests run the command line: inside the process (`run`), or as the installed command (`process`)."""

from __future__ import annotations

import contextlib
import json
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.main import get_command
from typer.testing import CliRunner

import tcloseness
from experiments import adult
from tcloseness.cli import app

PAPERS = Path(__file__).parents[2] / "data" / "papers"
LI4 = str(PAPERS / "li_table4.csv")
HIERARCHY = f"hierarchical:{PAPERS / 'disease_hierarchy.csv'}"
REPORT = Path(tcloseness.__file__).parent / "report"
SCHEMAS = {
    f"tcloseness-{name}": Draft202012Validator(
        json.loads((REPORT / f"{name.rpartition('-')[0]}.schema.json").read_text("utf-8"))
    )
    for name in ("check-2", "search-1", "anonymization-1", "anonymize-2", "optimal-2", "emd-1", "verify-1", "attack-1")
}
"""By format: every answer and every file that a test reads is validated."""

QI = ("--quasi-identifiers", "ZIP Code,Age")

EXAMPLE_CHECK = ("check", LI4, *QI, "--sensitive", "Salary", "--ground", "Salary=ordered", "--format", "json")
EXAMPLE_EMD = ("emd", "--p", "1/3,1/3,1/3,0,0,0,0,0,0", "--q", ",".join(["1/9"] * 9), "--ground", "ordered")


@dataclass(frozen=True)
class Answer:
    """What a command answered.

    Small tables often have a column in which no value occurs twice. The warning of it is left out of `err`, as it is
    from the warnings that the other tests take for errors; `whole_err` has it.
    """

    code: int
    out: str
    err: str
    whole_err: str = ""

    @cached_property
    def record(self) -> dict[str, Any]:
        """The JSON on standard output; nothing else may stand there."""
        return validated(self.out)


def interrupted(*arguments: str) -> tuple[int, bytes, bytes]:
    """Send Ctrl-C to a command that is reading its table from standard input, and return its code, output and errors.

    It is reading once it has taken more than a pipe holds. It may have been started where signals are ignored, as all
    that a shell runs in the background is; so they are not, for it.
    """
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", f"{heard}; from tcloseness.cli import main; main()", *arguments]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as waiting:
        assert waiting.stdin is not None
        waiting.stdin.write(b"\n" * (1 << 20))
        waiting.stdin.flush()
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=60)
    return waiting.returncode, out, err


def validated(text: str) -> dict[str, Any]:
    """Return the JSON of a text; one of a format with a schema is valid under it."""
    record: dict[str, Any] = json.loads(text)
    if record.get("format") in SCHEMAS:
        SCHEMAS[record["format"]].validate(record)
    return record


COMMAND = get_command(app)
"""Built once: it holds no state, and `typer.testing.CliRunner.invoke` would build it for each call."""


def run(*arguments: str, stdin: bytes | None = None, columns: int = 80) -> Answer:
    """Run the command line in this process; an exception that is not an exit is the test's to see."""
    with CliRunner().isolation(input=stdin, env={"COLUMNS": str(columns)}) as streams:
        with pytest.raises(SystemExit) as end:
            COMMAND.main(args=list(arguments), prog_name="tcloseness")
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = (stream.getvalue().decode() for stream in streams[:2])
    assert isinstance(end.value.code, int)
    return Answer(end.value.code, out, _without_identifiers(err), err)


def recheck(record: dict[str, Any], folder: str | Path = ".") -> Answer:
    """Run the command that a command wrote beside its table, where the table is."""
    program, *words = shlex.split(record["check"])
    assert program == "tcloseness"
    with contextlib.chdir(folder):
        return run(*words, "--format", "json")


def adult_file(folders: pytest.TempPathFactory) -> str:
    """The complete training records of Adult as a CSV file; without the data the test is skipped."""
    try:
        adult.fetch()
    except adult.DataMissing:
        pytest.skip("the Adult data are not there")
    file = folders.mktemp("adult") / "adult.csv"
    adult.load("train-complete").to_csv(file, index=False)
    return str(file)


def process(*arguments: str, stdin: bytes = b"") -> Answer:
    code = "from tcloseness.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *arguments], input=stdin, capture_output=True, check=False)
    err = done.stderr.decode()
    return Answer(done.returncode, done.stdout.decode(), _without_identifiers(err), err)


def _without_identifiers(err: str) -> str:
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if " has a different value in each of the " not in line)
