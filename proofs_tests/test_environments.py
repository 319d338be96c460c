"""What pyproject.toml declares can be tried: a lowest version for each package, and nothing that is known to fail."""

from __future__ import annotations

import tomllib

import pytest
from packaging.version import Version

from experiments.pythons import pythons
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


def test_pythons_that_do_not_answer_are_named():
    assert pythons(("3.0",)) == ([], ["python3.0"])
