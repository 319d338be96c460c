"""The tests in environments of their own: with the lowest versions that pyproject.toml admits, the newest, and Spark.

``python -m proofs_tests.environments lowest`` takes every declared lower bound as the version, on Python 3.11 (the
lowest that is declared), and what these packages need in turn as it comes. ``newest`` takes the newest Python that
answers and can be given all packages, and the newest version of everything, without the constraints of ``make test``;
where that is what ``make test`` takes, it says so and runs nothing twice.
``between`` takes Python 3.12, which is neither, and the versions of ``make test``.
``spark`` takes this Python and the versions of ``make test``, and PySpark besides, half a gigabyte that other tests do
not need. All say what they could not try, and why. Words after ``--`` are handed to pytest. The exit code is pytest's,
or 2 if no environment could be made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from experiments.pythons import pythons

__all__ = ["declared", "lower_bounds", "versions"]

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("arrow", "test")
SPARK = ("spark", "test")
LOWEST_PYTHON = "3.11"
PYTHON_BETWEEN = "3.12"
NEWEST_PYTHONS = ("3.15", "3.14", "3.13", "3.12", "3.11")
"""The newest first; some dependencies' newest versions need one of the first."""

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


class NotMadeError(Exception):
    """An environment, or a part of it, cannot be made here; in words."""


def environment(kind: str, interpreter: str, packages: list[str], extras: tuple[str, ...] = EXTRAS) -> Path:
    """Make an environment with some packages and return its Python; what is there already is kept if it is the same.

    Raises
    ------
    NotMadeError
        If that is not possible here.
    """
    folder = ROOT / f".venv-{kind}"
    python, note = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join([interpreter, *packages, *map(str, declared(extras).values())]) + "\n"
    if kind == "newest" or not note.exists() or note.read_text(encoding="utf-8") != wanted:
        _made([interpreter, "-m", "venv", "--clear", str(folder)], "an environment cannot be made")
        _pip(python, [*packages, "--editable", f"{ROOT}[{','.join(extras)}]"])
        note.write_text(wanted, encoding="utf-8")
    return python


def wrong_highs(python: Path) -> Path:
    """Return a folder with the highspy that answers wrongly, for the test that it is refused.

    Raises
    ------
    NotMadeError
        If that is not possible here.
    """
    folder = python.parent.parent / f"highspy-{WRONG_HIGHS}"
    if not folder.exists():
        try:
            _pip(python, ["--no-deps", "--target", str(folder), f"highspy=={WRONG_HIGHS}"])
        except NotMadeError:
            shutil.rmtree(folder, ignore_errors=True)  # the next run tries again
            raise
    return folder


def _pip(python: Path, words: list[str]) -> None:
    """Install packages, compiled: where tests import them first, a warning of their text would be an error."""
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _made([*pip, *words], "its packages cannot be installed from the index that pip asks here")


def _made(command: list[str], otherwise: str) -> None:
    """Run a command; its own words go where this program's go."""
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotMadeError(f"{otherwise} ({error})") from error


def versions(python: str) -> dict[str, str]:
    """Return the versions of an interpreter and of the packages that it has, but for those that install packages."""
    own = subprocess.run([python, "-VV"], capture_output=True, text=True, check=True).stdout.strip()
    words = [python, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    found = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in listed)}
    return {"python": own, **{name: found[name] for name in found if name not in ("pip", "setuptools")}}


def main(arguments: list[str]) -> int:
    """Make an environment and run the tests in it."""
    kind, chosen = arguments[0] if arguments else "", arguments[2:]
    if kind not in ("lowest", "between", "newest", "spark") or (arguments[1:] and arguments[1] != "--"):
        usage = "usage: python -m proofs_tests.environments lowest|between|newest|spark [-- words for pytest]"
        print(usage, file=sys.stderr)
        return 2
    lowest, extras = kind == "lowest", SPARK if kind == "spark" else EXTRAS
    there, not_there = [sys.executable], []
    packages = ["--constraint", str(ROOT / "constraints.txt")]
    if kind != "spark":
        wanted = {"lowest": (LOWEST_PYTHON,), "between": (PYTHON_BETWEEN,), "newest": NEWEST_PYTHONS}
        there, not_there = pythons(wanted[kind])
    if kind in ("lowest", "newest"):
        packages = [f"{name}=={version}" for name, version in lower_bounds().items()] if lowest else []
    for name in not_there:
        print(f"not tried: {name}, which does not answer here", flush=True)
    variables, python = dict(os.environ), None
    for interpreter in there:
        try:
            python = environment(kind, interpreter, packages, extras)
            if lowest:
                variables["TCLOSENESS_WRONG_HIGHS"] = str(wrong_highs(python))
            break
        except NotMadeError as error:
            python = None
            print(f"not tried: {interpreter}: {error}", flush=True)
    if python is None:
        print(f"no test was run: there is no Python here that can have the {kind} versions", file=sys.stderr)
        return 2
    variables["NUMBA_CACHE_DIR"] = str(python.parent.parent / "numba")  # a version replaces what another one compiled
    found = versions(str(python))
    names = {canonicalize_name(name) for name in declared(extras)}
    print(
        Path(interpreter).name, *(f"{name}=={version}" for name, version in found.items() if name in names), flush=True
    )
    if kind == "newest" and found.items() <= versions(sys.executable).items():
        print("nothing is run twice: these are the Python and the versions of `make test`, which has these tests")
        return 0
    return subprocess.run([str(python), "-m", "pytest", *chosen], cwd=ROOT, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
