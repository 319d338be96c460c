"""Packages that only some answers need: each has an extra, and where it is missing the error names that."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from proofs_tests.floors import PACKAGE
from tcloseness.extras import EXTRAS, PACKAGES, install

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = PROJECT["optional-dependencies"]

OURS = {"test", "dev", "docs"}
"""The extras for those who build the package and its pages."""

MODULES = {"mpl_toolkits": "matplotlib"}
"""By module, the one that comes with it."""

BLOCKED = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {modules!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name.partition(".")[0] in {modules!r} else found(name, *more)
sys.meta_path.insert(0, Missing())
"""

SPARK = (
    "class DataFrame: pass\nDataFrame.__module__ = 'pyspark.sql'\n"
    "from tcloseness import FrequencySet as F; F.read(DataFrame(), quasi_identifiers='q', sensitive='s')"
)
POLARS = "import polars as pl; f = pl.DataFrame({'q': ['a'], 's': ['x']})\n"
READ = "from tcloseness import FrequencySet as F; F.read(f, quasi_identifiers='q', sensitive='s')"
TRAINED = "from experiments.studies.utility.learning import library as f; f()"

USES = [
    ("matplotlib", "import tcloseness.report.figures"),
    ("matplotlib", "from tcloseness.cli.output import require_figure as f; f('x.png')"),
    ("markupsafe", "import tcloseness.report.drawing"),
    ("jinja2", "from tcloseness.page_templates import templates_of as f; f('report')"),
    ("jinja2", "from tcloseness.cli.options import Page as P; P('x.html').refuse()"),
    ("pyarrow", POLARS + READ),
    ("pyarrow", POLARS + "f = f.lazy()\n" + READ),
    ("pyarrow", SPARK),
    ("jsonschema", "from tcloseness.conformance.lint import schema_faults as f; f('{}')"),
    ("sklearn", TRAINED),
    ("sklearn", "import tcloseness.estimator"),
]


def imported() -> Iterator[tuple[str, Path]]:
    """Every module of others that a file of the package imports while it runs."""
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        checked = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if node in checked:
                continue
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [str(node.module)]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top not in ("tcloseness", "experiments", "proofs_tests"):
                    yield MODULES.get(top, top), file


def packages(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(each).name) for each in requirements}


@pytest.mark.slow
def test_what_is_imported_comes_with_a_plain_installation_or_with_an_extra() -> None:
    core = packages(PROJECT["dependencies"]) | {"click", "pytest"}  # typer brings click; a plugin runs in pytest
    core |= {"dask", "ibis", "polars", "pyspark"}  # asked of by whoever gives a frame of theirs
    for module, file in imported():
        if file.parent.name == "adapters":  # each runs in an environment of what it adapts
            continue
        name = canonicalize_name(PACKAGES.get(module, (module, ""))[0])
        assert name in core or module in PACKAGES, f"{file.name} imports {module}, which no extra brings"


def test_every_package_is_in_its_extra() -> None:
    assert set(EXTRAS) == set(OPTIONAL) - OURS - {"all"}
    for package, extra in PACKAGES.values():
        assert canonicalize_name(package) in packages(OPTIONAL[extra]) | {"markupsafe"}  # which Jinja2 brings
    (everything,) = map(Requirement, OPTIONAL["all"])
    assert everything.extras == set(EXTRAS)


def test_every_package_of_an_extra_is_tried() -> None:
    assert {module for module, _ in USES} == set(PACKAGES) - {"z3"}  # without which laws are tried, and not proved


def ran(module: str, use: str) -> subprocess.CompletedProcess[str]:
    program = BLOCKED.format(modules=[module]) + use
    words = [sys.executable, "-W", "ignore", "-c", program]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.long
@pytest.mark.parametrize(("module", "use"), USES)
def test_what_is_missing_is_named_with_the_command_that_installs_its_extra(module: str, use: str) -> None:
    package, extra = PACKAGES[module]
    done = ran(module, use)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith(install(extra)), done.stderr
    assert package in last or package == "MarkupSafe"
    assert last.startswith(("tcloseness.errors.MissingPackageError: ", "tcloseness.errors.StudyError: "))


@pytest.mark.slow
def test_laws_are_tried_without_z3_and_it_is_said_how_they_would_be_proved() -> None:
    use = (
        "import tcloseness as tc\n"
        "card = tc.check_distance(lambda p, q: sum(abs(a - b) for a, b in zip(p, q)) / 2, name='own')\n"
        'assert "tcloseness[validate]" in str(card.to_dict()), card.to_dict()'
    )
    done = ran("z3", use)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_core_is_the_command_line() -> None:
    """Nothing of an extra is needed to check, search, anonymize and solve."""
    blocked = BLOCKED.format(modules=[*{*PACKAGES} - {"pyarrow"}])  # which pandas may load
    use = (
        "import pandas as pd, tcloseness as tc\n"
        "frame = pd.DataFrame({'q': [1, 1, 2], 's': ['x', 'y', 'x']})\n"
        "up = {'q': tc.Hierarchy([[1, '*'], [2, '*']], name='q')}\n"
        "table = tc.Table(frame, quasi_identifiers='q', sensitive='s', ground='equal', hierarchies=up)\n"
        "table.check(k=2); table.search(k=2); table.anonymize('mondrian', k=2); table.optimal('partition', k=2)\n"
        "import tcloseness.cli.commands, tcloseness.report.text"
    )
    words = [sys.executable, "-W", "ignore", "-c", blocked + use]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
