"""How the tests run the command line: inside the process (`run`), or as the installed command (`process`)."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from typer.testing import CliRunner

import tcloseness
from tcloseness.cli import app

PAPERS = Path(__file__).parents[2] / "data" / "papers"
LI4 = str(PAPERS / "li_table4.csv")
HIERARCHY = f"hierarchical:{PAPERS / 'disease_hierarchy.csv'}"
SCHEMA = Draft202012Validator(
    json.loads((Path(tcloseness.__file__).parent / "report" / "check.schema.json").read_text(encoding="utf-8"))
)
"""Of what ``check`` prints: every answer that a test reads is validated."""

QI = ("--quasi-identifiers", "ZIP Code,Age")

EXAMPLE_CHECK = ("check", LI4, *QI, "--sensitive", "Salary", "--ground", "Salary=ordered", "--format", "json")
EXAMPLE_EMD = ("emd", "--p", "1/3,1/3,1/3,0,0,0,0,0,0", "--q", ",".join(["1/9"] * 9), "--ground", "ordered")


@dataclass(frozen=True)
class Answer:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def record(self) -> dict[str, Any]:
        """The JSON on standard output; nothing else may stand there."""
        record: dict[str, Any] = json.loads(self.out)
        if record.get("format") == "tcloseness-check-1":
            SCHEMA.validate(record)
        return record


def run(*arguments: str, stdin: bytes | None = None, columns: int = 80) -> Answer:
    result = CliRunner().invoke(app, list(arguments), input=stdin, env={"COLUMNS": str(columns)})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception  # a traceback is never an answer
    return Answer(result.exit_code, result.stdout, result.stderr)


def process(*arguments: str, stdin: bytes = b"") -> Answer:
    code = "from tcloseness.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *arguments], input=stdin, capture_output=True, check=False)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
