"""What pyproject.toml declares can be tried: a lowest version for each package, and nothing that is known to fail."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from experiments.pythons import pythons
from proofs_tests import environments
from proofs_tests.environments import EXTRAS, ROOT, declared, lower_bounds

CONSTRAINTS = dict(
    line.lower().split("==")
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)


def test_every_package_has_a_lowest_version_that_is_admitted():
    for name, version in lower_bounds().items():
        assert declared()[name].specifier.contains(version), name


def test_every_extra_that_tests_need_is_tried():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) <= set(project["optional-dependencies"])
    assert {"pyarrow", "z3-solver", "jsonschema", "pytest"} <= set(declared())


@pytest.mark.parametrize("name", sorted(lower_bounds()))
def test_the_version_that_tests_take_is_admitted(name):
    assert declared()[name].specifier.contains(CONSTRAINTS[name])
    assert Version(CONSTRAINTS[name]) >= Version(lower_bounds()[name])


@pytest.mark.parametrize(("name", "version"), [("highspy", "1.14.0"), ("pulp", "3.3.0"), ("rich", "13.7.1")])
def test_versions_that_are_known_to_fail_are_not_admitted(name, version):
    """highspy 1.14.0 calls 15 optimal where 9 is right, pulp 3.3.0 cannot add variables, typer needs rich 13.8."""
    assert not declared()[name].specifier.contains(version)


@pytest.mark.long
def test_the_installed_size_of_the_core_is_known_by_package(capsys):
    """All that a plain installation brings, each package with what it needs in turn."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sizes, left = {}, list(map(Requirement, project["dependencies"]))
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        if name in sizes or (requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})):
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of another platform
            continue
        files = [file.locate() for file in found.files or ()]
        sizes[name] = sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.is_file())
        left += map(Requirement, found.requires or ())
    with capsys.disabled():
        listed = sorted(sizes.items(), key=lambda pair: -pair[1])
        print("\n" + "\n".join(f"{name:20} {size / 1e6:7.1f} MB" for name, size in listed if size > 1e5))
        print(f"{'all':20} {sum(sizes.values()) / 1e6:7.1f} MB")
    assert {"duckdb", "narwhals", "numpy", "pandas"} <= set(sizes)
    assert not {"matplotlib", "jinja2", "pyarrow", "polars", "pyspark", "ibis-framework", "dask"} & set(sizes)
    assert sum(sizes.values()) < 700e6


def test_every_python_that_is_promised_is_among_those_that_are_tried():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest = project["requires-python"].removeprefix(">=")
    assert lowest == environments.LOWEST_PYTHON
    assert {lowest, environments.PYTHON_BETWEEN, "3.13"} <= set(environments.NEWEST_PYTHONS)


def test_pythons_that_do_not_answer_are_named():
    assert pythons(("3.0",)) == ([], ["python3.0"])


def fake_python(folder, name, venv=0, pip=0):
    """A Python that makes environments of itself, and ends so."""
    place = folder / name
    place.write_text(
        f"""#!/bin/sh
case "$*" in
    *--version*) echo "Python {name.removeprefix("python")}.1"; exit 0;;
    *"pip install"*) exit {pip};;
    *venv*) /bin/mkdir -p "$4/bin" && /bin/cp "$0" "$4/bin/python"; exit {venv};;
    *pytest*) echo "pytest of {name}"; exit 5;;
esac
"""
    )
    place.chmod(0o755)


@pytest.mark.parametrize(
    ("kind", "made", "code", "says"),
    [
        (
            "newest",
            {},
            2,
            ["not tried: python3.15, which does not answer", "not tried: python3.11, ", "no test was run"],
        ),
        ("lowest", {}, 2, ["not tried: python3.11, which does not answer", "no test was run"]),
        ("newest", {"3.12": {}}, 5, ["not tried: python3.13, which does not answer", "pytest of python3.12"]),
        ("lowest", {"3.11": {}, "3.13": {}}, 5, ["pytest of python3.11"]),
        ("between", {"3.11": {}, "3.12": {}, "3.13": {}}, 5, ["pytest of python3.12"]),
        ("between", {"3.13": {}}, 2, ["not tried: python3.12, which does not answer", "no test was run"]),
        ("newest", {"3.14": {"pip": 1}, "3.11": {}}, 5, ["python3.14: its packages cannot be", "pytest of python3.11"]),
        ("newest", {"3.14": {"venv": 1}}, 2, ["python3.14: an environment cannot be made", "no test was run"]),
        (
            "lowest",
            {"3.11": {"pip": 1}},
            2,
            ["python3.11: its packages cannot be installed from the index", "no test was"],
        ),
    ],
)
def test_what_cannot_be_tried_is_said_and_is_no_success(kind, made, code, says, tmp_path, monkeypatch, capfd):
    for version, ends in made.items():
        fake_python(tmp_path, f"python{version}", **ends)
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "declared", lambda _extras=(): {})
    monkeypatch.setattr(environments, "lower_bounds", lambda: {"highspy": "1.12"})
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert environments.main([kind]) == code
    said = "".join(capfd.readouterr())
    for each in says:
        assert each in said


@pytest.mark.parametrize(
    ("kind", "other", "code"),
    [
        ("newest", {}, 0),
        ("newest", {"numpy": "99"}, 5),
        ("newest", {"another": "1"}, 5),
        ("newest", {"python": "Python 3.15"}, 5),
        ("lowest", {}, 5),
    ],
)
def test_the_newest_versions_are_tried_unless_they_are_those_of_make_test(
    kind, other, code, tmp_path, monkeypatch, capfd
):
    fake_python(tmp_path, "python3.11")
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "declared", lambda _extras=(): {})
    monkeypatch.setattr(environments, "lower_bounds", lambda: {"highspy": "1.12"})
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    here = {"python": "Python 3.11", "numpy": "1"}
    found = {sys.executable: {**here, "only here": "1"}}
    monkeypatch.setattr(environments, "versions", lambda python: found.get(python, {**here, **other}))
    assert environments.main([kind]) == code
    said = "".join(capfd.readouterr())
    assert ("pytest of python3.11" in said) == bool(code)
    assert ("nothing is run twice" in said) == (not code)
