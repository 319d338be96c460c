"""Which tests are about which module, found from what the tests import.

``python -m proofs_tests.module_map lattice/roll_up.py`` prints the tests of a module, the nearest first, a room's name
those of its modules, and nothing all. A test is about a module if it is called like it, or takes a name from it: by
itself, through the room, or through the front door. What is tested best through others is listed in `THROUGH`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import tcloseness
from proofs_tests.floors import PACKAGE

__all__ = ["TESTS", "THROUGH", "about", "reaches", "through"]

TESTS = Path(__file__).resolve().parent

THROUGH = {
    "attacks/candidates.py": "attacks/test_ordered_draws.py",
    "attacks/certified_cuts.py": "certificates/test_refusals.py",
    "attacks/counted_beliefs.py": "attacks/test_refused_cuts.py",
    "certificates/compiled.py": "certificates/test_classes.py",
    "axioms/checks/": "axioms/test_checks.py",
    "axioms/function.py": "axioms/test_card.py",
    "axioms/grounds.py": "axioms/test_checks.py",
    "axioms/laws.py": "axioms/test_checks.py",
    "axioms/search.py": "axioms/test_checks.py",
    "axioms/values.py": "axioms/test_checks.py",
    "cli/anonymized_output.py": "cli/test_search.py",
    "cli/arguments.py": "cli/test_wrong_input.py",
    "cli/hierarchies.py": "cli/test_reading.py",
    "cli/optimal_tasks.py": "cli/test_optimal.py",
    "cli/options.py": "cli/test_command_line.py",
    "cli/released.py": "cli/test_anonymize.py",
    "cli/proofs.py": "cli/test_verify.py",
    "cli/releases_read.py": "cli/test_attack.py",
    "cli/seeds.py": "cli/test_anonymize.py",
    "cli/two_tables.py": "cli/test_attack.py",
    "cli/user_objects.py": "cli/test_faults_of_user_objects.py",
    "cli/wanted.py": "cli/test_verify.py",
    "conformance/adapters/": "conformance/test_adapters.py",
    "conformance/readings/": "conformance/test_readings.py",
    "conformance/replays.py": "conformance/test_disclosures.py",
    "ground/rounding.py": "ground/test_rounded_matrices.py",
    "lattice/certify.py": "certificates/test_lattice.py",
    "optimal/partition_proof.py": "certificates/test_partition.py",
    "lattice/compiled.py": "lattice/test_roll_up_properties.py",
    "lattice/node_classes.py": "lattice/test_roll_up_properties.py",
    "loss/weights.py": "loss/test_release_losses.py",
    "microdata/roles.py": "microdata/test_table.py",
    "microdata/sources/duckdb_cells.py": "microdata/sources/test_duckdb.py",
    "microdata/sources/duckdb_engine.py": "microdata/sources/test_duckdb.py",
    "microdata/sources/files.py": "microdata/sources/test_duckdb_texts.py",
    "microdata/sources/strict.py": "microdata/test_sources.py",
    "models/declared_values.py": "models/test_frequency_bounds.py",
    "models/thresholds.py": "test_thresholds.py",
    "optimal/assignment.py": "optimal/test_partition.py",
    "optimal/certify.py": "certificates/test_keeping.py",
    "release/cuts.py": "anonymize/test_mondrian.py",
    "release/drawn.py": "optimal/test_ties.py",
    "release/recoding.py": "release/test_release.py",
    "report/columns_text.py": "cli/test_columns.py",
    "report/comparison_text.py": "cli/test_compare.py",
    "report/drawing.py": "report/test_figures.py",
    "report/search_text.py": "cli/test_search.py",
    "strict_records.py": "transport/test_certificate_reader.py",
}
"""By module, or by folder of modules, the file that tests it through the modules that use it."""

_IMPORT = re.compile(r"^\s*from (tcloseness[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
_WHOLE = re.compile(r"^\s*import (tcloseness[\w.]*)(?: as (\w+))?", re.MULTILINE)
_DEFINED = re.compile(r"^(?:def|class) (\w+)|^(\w+)(?:: [^=\n]+)? = |^(\w+), (\w+)", re.MULTILINE)


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def modules() -> dict[str, Path]:
    """The modules of the package by their path in it; those that only hand on what others define are left out."""
    found = {file.relative_to(PACKAGE).as_posix(): file for file in sorted(PACKAGE.rglob("*.py"))}
    return {name: file for name, file in found.items() if not file.stem.startswith("__") or _defined(file)}


def _defined(file: Path) -> set[str]:
    names = {each for found in _DEFINED.findall(_read(file)) for each in found if each}
    return names - {"__all__", "__getattr__", "__dir__"}


@cache
def _homes() -> dict[str, str]:
    """By full name of a module, and of what is defined in one (also by its room's name), the module."""
    found: dict[str, str] = {}
    for name, file in modules().items():
        dotted = "tcloseness." + name.removesuffix(".py").removesuffix("__init__").replace("/", ".").rstrip(".")
        found[dotted] = name
        for each in _defined(file):
            found[f"{dotted}.{each}"] = name
            found.setdefault(f"{dotted.rpartition('.')[0]}.{each}", name)
    for each, home in tcloseness._HOME.items():
        if f"{home}.{each}" in found:
            found[f"tcloseness.{each}"] = found[f"{home}.{each}"]
    return found


def _imports(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield module, name and the name that it gets here."""
    for module, many, one in _IMPORT.findall(text):
        for each in re.sub(r"#.*", "", many or one).split(","):
            name, _, other = each.strip().partition(" as ")
            if name:
                yield module, name, other or name


@cache
def _taken(file: Path) -> frozenset[str]:
    """The modules that a file takes names from."""
    text, homes = _read(file), _homes()
    names = [f"{module}.{name}" for module, name, _ in _imports(text)]
    bound = {here: f"{module}.{name}" for module, name, here in _imports(text) if name.islower()}
    bound |= {here or "tcloseness": module if here else "tcloseness" for module, here in _WHOLE.findall(text)}
    for here, full in bound.items():
        names += [f"{full}.{rest}" for rest in re.findall(rf"\b{here}\.([a-z_]\w*(?:\.\w+)?|[A-Z]\w*)", text)]
    names += [name.rpartition(".")[0] for name in names]  # tc.room.name.attribute
    return frozenset(homes[name] for name in names if name in homes)


def _called(module: str, test: str) -> bool:
    """Say whether a test mirrors a module's name and room."""
    room, _, stem = module.removesuffix(".py").rpartition("/")
    folder, _, name = test.removesuffix(".py").rpartition("/")
    return folder == room.partition("/")[0] and name == f"test_{stem or room}"


@cache
def about() -> Mapping[str, tuple[str, ...]]:
    """By module, the files with tests of it, the nearest first."""
    tests = {file.relative_to(TESTS).as_posix(): file for file in sorted(TESTS.rglob("test_*.py"))}
    found: dict[str, list[str]] = {name: [] for name in modules()}
    for test, file in tests.items():
        for module in _taken(file):
            found[module].append(test)
    for module, own in found.items():
        own += [test for test in tests if _called(module, test) and test not in own]
        room = module.partition("/")[0]
        own.sort(key=lambda test: (not _called(module, test), test.partition("/")[0] != room, len(_taken(tests[test]))))
    return {module: tuple(own) for module, own in found.items()}


def through(module: str) -> str | None:
    """The file that tests a module through others."""
    folders = (test for part, test in THROUGH.items() if part.endswith("/") and module.startswith(part))
    return THROUGH.get(module) or next(folders, None)


def reaches(test: str, module: str) -> bool:
    """Say whether what a test imports, also through helpers beside it, comes to a module, or names its folder."""
    text = _read(TESTS / test)
    helpers = [TESTS.parent / f"{name.replace('.', '/')}.py" for name in re.findall(r"proofs_tests[\w.]+", text)]
    seen: set[str] = set()
    left = [each for file in (TESTS / test, *filter(Path.is_file, helpers)) for each in _taken(file)]
    while left:
        if (name := left.pop()) not in seen:
            seen.add(name)
            left += _taken(modules()[name])
    return module in seen or (module not in THROUGH and Path(module).parent.name in text)


if __name__ == "__main__":
    for name, own in about().items():
        if not sys.argv[1:] or name.startswith(tuple(sys.argv[1:])):
            print(name, *(f"    {test}" for test in own or [f"{through(name)} (through others)"]), sep="\n")
