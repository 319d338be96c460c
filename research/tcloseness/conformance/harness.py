"""The harness of this package's own models: ``python -m tcloseness.conformance.harness``."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from tcloseness import __version__
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Refused
from tcloseness.conformance.inputs import input_from_dict
from tcloseness.conformance.models import right_answer
from tcloseness.conformance.protocol import RESULT_FIELDS, VERSION, line
from tcloseness.errors import TClosenessError

__all__ = ["main", "serve"]


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer each line until ``stop``, or until there is none."""
    for text in questions:
        message = json.loads(text)
        if message["cmd"] == "stop":
            return
        reply = started() if message["cmd"] == "start" else {"seq": message["seq"], **answered(message)}
        answers.write(line(reply))
        answers.flush()


def started() -> dict[str, Any]:
    """Say who answers."""
    return {
        "version": VERSION,
        "implementation": {"name": "tcloseness", "version": __version__, "language": "Python"},
        "algorithms": list(ALGORITHMS),
    }


def answered(message: dict[str, Any]) -> dict[str, Any]:
    """Answer one question."""
    try:
        answer = right_answer(message["algorithm"], input_from_dict(message["input"]), message["parameters"])
    except TClosenessError as error:
        return {"error": {"message": str(error), "type": type(error).__name__}}
    if isinstance(answer, Refused):
        return {"error": {"message": "the input has no answer", "type": "InputError"}}
    return {"result": {name: given for name, given in answer.to_dict().items() if name in RESULT_FIELDS}}


def main() -> None:
    """Serve standard input."""
    serve(sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
