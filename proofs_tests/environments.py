"""The tests in environments of their own: with the lowest versions that pyproject.toml admits, and with the newest.

``python -m proofs_tests.environments lowest`` takes every declared lower bound as the version, on Python 3.11 (the
lowest that is declared), and what these packages need in turn as it comes. ``newest`` takes the newest Python that
answers, and the newest version of everything, without the constraints of ``make test``. Both say what they could not
try. Words after ``--`` are handed to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from experiments.pythons import pythons

__all__ = ["declared", "lower_bounds"]

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("parquet", "test")
LOWEST_PYTHON = "3.11"
NEWEST_PYTHONS = ("3.15", "3.14", "3.13", "3.12")
"""Those that some dependencies' newest versions need, the newest first."""

WRONG_HIGHS = "1.14.0"
"""The version of highspy that the package must refuse."""


def declared(extras: tuple[str, ...] = EXTRAS) -> dict[str, Requirement]:
    """Return what pyproject.toml asks for, by package: the core's packages and those of some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted, left = list(map(Requirement, project["dependencies"])), [*extras]
    while left:
        for requirement in map(Requirement, project["optional-dependencies"].get(left.pop(), ())):
            if requirement.name == project["name"]:
                left += requirement.extras
            else:
                wanted.append(requirement)
    found: dict[str, Requirement] = {}
    for requirement in wanted:
        if found.setdefault(requirement.name, requirement) != requirement:
            raise SystemExit(f"pyproject.toml asks for {found[requirement.name]} and for {requirement}; ask once")
    return found


def lower_bounds(extras: tuple[str, ...] = EXTRAS, *, python: str = LOWEST_PYTHON) -> dict[str, str]:
    """Return the least version that is admitted, by package that this Python needs; each must have one."""
    found = {}
    for name, requirement in declared(extras).items():
        if requirement.marker is not None and not requirement.marker.evaluate({"python_version": python}):
            continue
        least = [one.version for one in requirement.specifier if one.operator == ">="]
        if not least:
            raise SystemExit(f"pyproject.toml says no lowest version of {name}: {requirement}")
        found[name] = least[0]
    return found


def _environment(kind: str, interpreter: str, packages: list[str]) -> Path:
    """Make an environment with some packages and return its Python; what is there already is kept if it is the same."""
    folder = ROOT / f".venv-{kind}"
    python, note = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join([interpreter, *packages]) + "\n"
    this = ["--editable", f"{ROOT}[{','.join(EXTRAS)}]"]
    if kind == "newest" or not note.exists() or note.read_text(encoding="utf-8") != wanted:
        subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages, *this], check=True)
        note.write_text(wanted, encoding="utf-8")
    return python


def _wrong_highs(python: Path) -> Path:
    """Return a folder with the highspy that answers wrongly, for the test that it is refused."""
    folder = python.parent.parent / f"highspy-{WRONG_HIGHS}"
    if not folder.exists():
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(folder), f"highspy=={WRONG_HIGHS}"], check=True)
    return folder


def main(arguments: list[str]) -> int:
    """Make an environment and run the tests in it."""
    kind, chosen = arguments[0] if arguments else "", arguments[2:]
    if kind not in ("lowest", "newest") or (arguments[1:] and arguments[1] != "--"):
        print("usage: python -m proofs_tests.environments lowest|newest [-- words for pytest]", file=sys.stderr)
        return 2
    if kind == "lowest":
        there, not_there = pythons((LOWEST_PYTHON,))
        packages = [f"{name}=={version}" for name, version in lower_bounds().items()]
    else:
        there, not_there = pythons(NEWEST_PYTHONS)
        packages = []
    for name in not_there:
        print(f"not tried: {name}, which does not answer here", flush=True)
    if not there:
        print(f"not tried: no Python for the {kind} versions; install one of {', '.join(not_there)}")
        return 0 if kind == "newest" else 2
    python = _environment(kind, there[0], packages)
    frozen = [str(python), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(frozen, capture_output=True, text=True, check=True).stdout.split()
    names = {canonicalize_name(name) for name in declared()}
    ours = [line for line in listed if canonicalize_name(line.split("==")[0]) in names]
    print(Path(there[0]).name, *ours, flush=True)
    environment = dict(os.environ)
    if kind == "lowest":
        environment["TCLOSENESS_WRONG_HIGHS"] = str(_wrong_highs(python))
    return subprocess.run([str(python), "-m", "pytest", *chosen], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
