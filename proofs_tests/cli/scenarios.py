"""One small question for every command that writes files: what it reads, what it is told to write."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tcloseness.anonymize import METHODS

__all__ = ["CORES", "EVERY", "SCENARIOS", "Scenario", "make_inputs"]

_TABLE = "q,n,s\na,1,flu\na,2,cold\nb,3,flu\nb,4,cough\na,5,cold\nb,6,cough\na,7,flu\nb,8,cold\n"
_INTERVALS = "q,n,s\n" + "".join(
    f"*,{'1-4' if n < 5 else '5-8'},{line.rpartition(',')[2]}\n" for n, line in enumerate(_TABLE.splitlines()[1:], 1)
)
_NUMBERS = "".join(f"{i},{'1-4' if i < 5 else '5-8'},*\n" for i in range(1, 9))
_TREE = "flu,severe,*\ncold,mild,*\ncough,mild,*\n"
_MATRIX = ",flu,cold,cough\nflu,0,1,1\ncold,1,0,1/2\ncough,1,1/2,0\n"
_MEASURE = "def half(p, q):\n    return sum(abs(a - b) for a, b in zip(p, q)) / 2\n"

INPUTS = {
    "table.csv": _TABLE,
    "released.csv": _TABLE.replace("\na,", "\n*,").replace("\nb,", "\n*,"),
    "intervals.csv": _INTERVALS,
    "levels/q.csv": "a,*\nb,*\n",
    "levels/n.csv": _NUMBERS,
    "levels/s.csv": _TREE,
    "q.csv": "a,*\nb,*\n",
    "tree.csv": _TREE,
    "matrix.csv": _MATRIX,
    "my_measure.py": _MEASURE,
    "my_harness.py": "from tcloseness.conformance.harness import main\nmain()\n",
}


@dataclass(frozen=True)
class Scenario:
    """A command line.

    Attributes
    ----------
    arguments
        All but the options that name what is written.
    outputs
        By option, the name that it is given.
    files
        The files that are written then.
    reads
        The files that the command reads.
    """

    arguments: tuple[str, ...]
    outputs: Mapping[str, str]
    files: tuple[str, ...]
    reads: tuple[str, ...]

    def line(self, folder: str = "", **outputs: str) -> list[str]:
        """Return the command line; names of files can be put into a folder, and outputs be given other names."""
        options = [word for option, name in {**self.outputs, **outputs}.items() for word in (option, name)]
        before, dashes, harness = _parted(self.arguments)
        words = [*before, *options]
        if folder:
            words = [_in_folder(word, folder) for word in words]
            harness = [_in_folder(word, folder) for word in harness]
        return [*words, *dashes, *harness]


def _parted(words: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    if "--" not in words:
        return list(words), [], []
    place = words.index("--")
    return list(words[:place]), ["--"], list(words[place + 1 :])


def _in_folder(word: str, folder: str) -> str:
    names = {*INPUTS, "levels", "certificate.json", "report.json", "vectors.json", *_OUTPUTS}
    for name in sorted(names, key=len, reverse=True):
        if word == name or word.endswith((f"={name}", f":{name}")):
            return f"{word[: len(word) - len(name)]}{folder}/{name}"
        if word.startswith(f"{name}:"):
            return f"{folder}/{word}"
    return word


_ASKED = ("table.csv", "-q", "q,n", "-s", "s")
_LEVELS = ("--hierarchies", "levels")
_OF_LEVELS = ("levels/q.csv", "levels/n.csv", "levels/s.csv")
_ANONYMIZED = (
    *("anonymize", *_ASKED, *_LEVELS, "--method", "mondrian", "--k", "2"),
    *("--ground", "s=hierarchical:tree.csv", "--seed", "1"),
)
_OUTPUTS = (
    "out.csv",
    "out.parquet",
    "out.json",
    "out.sensitive.csv",
    "page.html",
    "out.svg",
    "proof.json",
    "proof.json.salt",
    "counts.txt",
    "out.xml",
    "fresh",
)

SCENARIOS = {
    "check": Scenario(
        ("check", *_ASKED, "--ground", "s=hierarchical:tree.csv", "--t", "1"),
        {"--html": "page.html"},
        ("page.html",),
        ("table.csv", "tree.csv"),
    ),
    "check with its proof": Scenario(
        ("check", *_ASKED, "--ground", "s=hierarchical:tree.csv", "--t", "1"),
        {"--certificate": "proof.json", "--counts": "counts.txt"},
        ("proof.json", "counts.txt"),
        ("table.csv", "tree.csv"),
    ),
    "check with its proof, values withheld": Scenario(
        ("check", *_ASKED, "--ground", "s=hierarchical:tree.csv", "--t", "1", "--redact"),
        {"--certificate": "proof.json"},
        ("proof.json", "proof.json.salt"),
        ("table.csv", "tree.csv"),
    ),
    "search": Scenario(
        (
            "search",
            *_ASKED,
            *_LEVELS,
            "--hierarchy",
            "q=q.csv",
            "--k",
            "2",
            "--optimum",
            "height",
            "--ground",
            "s=matrix:matrix.csv",
            "--t",
            "1",
        ),
        {"--output": "out.csv", "--figure": "out.svg"},
        ("out.csv", "out.json", "out.svg"),
        ("table.csv", "q.csv", "levels/n.csv", "levels/s.csv", "matrix.csv"),
    ),
    "search with its proof": Scenario(
        ("search", *_ASKED, *_LEVELS, "--k", "2", "--ground", "s=hierarchical:tree.csv", "--t", "1/2"),
        {"--certificate": "proof.json", "--counts": "counts.txt"},
        ("proof.json", "counts.txt"),
        ("table.csv", *_OF_LEVELS, "tree.csv"),
    ),
    "anonymize": Scenario(
        _ANONYMIZED,
        {"--output": "out.csv"},
        ("out.csv", "out.json"),
        ("table.csv", *_OF_LEVELS, "tree.csv"),
    ),
    "anonymize with its proof": Scenario(
        _ANONYMIZED,
        {"--output": "out.csv", "--certificate": "proof.json", "--counts": "counts.txt"},
        ("out.csv", "out.json", "proof.json", "counts.txt"),
        ("table.csv", *_OF_LEVELS, "tree.csv"),
    ),
    "anonymize by anatomy": Scenario(
        ("anonymize", *_ASKED, "--method", "anatomy", "--distinct-l", "2", "--seed", "1"),
        {"--output": "out.csv"},
        ("out.csv", "out.json", "out.sensitive.csv"),
        ("table.csv",),
    ),
    "optimal": Scenario(
        (
            "optimal",
            "sensitive-generalization",
            *_ASKED,
            *_LEVELS,
            "--node",
            "11",
            "--t",
            "1/2",
            "--ground",
            "s=equal",
            "--sensitive-hierarchy",
            "tree.csv",
            "--seed",
            "1",
        ),
        {"--output": "out.csv"},
        ("out.csv", "out.json"),
        ("table.csv", *_OF_LEVELS, "tree.csv"),
    ),
    "optimal with its proof": Scenario(
        (
            "optimal",
            "suppression",
            *_ASKED,
            *_LEVELS,
            "--node",
            "11",
            "--t",
            "1/2",
            "--ground",
            "s=hierarchical:tree.csv",
            "--seed",
            "1",
        ),
        {"--output": "out.csv", "--certificate": "proof.json", "--counts": "counts.txt"},
        ("out.csv", "out.json", "proof.json", "counts.txt"),
        ("table.csv", *_OF_LEVELS, "tree.csv"),
    ),
    "attack": Scenario(
        ("attack", "intervals.csv", "--table", "table.csv", "-q", "q,n", "-s", "s", "--tight", "n"),
        {"--html": "page.html", "--certificate": "proof.json"},
        ("page.html", "proof.json"),
        ("intervals.csv", "table.csv"),
    ),
    "columns": Scenario(("columns", "table.csv", "-q", "q,n"), {"--output": "out.csv"}, ("out.csv",), ("table.csv",)),
    "compare": Scenario(
        ("compare", "table.csv", "released.csv", "-q", "q,n", "-s", "s"),
        {"--output": "out.csv", "--html": "page.html"},
        ("out.csv", "page.html"),
        ("table.csv", "released.csv"),
    ),
    "emd": Scenario(
        ("emd", "--p", "1,0,0", "--q", "0,1/2,1/2", "--ground", "matrix:matrix.csv"),
        {"--certificate": "proof.json", "--figure": "out.svg"},
        ("proof.json", "out.svg"),
        ("matrix.csv",),
    ),
    "emd of a table": Scenario(
        ("emd", "table.csv", "--column", "s", "--by", "q", "--ground", "hierarchical:tree.csv"),
        {"--certificate": "proof.json", "--figure": "out.svg"},
        ("proof.json", "out.svg"),
        ("table.csv", "tree.csv"),
    ),
    "validate": Scenario(
        (
            "validate",
            "my_measure.py:half",
            "--ground",
            "hierarchical:tree.csv",
            "--values",
            "flu,cold,cough",
            "--only",
            "symmetric",
            "--no-proofs",
            "--m",
            "2-3",
            "--budget",
            "600",
        ),
        {"--html": "page.html"},
        ("page.html",),
        ("my_measure.py", "tree.csv"),
    ),
    "conform run": Scenario(
        ("conform", "run", "--vectors", "vectors.json", "--", sys.executable, "my_harness.py"),
        {"--html": "page.html", "--junit": "out.xml", "--report": "proof.json", "--badge": "out.svg"},
        ("page.html", "out.xml", "proof.json", "out.svg"),
        ("vectors.json", "my_harness.py"),
    ),
    "conform generate": Scenario(
        ("conform", "generate", "--algorithm", "k-anonymity", "--seed", "1", "--size", "2"),
        {"--output": "fresh"},
        ("fresh/k-anonymity.json",),
        (),
    ),
    "conform show": Scenario(
        ("conform", "show", "report.json"), {"--html": "page.html"}, ("page.html",), ("report.json",)
    ),
}
"""By name, a question for each command that writes; the answer of each is that all is well (exit code 0)."""


def _of_the_table(*words: str) -> Scenario:
    return Scenario((*words, "--seed", "1"), {"--output": "out.csv"}, ("out.csv", "out.json"), ("table.csv",))


_CLOSE = (*_ASKED, "--t", "1", "--ground", "s=equal")

_TASKS = {
    "partition": (*_CLOSE, "--k", "2"),
    "cut": (*_CLOSE, "--k", "2", *_LEVELS),
    "suppression": _CLOSE,
    "hiding": _CLOSE,
    "microaggregation": ("table.csv", "-q", "n", "-s", "s", "--k", "2"),
}

EVERY = {
    **SCENARIOS,
    **{
        f"anonymize by {method}": _of_the_table("anonymize", "--method", method, *_CLOSE, "--k", "2", *_LEVELS)
        for method in METHODS
        if method not in ("mondrian", "anatomy")
    },
    **{f"optimal {task}": _of_the_table("optimal", task, *words) for task, words in _TASKS.items()},
    "search, to Parquet": Scenario(
        ("search", *_ASKED, *_LEVELS, "--k", "2", "--optimum", "height"),
        {"--output": "out.parquet"},
        ("out.parquet", "out.json"),
        ("table.csv", *_OF_LEVELS),
    ),
}
"""The same for every method of ``anonymize`` and every task of ``optimal``, for a search that takes longer."""


CORES = {
    "check": "tcloseness.check",
    "check with its proof": "tcloseness.check",
    "check with its proof, values withheld": "tcloseness.check",
    "search": "tcloseness.lattice.search_answer.search_lattice",
    "search with its proof": "tcloseness.lattice.search_answer.search_lattice",
    "anonymize": "tcloseness.methods.run_method",
    "anonymize with its proof": "tcloseness.methods.run_method",
    "anonymize by anatomy": "tcloseness.methods.run_method",
    "optimal": "tcloseness.cli.optimal_tasks.optimal_sensitive_generalization",
    "optimal with its proof": "tcloseness.cli.optimal_tasks.optimal_suppression",
    "attack": "tcloseness.attacks.published.disclosed_by_labels",
    "columns": "tcloseness.attacks.columns",
    "compare": "tcloseness.compare",
    "emd": "tcloseness.transport.certify",
    "emd of a table": "tcloseness.transport.values.certify",
    "validate": "tcloseness.axioms.check_distance",
    "conform run": "tcloseness.conformance.runner.run",
    "conform generate": "tcloseness.conformance.generate.fresh_vectors",
    "conform show": "tcloseness.cli.conform.write_files",
}
"""By scenario, the function that answers it."""


def make_inputs(folder: Path) -> None:
    """Write every file that the scenarios read."""
    from tcloseness.conformance.assessment import VERDICTS
    from tcloseness.conformance.generate import flagged, fresh_vectors
    from tcloseness.conformance.vectors import file_text

    for name, text in INPUTS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    tests = [flagged(vector) for vector in fresh_vectors(1, 2, ["k-anonymity"])]
    (folder / "vectors.json").write_text(file_text("k-anonymity", tests, made_by="a test"), encoding="utf-8")
    totals = {**dict.fromkeys(VERDICTS, 0), "right": 1}
    report = {
        "format": "tcloseness-conformance-1",
        "version": "0",
        "implementation": {"name": "x", "version": "1", "language": "y", "algorithms": ["emd"], "conventions": []},
        "totals": totals,
        "warnings": [],
        "smoke_failed": [],
        "algorithms": {"emd": totals},
        "reasons": {"emd": {"random": totals}},
        "tests": [{"id": "emd/random/1", "verdict": "right"}],
        "stopped": "",
        "complete": True,
    }
    (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
